import { describe, expect, test } from 'vitest';
import type { Decision } from '../../core/decision/decision.ts';
import type { Group } from '../../core/group/group.ts';
import type { Launched } from '../../core/group-state/answers.ts';
import { emptyBudget, type Lessons } from '../../core/limits/account-budget.ts';
import type { Turn } from '../../core/limits/line.ts';
import type { Ask } from '../../core/limits/need.ts';
import type { Lesson } from '../../core/pool-memory/pool-memory.ts';
import type { LaunchResult } from '../../core/ports/launches.ts';
import type { View } from '../../core/view/view.ts';
import type { ReactPorts } from '../../functions/react/ports.ts';
import type { Run } from '../../functions/react/run.ts';
import { noteShortage } from '../../functions/react/turns/lasting.ts';
import { giveTurnBack, shareLessons, takeTurn } from '../../functions/react/turns/take-turn.ts';
import { decisionOf } from '../core/decisions.ts';
import { group, nowMs, spotA, state, swapOf, view } from '../core/views.ts';

const offering = { instanceType: 'm7g.large', zone: 'eu-west-1a', market: 'spot' } as const;
const instance = (id: string) => ({ instance: id, offering });
const refused = (code: string) => ({ offering, code, message: code, scope: 'offering' as const });

/** What a launch of ten instances teaches, with this result. */
const lessonsOf = (result: LaunchResult, before?: object, of = group()): Lessons => {
  const learned: Lessons[] = [];
  const run = { group: of, turns: { learn: (lessons: Lessons) => void learned.push(lessons), launched: () => undefined } } as unknown as Run;
  const reservation = { placement: { pool: 'spot-a', count: 10 } };
  shareLessons(run, [{ reservation, result, ...(before && { before }) } as unknown as Launched]);
  return learned[0] as Lessons;
};

describe('what other groups of the account learn from launches', () => {
  test('an offering without capacity is refused to every group', () => {
    const lessons = lessonsOf({ kind: 'answered', instances: [instance('i-1')], refusals: [refused('InsufficientInstanceCapacity')] });
    expect([...lessons.refused]).toEqual([['m7g.large/eu-west-1a/spot', 'InsufficientInstanceCapacity']]);
    expect([...lessons.granted]).toEqual(['m7g.large/eu-west-1a/spot']);
    expect([...lessonsOf({ kind: 'answered', instances: [], refusals: [refused('Unsupported')] }).refused]).toEqual([]);
  });

  test('a fleet that finds none of its offerings is about capacity, unless its pool has a price limit', () => {
    const none: LaunchResult = { kind: 'answered', instances: [], refusals: [refused('UnfulfillableCapacity')] };
    const limited = group({ pools: { 'spot-a': { ...spotA, maxPriceUsdPerHour: 0.1 } } });
    expect([...lessonsOf(none).refused]).toEqual([['m7g.large/eu-west-1a/spot', 'UnfulfillableCapacity']]);
    expect([...lessonsOf(none, undefined, limited).refused]).toEqual([]);
    const short: LaunchResult = { ...none, refusals: [refused('InsufficientInstanceCapacity')] };
    expect([...lessonsOf(short, undefined, limited).refused]).toEqual([['m7g.large/eu-west-1a/spot', 'InsufficientInstanceCapacity']]);
  });

  test('instances that EC2 certainly did not launch are given back to the bucket of launched instances', () => {
    const answered: LaunchResult = { kind: 'answered', instances: [instance('i-1'), instance('i-2')], refusals: [] };
    expect(lessonsOf(answered).unspent.instances).toBe(8);
    expect(lessonsOf({ kind: 'throttled', code: 'RequestLimitExceeded' }).unspent.instances).toBe(10);
    expect(lessonsOf({ kind: 'invalid', code: 'InvalidParameterValue', message: '' }).unspent.instances).toBe(10);
    expect(lessonsOf({ kind: 'ambiguous', code: 'TimeoutError' }).unspent.instances).toBe(0);
    expect(lessonsOf({ kind: 'made-before', code: 'IdempotentParameterMismatch' }).unspent.instances).toBe(0);
    expect(lessonsOf(answered, {}).unspent.instances).toBe(0);
  });

  test('a throttle inside a response means that the bucket of launched instances is empty, whatever was launched', () => {
    const empty = { empty: 'instances' } as const;
    expect([...lessonsOf({ kind: 'throttled', code: 'RequestLimitExceeded', ...empty }).empty]).toEqual(['instances']);
    const some: LaunchResult = { kind: 'answered', instances: [instance('i-1')], refusals: [], ...empty };
    expect([...lessonsOf(some, undefined, group({ holding: { kind: 'launch-instances' } })).empty]).toEqual(['instances']);
  });

  test('a throttled fleet means that the bucket of CreateFleet is empty, and calls to Auto Scaling are paced one by one', () => {
    const throttled: LaunchResult = { kind: 'throttled', code: 'Throttling' };
    expect([...lessonsOf(throttled).empty]).toEqual(['createFleet']);
    expect([...lessonsOf(throttled, undefined, group({ holding: { kind: 'launch-instances' } })).empty]).toEqual([]);
  });
});

