import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { beginsRegardless, bootsUntilMs, latestStartOf, nextServingLookMs, servingCount } from '../../core/drain/begin.ts';
import { tighter } from '../../core/drain/deadline.ts';
import { drainEndsByMs, latestDrainStart } from '../../core/drain/drain.ts';
import { heartbeatDueMs, heartbeatsDue, isUnattended, nextHeartbeatMs, prolonged } from '../../core/drain/heartbeat.ts';
import { nextDrainLook, sortByProgress, stillWaiting } from '../../core/drain/look.ts';
import { foreseen, foreseenShortfall, unfinishedShortfall } from '../../core/drain/shortfall.ts';
import { shortfallText, timeOfDay } from '../../core/drain/shortfall-text.ts';
import { growingStepMs } from '../../core/drain/steps.ts';
import type { Shortfall } from '../../core/swap/shortfall.ts';
import { group, member, noonMs, swap } from './fleet.ts';

const inMs = (seconds: number) => noonMs + seconds * 1000;

describe('the latest start of a drain', () => {
  test.each([
    ['a delay that fits is given whole, with time to begin, and the margin stays free', 120, 60, 300, 47],
    ['a delay that fits exactly leaves no time to wait', 120, 110, 300, 0],
    ['a delay that does not fit halves what is left', 120, 300, 300, 55],
    ['an unknown delay counts as the load balancer default of 300 s', 120, undefined, 300, 55],
    ['a short drain time-out bounds the need, and what it does not need waits for replacements', 120, 300, 40, 67],
    ['a delay that fits except for the slack begins at once', 120, 108, 300, 0],
    ['a deadline far away leaves replacements all the time before it', 3600, 30, 60, 3557],
    ['inside the margin it begins at once', 8, 30, 300, 0],
    ['after the deadline it begins at once', -5, 30, 300, 0],
    ['no delay at all: nearly everything up to the margin', 120, 0, 300, 107],
  ])('%s', (_rule, deadlineS, delayS, timeoutS, waitS) => {
    const budget = {
      nowMs: noonMs,
      timeoutMs: timeoutS * 1000,
      deadlineMs: inMs(deadlineS),
      ...(delayS !== undefined && { deregistrationDelayMs: delayS * 1000 }),
    };
    expect(latestDrainStart(budget)).toBe(inMs(waitS));
  });

  test.each([
    ['uses the margin for service', 120, 30, 87],
    ['gives a delay that fits except for the margin whole', 120, 112, 5],
    ['halves the time up to the margin, as ever, for one that does not fit', 120, 300, 55],
  ])('that no calls follow %s', (_rule, deadlineS, delayS, waitS) => {
    const budget = { nowMs: noonMs, timeoutMs: 300_000, deadlineMs: inMs(deadlineS), deregistrationDelayMs: delayS * 1000, lastCallsMs: 0 };
    expect(latestDrainStart(budget)).toBe(inMs(waitS));
  });

  test('is at a whole second, because steps are: the lead of three seconds is for the start', () => {
    const latestMs = (fractionMs: number) =>
      latestDrainStart({ nowMs: noonMs, timeoutMs: 300_000, deadlineMs: inMs(120) + fractionMs, deregistrationDelayMs: 30_000 });
    expect([latestMs(6), latestMs(999), latestMs(1_000)]).toEqual([inMs(77), inMs(77), inMs(78)]);
  });

  test('is never before now, never after half of what is left when all does not fit, never past the margin', () => {
    const ms = fc.integer({ min: 0, max: 7_200_000 });
    fc.assert(
      fc.property(ms, ms, ms, (leftMs, deregistrationDelayMs, timeoutMs) => {
        const latestMs = latestDrainStart({ nowMs: noonMs, deadlineMs: noonMs + leftMs, deregistrationDelayMs, timeoutMs });
        const usableMs = Math.max(0, leftMs - 10_000);
        expect(latestMs).toBeGreaterThanOrEqual(noonMs);
        expect(latestMs).toBeLessThanOrEqual(noonMs + usableMs);
        if (Math.min(deregistrationDelayMs, timeoutMs) > usableMs) expect(latestMs).toBeLessThanOrEqual(noonMs + usableMs / 2);
      }),
    );
  });
});

