import { describe, expect, it } from 'vitest';
import { removalsAreCalledOff } from '../../sandbox/judge/rules/removals/called-off.ts';
import { details, throttled } from './details.ts';
import { policy, react, type Script } from './histories.ts';

const attached = { ...policy, asg: 'web-asg', drain: { timeout: '30s' }, scaling: [] };

/** A write of the swap of i-1, or of what it became. */
const swap = (state: string, reason = 'scale-in') =>
  ({
    ...({ kind: 'item-written', table: 'state', group: 'web', item: 'swap#i-1', bytes: 500, by: react('i-a') } as const),
    swap: { reason, state, drain: 'd-1', facts: { offering: 'm|z|spot', hooks: [] } },
  }) as const;

/** A member that is chosen to leave at 100 s. */
const found = (write: (script: Script) => void = () => {}, { reason = 'scale-in', document = attached as object, changes = {} } = {}) =>
  details(
    removalsAreCalledOff,
    (script: Script) => {
      script.policy(0, 1, { ...document });
      script.member('i-1', { asg: 'web-asg' });
      script.at(100, swap('leaving', reason));
      write(script);
    },
    { endedAtMs: 1_000_000, ...changes },
  );
const waits = ['i-1 was chosen to leave as a surplus, and neither left nor stays after 220 s'];

describe('a removal that AWS does not carry out is called off', () => {
  it('holds where the member left or stays in time, and breaks where its swap says no more', () => {
    expect(found((script) => script.at(150, swap('drained')))).toEqual([]);
    expect(found((script) => script.at(160, swap('draining')))).toEqual([]);
    expect(found()).toEqual(waits);
    expect(found((script) => script.at(400, swap('drained')))).toEqual(waits);
    expect(found((script) => script.at(150, swap('leaving')))).toEqual(waits);
  });
  it('says nothing of who is replaced, of who EC2 takes, and of groups with target groups or without Auto Scaling groups', () => {
    expect(found(undefined, { reason: 'rebalance' })).toEqual([]);
    expect(found((script) => script.warn(150, 'i-1'))).toEqual([]);
    expect(found(undefined, { document: { ...attached, drain: { loadBalancers: ['arn:aws:elasticloadbalancing:x:1:targetgroup/web/1'] } } })).toEqual(
      [],
    );
    expect(found(undefined, { document: { ...attached, asg: undefined } })).toEqual([]);
  });
  it('says nothing where faults hinder looks or the start of drains, and counts where they hinder the end', () => {
    for (const call of ['Query', 'StartExecution']) expect(found(undefined, { changes: throttled(call) })).toEqual([]);
    expect(found(undefined, { changes: throttled('TerminateInstanceInAutoScalingGroup') })).toEqual(waits);
  });
});
