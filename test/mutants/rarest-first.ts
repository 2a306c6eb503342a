import type { History } from '../../sandbox/judge/history.ts';

/** Counters around a change: in the same function, and in the same file. */
export type Around = { readonly near: readonly string[]; readonly file: readonly string[] };

/** Code of the same function says much more about a change than code of the same file. */
const nearWeighs = 20;

/**
 * Worlds in the order in which they are most likely to show a change: those first that run code around it which few worlds run. A change of what is done
 * about a failure shows where something fails, and there the code beside it runs that is about this failure. The order of the list decides between equals.
 */
export const rarestFirst = (
  worlds: readonly number[],
  ranIn: ReadonlyMap<number, ReadonlySet<string>>,
  { near, file }: Around,
): readonly number[] => {
  const all = [...ranIn.values()];
  const weightOf = (id: string): number => 1 / Math.max(1, all.filter((ran) => ran.has(id)).length);
  const weights = new Map([...file.map((id) => [id, weightOf(id)] as const), ...near.map((id) => [id, nearWeighs * weightOf(id)] as const)]);
  const scores = new Map(
    worlds.map((world) => {
      const ran = ranIn.get(world) ?? new Set();
      return [world, [...weights].reduce((sum, [id, weight]) => sum + (ran.has(id) ? weight : 0), 0)];
    }),
  );
  return worlds.toSorted((a, b) => (scores.get(b) ?? 0) - (scores.get(a) ?? 0));
};

/** Steps of drains in a world, and those of them that failed. */
export type DrainWork = { readonly steps: number; readonly failed: number };

export const drainWorkIn = ({ events }: Pick<History, 'events'>): DrainWork => {
  const steps = events.flatMap((event) => (event.kind === 'invocation-ended' && event.drain !== undefined ? [event] : []));
  return { steps: steps.length, failed: steps.filter(({ error }) => error !== undefined).length };
};

/** Worlds in the order in which they are most likely to show a change of the workflow: where steps failed, and then where there are most. */
export const busiestDrainsFirst = (worlds: ReadonlyMap<number, DrainWork | undefined>): readonly number[] => {
  const scoreOf = (work: DrainWork | undefined): number => 1_000 * (work?.failed ?? 0) + (work?.steps ?? 0);
  return [...worlds.keys()].toSorted((a, b) => scoreOf(worlds.get(b)) - scoreOf(worlds.get(a)));
};
