import { describe, expect, it } from 'vitest';
import { announcedForLater, heardBefore, heardNow, mostHeard, newlyWarned, remembered } from '../../../core/observe/heard.ts';
import type { Heard } from '../../../core/observe/not-done.ts';
import { describeLagMs } from '../../../core/times/times.ts';
import { asgView, nowMs, state, view } from '../views.ts';

const hourMs = 3_600_000;
const of = (instance: string, rest: Partial<Heard> = {}): Heard => ({ instance, reason: 'interruption', atMs: nowMs, ...rest });
const warning = (deadlineMs: number, rest: Partial<Heard> = {}): Heard => of('spot-a#1', { deadlineMs, ...rest });
const advice = (rest: Partial<Heard> = {}): Heard => of('spot-a#1', { reason: 'rebalance', ...rest });
const knowing = (heard: readonly Heard[]) => state({ notDone: { missing: 0, surplus: 0, heard: remembered(heard, nowMs) } });

describe('of several signals about one member', () => {
  const now = (...heard: readonly Heard[]) => heardNow(heard, view());

  it('a warning outweighs advice, whichever comes first', () => {
    expect(now(advice(), warning(nowMs + 120_000))).toMatchObject([{ reason: 'interruption' }]);
    expect(now(warning(nowMs + 120_000), advice())).toMatchObject([{ reason: 'interruption' }]);
  });

  it('the earlier deadline counts, whichever comes first', () => {
    const [early, late] = [nowMs + 60_000, nowMs + 120_000];
    expect(now(warning(early), warning(late))).toMatchObject([{ deadlineMs: early }]);
    expect(now(warning(late), warning(early))).toMatchObject([{ deadlineMs: early }]);
    expect(now(warning(early), of('spot-a#1'))).toMatchObject([{ deadlineMs: early }]);
    expect(now(warning(early, { atMs: nowMs - 2 }), warning(early))).toMatchObject([{ atMs: nowMs - 2 }]);
  });

  it('a warning after the deadline of the one before counts, whichever comes first', () => {
    const first = warning(nowMs - 5_000, { atMs: nowMs - 125_000, heardAtMs: nowMs - 124_000 });
    const second = warning(nowMs + 119_000, { atMs: nowMs - 1_000 });
    for (const [heard] of [now(first, second), now(second, first), heardNow([second], view({ state: knowing([first]) }))]) {
      expect(heard).toEqual(second);
    }
    expect(now(first, advice({ atMs: nowMs }))).toEqual([first]);
  });

  it('each of another member counts', () => {
    expect(now(advice(), of('spot-a#2'))).toHaveLength(2);
  });

  it('the time of the first signal stays for the same reason, and not for another reason', () => {
    const known = view({ state: knowing([advice({ heardAtMs: nowMs - 5_000 })]) });
    expect(heardNow([advice()], known)).toMatchObject([{ heardAtMs: nowMs - 5_000 }]);
    expect(heardNow([warning(nowMs + 120_000)], known)[0]?.heardAtMs).toBeUndefined();
  });
});

describe('a signal about a member no longer counts', () => {
  const isOver = (heard: Heard, atMs: number): boolean => heardNow([heard], view({ nowMs: atMs })).length === 0;

  it('at the time until which it was announced', () => {
    const announced = of('spot-a#1', { reason: 'maintenance', untilMs: nowMs + hourMs * 48 });
    expect(isOver(announced, nowMs + hourMs * 48 - 1)).toBe(false);
    expect(isOver(announced, nowMs + hourMs * 48)).toBe(true);
  });

  it('once describes must show the end that EC2 announced', () => {
    expect(isOver(warning(nowMs + 120_000), nowMs + 120_000 + describeLagMs - 1)).toBe(false);
    expect(isOver(warning(nowMs + 120_000), nowMs + 120_000 + describeLagMs)).toBe(true);
    expect(isOver(of('spot-a#1'), nowMs + describeLagMs)).toBe(true);
  });

  it('after an hour, of advice', () => {
    expect(isOver(advice(), nowMs + hourMs - 1)).toBe(false);
    expect(isOver(advice(), nowMs + hourMs)).toBe(true);
  });

  it('once describes have not shown the member for long enough', () => {
    const gone = advice({ instance: 'i-gone' });
    expect(isOver(gone, nowMs + describeLagMs - 1)).toBe(false);
    expect(isOver(gone, nowMs + describeLagMs)).toBe(true);
    const held = { asgs: [asgView({ name: 'one' }), asgView({ holds: ['i-gone'] })] };
    expect(heardNow([gone], view({ nowMs: nowMs + describeLagMs, ...held }))).toHaveLength(1);
  });

  it('also when a group acts again', () => {
    const before = knowing([warning(nowMs + 60_000), of('spot-a#2', { reason: 'rebalance' })]);
    const left = (atMs: number) => heardBefore(before, atMs).map(({ instance }) => instance);
    expect(left(nowMs + 60_000 + describeLagMs - 1)).toEqual(['spot-a#1', 'spot-a#2']);
    expect(left(nowMs + 60_000 + describeLagMs)).toEqual(['spot-a#2']);
    expect(heardBefore(state(), nowMs)).toEqual([]);
  });
});