describe('the end of a drain', () => {
  const hook = { asg: 'web', hook: 'drain', token: 't', expiresAtMs: inMs(600) };
  test.each([
    ['the deadline, where EC2 ends the instance and nothing follows', { drainStartedAtMs: inMs(20) }, 120, 300, 120],
    ['the margin before it, where an Auto Scaling group holds the instance', { drainStartedAtMs: inMs(20), asg: 'web' }, 120, 300, 110],
    ['the margin before it, where a hook waits', { drainStartedAtMs: inMs(20), hooks: [hook] }, 120, 300, 110],
    ['the deadline, where nobody waits on its hook any more', { drainStartedAtMs: inMs(20), hooks: [{ ...hook, overAtMs: noonMs }] }, 120, 300, 120],
    ['the margin before it, where Holdfast ends the instance', { drainStartedAtMs: inMs(20), reason: 'maintenance' }, 120, 300, 110],
    ['the time-out after it began', { drainStartedAtMs: inMs(20), reason: 'hook' }, 3600, 60, 80],
    ['not hurried by the time-out where EC2 takes the instance anyway', { drainStartedAtMs: inMs(20), asg: 'web' }, 120, 60, 110],
    ['a deadline that the swap learned of later', { drainStartedAtMs: inMs(20), deadlineMs: inMs(90) }, 120, 300, 90],
    ['the time-out after it was ordered, when it never began', {}, undefined, 60, 60],
  ] as const)('is %s', (_rule, changes, deadlineS, timeoutS, endsS) => {
    const deadline = deadlineS === undefined ? {} : { deadlineMs: inMs(deadlineS) };
    expect(drainEndsByMs(swap('i-1', { ...deadline, ...changes }), timeoutS * 1000)).toBe(inMs(endsS));
  });
});

test('of two deadlines the earlier one holds, and the known one where the other is not known', () => {
  expect([tighter(5, 9), tighter(9, 5), tighter(5, undefined), tighter(undefined, 9)]).toEqual([5, 5, 5, 9]);
});

describe('whether a drain begins', () => {
  test.each([
    ['nothing to wait for: at once', undefined, [swap('i-1')], 'at-once'],
    ['the latest start is reached', noonMs, [swap('i-1')], 'latest-start'],
    ['a part has begun', inMs(50), [swap('i-1'), swap('i-2', { state: 'draining' })], 'begun'],
    ['else it depends on who serves', inMs(50), [swap('i-1')], undefined],
  ])('%s', (_rule, latestStartMs, swaps, because) => {
    expect(beginsRegardless(latestStartMs, swaps, noonMs)).toBe(because);
  });

  const taken = { deadlineMs: inMs(120) };
  const drainFirst = group({ swap: { order: 'drain-first', maxSurge: 1 } });
  test.each([
    ['for the earliest deadline of a batch that EC2 takes', group(), [swap('i-1', { deadlineMs: inMs(128) }), swap('i-2', taken)], 87],
    ['counted from the first order, whoever joined later', group(), [swap('i-1', taken), swap('i-2', { ...taken, drainOrderedAtMs: inMs(9) })], 87],
    ['the margin earlier where an Auto Scaling group holds one of them', group(), [swap('i-1', taken), swap('i-2', { ...taken, asg: 'web' })], 77],
    ['at once with drain-first', drainFirst, [swap('i-1', taken)], undefined],
    ['at once where nothing is taken by EC2', group(), [swap('i-1', { reason: 'scale-in' })], undefined],
    ['at once where only a part is', group(), [swap('i-1', taken), swap('i-2', { reason: 'hook', ...taken })], undefined],
  ])('the latest start is %s', (_rule, of, own, startS) => {
    expect(latestStartOf(of, own, 30_000)).toBe(startS === undefined ? undefined : inMs(startS));
  });

  test('a deregistration delay that does not fit leaves half of the time from the first order on', () => {
    const own = [swap('i-1', taken), swap('i-2', { ...taken, drainOrderedAtMs: inMs(60) })];
    expect(latestStartOf(group(), own, 300_000)).toBe(inMs(55));
    expect(latestStartOf(group(), own)).toBe(inMs(55));
  });

  test('a drain that takes over from a stopped one begins as late as that one would have', () => {
    const takenOver = { ...taken, claimedAtMs: inMs(6), drainOrderedAtMs: inMs(20) };
    expect(latestStartOf(group(), [swap('i-1', { ...takenOver, warnedAtMs: noonMs })], 300_000)).toBe(inMs(58));
    expect(latestStartOf(group(), [swap('i-1', { ...takenOver, warnedAtMs: inMs(6) })], 300_000)).toBe(inMs(58));
    const advisedBefore = { ...takenOver, warnedAtMs: inMs(10) };
    expect(latestStartOf(group(), [swap('i-1', advisedBefore)], 300_000)).toBe(inMs(65));
  });

  test('a swap that the table lost has no more time than before', () => {
    const claimedAnew = { ...taken, warnedAtMs: noonMs, claimedAtMs: inMs(60), drainOrderedAtMs: inMs(2) };
    expect(latestStartOf(group(), [swap('i-1', claimedAnew)], 300_000)).toBe(inMs(56));
  });

  test('a leaving instance that still serves does not count, one whose swap waits does', () => {
    const members = ['i-1', 'i-2', 'i-3', 'i-4'].map((instance) => member(instance)).concat(member('i-5', { serving: false }));
    const swaps = [swap('i-1'), swap('i-2', { state: 'draining' }), swap('i-3', { state: 'waiting' })];
    expect(servingCount({ members, asgs: [], aside: [], ended: [], stopped: [] }, swaps)).toBe(2);
  });
});

