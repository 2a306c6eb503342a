import { describe, expect, it } from 'vitest';
import { nextDrainLook, sortByProgress, stillWaiting } from '../../core/drain/look.ts';
import {
  asDrainedInTime,
  asGone,
  asStopped,
  brokenShortfall,
  endsUncutAtMs,
  foreseen,
  foreseenShortfall,
  unfinishedShortfall,
} from '../../core/drain/shortfall.ts';
import { shortfallText } from '../../core/drain/shortfall-text.ts';
import { asgCalls } from '../../core/drain/targets.ts';
import type { Swap } from '../../core/swap/swap.ts';
import { group, nowMs, swapOf } from '../core/views.ts';

const timeoutMs = 60_000;
const endsMs = nowMs + 120_000;
const taken = (rest: Partial<Swap> = {}): Swap => swapOf('i-1', { state: 'draining', drainStartedAtMs: nowMs, deadlineMs: endsMs, ...rest });
const late = (rest: Partial<Swap> = {}): Swap => taken({ drainStartedAtMs: endsMs, ...rest });
const own = (rest: Partial<Swap> = {}): Swap => taken({ reason: 'scale-in', deadlineMs: undefined, ...rest });
const delayed = (cutAtMs: number, by: 'ec2' | 'holdfast' = 'ec2') =>
  ({ code: 'delay-exceeds-deadline', delayMs: 300_000, leftMs: 120_000, cutAtMs, by }) as const;

describe('connections that are still open are cut', () => {
  it('by EC2 at its deadline, and by Holdfast when the time-out of a drain of its own ends', () => {
    expect(unfinishedShortfall(taken(), timeoutMs)).toEqual({ code: 'still-draining', cutAtMs: endsMs, by: 'ec2' });
    expect(unfinishedShortfall(own(), timeoutMs)).toEqual({ code: 'still-draining', cutAtMs: nowMs + timeoutMs, by: 'holdfast' });
  });

  it('by Holdfast when the time-out ends, although AWS retires the instance later', () => {
    const retired = own({ reason: 'maintenance', deadlineMs: nowMs + 3_600_000 });
    expect(unfinishedShortfall(retired, timeoutMs)).toEqual({ code: 'still-draining', cutAtMs: nowMs + timeoutMs, by: 'holdfast' });
  });

  it('by Holdfast a quarter of an hour after the deadline, where EC2 did not take the instance at it, and the drain began after it', () => {
    expect(unfinishedShortfall(late(), timeoutMs)).toMatchObject({ cutAtMs: endsMs + 900_000, by: 'holdfast' });
    const muchLater = late({ drainStartedAtMs: endsMs + 900_000 });
    expect(unfinishedShortfall(muchLater, timeoutMs)).toMatchObject({ cutAtMs: endsMs + 900_000 + timeoutMs, by: 'holdfast' });
    expect(unfinishedShortfall(late({ reason: 'hook' }), timeoutMs)).toMatchObject({ cutAtMs: endsMs + timeoutMs, by: 'auto-scaling' });
  });

  it('as not released, if the instance was not released', () => {
    expect(unfinishedShortfall(taken({ state: 'leaving' }), timeoutMs).code).toBe('not-released-in-time');
  });
});

