import { describe, expect, it } from 'vitest';
import { advisedAreClaimed } from '../../sandbox/judge/rules/drains/advised.ts';
import { details } from './details.ts';
import { policy, react, type Script, twoServe } from './histories.ts';

/** EC2 advises to replace i-1 at 100, and a function receives that at 101. */
const found = (write: (script: Script) => void = () => undefined, document: object = policy, injected = false) =>
  details(advisedAreClaimed, (script) => {
    script.policy(0, 1, { ...document });
    script.desired(0, 2);
    for (const instance of ['i-1', 'i-2']) script.member(instance);
    script.advise(100, 'i-1');
    write(script);
    script.react(101, 104, 'of-1', [{ about: 'advice', instance: 'i-1' }], injected);
  });

/** The swap of a member that leaves for advice is written. */
const claimFor = (script: Script, second: number, instance: string, state = 'waiting'): void =>
  script.at(second, {
    ...{ kind: 'item-written', table: 'state', group: 'web', item: `swap#${instance}`, bytes: 500, by: react('of-2') },
    swap: { state, reason: 'rebalance' },
  });

describe('who EC2 advises to replace is claimed', () => {
  it('holds when the swap is written by the end of the function', () => {
    expect(found((script) => script.claim(103, 'i-1', 'of-1', 'waiting'))).toEqual([]);
  });
  it('breaks when it is not, or later', () => {
    const text = 'EC2 advised to replace i-1, and it is not claimed';
    expect(found()).toEqual([text]);
    expect(found((script) => script.claim(110, 'i-1', 'of-2', 'waiting'))).toEqual([text]);
    expect(found((script) => script.claim(103, 'i-2', 'of-1', 'waiting'))).toEqual([text]);
  });
  it('says nothing where the policy does not act on advice, and where the group is paused', () => {
    expect(found(undefined, { ...policy, rebalance: { act: false } })).toEqual([]);
    expect(found(undefined, { ...policy, mode: 'pause' })).toEqual([]);
  });
  it('breaks within the budget of the hour, and says nothing where that is spent', () => {
    const bounded = (atMostPerHour: number) => ({ ...policy, rebalance: { act: true, atMostPerHour } });
    const claimed = (script: Script) => claimFor(script, 90, 'i-2');
    expect(found(undefined, bounded(1))).toHaveLength(1);
    expect(found(claimed, bounded(1))).toEqual([]);
    expect(found(claimed, bounded(2))).toHaveLength(1);
  });
  it('breaks when a swap that waits is withdrawn while the budget has room', () => {
    const withdrawn = (state: string, document: object, also: (script: Script) => void = () => undefined) =>
      found((script) => {
        claimFor(script, 103, 'i-1', state);
        script.at(110, { kind: 'item-written', table: 'state', group: 'web', item: 'past#i-1', bytes: 500, by: react('of-3') });
        also(script);
      }, document);
    const bounded = { ...policy, rebalance: { act: true, atMostPerHour: 1 } };
    expect(withdrawn('waiting', bounded)).toEqual(['EC2 advised to replace i-1, and its swap is withdrawn']);
    expect(withdrawn('waiting', bounded, (script) => claimFor(script, 104, 'i-2'))).toEqual([]);
    expect(withdrawn('waiting', bounded, (script) => script.policy(105, 2, { ...bounded, mode: 'pause' }))).toEqual([]);
    expect(withdrawn('drained', bounded)).toEqual([]);
    expect(withdrawn('waiting', bounded, (script) => script.letGo(105))).toEqual([]);
  });
  it('says nothing while no policy is in force, and counts again when one is', () => {
    expect(found((script) => script.letGo(90))).toEqual([]);
    expect(found((script) => script.letGo(102))).toEqual([]);
    const back = found((script) => {
      script.letGo(50);
      script.policy(60, 3, { ...policy });
    });
    expect(back).toEqual(['EC2 advised to replace i-1, and it is not claimed']);
    expect(found((script) => script.letGo(105))).toEqual(['EC2 advised to replace i-1, and it is not claimed']);
  });
  it('says nothing of a member that leaves or does not serve, and after a fault', () => {
    expect(found(undefined, policy, true)).toEqual([]);
    expect(found((script) => script.end(102, 'i-1'))).toEqual([]);
    expect(found((script) => script.takeOut(90, 'i-1'))).toEqual([]);
    expect(found((script) => script.warn(90, 'i-1'))).toEqual([]);
  });
});

describe('who AWS will retire is claimed', () => {
  const announced = (claimed: readonly string[], document: object = policy, injected = false) =>
    details(advisedAreClaimed, (script) => {
      script.policy(0, 1, { ...document });
      script.desired(0, 2);
      for (const instance of ['i-1', 'i-2']) script.member(instance);
      for (const instance of claimed) script.claim(103, instance, 'of-1', 'waiting');
      script.react(101, 104, 'of-1', [{ about: 'maintenance', instances: ['i-1', 'i-2', 'i-9'] }], injected);
    });
  it('holds when the swap of each member that the announcement names is written', () => {
    expect(announced(['i-1', 'i-2'])).toEqual([]);
    expect(announced(['i-1'])).toEqual(['AWS announced that it will retire i-2, and it is not claimed']);
  });
  it('also where the policy does not act on advice, or a fault met the function, and not where the group is paused', () => {
    expect(announced([], { ...policy, rebalance: { act: false } })).toHaveLength(2);
    expect(announced([], { ...policy, mode: 'pause' })).toEqual([]);
    expect(announced([], policy, true)).toHaveLength(2);
  });
});

it('two members that serve hold it without any advice', () => {
  expect(details(advisedAreClaimed, twoServe)).toEqual([]);
});
