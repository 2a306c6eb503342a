import type { History } from './history.ts';
import { isMap, mapsOf, numberOf, textOf, textsOf } from './read-json.ts';

/** What a stored decision says was done. */
export type SaidOutcome = {
  readonly id: string;
  readonly group: string;
  readonly launches: readonly { readonly pool: string; readonly instances: readonly string[] }[];
  readonly claimed: readonly string[];
  /** Members that were put into service. */
  readonly admitted: readonly string[];
  readonly drainsStarted: number;
};

/** Only of decisions that were carried out, and that are stored in full. */
export const outcomesSaid = ({ stored }: History): readonly SaidOutcome[] =>
  stored.decisions.filter(isMap).flatMap(({ id, group, outcome, trimmed }): readonly SaidOutcome[] => {
    if (!isMap(outcome) || outcome.code !== 'carried-out' || textsOf(trimmed).includes('outcome')) return [];
    return [
      {
        id: textOf(id),
        group: textOf(group),
        launches: mapsOf(outcome.launches).map((launch) => ({ pool: textOf(launch.pool), instances: textsOf(launch.instances) })),
        claimed: mapsOf(outcome.claimed).map(({ instance }) => textOf(instance)),
        admitted: textsOf(outcome.admitted),
        drainsStarted: numberOf(outcome.drainsStarted),
      },
    ];
  });
