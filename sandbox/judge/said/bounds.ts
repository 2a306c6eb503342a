import type { History } from '../history.ts';
import { isMap, type Json, mapsOf, numberOf, textOf, textsOf } from '../read-json.ts';
import { remembered } from '../remembered.ts';

/** What holds launches back, as a decision says it. */
export type SaidBound =
  | { readonly code: 'deaths-bounded' }
  /** `untilMs`: when the first of the launches no longer counts. */
  | { readonly code: 'launches-bounded'; readonly untilMs: number }
  | { readonly code: 'boots-failed'; readonly pool: string; readonly untilMs: number }
  | { readonly code: 'breaker'; readonly breaker: string; readonly untilMs: number };

/** Holdfast's own code for a pool whose members run and never serve. Another rule judges that. */
const neverServedCode = 'Holdfast.NeverServed';

const ofRemark = ({ code, untilMs }: Json): readonly SaidBound[] => {
  if (code === 'launches-bounded') return [{ code, untilMs: numberOf(untilMs) }];
  return code === 'deaths-bounded' ? [{ code }] : [];
};

const ofRejection = ({ code, pool, breaker, is, awsCode, untilMs }: Json): readonly SaidBound[] => {
  if (code === 'boots-failed' && awsCode !== neverServedCode) return [{ code, pool: textOf(pool), untilMs: numberOf(untilMs) }];
  return code === 'breaker' && is === 'open' ? [{ code, breaker: textOf(breaker), untilMs: numberOf(untilMs) }] : [];
};

export const boundsSaid = remembered(({ stored }: History) =>
  mapsOf(stored.decisions).map(({ id, group, rounds, view, outcome }) => ({
    id: textOf(id),
    group: textOf(group),
    lookedMs: numberOf(mapsOf([view])[0]?.nowMs),
    /** Absent while it is carried out, and where its function ended before. */
    outcome: isMap(outcome) ? textOf(outcome.code) : undefined,
    /** Members whose replacement it leaves to their Auto Scaling group. */
    left: mapsOf(rounds).flatMap(({ leftToGroups }) => textsOf(leftToGroups)),
    bounds: mapsOf(rounds).flatMap(({ remarks, rejected }) => [...mapsOf(remarks).flatMap(ofRemark), ...mapsOf(rejected).flatMap(ofRejection)]),
  })),
);
