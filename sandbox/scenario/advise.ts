import type { History } from '../judge/history.ts';
import type { MemberFilter } from './fields.ts';
import type { AdviceRow } from './report.ts';
import type { GroupOf } from './scenario-groups.ts';
import type { Stage } from './stage.ts';

/** The results of advice that EC2 later acts on, by the group that received it. */
type Book = { readonly advised: Map<string, string>; readonly avoided: string[] };

const books = new WeakMap<Stage, Book>();

const bookOf = (stage: Stage): Book => {
  const book = books.get(stage) ?? { advised: new Map(), avoided: [] };
  books.set(stage, book);
  return book;
};

export type Advise = MemberFilter & { readonly taken?: number | undefined };

/** EC2 advises to replace members, none of them twice; `taken` later it takes those that still run. */
export const advise = (stage: Stage, { group, taken, ...filter }: Advise, groupOf: GroupOf): void => {
  const { advised, avoided } = bookOf(stage);
  const isSpared = (id: string): boolean => stage.world.snapshot().instances.some((one) => one.id === id && one.state === 'running');
  const chosen = stage.world
    .snapshot()
    .instances.filter(({ id, state, market, takenAtMs }) => state === 'running' && market === 'spot' && takenAtMs === undefined && !advised.has(id))
    .filter(({ id, zone }) => groupOf(id) === group && (filter.zone ?? zone) === zone)
    .sort((a, b) => a.launchedAtMs - b.launchedAtMs)
    .slice(0, filter.count)
    .map(({ id }) => id);
  for (const id of chosen) advised.set(id, group);
  stage.world.recommendRebalance(chosen);
  if (taken === undefined) return;
  void stage.clock.sleep(taken).then(() => {
    avoided.push(...chosen.filter((id) => !isSpared(id)));
    stage.world.interrupt(chosen.filter(isSpared), { noticeMs: 120_000, silent: false });
  });
};

/** Churn against interruptions avoided, for each group that was advised. */
export const adviceIn = (stage: Stage, { events }: History): readonly AdviceRow[] => {
  const { advised, avoided } = bookOf(stage);
  // Describes no longer show an instance that ended long ago.
  const launched = new Map(
    events.flatMap((event) => (event.kind === 'launched' ? [[event.instance, event.tags['holdfast:group']?.split('/')[1]] as const] : [])),
  );
  const groups = [...new Set(advised.values())].toSorted();
  return groups.map((group) => {
    const left = events.flatMap((event) =>
      event.kind === 'item-written' && event.group === group && event.swap?.reason === 'rebalance' && event.swap.state !== 'waiting'
        ? [event.item]
        : [],
    );
    const warned = events.flatMap((event) => (event.kind === 'warned' && launched.get(event.instance) === group ? [event.instance] : []));
    return {
      group,
      advised: [...advised.values()].filter((name) => name === group).length,
      replaced: new Set(left).size,
      interrupted: new Set(warned).size,
      avoided: avoided.filter((id) => advised.get(id) === group).length,
    };
  });
};
