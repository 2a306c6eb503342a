import { describe, expect, it } from 'vitest';
import { type BootMemory, type Ending, neverServedCode } from '../../../core/pool-memory/boot-memory.ts';
import { learnBoots, whyEnded } from '../../../core/pool-memory/failed-boots.ts';
import { learnGivenUp } from '../../../core/pool-memory/given-up.ts';
import type { Member } from '../../../core/view/view.ts';
import { member } from '../members.ts';
import { nowMs, spotA, spotB } from '../views.ts';

const minuteMs = 60_000;
const offering = { instanceType: 'm7g.large', zone: 'a', market: 'spot' } as const;
const ending = (code: string, message = `${code}: said`): Ending => ({ code, message, offering });
const endings = (...codes: readonly string[]) => Object.fromEntries(codes.map((code, index) => [`i-${index}`, ending(code)]));
const { launchTemplate: _template, ...bare } = spotB;
const pools = { 'spot-a': spotA, 'spot-b': bare };

describe('why instances of a group ended', () => {
  it('is the three most frequent reasons, with their numbers', () => {
    const all = endings('one', 'two', 'three', 'three', 'two', 'three', 'four', 'four');
    expect(whyEnded({ endings: all })).toEqual([
      { awsCode: 'three', awsMessage: 'three: said', count: 3 },
      { awsCode: 'two', awsMessage: 'two: said', count: 2 },
      { awsCode: 'four', awsMessage: 'four: said', count: 2 },
    ]);
    expect(whyEnded({})).toEqual([]);
  });

  it('is not what users, EC2 or a lack of capacity ended', () => {
    expect(
      whyEnded({ endings: endings('Client.UserInitiatedShutdown', 'Server.SpotInstanceTermination', 'Server.InsufficientInstanceCapacity') }),
    ).toEqual([]);
  });

  it('is cut where the reason is long', () => {
    expect(whyEnded({ endings: { 'i-1': ending('long', 'x'.repeat(500)) } })[0]?.awsMessage).toHaveLength(200);
  });
});

describe('deaths before service', () => {
  const dying = (memory: BootMemory, atMs: number, ...instances: readonly string[]) => {
    const newcomers = Object.fromEntries(instances.map((instance) => [instance, { pool: 'spot-a', atMs: atMs - 1 }]));
    const ends = Object.fromEntries(instances.map((instance) => [instance, ending('Client.InternalError', 'x'.repeat(500))]));
    return learnBoots({ ...memory, newcomers }, { members: [], endings: ends }, pools, atMs);
  };

  it('are counted for ten minutes', () => {
    const first = dying({}, nowMs, 'i-1', 'i-2').memory;
    expect(first.deaths).toEqual([{ atMs: nowMs, count: 2 }]);
    expect(dying(first, nowMs + 10 * minuteMs - 1, 'i-3').memory.deaths).toEqual([
      { atMs: nowMs, count: 2 },
      { atMs: nowMs + 10 * minuteMs - 1, count: 1 },
    ]);
    expect(dying(first, nowMs + 10 * minuteMs).memory.deaths).toBeUndefined();
  });

  it('do not shorten a rest that another clock, which was ahead, had set', () => {
    const ahead = dying({}, nowMs + 20 * minuteMs, 'i-1').memory;
    const rests = ({ failedBoots }: BootMemory) => failedBoots?.['spot-a']?.restsUntilMs;
    expect(rests(ahead)).toBe(nowMs + 21 * minuteMs);
    expect(rests(dying(ahead, nowMs, 'i-2').memory)).toBe(nowMs + 21 * minuteMs);
  });

  it('are reported with a message of bounded length, and with a template when the pool has one', () => {
    const { news } = dying({}, nowMs, 'i-1');
    expect(news[0]?.message).toHaveLength(200);
    const newcomers = { 'i-1': { pool: 'spot-b', atMs: nowMs } };
    const shown = { members: [], endings: { 'i-1': ending('Client.InternalError') } };
    expect(learnBoots({ newcomers }, shown, pools, nowMs).news[0]?.template).toBeUndefined();
    expect(learnBoots({ newcomers: { 'i-1': { pool: 'gone', atMs: nowMs } } }, shown, pools, nowMs).news).toMatchObject([{ pool: 'gone' }]);
  });

  it('are dropped ten minutes after their pool has rested', () => {
    const failed = dying({}, nowMs, 'i-1').memory;
    const at = (atMs: number) => learnBoots(failed, { members: [] }, pools, atMs).memory.failedBoots;
    expect(at(nowMs + 11 * minuteMs - 1)).toBeDefined();
    expect(at(nowMs + 11 * minuteMs)).toBeUndefined();
  });

  it('count as one more in a row where any of them was launched after the last', () => {
    const first = dying({}, nowMs, 'i-1').memory;
    const mixed = { 'i-2': { pool: 'spot-a', atMs: nowMs - 1 }, 'i-3': { pool: 'spot-a', atMs: nowMs } };
    const shown = { members: [], endings: { 'i-2': ending('x'), 'i-3': ending('x') } };
    expect(learnBoots({ ...first, newcomers: mixed }, shown, pools, nowMs + 1).memory.failedBoots?.['spot-a']?.streak).toBe(2);
  });
});