describe('the next look for replacements', () => {
  const lookAfter = (nowS: number, launchedS: number | undefined, untilS = 300) => {
    const members = launchedS === undefined ? [] : [member('i-9', { serving: false, launchedAtMs: inMs(launchedS) })];
    const look = { holdings: { members, asgs: [], aside: [], ended: [], stopped: [] }, swaps: [], orderedAtMs: noonMs, nowMs: inMs(nowS) };
    return (nextServingLookMs(inMs(untilS), look) - noonMs) / 1000;
  };
  test.each([
    ['when a replacement just launched is expected to serve', 2, 1, 21],
    ['and not at once after a look that came a moment before that', 20.5, 1, 25.5],
    ['counted from the order when nothing is launched yet', 2, undefined, 20],
    ['then half of its age later', 21, 1, 31],
    ['in steps of fifteen seconds at most', 100, 1, 115],
    ['from the youngest launch, when one was refused and made again', 45, 40, 60],
  ])('is %s', (_rule, nowS, launchedS, lookS) => {
    expect(lookAfter(nowS, launchedS)).toBe(lookS);
  });
  test('does not depend on members that serve, however young', () => {
    const members = [member('i-8', { launchedAtMs: inMs(44) }), member('i-9', { serving: false, launchedAtMs: inMs(1) })];
    const holdings = { members, asgs: [], aside: [], ended: [], stopped: [] };
    expect(nextServingLookMs(inMs(300), { holdings, swaps: [], orderedAtMs: noonMs, nowMs: inMs(45) })).toBe(inMs(60));
  });
  test('never passes the latest start', () => expect(lookAfter(45, 1, 50)).toBe(50));
});

test('replacements that were requested last boot for twenty seconds; those of other instances do not matter', () => {
  const own = [swap('i-1'), swap('i-2')];
  const requested = (startS: number, ...replaces: string[]) => ({ atMs: inMs(startS), replaces });
  expect(bootsUntilMs([requested(1, 'i-1'), requested(4, 'i-2'), requested(9, 'i-3'), requested(9)], own)).toBe(inMs(24));
  expect(bootsUntilMs([requested(9, 'i-3')], own)).toBeUndefined();
});

describe('steps', () => {
  test('grow by half of the age between five and fifteen seconds', () => {
    expect([0, 8_000, 16_000, 24_000, 60_000].map(growingStepMs)).toEqual([5_000, 5_000, 8_000, 12_000, 15_000]);
  });
  test('a drain of two days is looked at a few hundred times, each at most a sixtieth too late', () => {
    const dayMs = 86_400_000;
    let looks = 0;
    for (let ageMs = 0; ageMs < 2 * dayMs; ageMs += growingStepMs(ageMs)) looks += 1;
    expect(looks).toBeLessThan(500);
    expect(growingStepMs(900_000)).toBe(15_000);
    expect(growingStepMs(3_600_000)).toBe(60_000);
  });
});