describe('a shortfall is foreseen', () => {
  it('where the deregistration delay ends after the cut, with how long it is and how much is left', () => {
    expect(foreseenShortfall({ swap: taken(), busyUntilMs: nowMs + 300_000 }, timeoutMs)).toEqual(delayed(endsMs));
    expect(foreseenShortfall({ swap: taken(), busyUntilMs: endsMs }, timeoutMs)).toBeUndefined();
    expect(foreseenShortfall({ swap: taken() }, timeoutMs)).toBeUndefined();
  });

  it('by a delay that counts from when a target group let the instance go, before its drain began', () => {
    const open = { swap: taken(), busySinceMs: nowMs - 20_000, busyUntilMs: nowMs + 280_000 };
    expect(foreseenShortfall(open, timeoutMs)).toEqual({ ...delayed(endsMs), leftMs: 140_000 });
  });

  it('where EC2 had stopped the instance before, of a drain that had begun as cut at the deadline', () => {
    expect(foreseenShortfall({ swap: taken(), wasStopped: true }, timeoutMs)).toEqual({ code: 'still-draining', cutAtMs: endsMs, by: 'ec2' });
    expect(foreseenShortfall({ swap: taken({ state: 'leaving' }), wasStopped: true }, timeoutMs)).toEqual({ code: 'ended-before-drain' });
  });

  it('and stays until the time or the author of the cut changes', () => {
    const busyUntilMs = nowMs + 300_000;
    const open = (swap: Swap) => foreseen([{ swap: { ...swap, busyUntilMs }, busyUntilMs }], timeoutMs).map(({ shortfall }) => shortfall);
    expect(open(taken())).toEqual([delayed(endsMs)]);
    expect(open(taken({ shortfall: delayed(endsMs) }))).toEqual([]);
    expect(open(taken({ shortfall: delayed(endsMs + 1) }))).toEqual([delayed(endsMs)]);
    expect(open(taken({ shortfall: delayed(endsMs, 'holdfast') }))).toEqual([delayed(endsMs)]);
    expect(open(taken({ shortfall: { code: 'not-seen' } }))).toEqual([]);
    for (const noted of [delayed(endsMs), delayed(endsMs + 1)])
      expect(foreseen([{ swap: taken({ shortfall: noted }), wasStopped: true }], timeoutMs)).toEqual([]);
    expect(foreseen([{ swap: taken() }], timeoutMs)).toEqual([]);
  });
});

describe('until when an instance is busy', () => {
  const busyIn = (swap: Swap, busyUntilMs?: number) =>
    foreseen([{ swap, ...(busyUntilMs !== undefined && { busyUntilMs }) }], timeoutMs).map((found) => found.busyUntilMs);

  it('is stored by the look that first finds it, and again when it has changed', () => {
    expect(busyIn(taken(), endsMs)).toEqual([endsMs]);
    expect(busyIn(taken({ busyUntilMs: endsMs }), endsMs)).toEqual([]);
    expect(busyIn(taken({ busyUntilMs: endsMs }), endsMs - 1)).toEqual([endsMs - 1]);
    expect(busyIn(taken({ busyUntilMs: endsMs }))).toEqual([]);
  });
});

describe('connections end uncut', () => {
  it('where a draining instance has until then before they are cut', () => {
    expect(endsUncutAtMs(taken({ busyUntilMs: endsMs }), timeoutMs)).toBe(endsMs);
    expect(endsUncutAtMs(taken({ busyUntilMs: endsMs + 1 }), timeoutMs)).toBeUndefined();
    expect(endsUncutAtMs(taken(), timeoutMs)).toBeUndefined();
    expect(endsUncutAtMs(taken({ state: 'leaving', busyUntilMs: nowMs }), timeoutMs)).toBeUndefined();
  });

  it('where its Auto Scaling group ended it as requested, also when that came before the end that a drain had foreseen', () => {
    const closed = taken({ state: 'drained', drainedAtMs: nowMs + 9_000, busyUntilMs: nowMs + 9_000, releaseAskedAtMs: nowMs });
    expect(asGone(closed, nowMs + 5_000)).toMatchObject({ state: 'gone', drainedAtMs: nowMs + 5_000 });
    expect(asGone(closed, nowMs + 5_000).shortfall).toBeUndefined();
    expect(asGone({ ...closed, releaseAskedAtMs: undefined }, nowMs + 5_000).shortfall?.code).toBe('still-draining');
  });

  it('not where the drain began after the deadline, and no look has shown whether the instance ran', () => {
    const known = { busyUntilMs: endsMs + 5_000 };
    expect(endsUncutAtMs(late(known), timeoutMs)).toBe(endsMs + 5_000);
    expect(endsUncutAtMs(late({ ...known, isUnread: true }), timeoutMs)).toBeUndefined();
    expect(endsUncutAtMs(taken({ busyUntilMs: endsMs, isUnread: true }), timeoutMs)).toBe(endsMs);
    expect(asGone(late(known), endsMs + 9_000).shortfall).toBeUndefined();
    expect(asGone(late({ ...known, isUnread: true }), endsMs + 9_000).shortfall).toEqual({ code: 'not-seen' });
  });
});