describe('members that were given up because they never served', () => {
  const idle = (instance: string, rest: Partial<Member> = {}): Member => member(instance, spotA, { serving: false, launchedAtMs: nowMs, ...rest });
  const serves = (launchedAtMs: number, rest: Partial<Member> = {}) => ({ members: [member('i-9', spotA, { launchedAtMs, ...rest })] });

  it('let their pool rest for ten minutes, twice as long each time in a row, up to four hours', () => {
    let memory: BootMemory = {};
    let atMs = nowMs;
    const rests = Array.from({ length: 7 }, () => {
      memory = learnGivenUp(memory, [idle('i-1', { launchedAtMs: atMs })], pools, atMs + 1);
      const restMs = (memory.failedBoots?.['spot-a']?.restsUntilMs ?? 0) - atMs - 1;
      atMs += restMs + 1;
      return restMs / minuteMs;
    });
    expect(rests).toEqual([10, 20, 40, 80, 160, 240, 240]);
  });

  it('count once with others that were launched before', () => {
    const first = learnGivenUp({}, [idle('i-1')], pools, nowMs + 1);
    const streakOf = (...members: readonly Member[]) => learnGivenUp(first, members, pools, nowMs + 2).failedBoots?.['spot-a']?.streak;
    expect(streakOf(idle('i-2'))).toBe(1);
    expect(streakOf(idle('i-2'), idle('i-3', { launchedAtMs: nowMs + 1 }))).toBe(2);
  });

  it('are reported by pool, with what kept them from serving, and those without a pool are not reported', () => {
    const given = [idle('i-1'), idle('i-2', { pool: 'spot-b', admitted: false }), idle('i-3'), idle('i-4', { pool: undefined })];
    const untilMs = nowMs + 10 * minuteMs;
    const { news, failedBoots } = learnGivenUp({ failedBoots: {} }, given, pools, nowMs);
    expect(news).toEqual([
      { pool: 'spot-a', why: 'target-health', untilMs, instances: ['i-1', 'i-3'] },
      { pool: 'spot-b', why: 'not-joined', untilMs, instances: ['i-2'] },
    ]);
    const lesson = { code: neverServedCode, atMs: nowMs, launchedAtMs: nowMs, restsUntilMs: untilMs, streak: 1 };
    expect(failedBoots).toEqual({
      'spot-a': { ...lesson, template: 'web', message: 'target-health' },
      'spot-b': { ...lesson, message: 'not-joined' },
    });
  });

  it('leave what is known of other pools, and of none nothing', () => {
    const known = { template: 'web', code: 'x', message: 'y', atMs: nowMs, restsUntilMs: nowMs + 3 * 3_600_000, streak: 1 };
    expect(Object.keys(learnGivenUp({ failedBoots: { other: known } }, [idle('i-1')], pools, nowMs).failedBoots ?? {})).toEqual(['other', 'spot-a']);
    expect(learnGivenUp({ failedBoots: { 'spot-a': known } }, [idle('i-1')], pools, nowMs).failedBoots?.['spot-a']?.restsUntilMs).toBe(
      known.restsUntilMs,
    );
    expect(learnGivenUp({}, [], pools, nowMs)).toEqual({ news: [] });
    expect(learnGivenUp({}, [idle('i-1', { pool: 'gone' })], pools, nowMs).failedBoots?.gone?.template).toBeUndefined();
  });

  const givenUpAtMs = nowMs + 10 * minuteMs;
  const launchedBefore = idle('i-2', { launchedAtMs: nowMs - minuteMs });
  it.each([
    ['at once', learnGivenUp({}, [launchedBefore, idle('i-1')], pools, givenUpAtMs)],
    ['one by one', learnGivenUp(learnGivenUp({}, [idle('i-1')], pools, givenUpAtMs - 1), [launchedBefore], pools, givenUpAtMs)],
  ])('are dropped once a member serves that was launched after them, also where it was before they were given up %s', (_, memory) => {
    const left = (shown: Parameters<typeof learnBoots>[1]) => learnBoots(memory, shown, pools, givenUpAtMs + minuteMs).memory.failedBoots;
    expect(left(serves(nowMs + 1))).toBeUndefined();
    expect(left(serves(nowMs))).toBeDefined();
    expect(left(serves(nowMs + 1, { serving: false }))).toBeDefined();
    expect(left(serves(nowMs + 1, { pool: 'spot-b' }))).toBeDefined();
  });

  it('are dropped once a member serves that was launched after that, where an earlier version noted no launch of theirs', () => {
    const lesson = { code: neverServedCode, message: 'target-health', atMs: nowMs, restsUntilMs: nowMs + 10 * minuteMs, streak: 1 };
    const left = (atMs: number) => learnBoots({ failedBoots: { 'spot-a': lesson } }, serves(atMs), pools, nowMs + minuteMs).memory.failedBoots;
    expect(left(nowMs)).toBeUndefined();
    expect(left(nowMs - 1)).toBeDefined();
  });

  it('are dropped an hour after the rest', () => {
    const memory = learnGivenUp({}, [idle('i-1')], pools, nowMs);
    const left = (shown: Parameters<typeof learnBoots>[1], atMs: number) => learnBoots(memory, shown, pools, atMs).memory.failedBoots;
    expect(left({ members: [] }, nowMs + 70 * minuteMs - 1)).toBeDefined();
    expect(left({ members: [] }, nowMs + 70 * minuteMs)).toBeUndefined();
  });
});
