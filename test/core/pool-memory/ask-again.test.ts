import { describe, expect, it } from 'vitest';
import { decide } from '../../../core/decide/decide.ts';
import type { Plan, PlanInput } from '../../../core/placement/plan-placements.ts';
import { askAgainAfterMs, foundCapacity, nextAskMs, planToAskAgain } from '../../../core/pool-memory/ask-again.ts';
import { type Lesson, notSoldRestMs, type PoolMemory } from '../../../core/pool-memory/pool-memory.ts';
import { members } from '../members.ts';
import { group, nowMs, spotA, spotB, state, view } from '../views.ts';

const keys = ['m7g.large/a/spot', 'm7g.large/b/spot', 'm7g.large/b/on-demand'] as const;

/** All three pools were refused, so long ago, and rest for another quarter of an hour. */
const refused = (agoMs: readonly [number, number, number], restMs = 900_000) =>
  Object.fromEntries(
    keys.map((key, index) => [
      key,
      {
        kind: 'refused' as const,
        code: 'InsufficientInstanceCapacity',
        atMs: nowMs - (agoMs[index] ?? 0),
        coolingUntilMs: nowMs - (agoMs[index] ?? 0) + restMs,
        streak: 4,
      },
    ]),
  );

const short = (memory: ReturnType<typeof refused>) => view({ members: members(spotA, 8), state: state({ memory }) });

describe('members that are missing while everything rests after refusals', () => {
  it('are requested again a minute after the last refusal, from the pool whose last request is the oldest', () => {
    const decision = decide(short(refused([70_000, 130_000, 60_000])));
    expect(decision.placements).toMatchObject([{ pool: 'spot-b', count: 1 }]);
    expect(decision.reasons).toMatchObject([{ pool: 'spot-b', lastResort: 'refused' }]);
  });

  it('are requested one at a time, and the others wait for its response', () => {
    const decision = decide(short(refused([70_000, 130_000, 60_000])));
    expect(decision.unplaced).toBe(1);
    expect([foundCapacity(decision, 1), foundCapacity(decision, 0)]).toEqual([true, false]);
    expect(foundCapacity({ ...decision, unplaced: 0 }, 1)).toBe(false);
    expect(foundCapacity(decide(short({} as ReturnType<typeof refused>)), 2)).toBe(false);
  });

  it('are not requested twice within a minute, and the decision sets the time of the next look', () => {
    const decision = decide(short(refused([70_000, 130_000, 20_000])));
    expect(decision.placements).toEqual([]);
    expect(decision.unplaced).toBe(2);
    expect(decision.wakeAtMs).toBe(nowMs + 40_000);
  });

  it('are requested from a pool that was not tried for a minute for each pool, whatever the others refuse', () => {
    expect(decide(short(refused([10_000, 3 * askAgainAfterMs, 20_000]))).placements).toMatchObject([{ pool: 'spot-b' }]);
    expect(decide(short(refused([10_000, 3 * askAgainAfterMs - 1, 20_000]))).placements).toEqual([]);
  });

  it('are not requested from a zone that does not sell the type', () => {
    expect(decide(short(refused([70_000, 130_000, 60_000], notSoldRestMs))).placements).toEqual([]);
    expect(nextAskMs(group().pools, refused([1, 1, 1], notSoldRestMs), nowMs)).toBeUndefined();
  });

  it('come from what is eligible when anything is', () => {
    const { 'm7g.large/b/on-demand': _, ...spot } = refused([200_000, 200_000, 200_000]);
    const decision = decide(short(spot as ReturnType<typeof refused>));
    expect(decision.placements).toMatchObject([{ pool: 'od-b', count: 2 }]);
    expect(decision.reasons[0]?.lastResort).toBeUndefined();
  });

  it('are requested from the next pool when the first could not hold them', () => {
    const pools = { ...group().pools, 'spot-b': { ...group().pools['spot-b'], cap: 0 } };
    const one = { ...short(refused([70_000, 130_000, 60_000])), group: { ...group(), pools } };
    expect(decide(one as ReturnType<typeof view>).placements).toMatchObject([{ pool: 'spot-a' }]);
  });

  it('are not requested from a pool that was refused a moment ago because another pool is due and could not hold them', () => {
    const full = ({ pools }: ReturnType<typeof group>, pool: string) => ({ ...pools[pool], cap: 0 });
    const pools = { ...group().pools, 'spot-b': full(group(), 'spot-b'), 'od-b': full(group(), 'od-b') };
    const alone = (agoMs: number) =>
      decide({ ...short(refused([agoMs, 400_000, 400_000])), group: { ...group(), pools } } as ReturnType<typeof view>);
    expect(alone(1_000)).toMatchObject({ placements: [], unplaced: 2, wakeAtMs: nowMs + 59_000 });
    expect(alone(askAgainAfterMs)).toMatchObject({ placements: [{ pool: 'spot-a', count: 1 }] });
  });
});

describe('a pool of several offerings', () => {
  const wide = { ...spotA, instanceTypes: ['m7g.large', 'm6g.large'] };
  const pools = { 'spot-a': wide, 'spot-b': spotB };
  const lesson = (agoMs: number, kind: Lesson['kind'] = 'refused'): Lesson => ({
    kind,
    code: 'InsufficientInstanceCapacity',
    atMs: nowMs - agoMs,
    coolingUntilMs: nowMs - agoMs + 900_000,
    streak: 4,
  });

  it('was requested when the last of them was refused', () => {
    const memory = { 'm7g.large/a/spot': lesson(100_000), 'm6g.large/a/spot': lesson(0), 'm7g.large/b/spot': lesson(80_000) };
    expect(nextAskMs(pools, memory, nowMs)).toBe(nowMs - 80_000 + 2 * askAgainAfterMs);
  });

  it('is requested again without its refusals, and with what else is known of it', () => {
    const memory = { 'm7g.large/a/spot': lesson(100_000), 'm6g.large/a/spot': lesson(1_000, 'interrupted'), 'm7g.large/b/spot': lesson(90_000) };
    const asked: PoolMemory[] = [];
    const none: Plan = { placements: [], unplaced: 1, reasons: [], rejected: [], cheapest: {} };
    const plan = (input: PlanInput): Plan => {
      asked.push(input.memory);
      return none;
    };
    expect(planToAskAgain({ pools, memory, nowMs } as unknown as PlanInput, plan)).toBeUndefined();
    expect(asked.map((one) => Object.keys(one))).toEqual([
      ['m6g.large/a/spot', 'm7g.large/b/spot'],
      ['m7g.large/a/spot', 'm6g.large/a/spot'],
    ]);
  });
});