describe('an instance that has drained', () => {
  const kept = (shortfall: Swap['shortfall'], rest: Partial<Swap> = {}) => asDrainedInTime(taken({ shortfall, ...rest }), nowMs).shortfall?.code;

  it('keeps a shortfall that happened, and loses one that did not', () => {
    expect(kept({ code: 'not-released', awsCode: 'x' })).toBeUndefined();
    expect(kept({ code: 'still-in-service', awsCode: 'x' })).toBeUndefined();
    expect(kept({ code: 'needed', serving: 1, desired: 2 })).toBeUndefined();
    expect(kept(delayed(nowMs - 1), { reason: 'scale-in', deadlineMs: undefined })).toBeUndefined();
    expect([kept(delayed(nowMs + 1)), kept(delayed(nowMs)), kept(delayed(nowMs, 'holdfast'))]).toEqual([
      undefined,
      'delay-exceeds-deadline',
      undefined,
    ]);
    expect(kept({ code: 'still-draining', cutAtMs: nowMs + 1, by: 'ec2' })).toBe('still-draining');
  });

  it('was not cut when Holdfast or Auto Scaling was to cut it after its drain', () => {
    const passed = { ...delayed(nowMs - 1), by: 'auto-scaling' } as const;
    expect(kept(passed, { reason: 'hook', deadlineMs: undefined })).toBeUndefined();
    expect(kept(delayed(nowMs - 1, 'holdfast'), { reason: 'rebalance', deadlineMs: undefined })).toBeUndefined();
    expect(kept(delayed(nowMs - 1))).toBe('delay-exceeds-deadline');
  });

  it('had drained when that was seen first', () => {
    expect(asDrainedInTime(taken(), nowMs)).toMatchObject({ state: 'drained', drainedAtMs: nowMs });
    expect(asDrainedInTime(taken({ drainedAtMs: nowMs - 5 }), nowMs).drainedAtMs).toBe(nowMs - 5);
  });
});

