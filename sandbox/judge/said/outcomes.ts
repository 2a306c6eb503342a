import { items } from '../../../core/contract.ts';
import type { Chronicle } from '../chronicle.ts';
import type { History, HistoryEvent } from '../history.ts';
import { isMap, mapsOf, numberOf, textOf, textsOf } from '../read-json.ts';
import { remembered } from '../remembered.ts';
import { isFunction } from '../world/life.ts';

/** What a stored decision says was done. */
export type SaidOutcome = {
  readonly id: string;
  readonly group: string;
  readonly launches: readonly {
    readonly pool: string;
    readonly instances: readonly string[];
    readonly refused: readonly string[];
    readonly replaces: readonly string[];
  }[];
  /** Members in whose place it launches, and members that its launches move. */
  readonly replaced: readonly string[];
  readonly moves: readonly string[];
  readonly claimed: readonly string[];
  /** Members that were put into service. */
  readonly admitted: readonly string[];
  /** Members that could not be put into service. */
  readonly failed: readonly string[];
  readonly drainsStarted: number;
};

const offeringOf = (offering: unknown): string => {
  if (!isMap(offering)) return '';
  const { instanceType, zone, market } = offering;
  return `${textOf(instanceType)}/${textOf(zone)}/${textOf(market)}`;
};

/** Only of decisions that were carried out, and that are stored in full. */
const outcomesSaid = ({ stored }: History): readonly SaidOutcome[] =>
  stored.decisions.filter(isMap).flatMap(({ id, group, outcome, rounds, trimmed }): readonly SaidOutcome[] => {
    if (!isMap(outcome) || outcome.code !== 'carried-out' || textsOf(trimmed).includes('outcome')) return [];
    return [
      {
        id: textOf(id),
        group: textOf(group),
        launches: mapsOf(outcome.launches).map((launch) => ({
          pool: textOf(launch.pool),
          instances: textsOf(launch.instances),
          refused: mapsOf(launch.refusals).map(({ offering }) => offeringOf(offering)),
          replaces: textsOf(launch.replaces),
        })),
        replaced: mapsOf(outcome.launches).flatMap(({ replaces }) => textsOf(replaces)),
        moves: mapsOf(rounds).flatMap(({ placements }) => mapsOf(placements).flatMap(({ moves }) => textsOf(moves))),
        claimed: mapsOf(outcome.claimed).map(({ instance }) => textOf(instance)),
        admitted: textsOf(outcome.admitted),
        failed: mapsOf(outcome.failed).map(({ instance }) => textOf(instance)),
        drainsStarted: numberOf(outcome.drainsStarted),
      },
    ];
  });

type Write = Extract<HistoryEvent, { readonly kind: 'item-written' }>;

/** With the last write of the decision: by then it was carried out. */
export type WrittenOutcome = SaidOutcome & { readonly write: Write };

export const outcomesWritten = remembered((chronicle: Chronicle): readonly WrittenOutcome[] => {
  const decisions = chronicle.of('item-written').filter(({ item, by }) => item.startsWith(items.decisionPrefix) && isFunction(by));
  const writes = new Map(decisions.map((write) => [`${write.group} ${write.item.slice(items.decisionPrefix.length)}`, write]));
  return outcomesSaid(chronicle.history).flatMap((said) => {
    const write = writes.get(`${said.group} ${said.id}`);
    return write === undefined ? [] : [{ ...said, write }];
  });
});
