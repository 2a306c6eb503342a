import { items } from '../../../../core/contract.ts';
import { slackOf, wasLost } from '../../capacity/breaker.ts';
import type { Chronicle } from '../../chronicle.ts';
import type { Finding, Rule } from '../../finding.ts';
import type { Actor, HistoryEvent } from '../../history.ts';
import { isFunction } from '../../world/life.ts';

type Broken = Omit<Finding, 'rule'>;

const hourMs = 3_600_000;

type Claimed = Extract<HistoryEvent, { readonly kind: 'item-written' }>;
type Begun = { readonly instance: string; readonly group: string; readonly atMs: number; readonly by: Actor };

/** Whether it died, or others stopped it, while it waited for its turn, so that no decision let it leave. */
const diedWaiting = (chronicle: Chronicle, { item, swap, atMs }: Claimed): boolean => {
  const life = chronicle.life(item.slice(items.swapPrefix.length));
  const hasStopped = life?.ended?.state === 'stopped' && life.ended.atMs <= atMs;
  return (swap?.state === 'gone' || hasStopped) && !isFunction(life?.ending?.by);
};

/** Members that left for advice alone, by when their swap first said so. A member that leaves by a terminate hook too is not Holdfast's choice. */
export const begunForAdvice = (chronicle: Chronicle): readonly Begun[] => {
  const left = chronicle.of('item-written').filter(({ swap }) => swap !== undefined && swap.state !== 'waiting' && swap.state !== 'withdrawn');
  return [...Map.groupBy(left, ({ item }) => item).values()].flatMap(([first]): readonly Begun[] =>
    first?.swap?.reason === 'rebalance' && (first.swap.facts?.hooks ?? []).length === 0 && !diedWaiting(chronicle, first)
      ? [{ instance: first.item.slice(items.swapPrefix.length), group: first.group, atMs: first.atMs, by: first.by }]
      : [],
  );
};

export const adviceWithinBudget: Rule = {
  name: 'replacements for advice keep to their budget',
  meaning: 'Within an hour, no more members leave for a rebalance recommendation alone than `rebalance.atMostPerHour` of the policy allows.',
  broken: (chronicle) => {
    const begun = begunForAdvice(chronicle);
    return begun.flatMap((last): readonly Broken[] => {
      const fromMs = last.atMs - hourMs + slackOf(chronicle);
      const within = begun.filter(({ group, atMs }) => group === last.group && atMs > fromMs && atMs <= last.atMs).length;
      const most = Math.max(0, ...chronicle.policiesIn(last.group, fromMs, last.atMs).map(({ advicePerHour }) => advicePerHour));
      if (within <= most || wasLost(chronicle, last.group, fromMs, last.atMs)) return [];
      return [
        {
          group: last.group,
          instance: last.instance,
          atMs: last.atMs,
          detail: `${within} left because of advice within an hour, expected at most ${most}`,
        },
      ];
    });
  },
};