describe('a heartbeat', () => {
  const hook = { asg: 'web', hook: 'drain', token: 't', expiresAtMs: inMs(3600), timeoutMs: 3_600_000 };
  const { timeoutMs: _, ...unknown } = hook;
  test('is due half of the time-out before the hook expires', () => expect(heartbeatDueMs(hook)).toBe(inMs(1800)));
  test('of an unknown time-out assumes the shortest that exists', () => expect(heartbeatDueMs(unknown)).toBe(inMs(3585)));
  test('starts the time-out anew and never shortens it', () => {
    expect(prolonged(hook, inMs(1800)).expiresAtMs).toBe(inMs(5400));
    expect(prolonged(unknown, inMs(10)).expiresAtMs).toBe(inMs(3600));
  });
  test('is sent when due, for each hook of a swap', () => {
    const later = { ...hook, hook: 'later', expiresAtMs: inMs(3700) };
    expect(heartbeatsDue(swap('i-1', { hooks: [hook, later] }), inMs(1799))).toEqual([]);
    expect(heartbeatsDue(swap('i-1', { hooks: [hook, later] }), inMs(1800))).toEqual([hook]);
    expect(heartbeatsDue(swap('i-2'), inMs(1800))).toEqual([]);
  });
  test('to come is what a batch wakes for; one that is overdue could not be sent, and is tried again soon', () => {
    expect(nextHeartbeatMs([swap('i-1', { hooks: [hook] }), swap('i-2')], inMs(10), noonMs)).toBe(inMs(1800));
    expect(nextHeartbeatMs([swap('i-1', { hooks: [hook] })], inMs(1800), inMs(1800))).toBe(inMs(1805));
    expect(nextHeartbeatMs([swap('i-1', { hooks: [hook] })], inMs(3590), inMs(3590))).toBe(inMs(3595));
  });
  // A step began two seconds before one was due, and waited for twelve seconds until AWS took its reads (22300229 of faulty).
  test('that came due while the step went on has not failed, and is sent at once', () => {
    expect(nextHeartbeatMs([swap('i-1', { hooks: [hook] })], inMs(1810), inMs(1799))).toBe(inMs(1800));
    const open = [{ swap: swap('i-1', { hooks: [hook] }), busyUntilMs: inMs(1900) }];
    const look = { timeoutMs: 3_600_000, nowMs: inMs(1810), sentMs: inMs(1799), alive: [swap('i-1', { hooks: [hook] })] };
    expect(nextDrainLook(open, look)).toEqual({ atMs: inMs(1800), lookAtMs: inMs(1901) });
  });
  const over = { ...hook, overAtMs: inMs(20) };
  test('is none, once Auto Scaling waits no longer', () => {
    expect(heartbeatsDue(swap('i-1', { hooks: [over] }), inMs(1800))).toEqual([]);
    expect(nextHeartbeatMs([swap('i-1', { hooks: [over] })], inMs(10), noonMs)).toBe(Number.POSITIVE_INFINITY);
  });
  test.each([
    ['a heartbeat that is half a minute late', { hooks: [hook] }, 1830, true],
    ['not one that may still be repeated', { hooks: [hook] }, 1829, false],
    ['not one of a drain that was just ordered', { hooks: [hook], drainOrderedAtMs: inMs(1820) }, 1849, false],
    ['not one that nobody waits for', { hooks: [over] }, 1900, false],
    ['nor an instance without a hook', {}, 1900, false],
  ] as const)('shows a drain that no workflow carries on: %s', (_rule, changes, nowS, is) => {
    expect(isUnattended(swap('i-1', { state: 'draining', ...changes }), inMs(nowS))).toBe(is);
  });
});

