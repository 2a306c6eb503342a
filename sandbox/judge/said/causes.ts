import type { History } from '../history.ts';
import { mapsOf, numberOf, textOf, textsOf } from '../read-json.ts';
import { remembered } from '../remembered.ts';

/** A cause of a stored decision: its code, the state of instances where it has one, and the instances, or the alarm, that it is about. */
export type SaidCause = {
  readonly code: string;
  readonly state: string;
  readonly alarm: string;
  readonly instances: readonly string[];
  readonly count: number;
};

export type SaidCauses = { readonly id: string; readonly group: string; readonly causes: readonly SaidCause[] };

export const causesSaid = remembered(({ stored }: History): readonly SaidCauses[] =>
  mapsOf(stored.decisions).map(({ id, group, causes }) => ({
    id: textOf(id),
    group: textOf(group),
    causes: mapsOf(causes).map(({ code, state, alarm, instances, count }) => ({
      code: textOf(code),
      state: textOf(state),
      alarm: textOf(alarm),
      instances: textsOf(instances),
      count: numberOf(count),
    })),
  })),
);