describe('an instance that no longer works', () => {
  it('is gone as it was once it had drained', () => {
    expect(asGone(taken({ state: 'drained', drainedAtMs: nowMs - 5 }), nowMs)).toEqual(
      taken({ state: 'gone', drainedAtMs: nowMs - 5, goneAtMs: nowMs }),
    );
    expect(asGone(taken({ state: 'gone' }), nowMs).shortfall).toBeUndefined();
    const goneLater = taken({ state: 'gone', drainedAtMs: nowMs + 5, busyUntilMs: nowMs + 5, goneAtMs: nowMs + 6 });
    expect(asGone(goneLater, nowMs)).toEqual({ ...goneLater, goneAtMs: nowMs });
  });

  it('was cut where its last connections were to close later', () => {
    const closing = taken({ state: 'drained', drainedAtMs: nowMs + 1, busyUntilMs: nowMs + 1 });
    expect(asGone(closing, nowMs)).toMatchObject({ state: 'gone', shortfall: { code: 'still-draining', cutAtMs: nowMs, by: 'ec2' } });
    expect(asGone(closing, nowMs)).not.toHaveProperty('drainedAtMs');
    expect(asGone({ ...closing, drainedAtMs: nowMs, busyUntilMs: nowMs }, nowMs).shortfall).toBeUndefined();
  });

  it('had drained where its connections had ended before', () => {
    expect(asGone(taken({ busyUntilMs: nowMs }), nowMs)).toMatchObject({ drainedAtMs: nowMs, state: 'gone' });
    expect(asGone(taken({ busyUntilMs: nowMs + 1 }), nowMs).shortfall?.code).toBe('still-draining');
    expect(asGone(taken({ state: 'leaving', busyUntilMs: nowMs }), nowMs).shortfall).toEqual({ code: 'ended-before-drain' });
    expect(asGone(late({ busyUntilMs: nowMs - 1 }), nowMs).shortfall).toEqual({ code: 'ended-before-drain' });
  });

  it('was taken by EC2 after its deadline where a look of a late drain had found it at work', () => {
    const atWork = late({ busyUntilMs: endsMs + 30_000 });
    expect(asGone(atWork, endsMs + 29_999).shortfall).toEqual({ code: 'still-draining', cutAtMs: endsMs + 29_999, by: 'ec2' });
    expect(asGone(atWork, endsMs + 30_000)).toMatchObject({ state: 'gone', drainedAtMs: endsMs + 30_000 });
    const restarted = { ...atWork, shortfall: { code: 'ended-before-drain' } as const };
    expect(asGone(restarted, endsMs + 30_000).shortfall).toEqual({ code: 'ended-before-drain' });
    expect(asGone(restarted, endsMs + 30_000)).not.toHaveProperty('drainedAtMs');
  });

  it('was drained by its Auto Scaling group when its end was requested there before EC2 took it', () => {
    const asked = taken({ state: 'leaving', releaseAskedAtMs: nowMs - 1 });
    expect(asGone(asked, nowMs)).toMatchObject({ drainedAtMs: nowMs });
    expect(asGone({ ...asked, deadlineMs: nowMs, drainStartedAtMs: undefined }, nowMs).shortfall).toEqual({
      code: 'still-draining',
      cutAtMs: nowMs,
      by: 'ec2',
    });
    expect(asGone(own({ ...asked, reason: 'scale-in', deadlineMs: undefined }), nowMs).shortfall).toBeUndefined();
  });

  it('was drained by its Auto Scaling group where the group took it after the deadline, so that EC2 had not taken it', () => {
    const asked = late({ releaseAskedAtMs: endsMs });
    expect(asGone(asked, endsMs + 5)).toMatchObject({ state: 'gone', drainedAtMs: endsMs + 5 });
    expect(asGone(asked, endsMs + 5).shortfall).toBeUndefined();
    expect(asGone({ ...asked, state: 'leaving' }, endsMs + 5).shortfall).toEqual({ code: 'ended-before-drain' });
    expect(asGone(late(), endsMs + 5).shortfall).toEqual({ code: 'ended-before-drain' });
  });

  it('keeps the shortfall that it had, and is drained where it was only stopped', () => {
    expect(asGone(taken({ shortfall: { code: 'not-seen' } }), nowMs).shortfall).toEqual({ code: 'not-seen' });
    expect(asStopped(taken(), nowMs)).toMatchObject({ state: 'drained', shortfall: { code: 'still-draining' } });
  });
});

describe('a drain that broke', () => {
  it('records its error, and the beginning of its cause', () => {
    expect(brokenShortfall({ Error: 'States.Timeout' })).toEqual({ code: 'drain-broke', error: 'States.Timeout' });
    const { cause } = brokenShortfall({ Error: 'x', Cause: 'y'.repeat(500) }) as { readonly cause?: string };
    expect(cause).toBe('y'.repeat(200));
  });

  it.each([
    [{ code: 'not-seen' } as const, ['AWS', 'cut when it ends']],
    [{ code: 'held-back', mode: 'observe' } as const, ['observe']],
  ])('%j is described in words', (shortfall, words) => {
    for (const word of words) expect(shortfallText(shortfall as NonNullable<Swap['shortfall']>)).toContain(word);
  });
});