describe('the next look at connections', () => {
  const draining = swap('i-1', { state: 'draining', drainStartedAtMs: noonMs });
  const look = (nowS: number, busyS: number | undefined, deadlineS?: number, alive = [draining]) => {
    const deadline = deadlineS === undefined ? {} : { deadlineMs: inMs(deadlineS) };
    const open = [{ swap: { ...draining, ...deadline }, ...(busyS !== undefined && { busyUntilMs: inMs(busyS) }) }];
    const next = nextDrainLook(open, { timeoutMs: 300_000, nowMs: inMs(nowS), sentMs: inMs(nowS), alive });
    return next === undefined ? undefined : (next.atMs - noonMs) / 1000;
  };
  test.each([
    ['when the deregistration delay has ended', 0, 60, 120, 61],
    ['when time is up, if that comes first', 0, 300, 120, 120],
    ['over, once time is up', 120, 300, 120, undefined],
    ['soon, when a target still shows after its delay', 62, 60, 120, 67],
    ['in growing steps, when nothing says how long', 20, undefined, 120, 30],
    ['bounded by the drain time-out', 0, 900, undefined, 300],
  ])('is %s', (_rule, nowS, busyS, deadlineS, lookS) => {
    expect(look(nowS, busyS, deadlineS)).toBe(lookS);
  });
  test('comes earlier for a heartbeat', () => {
    const hook = { asg: 'web', hook: 'drain', token: 't', expiresAtMs: inMs(60), timeoutMs: 60_000 };
    expect(look(0, 200, undefined, [swap('i-1', { ...draining, hooks: [hook] })])).toBe(30);
  });
  test('is planned all the same where a heartbeat comes before it, and comes sooner where a warning brings the end nearer', () => {
    const hook = { asg: 'web', hook: 'drain', token: 't', expiresAtMs: inMs(60), timeoutMs: 60_000 };
    const alive = [swap('i-1', { ...draining, hooks: [hook] })];
    const next = nextDrainLook([{ swap: draining, busyUntilMs: inMs(200) }], { timeoutMs: 300_000, nowMs: noonMs, sentMs: noonMs, alive });
    expect(next).toEqual({ atMs: inMs(30), lookAtMs: inMs(201) });
    const later = {
      timeoutMs: 300_000,
      nowMs: inMs(30),
      sentMs: inMs(30),
      alive: [swap('i-1', { ...draining, hooks: [{ ...hook, expiresAtMs: inMs(90) }] })],
    };
    expect(stillWaiting([draining], inMs(201), later)).toEqual({ atMs: inMs(60), lookAtMs: inMs(201) });
    expect(stillWaiting([{ ...draining, deadlineMs: inMs(50) }], inMs(201), later)).toEqual({ atMs: inMs(50) });
  });
  test('there is none when nothing is open', () => {
    expect(nextDrainLook([], { timeoutMs: 1, nowMs: noonMs, sentMs: noonMs, alive: [] })).toBeUndefined();
  });
  test('silence about an instance is not proof that it has drained', () => {
    expect(sortByProgress([draining], [])).toEqual({ open: [{ swap: draining, isUnread: true }], drained: [], stopped: [], gone: [] });
  });
});

