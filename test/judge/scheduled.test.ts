import { describe, expect, it } from 'vitest';
import { replacedBeforeWindow } from '../../sandbox/judge/rules/drains/scheduled.ts';
import { details, faultOf, throttled } from './details.ts';
import { policy, react, type Script, twoServe } from './histories.ts';

const end = { kind: 'ec2' } as const;
const broken = (write: (script: Script) => void, aheadSeconds = 1_800, changes = {}) => {
  const script = (one: Script): void => {
    twoServe(one);
    one.at(100, { kind: 'scheduled', instance: 'i-1', startsAtMs: 1_000 * (100 + aheadSeconds) });
    write(one);
  };
  return details(replacedBeforeWindow, script, { endedAtMs: 3_000_000, ...changes });
};
const late = ['i-1 is retired now, and was not replaced before'];

describe('what AWS will retire is replaced before', () => {
  it('holds for a member that Holdfast ended in time, and breaks for one that it left', () => {
    expect(broken((script) => script.end(400, 'i-1', react('i-9')))).toEqual([]);
    expect(broken((script) => script.end(1_900, 'i-1', end))).toEqual(late);
  });
  it('breaks so, unless a fault meets the announcement, a look, a launch or a drain', () => {
    const left = (fault: object) => broken((script) => script.end(1_900, 'i-1', end), 1_800, fault);
    for (const fault of [throttled('Query'), throttled('CreateFleet'), throttled('StartExecution'), faultOf({ on: 'event', kind: 'drop' })])
      expect(left(fault)).toEqual([]);
    for (const call of ['PutEvents', 'DescribeSpotPriceHistory', 'CreateTags']) expect(left(throttled(call))).toEqual(late);
  });
  it('breaks for one that EC2 ended before', () => {
    expect(broken((script) => script.end(1_800, 'i-1', end))).toEqual(late);
  });
  it('counts from when the group acts, where it was paused when AWS announced it', () => {
    const paused =
      (actsAt: number) =>
      (script: Script): void => {
        script.policy(50, 2, { ...policy, mode: 'pause' });
        script.policy(actsAt, 3, policy);
        script.end(1_900, 'i-1', end);
      };
    expect(broken(paused(600))).toEqual(late);
    expect(broken(paused(1_500))).toEqual([]);
    expect(broken((script) => script.policy(50, 2, { ...policy, mode: 'pause' }))).toEqual([]);
  });
  it('says nothing where the window is near, or where EC2 refused capacity', () => {
    expect(broken((script) => script.end(800, 'i-1', end), 600)).toEqual([]);
    expect(
      broken((script) => {
        script.refuseCapacity(200, 'i-9');
        script.end(1_900, 'i-1', end);
      }),
    ).toEqual([]);
  });
});
