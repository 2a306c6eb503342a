import { describe, expect, it } from 'vitest';
import { fitting, mostStateBytes } from '../../../core/group-state/state-size.ts';
import type { Lesson } from '../../../core/pool-memory/pool-memory.ts';
import type { GroupState } from '../../../core/view/view.ts';
import { nowMs, reservation, state } from '../views.ts';

const bytes = (value: unknown): number => JSON.stringify(value).length;
const keys = Array.from({ length: 600 }, (_, index) => `m${index}gd-flex.12xlarge/eu-west-1a/spot` as const);
const lesson = (coolingUntilMs: number): Lesson => ({
  kind: 'refused',
  code: 'InsufficientInstanceCapacity',
  atMs: nowMs,
  coolingUntilMs,
  streak: 1,
});
const ids = Array.from({ length: 800 }, (_, index) => `i-${String(index).padStart(17, '0')}`);
const full: GroupState = state({
  memory: Object.fromEntries(keys.map((key, index) => [key, lesson(nowMs + (index - 200) * 1_000)])),
  prices: { atMs: nowMs, usdPerHour: Object.fromEntries(keys.map((key) => [key, 0.0312])) },
  reservations: [reservation({ instances: ids, replaces: ids }), reservation({ id: 'r-2', replaces: ids.slice(0, 5) })],
  raised: [{ asg: 'web', fromMax: 4, toMax: 6 }] as never,
});

describe('a state that is written', () => {
  it('is left as it is while it is below half of what an item holds', () => {
    expect(mostStateBytes).toBeLessThanOrEqual((400 * 1024) / 2);
    expect(fitting(full, nowMs)).toEqual({ state: full, shed: [], bytes: bytes(full) });
    expect(fitting(full, nowMs, bytes(full)).shed).toEqual([]);
  });

  it('loses lessons that are over first, and no more of them than needed', () => {
    const few = fitting(full, nowMs, bytes(full) - 1_000);
    expect(few.shed).toEqual(['finished-lessons']);
    expect(Object.keys(few.state.memory).length).toBeGreaterThan(580);
    expect(few.state.memory[keys[0] ?? ('' as never)]).toBeUndefined();
    expect(few.state.memory[keys[599] ?? ('' as never)]).toBeDefined();
    const [first = '' as never] = keys;
    const warned = { ...full, memory: { ...full.memory, [first]: { ...lesson(nowMs - 200_000), interruptedAtMs: nowMs - 1 } } };
    expect(fitting(warned, nowMs, bytes(full) - 1_000).state.memory[first]).toBeDefined();
  });

  it.each([
    [90_000, ['finished-lessons', 'replaced-instances', 'prices']],
    [40_000, ['finished-lessons', 'replaced-instances', 'prices', 'resting-lessons']],
  ])('within %i bytes loses in order what can be learned again', (most, shed) => {
    const fitted = fitting(full, nowMs, most);
    expect(fitted.shed).toEqual(shed);
    expect(fitted.bytes).toBeLessThanOrEqual(most);
    expect(bytes(fitted.state)).toBe(fitted.bytes);
    expect(fitted.state.reservations.map(({ replaces }) => replaces)).toEqual([[], full.reservations[1]?.replaces]);
  });

  it('never loses launches under way or what must be put back, however little room there is', () => {
    const { state: fitted } = fitting(full, nowMs, 0);
    expect(fitted.reservations.map(({ id, instances }) => [id, instances])).toEqual(full.reservations.map(({ id, instances }) => [id, instances]));
    expect(fitted.reservations[1]).toEqual(full.reservations[1]);
    expect([fitted.raised, fitted.desired, fitted.version]).toEqual([full.raised, full.desired, full.version]);
  });

  it('loses the lessons that end first, whatever their order, and no more than it must', () => {
    const three: GroupState = state({
      memory: { [keys[0] ?? '']: lesson(nowMs + 3), [keys[1] ?? '']: lesson(nowMs + 1), [keys[2] ?? '']: lesson(nowMs + 2) },
    });
    const left = (most: number) => Object.keys(fitting(three, nowMs, most).state.memory);
    expect(left(bytes(three))).toEqual([keys[0], keys[1], keys[2]]);
    expect(left(bytes(three) - 1)).toEqual([keys[0], keys[2]]);
    const entry = bytes([keys[1], lesson(nowMs + 1)]) - 1;
    expect(left(bytes(three) - entry)).toEqual([keys[0], keys[2]]);
    expect(left(bytes(three) - entry - 1)).toEqual([keys[0]]);
  });

  it('reports only what was left out, and has no prices after these were left out', () => {
    const priced = state({ prices: full.prices });
    const fitted = fitting(priced, nowMs, 1_000);
    expect(fitted.shed).toEqual(['prices']);
    expect(fitted.state.prices).toEqual({ atMs: 0, usdPerHour: {} });
  });
});