const ports = { clock: { now: () => nowMs }, sleep: async () => undefined };

/** A decision that wants to launch three, its turn, and what it becomes. */
const turned = async (
  turn: Turn,
  refused: readonly string[] = [],
  { seen = view(), rest = {}, refusedAtMs = nowMs }: { readonly seen?: View; readonly rest?: Partial<Decision>; readonly refusedAtMs?: number } = {},
) => {
  const decidedWith: View[] = [];
  const asked: Ask[] = [];
  const ask = async (one: Ask) => {
    asked.push(one);
    return { turn, refused: Object.fromEntries(refused.map((key) => [key, { atMs: refusedAtMs, code: 'UnfulfillableCapacity' }])) };
  };
  const run = { group: seen.group, id: 'd1', turns: { ask }, ports, beganAtMs: nowMs } as unknown as Run;
  const wanted = decisionOf({ placements: [placementOf(3)], ...rest });
  const again = (other: View) => {
    decidedWith.push(other);
    return decisionOf();
  };
  return { allowed: await takeTurn(run, { view: seen, decision: wanted }, again), decidedWith, wanted, asked };
};
const placementOf = (count: number): Decision['placements'][number] =>
  ({ pool: 'spot-a', count, offerings: [offering], reasons: [] }) as unknown as Decision['placements'][number];
const now: Turn = { kind: 'now', instances: 3, calls: 1, sinceMs: nowMs };
const later: Turn = { kind: 'later', turnAtMs: nowMs + 4_000, sinceMs: nowMs, ahead: { empty: 1, smaller: 1 } };

