import { describe, expect, it } from 'vitest';
import { sparedLeaveTheirHooks } from '../../sandbox/judge/rules/drains/spared-hooks.ts';
import { details, throttled } from './details.ts';
import { policy, react, type Script } from './histories.ts';

const of = { instance: 'i-1', asg: 'web-asg', hook: 'drain' } as const;

/** A member that waits on a hook from 60 s on, that EC2 announces at 100 s to take at 220 s, and that it spares. The hook is completed at this second. */
const found = (
  overS: number | undefined,
  { fromS = 60, isSpared = true, write = (_: Script): void => {} } = {},
  changes: Parameters<typeof details>[2] = {},
) =>
  details(
    sparedLeaveTheirHooks,
    (script: Script) => {
      script.policy(0, 1, { ...policy, asg: 'web-asg' } as never);
      script.member('i-1', { asg: 'web-asg' });
      script.warn(100, 'i-1');
      script.at(fromS, { kind: 'hook-waits', ...of, expiresAtMs: 900_000 });
      if (isSpared) script.at(220, { kind: 'spared', instance: 'i-1' });
      if (overS !== undefined) script.at(overS, { kind: 'hook-over', ...of, how: 'completed', by: react('i-a') });
      write(script);
    },
    { endedAtMs: 1_000_000, ...changes },
  );
const held = ['EC2 did not take i-1, and drain still holds it'];

describe('who EC2 spares does not wait on a hook', () => {
  it('holds where the hook is completed soon after the deadline, and breaks where it waits on', () => {
    expect([found(150), found(235), found(400)].flat()).toEqual([]);
    expect(found(500)).toEqual(held);
    expect(found(undefined)).toEqual(held);
  });

  it('says nothing of who is not spared, of a hook that came as the deadline did, and of who EC2 warned again', () => {
    expect(found(undefined, { isSpared: false })).toEqual([]);
    expect(found(undefined, { fromS: 200 })).toEqual([]);
    expect(found(undefined, { write: (script) => script.warn(300, 'i-1') })).toEqual([]);
  });

  it('says nothing where the group does not act, where faults hinder drains, or where a user stops them', () => {
    expect(found(undefined, { write: (script) => script.policy(250, 2, { ...policy, asg: 'web-asg', mode: 'pause' } as never) })).toEqual([]);
    expect(found(undefined, {}, throttled('CompleteLifecycleAction'))).toEqual([]);
    expect(found(undefined, {}, throttled('CreateFleet'))).toEqual(held);
    const stops = (script: Script) => script.at(150, { kind: 'step', step: 'drains-stopped', instances: [], groups: ['web'], asgs: [] });
    expect(found(undefined, { write: stops })).toEqual([]);
  });
});