describe('a look at a batch', () => {
  const swaps = ['i-1', 'i-2', 'i-3', 'i-4', 'i-5', 'i-6'].map((instance) => taken({ instance }));
  const seen = (instance: string, rest: object) => ({ instance, drained: false, gone: false, ...rest });

  it('sorts its instances by what was seen of them', () => {
    const drained = taken({ instance: 'i-7', state: 'drained' });
    const sorted = sortByProgress([...swaps, drained], [
      seen('i-1', { gone: true }),
      seen('i-2', { drained: true, stopped: true }),
      seen('i-3', { drained: true }),
      seen('i-4', { stopped: true }),
      seen('i-5', { busyUntilMs: 7 }),
      seen('i-7', { drained: true, stopped: true }),
    ] as never);
    const ids = (list: readonly Swap[]) => list.map(({ instance }) => instance);
    expect([ids(sorted.gone), ids(sorted.stopped), ids(sorted.drained)]).toEqual([['i-1'], ['i-2'], ['i-3', 'i-7']]);
    expect(sorted.open).toEqual([
      { swap: swaps[3], wasStopped: true },
      { swap: swaps[4], busyUntilMs: 7 },
      { swap: swaps[5], isUnread: true },
    ]);
    expect(sortByProgress([drained], []).drained).toEqual([drained]);
  });

  it('is due again a second after the last connections are to end, and at the end of its time at the latest', () => {
    const at = (busyUntilMs?: number, swap = taken()) =>
      nextDrainLook([{ swap, ...(busyUntilMs !== undefined && { busyUntilMs }) }], { timeoutMs, nowMs, sentMs: nowMs, alive: [] })?.atMs;
    expect(at(nowMs + 30_000)).toBe(nowMs + 31_000);
    expect([at(nowMs - 999), at(nowMs - 1_000)]).toEqual([nowMs + 1, nowMs + 5_000]);
    expect(at(nowMs + 300_000)).toBe(endsMs);
    expect(at(nowMs, taken({ deadlineMs: nowMs, drainStartedAtMs: nowMs - 1 }))).toBeUndefined();
    const later = at(undefined, taken({ drainStartedAtMs: nowMs - 60_000 })) ?? 0;
    expect(later).toBeGreaterThan(nowMs);
    expect(at(nowMs - 60_000)).toBe(later);
  });

  it('waits until the last of its instances has ended, as planned or sooner', () => {
    const both = [taken({ deadlineMs: nowMs + 10_000 }), taken({ deadlineMs: nowMs + 40_000 })];
    expect(stillWaiting(both, nowMs + 30_000, { timeoutMs, nowMs, sentMs: nowMs, alive: [] })).toEqual({ atMs: nowMs + 30_000 });
    expect(stillWaiting(both, nowMs + 90_000, { timeoutMs, nowMs, sentMs: nowMs, alive: [] })).toEqual({ atMs: nowMs + 40_000 });
  });
});

describe('the calls of a drain to Auto Scaling', () => {
  const attached = group({ holding: { kind: 'attach', asg: 'web-asg' } });
  it('are one read, and one for each Auto Scaling group that holds an instance of it', () => {
    expect(asgCalls(group(), [swapOf('i-1')])).toBe(0);
    expect(asgCalls(attached, [swapOf('i-1')])).toBe(2);
    expect(asgCalls(attached, [swapOf('i-1', { asg: 'web-asg' }), swapOf('i-2', { asg: 'web-asg' })])).toBe(2);
    expect(asgCalls(attached, [swapOf('i-1', { asg: 'web-asg' }), swapOf('i-2', { asg: 'old' })])).toBe(3);
    expect(asgCalls(group(), [swapOf('i-1', { asg: 'old' })])).toBe(2);
    expect(asgCalls(attached, [swapOf('i-1'), swapOf('i-2', { asg: 'web-asg' })])).toBe(2);
  });
});