describe('a decision that waits for its turn', () => {
  test('is carried out as it is when its turn is now and nothing was refused to others', async () => {
    const { allowed, decidedWith, wanted } = await turned(now);
    expect(allowed).toEqual({ view: view(), given: { createFleet: 1, instances: 3 }, decision: { ...wanted, remarks: [] } });
    expect(decidedWith).toEqual([]);
  });

  test('lowers a size only together with launches while Auto Scaling’s bucket is short', async () => {
    const takeOver = [{ asg: 'web-asg', desired: 3 }];
    const lowered = async (turn: Turn, { tokens = 9, readAtMs = nowMs - 1, count = 3 } = {}) => {
      const store = {} as ReactPorts['store'];
      noteShortage(store, { ...emptyBudget, levels: { autoScaling: { tokens, atMs: readAtMs } } }, readAtMs);
      const ask = async () => ({ turn, refused: {} });
      const run = { group: group(), id: 'd1', turns: { ask }, ports: { ...ports, store }, beganAtMs: nowMs } as unknown as Run;
      const wanted = decisionOf({ placements: count === 0 ? [] : [placementOf(count)], takeOver });
      return (await takeTurn(run, { view: view(), decision: wanted }, () => decisionOf({ takeOver })))?.decision.takeOver;
    };
    expect([await lowered(later), await lowered(now, { count: 0 })]).toEqual([[], []]);
    const rest = [{ tokens: 10 }, { readAtMs: nowMs - 5_000 }].map((one) => lowered(later, one));
    expect(await Promise.all([lowered(now), ...rest])).toEqual([takeOver, takeOver, takeOver]);
  });

  test('takes no turn if it launches nothing', async () => {
    const { allowed, asked, wanted } = await turned(later, [], { rest: { placements: [] } });
    expect([allowed, asked]).toEqual([{ view: view(), decision: wanted }, []]);
  });

  test('is made anew where another group was refused the same a moment ago: that offering rests for this group too, with the code of EC2', async () => {
    const { decidedWith } = await turned(now, ['m7g.large/eu-west-1a/spot']);
    expect(decidedWith[0]?.state.memory['m7g.large/eu-west-1a/spot']).toMatchObject({ kind: 'refused', code: 'UnfulfillableCapacity' });
    expect(decidedWith[0]?.mayLaunch).toBe(3);
  });

  test('requests tokens for what it launches once the refusals of others are known, and all of them if nothing else is left', async () => {
    const seen = view();
    const key = 'm7g.large/eu-west-1a/spot';
    const refused = { [key]: { atMs: nowMs, code: 'UnfulfillableCapacity' } };
    const asksFor = async (left: readonly number[]) => {
      const decided: View[] = [];
      const asks: Ask[] = [];
      const ask = async (_: Ask, asNow: (known: object) => Ask) => {
        asks.push(...[{}, refused, refused, {}].map(asNow));
        return { turn: later, refused: {} };
      };
      const run = { group: seen.group, id: 'd1', turns: { ask }, ports, beganAtMs: nowMs } as unknown as Run;
      const again = (other: View) => {
        decided.push(other);
        return decisionOf({ placements: left.map(placementOf) });
      };
      await takeTurn(run, { view: seen, decision: decisionOf({ placements: [placementOf(3), placementOf(2)] }) }, again);
      const informed = decided.filter(({ state: { memory } }) => memory[key]?.kind === 'refused').length;
      return [asks.map(({ calls, instances }) => [calls, instances]), informed];
    };
    const whole = [2, 5];
    expect(await asksFor([4])).toEqual([[whole, [1, 4], [1, 4], whole], 1]);
    expect(await asksFor([])).toEqual([[whole, whole, whole, whole], 1]);
  });

  test('lets such an offering rest from the time at which EC2 refused it', async () => {
    const rested = async (refusedAtMs: number) => {
      const { decidedWith } = await turned(now, ['m7g.large/eu-west-1a/spot'], { refusedAtMs });
      return decidedWith[0]?.state.memory['m7g.large/eu-west-1a/spot'];
    };
    const [soon, late] = [await rested(nowMs), await rested(nowMs - 25_000)];
    expect([soon?.atMs, late?.atMs]).toEqual([nowMs, nowMs - 25_000]);
    expect((soon?.coolingUntilMs ?? 0) - (late?.coolingUntilMs ?? 0)).toBe(25_000);
  });

  test('is not made anew for a refusal that this group has stored, or for a key that names no offering', async () => {
    const known = (kind: Lesson['kind'], restsForMs: number): View => {
      const lesson: Lesson = { kind, code: 'InsufficientInstanceCapacity', atMs: nowMs, coolingUntilMs: nowMs + restsForMs, streak: 1 };
      return view({ state: state({ memory: { 'm7g.large/eu-west-1a/spot': lesson } }) });
    };
    const timesAgain = async (refused: string, seen: View) => (await turned(now, [refused], { seen })).decidedWith.length;
    expect(await timesAgain('m7g.large/eu-west-1a/spot', known('refused', 60_000))).toBe(0);
    expect(await timesAgain('m7g.large/eu-west-1a/spot', known('refused', 0))).toBe(1);
    expect(await timesAgain('m7g.large/eu-west-1a/spot', known('interrupted', 60_000))).toBe(1);
    expect(await timesAgain('subnet-a', view())).toBe(0);
  });

  test('launches fewer where its turn gives fewer, gets no tokens for the others, and is woken for them', async () => {
    const { allowed, decidedWith } = await turned({ ...now, instances: 2, calls: 4, rest: { turnAtMs: nowMs + 9_000, ahead: {} } });
    expect([decidedWith[0]?.mayLaunch, allowed?.given, allowed?.decision.wakeAtMs]).toEqual([2, { createFleet: 4, instances: 2 }, nowMs + 8_000]);
  });

  test('launches nothing before its turn, records that, and is woken for it', async () => {
    const { allowed, decidedWith } = await turned(later);
    expect([decidedWith[0]?.mayLaunch, allowed?.decision.wakeAtMs, allowed?.given]).toEqual([0, nowMs + 2_000, {}]);
    const need = { urgency: 'missing', size: 10, ahead: 2, aheadBy: { empty: 1, smaller: 1 } };
    expect(allowed?.decision.remarks).toEqual([{ code: 'waits-for-turn', bucket: 'createFleet', count: 3, ...need, turnAtMs: nowMs + 4_000 }]);
    expect((await turned({ kind: 'taken' })).allowed).toBeUndefined();
  });

  test('is woken at the earlier time, if it waits for something else too', async () => {
    const wokenAt = async (wakeAtMs: number) =>
      (await turned({ ...now, rest: { turnAtMs: nowMs + 4_000, ahead: {} } }, [], { rest: { wakeAtMs } })).allowed?.decision.wakeAtMs;
    expect([await wokenAt(nowMs + 1_000), await wokenAt(nowMs + 9_000)]).toEqual([nowMs + 1_000, nowMs + 2_000]);
    expect((await turned(now)).allowed?.decision).not.toHaveProperty('wakeAtMs');
  });

  test('records a wait of a second or more, beside its other remarks', async () => {
    const remarks = async (sinceMs: number) =>
      (await turned({ ...now, sinceMs }, [], { rest: { remarks: [{ code: 'detached', instances: ['i-1'], count: 1 }] } })).allowed?.decision.remarks;
    const detached = { code: 'detached', instances: ['i-1'], count: 1 };
    expect(await remarks(nowMs - 999)).toEqual([detached]);
    expect(await remarks(nowMs - 1_000)).toEqual([detached, { code: 'waited-for-turn', bucket: 'createFleet', waitedMs: 1_000 }]);
  });

  test('records which part of it waits, and its place in line, if its turn gives fewer', async () => {
    const rest = { turnAtMs: nowMs + 9_000, ahead: { empty: 1, smaller: 2 } };
    const { allowed } = await turned({ ...now, instances: 2, sinceMs: nowMs - 1_000, rest });
    const place = { urgency: 'missing', size: 10, ahead: 3, aheadBy: rest.ahead, turnAtMs: nowMs + 9_000 };
    expect(allowed?.decision.remarks).toEqual([
      { code: 'waited-for-turn', bucket: 'createFleet', waitedMs: 1_000 },
      { code: 'rest-waits-for-turn', bucket: 'instances', count: 1, of: 3, ...place },
    ]);
  });

  test('takes tokens for its calls and its instances: a hundred in one call to Auto Scaling, and one call for each pool to EC2', async () => {
    const placements = [placementOf(101), placementOf(2)];
    const askedBy = async (of: Group) => (await turned(now, [], { seen: view({ group: of }), rest: { placements } })).asked[0];
    expect(await askedBy(group())).toMatchObject({ group: 'web', by: 'd1', bucket: 'createFleet', calls: 2, instances: 103 });
    expect(await askedBy(group({ holding: { kind: 'launch-instances' } }))).toMatchObject({
      bucket: 'autoScaling',
      calls: 3,
      leastCalls: 2,
      instances: 103,
    });
  });

  test('needs its turn the more the fewer members serve, and least for spares', async () => {
    const needed = async (seen: View, rest: Partial<Decision> = {}) => (await turned(now, [], { seen, rest })).asked[0]?.need;
    const warned = [swapOf('spot-a#1', { deadlineMs: nowMs + 120_000 })];
    expect(await needed(view({ members: [] }))).toEqual({ urgency: 'empty', size: 10 });
    expect(await needed(view({ swaps: warned }))).toEqual({ urgency: 'warned', size: 10, deadlineMs: nowMs + 120_000 });
    expect(await needed(view())).toEqual({ urgency: 'missing', size: 10 });
    const placements = [placementOf(1), placementOf(2)];
    expect(await needed(view(), { placements, spares: { placed: 3, missing: 0 } })).toEqual({ urgency: 'spare', size: 10 });
    expect(await needed(view(), { placements, spares: { placed: 2, missing: 0 } })).toEqual({ urgency: 'missing', size: 10 });
  });
});

test('the turn of a decision that launches nothing is given back, with as many tokens as it gave', () => {
  const learned: Lessons[] = [];
  const run = { id: 'd-1', group: { name: 'web' }, turns: { learn: (lessons: Lessons) => void learned.push(lessons) } } as unknown as Run;
  giveTurnBack(run, { view: view(), decision: decisionOf(), given: { createFleet: 2, instances: 5 } });
  giveTurnBack(run, { view: view(), decision: decisionOf() });
  expect(learned.map(({ unspent }) => unspent)).toEqual([{ createFleet: 2, instances: 5 }, {}]);
  expect(learned.map(({ dropped = [] }) => [...dropped])).toEqual([[['web', 'd-1']], [['web', 'd-1']]]);
});