describe('a warning', () => {
  const learned = (before: readonly Heard[] | undefined, ...heard: readonly Heard[]) =>
    newlyWarned(before === undefined ? state() : knowing(before), heard).map(({ instance }) => instance);

  it('is new when no earlier look received it', () => {
    expect(learned(undefined, warning(nowMs + 120_000))).toEqual(['spot-a#1']);
    expect(learned([], warning(nowMs + 120_000))).toEqual(['spot-a#1']);
    expect(learned([of('spot-a#2', { deadlineMs: nowMs + 120_000 })], warning(nowMs + 120_000))).toEqual(['spot-a#1']);
    expect(learned([warning(nowMs + 120_000)], warning(nowMs + 120_000))).toEqual([]);
    expect(newlyWarned(state({ notDone: { missing: 1, surplus: 0 } }), [warning(nowMs)])).toHaveLength(1);
  });

  it('is new after advice, and advice is no warning', () => {
    expect(learned([advice()], warning(nowMs + 120_000))).toEqual(['spot-a#1']);
    expect(learned(undefined, advice({ deadlineMs: nowMs + 120_000 }))).toEqual([]);
  });
});

describe('the state remembers', () => {
  it('all that a signal says', () => {
    const hook = { asg: 'web-asg', name: 'end', token: 't' } as unknown as NonNullable<Heard['hook']>;
    const said = { reason: 'hook', atMs: nowMs - 1, deadlineMs: nowMs + 1, untilMs: nowMs + 2, hook } as const;
    expect(remembered([of('i-1', said)], nowMs)).toEqual({ 'i-1': { ...said, heardAtMs: nowMs } });
    expect(remembered([of('i-1', { heardAtMs: nowMs - 9 })], nowMs)).toEqual({
      'i-1': { reason: 'interruption', atMs: nowMs, heardAtMs: nowMs - 9 },
    });
  });

  it('the latest members, when there are too many', () => {
    const many = Array.from({ length: mostHeard + 1 }, (_, index) => of(`i-${index}`, { atMs: nowMs + ((index * 7) % (mostHeard + 1)) }));
    const kept = remembered(many, nowMs) ?? {};
    expect(Object.keys(kept)).toHaveLength(mostHeard);
    expect(kept).not.toHaveProperty('i-0');
  });

  it('of a paused group what was announced for later, alone', () => {
    const announced = of('spot-a#2', { reason: 'maintenance', untilMs: nowMs + hourMs });
    expect(Object.keys(announcedForLater([warning(nowMs + 120_000), announced], view()) ?? {})).toEqual(['spot-a#2']);
    expect(announcedForLater([warning(nowMs + 120_000)], view())).toBeUndefined();
  });
});

describe('of more leaving members than the state keeps', () => {
  it('the latest are kept, in whatever order they were received', () => {
    const many = Array.from({ length: mostHeard + 1 }, (_, index) => of(`i-${index}`, { atMs: nowMs - index }));
    const oldest = `i-${mostHeard}`;
    for (const heard of [many, many.toReversed()]) {
      const kept = Object.keys(remembered(heard, nowMs) ?? {});
      expect([kept.length, kept.includes(oldest)]).toEqual([mostHeard, false]);
    }
  });
});
