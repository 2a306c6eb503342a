import type { Chronicle } from '../chronicle.ts';
import { isMap, mapsOf, numberOf, textOf } from '../read-json.ts';
import { remembered } from '../remembered.ts';
import { isFunction } from '../world/life.ts';
import { type DecisionWrite, decisionWrite } from './decision-writes.ts';

/** How many of something, by a name: members by pool, swaps by state. */
export type Counts = Readonly<Record<string, number>>;

/** The numbers that a stored decision keeps of its view: `holdfast decisions` and `holdfast explain` show them. */
export type SaidFigures = {
  readonly id: string;
  readonly group: string;
  /** When the view was made, by the clock of its function. */
  readonly lookedMs: number;
  readonly desired: number;
  readonly members: number;
  readonly serving: number;
  /** Members whose health was not read. */
  readonly unread: number;
  readonly byPool: Counts;
  readonly swaps: Counts;
  /** Whether the decision was carried out: otherwise another write came first, or nothing is known. */
  readonly isCarriedOut: boolean;
  readonly invocation: string;
  /** The last write of the decision. */
  readonly write: DecisionWrite;
};

const countsOf = (value: unknown): Counts =>
  Object.fromEntries(Object.entries(isMap(value) ? value : {}).map(([name, count]) => [name, numberOf(count)]));

/** Of decisions that are stored with their view. */
export const figuresSaid = remembered((chronicle: Chronicle): readonly SaidFigures[] => {
  return mapsOf(chronicle.history.stored.decisions).flatMap(({ id, group, view, outcome }): readonly SaidFigures[] => {
    const write = decisionWrite(chronicle, textOf(group), textOf(id));
    if (!isMap(view) || write === undefined || !isFunction(write.by)) return [];
    return [
      {
        id: textOf(id),
        group: textOf(group),
        lookedMs: numberOf(view.nowMs),
        desired: numberOf(view.desired),
        members: numberOf(view.members),
        serving: numberOf(view.serving),
        unread: numberOf(view.unread ?? 0),
        byPool: countsOf(view.byPool),
        swaps: countsOf(view.swaps),
        isCarriedOut: isMap(outcome) && outcome.code === 'carried-out',
        invocation: write.by.invocation,
        write,
      },
    ];
  });
});
