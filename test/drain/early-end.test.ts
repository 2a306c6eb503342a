import { describe, expect, it } from 'vitest';
import { asDrainedInTime, asGone } from '../../core/drain/shortfall.ts';
import type { Swap } from '../../core/swap/swap.ts';

const swap: Swap = {
  group: 'web',
  instance: 'i-1',
  reason: 'interruption',
  state: 'leaving',
  pool: 'spot-a',
  offering: 'm7g.large/eu-west-1a/spot',
  claimedAtMs: 1_000,
  decision: 'd',
};

describe('an instance that comes to its end', () => {
  it.each(['waiting', 'leaving'] as const)('before its drain began (%s) is reported as that', (state) => {
    expect(asGone({ ...swap, state }, 5_000)).toMatchObject({
      state: 'gone',
      goneAtMs: 5_000,
      shortfall: { code: 'ended-before-drain' },
    });
  });
  // It may never have served: no target group could be read (13300053).
  it('after its drain began is not said to have had connections that nobody saw', () => {
    const draining: Swap = { ...swap, reason: 'hook', state: 'draining', drainStartedAtMs: 2_000, busyUntilMs: 9_000 };
    const codeOf = (isUnread: boolean) => asGone({ ...draining, isUnread }, 5_000).shortfall?.code;
    expect([codeOf(true), codeOf(false)]).toEqual(['not-seen', 'still-draining']);
    expect(asGone({ ...draining, isUnread: true }, 9_000)).toMatchObject({ state: 'gone', drainedAtMs: 9_000 });
  });
  it('after it had drained leaves no shortfall', () => {
    expect(asGone({ ...swap, state: 'drained', drainedAtMs: 3_000 }, 5_000)).toMatchObject({ state: 'gone', goneAtMs: 5_000, drainedAtMs: 3_000 });
    expect(asGone({ ...swap, state: 'drained' }, 5_000).shortfall).toBeUndefined();
  });
  it('after its drain, and before its last connections could close, is reported as that', () => {
    const uncut: Swap = { ...swap, state: 'drained', drainedAtMs: 9_000, busyUntilMs: 9_000, deadlineMs: 15_000 };
    expect(asGone(uncut, 5_000)).toMatchObject({ state: 'gone', shortfall: { code: 'still-draining', cutAtMs: 5_000, by: 'ec2' } });
    expect(asGone(uncut, 5_000)).not.toHaveProperty('drainedAtMs');
    expect(asGone(uncut, 15_000)).toMatchObject({ state: 'gone', drainedAtMs: 9_000 });
  });
  it('after its drain leaves no shortfall where EC2 does not end it, though the clock that sees the end is behind', () => {
    for (const reason of ['return', 'hook'] as const) {
      const ended = asGone({ ...swap, reason, state: 'drained', drainedAtMs: 9_000, busyUntilMs: 9_000 }, 8_800);
      expect(ended).toMatchObject({ state: 'gone', drainedAtMs: 9_000 });
      expect(ended).not.toHaveProperty('shortfall');
    }
  });
  it('after it was seen drained leaves no shortfall, even by a clock that is ahead', () => {
    const seen: Swap = { ...swap, state: 'drained', drainedAtMs: 7_000, busyUntilMs: 9_000 };
    expect(asGone(seen, 5_000)).toMatchObject({ state: 'gone', goneAtMs: 5_000, drainedAtMs: 7_000 });
    expect(asGone(seen, 5_000).shortfall).toBeUndefined();
  });
  it('after its drain removes a cut by Holdfast that was foreseen, also where a warning left the cut to EC2', () => {
    const early = { code: 'delay-exceeds-deadline', delayMs: 60_000, leftMs: 20_000, cutAtMs: 22_000, by: 'holdfast' } as const;
    const draining: Swap = { ...swap, state: 'draining', drainStartedAtMs: 2_000, busyUntilMs: 62_000, shortfall: early };
    expect(asDrainedInTime({ ...draining, deadlineMs: 130_000 }, 64_000)).not.toHaveProperty('shortfall');
    expect(asDrainedInTime({ ...draining, reason: 'rebalance' }, 64_000)).not.toHaveProperty('shortfall');
    const ended = asGone({ ...draining, deadlineMs: 130_000 }, 131_000);
    expect(ended).toMatchObject({ state: 'gone', drainedAtMs: 62_000 });
    expect(ended).not.toHaveProperty('shortfall');
    const byEc2: Swap = { ...draining, shortfall: { ...early, by: 'ec2' } };
    expect(asGone(byEc2, 64_000).shortfall).toEqual({ ...early, by: 'ec2' });
  });
  it('by EC2, after a cut by Holdfast was foreseen, is cut by EC2', () => {
    const early = { code: 'delay-exceeds-deadline', delayMs: 60_000, leftMs: 20_000, cutAtMs: 22_000, by: 'holdfast' } as const;
    const draining: Swap = { ...swap, state: 'draining', drainStartedAtMs: 2_000, busyUntilMs: 62_000, shortfall: early };
    expect(asGone({ ...draining, deadlineMs: 10_000 }, 11_000).shortfall).toEqual({ code: 'still-draining', cutAtMs: 11_000, by: 'ec2' });
    expect(asGone({ ...draining, deadlineMs: 1_000 }, 23_000).shortfall).toEqual({ code: 'still-draining', cutAtMs: 23_000, by: 'ec2' });
  });
  it('by others, before Holdfast would have ended it, is cut then, and not by Holdfast', () => {
    const early = { code: 'delay-exceeds-deadline', delayMs: 60_000, leftMs: 20_000, cutAtMs: 22_000, by: 'holdfast' } as const;
    const draining: Swap = { ...swap, reason: 'rebalance', state: 'draining', drainStartedAtMs: 2_000, busyUntilMs: 62_000, shortfall: early };
    const cut = { code: 'still-draining', cutAtMs: 11_000, by: 'ec2' } as const;
    expect(asGone(draining, 11_000).shortfall).toEqual(cut);
    const { shortfall: _, ...unforeseen } = draining;
    expect(asGone(unforeseen, 11_000).shortfall).toEqual(cut);
    expect(asGone({ ...unforeseen, reason: 'hook' }, 11_000).shortfall).toEqual({ ...cut, by: 'auto-scaling' });
    expect(asGone({ ...draining, reason: 'hook', shortfall: { ...early, by: 'auto-scaling' } }, 22_000).shortfall).toEqual({
      ...early,
      by: 'auto-scaling',
    });
  });
  it.each(['rebalance', 'maintenance', 'scale-in'] as const)('by others is cut then (%s), however late a look sees that', (reason) => {
    const early = { code: 'delay-exceeds-deadline', delayMs: 60_000, leftMs: 20_000, cutAtMs: 22_000, by: 'holdfast' } as const;
    const draining: Swap = { ...swap, reason, state: 'draining', drainStartedAtMs: 2_000, busyUntilMs: 62_000, shortfall: early };
    expect(asGone(draining, 23_000).shortfall).toEqual({ code: 'still-draining', cutAtMs: 23_000, by: 'ec2' });
    const { drainedAtMs: _, ...ended } = asGone({ ...draining, state: 'drained', drainedAtMs: 22_000 }, 23_000);
    expect(ended.shortfall).toEqual(early);
  });
  it('while its connections had yet to close is reported as that', () => {
    const draining = { ...swap, state: 'draining', drainStartedAtMs: 2_000, busyUntilMs: 9_000 } as const;
    expect(asGone(draining, 5_000).shortfall).toEqual({ code: 'still-draining', cutAtMs: 5_000, by: 'ec2' });
  });
  it('after its target groups were done with it counts as drained then, even without a look', () => {
    const drained = asGone({ ...swap, state: 'draining', drainStartedAtMs: 2_000, busyUntilMs: 4_000 }, 5_000);
    expect(drained).toMatchObject({ state: 'gone', goneAtMs: 5_000, drainedAtMs: 4_000 });
    expect(drained.shortfall).toBeUndefined();
  });

  const foreseen = { code: 'delay-exceeds-deadline', delayMs: 300_000, leftMs: 65_000, cutAtMs: 121_000, by: 'ec2' } as const;
  const asked = { ...swap, deadlineMs: 121_000, releaseAskedAtMs: 4_000 } as const;
  it.each(['leaving', 'draining'] as const)(
    'because its end was requested from its Auto Scaling group (%s) has drained, whatever was foreseen',
    (state) => {
      const gone = asGone({ ...asked, state, shortfall: foreseen }, 5_000);
      expect(gone).toMatchObject({ state: 'gone', drainedAtMs: 5_000 });
      expect(gone.shortfall).toBeUndefined();
    },
  );
  it('through its group, and seen only after Holdfast would have ended it, has drained', () => {
    const own = { ...foreseen, cutAtMs: 34_000, by: 'holdfast' } as const;
    const removed: Swap = { ...swap, reason: 'scale-in', state: 'draining', drainStartedAtMs: 4_000, shortfall: own };
    const late = asGone({ ...removed, releaseAskedAtMs: 4_000 }, 36_000);
    expect(late).toMatchObject({ state: 'gone', drainedAtMs: 36_000 });
    expect(late.shortfall).toBeUndefined();
  });
  it('at its deadline was cut, although its end had been requested from its group', () => {
    expect(asGone({ ...asked, state: 'draining', shortfall: foreseen }, 121_000).shortfall).toEqual(foreseen);
    expect(asGone({ ...asked, state: 'draining' }, 121_000).shortfall).toMatchObject({ code: 'still-draining' });
  });
  it('after a drain that failed is not said to have ended in service, because that drain may have taken it out', () => {
    const refused = { code: 'still-in-service', awsCode: 'Throttling' } as const;
    expect(asGone({ ...swap, reason: 'scale-in', shortfall: refused }, 5_000).shortfall).toEqual({ code: 'ended-before-drain' });
    const failed = { ...refused, error: 'ThrottlingException' };
    expect(asGone({ ...swap, reason: 'scale-in', shortfall: failed }, 5_000).shortfall).toEqual({
      code: 'drain-broke',
      error: 'ThrottlingException',
    });
  });
  it('keeps the shortfall that was recorded before', () => {
    const shortfall = { code: 'not-released', awsCode: 'AccessDenied' } as const;
    expect(asGone({ ...swap, shortfall }, 5_000).shortfall).toEqual(shortfall);
  });
});