describe('a shortfall states what is cut, when, and by what', () => {
  const draining = swap('i-1', { state: 'draining', drainStartedAtMs: inMs(34), deadlineMs: inMs(130) });
  test('a deregistration delay longer than the time left', () => {
    const found = foreseenShortfall({ swap: draining, busyUntilMs: inMs(334) }, 600_000);
    expect(found).toEqual({ code: 'delay-exceeds-deadline', delayMs: 300_000, leftMs: 96_000, cutAtMs: inMs(130), by: 'ec2' });
    expect(found && shortfallText(found)).toBe(
      'deregistration delay 300 s exceeds the 96 s left: connections still open at 12:02:10 UTC are cut by EC2',
    );
  });
  test('nothing, when the delay ends in time', () => {
    expect(foreseenShortfall({ swap: draining, busyUntilMs: inMs(130) }, 600_000)).toBeUndefined();
    expect(foreseenShortfall({ swap: draining }, 600_000)).toBeUndefined();
  });
  test.each([
    ['rebalance', 'Holdfast, which terminates the instance'],
    ['hook', 'Auto Scaling'],
  ] as const)('a %s drain is bounded by the drain time-out', (reason, by) => {
    const { deadlineMs: _, ...untimed } = draining;
    const found = foreseenShortfall({ swap: { ...untimed, reason }, busyUntilMs: inMs(334) }, 60_000);
    expect(found && shortfallText(found)).toBe(
      `deregistration delay 300 s exceeds the 60 s left: connections still open at 12:01:34 UTC are cut by ${by}`,
    );
  });
  test('of a member that no readable target group has is stored as unread, until a look reads one', () => {
    const open = swap('i-1', { reason: 'hook', state: 'draining', drainStartedAtMs: noonMs });
    const found = (of: typeof open, isUnread?: true) => foreseen([{ swap: of, busyUntilMs: inMs(20), ...(isUnread && { isUnread }) }], 300_000)[0];
    const unread = found(open, true);
    expect(unread).toMatchObject({ busyUntilMs: inMs(20), isUnread: true });
    expect(found({ ...open, ...unread }, true)).toBeUndefined();
    expect(foreseen([{ swap: { ...open, ...unread } }], 300_000)).toEqual([]);
    const read = found({ ...open, ...unread });
    expect(read).toMatchObject({ isUnread: false });
    expect(found({ ...open, ...read }, true)).toBeUndefined();
    expect(found(open)).not.toHaveProperty('isUnread');
  });
  test('that was foreseen before a warning came is foreseen anew, and once', () => {
    const timed = swap('i-1', { reason: 'rebalance', state: 'draining', drainStartedAtMs: noonMs });
    const [before] = foreseen([{ swap: timed, busyUntilMs: inMs(900) }], 300_000);
    expect(before?.shortfall).toMatchObject({ cutAtMs: inMs(300), by: 'holdfast' });
    const warned = { ...timed, ...before, reason: 'interruption', deadlineMs: inMs(200) } as const;
    const [after] = foreseen([{ swap: warned, busyUntilMs: inMs(900) }], 300_000);
    expect(after?.shortfall).toMatchObject({ cutAtMs: inMs(200), by: 'ec2' });
    expect(foreseen([{ swap: { ...warned, ...after }, busyUntilMs: inMs(900) }], 300_000)).toEqual([]);
    expect(foreseen([{ swap: { ...warned, shortfall: { code: 'let-go' } }, busyUntilMs: inMs(900) }], 300_000)).toEqual([]);
  });
  test('one that was not foreseen', () => {
    const cut = { cutAtMs: inMs(130), by: 'ec2' };
    expect(unfinishedShortfall(draining, 600_000)).toEqual({ code: 'still-draining', ...cut });
    expect(unfinishedShortfall({ ...draining, state: 'leaving' }, 600_000)).toEqual({ code: 'not-released-in-time', ...cut });
  });
  test.each<readonly [Shortfall, string]>([
    [{ code: 'not-released', awsCode: 'AccessDenied' }, 'could not be taken out of service (AccessDenied): its work is cut when it ends'],
    [
      { code: 'not-released-in-time', cutAtMs: inMs(130), by: 'auto-scaling' },
      'was not taken out of service in time: connections still open at 12:02:10 UTC are cut by Auto Scaling',
    ],
    [
      { code: 'still-draining', cutAtMs: inMs(130), by: 'ec2' },
      'was still draining when its time ran out: connections still open at 12:02:10 UTC are cut by EC2',
    ],
    [{ code: 'drain-broke', error: 'States.Timeout' }, 'the drain failed (States.Timeout): connections still open are cut when it ends'],
    [
      { code: 'drain-broke', error: 'AccessDenied', cause: 'no right' },
      'the drain failed (AccessDenied: no right): connections still open are cut when it ends',
    ],
    [
      { code: 'not-ended', awsCode: 'OperationNotPermitted' },
      'could not be terminated (OperationNotPermitted): it runs on, out of service, until someone terminates it',
    ],
    [{ code: 'ended-before-drain' }, 'it had ended when its drain began: its work was cut'],
    [{ code: 'let-go' }, 'the group was let go: Holdfast does nothing more to the instance'],
    [{ code: 'prose', text: 'as the first version stored it' }, 'as the first version stored it'],
  ])('%o in words', (shortfall, text) => {
    expect(shortfallText(shortfall)).toBe(text);
  });
  test('times of day wrap at midnight', () => expect(timeOfDay(noonMs + 12 * 3_600_000 + 5_000)).toBe('00:00:05'));
});
