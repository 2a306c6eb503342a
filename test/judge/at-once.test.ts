import { describe, expect, it } from 'vitest';
import { leaveWithinSurge } from '../../sandbox/judge/rules/removals/at-once.ts';
import { details } from './details.ts';
import { policy, react, type Script } from './histories.ts';

const spared = { ...policy, spare: 1, swap: { maxSurge: 1 } };

const writes = (script: Script, second: number, instance: string, state: string, reason = 'rebalance'): void =>
  script.at(second, {
    ...{ kind: 'item-written', table: 'state', group: 'web', item: `swap#${instance}`, bytes: 500, by: react(`of-${second}`) },
    swap: { state, reason },
  });

/** i-2 begins to leave at 110, after it had waited. What else is so is written. */
const found = (write: (script: Script) => void, document: object = spared): readonly string[] =>
  details(leaveWithinSurge, (script) => {
    script.policy(0, 1, { ...document });
    script.desired(0, 2);
    for (const instance of ['i-1', 'i-2', 'i-3']) script.member(instance);
    write(script);
    writes(script, 95, 'i-2', 'waiting');
    script.react(108, 112, 'of-110');
    writes(script, 110, 'i-2', 'leaving');
  });

const leaves =
  (state: string, second = 100, reason = 'rebalance') =>
  (script: Script): void => {
    writes(script, second - 5, 'i-1', 'waiting', reason);
    writes(script, second, 'i-1', state, reason);
  };

describe('where spares take the place of members, no more leave at once than maxSurge', () => {
  it('holds while nobody else leaves, or is drained already', () => {
    expect([found(() => undefined), found(leaves('drained')), found(leaves('waiting'))]).toEqual([[], [], []]);
  });
  it('breaks while as many others leave', () => {
    expect(found(leaves('leaving'))).toEqual(['i-2 begins to leave beside 1 others, and maxSurge is 1']);
    expect(found(leaves('draining'))).toHaveLength(1);
    expect(found(leaves('draining', 100, 'moved'))).toHaveLength(1);
  });
  it('counts nobody whom EC2 takes, and who leaves for another reason', () => {
    expect(found(leaves('draining', 100, 'scale-in'))).toEqual([]);
    const taken = (script: Script): void => {
      leaves('draining')(script);
      script.warn(101, 'i-1');
    };
    expect(found(taken)).toEqual([]);
  });
  it('goes by the surge and the spares of the policy', () => {
    expect(found(leaves('leaving'), { ...spared, swap: { maxSurge: 2 } })).toEqual([]);
    expect(found(leaves('leaving'), { ...spared, spare: 0 })).toEqual([]);
  });
  it('counts no end of a drain that the look need not know', () => {
    const ends = (script: Script): void => {
      leaves('leaving', 100)(script);
      writes(script, 109, 'i-1', 'drained');
    };
    expect(found(ends)).toEqual([]);
  });
});
