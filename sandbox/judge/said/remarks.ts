import type { History } from '../history.ts';
import { type Json, mapsOf, numberOf, textOf, textsOf } from '../read-json.ts';
import { remembered } from '../remembered.ts';

/** What a stored decision remarks, by its code, with the instances that it names. */
export type SaidRemark = { readonly code: string; readonly instances: readonly string[]; readonly data: Json };

/** The remarks of a decision. `lookedMs`: when its look began, by the clock of its function. */
export type SaidRemarks = { readonly id: string; readonly group: string; readonly lookedMs: number; readonly remarks: readonly SaidRemark[] };

export const remarksSaid = remembered(({ stored }: History): readonly SaidRemarks[] =>
  mapsOf(stored.decisions).map(({ id, group, rounds, view }) => ({
    id: textOf(id),
    group: textOf(group),
    lookedMs: numberOf(mapsOf([view])[0]?.nowMs),
    remarks: mapsOf(rounds).flatMap(({ remarks }) =>
      mapsOf(remarks).map((data) => ({ code: textOf(data.code), instances: textsOf(data.instances), data })),
    ),
  })),
);
