import { inBrief, isOpen } from '../launch/reservation-life.ts';
import { type Lesson, type PoolMemory, restingOf } from '../pool-memory/pool-memory.ts';
import type { GroupState } from '../view/view.ts';

/** Half of what a DynamoDB item holds (400 KB), so that there is room for what a storm adds. */
export const mostStateBytes = 200_000;

/** Parts that may be left out of a state item, in this order, because they can be learned again. */
export type Shed = 'finished-lessons' | 'replaced-instances' | 'prices' | 'resting-lessons';

/** A state in the table's own form is never larger than its JSON. */
const bytesOf = (value: unknown): number => new TextEncoder().encode(JSON.stringify(value)).length;

type Entry = readonly [string, Lesson];

/** Memory without enough lessons to free this number of bytes. Those that end first are left out first. */
const withoutLessons = (memory: PoolMemory, may: (lesson: Lesson) => boolean, bytes: number): PoolMemory => {
  let freed = 0;
  const gone = new Set<string>();
  for (const entry of Object.entries(memory).sort(
    ([, a]: Entry, [, b]: Entry) => a.coolingUntilMs - b.coolingUntilMs,
  )) {
    if (freed >= bytes) break;
    if (!may(entry[1])) continue;
    gone.add(entry[0]);
    // In JSON, a list of two has one more character than a member of a map.
    freed += bytesOf(entry) - 1;
  }
  return Object.fromEntries(Object.entries(memory).filter(([key]) => !gone.has(key)));
};

const steps: Readonly<Record<Shed, (state: GroupState, nowMs: number, over: number) => GroupState>> = {
  'finished-lessons': (state, nowMs, over) => ({
    ...state,
    memory: withoutLessons(state.memory, (lesson) => !restingOf(lesson, nowMs), over),
  }),
  // A request with a response is not repeated, and the stored decision also has the members that its instances replace.
  'replaced-instances': (state) => ({
    ...state,
    reservations: state.reservations.map((reservation) =>
      isOpen(reservation) ? reservation : { ...inBrief(reservation), replaces: [] },
    ),
  }),
  prices: (state) => ({ ...state, prices: { atMs: 0, usdPerHour: {} } }),
  'resting-lessons': (state, _, over) => ({ ...state, memory: withoutLessons(state.memory, () => true, over) }),
};

/**
 * A state that fits into half an item, and the parts that were left out for that. Launches under way, ends, sizes and
 * what must be put back are never left out: a state that is too large with these alone stays as it is.
 */
export const fitting = (
  state: GroupState,
  nowMs: number,
  most = mostStateBytes,
): { readonly state: GroupState; readonly shed: readonly Shed[]; readonly bytes: number } => {
  let fitted = state;
  let bytes = bytesOf(state);
  const shed: Shed[] = [];
  for (const [name, step] of Object.entries(steps) as [Shed, (typeof steps)[Shed]][]) {
    if (bytes <= most) break;
    fitted = step(fitted, nowMs, bytes - most);
    const left = bytesOf(fitted);
    if (left < bytes) shed.push(name);
    bytes = left;
  }
  return { state: fitted, shed, bytes };
};
