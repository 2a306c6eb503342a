import { isConditionFailed, isExecutionAlreadyStarted, isGone, isUnknownTemplate, scopeOfRefusal, troubleOfCode } from '../../../aws/calls/errors.ts';
import type { Against, RemovalReason, Turn } from '../../../core/decision/decision.ts';
import type { Outcome, Overtaken, SizeChange } from '../../../core/decision/decision-record.ts';
import type { Remark } from '../../../core/decision/remark.ts';
import { leaveReasons } from '../../../core/removal/leave-reason.ts';
import { signalKinds } from '../../../core/signals/signal.ts';
import type { Shortfall } from '../../../core/swap/shortfall.ts';
import type { Outcome as Played } from '../play.ts';

/** Codes of one kind, each named: the compiler asks for those that are added. Prose is what the first version stored. */
type All<Code extends string> = Readonly<Record<Exclude<Code, 'prose'>, true>>;
const listed = <Code extends string>(codes: All<Code>): readonly string[] => Object.keys(codes);

const causes = signalKinds.map(({ kind }) => kind);

const against = listed<Against['code']>({
  'at-cap': true,
  'at-maximum': true,
  'asg-gone': true,
  'no-offering': true,
  'over-price': true,
  refused: true,
  interrupted: true,
  advised: true,
  'boots-failed': true,
  denied: true,
  'at-share': true,
  breaker: true,
  'more-offerings': true,
});
const turns = listed<Turn['kind']>({ tiered: true, spread: true, weighted: true, cheapest: true });
const leaving = Object.keys(leaveReasons);
const removals = listed<RemovalReason['code']>({ surplus: true, 'stand-in': true, stray: true, return: true });
const sizes = listed<SizeChange['code']>({
  policy: true,
  'caught-up': true,
  outside: true,
  schedule: true,
  alarm: true,
  'alarm-cooling': true,
  'alarm-late': true,
  'alarm-quiet': true,
});
const remarks = listed<Remark['code']>({
  detached: true,
  'advice-not-followed': true,
  'advice-over-budget': true,
  'put-back': true,
  serves: true,
  'kept-by-minimum': true,
  'boots-failed': true,
  'given-up': true,
  'deaths-bounded': true,
  'shares-full': true,
  'asg-unfit': true,
  'spares-missing': true,
  'on-demand-short': true,
  'asg-gone': true,
  'asg-back': true,
  'launches-bounded': true,
  'breaker-opened': true,
  'breaker-closed': true,
  'breaker-overridden': true,
  paused: true,
  'came-by-itself': true,
  'waits-for-turn': true,
  'rest-waits-for-turn': true,
  'waited-for-turn': true,
});
const shortfalls = listed<Shortfall['code']>({
  'delay-exceeds-deadline': true,
  'not-released': true,
  'still-in-service': true,
  'not-released-in-time': true,
  'not-seen': true,
  'still-draining': true,
  'drain-broke': true,
  'not-ended': true,
  'ended-before-drain': true,
  'let-go': true,
  'held-back': true,
  needed: true,
});
const outcomes = listed<Outcome['code']>({ 'carried-out': true, observed: true, 'not-carried-out': true });
const overtaken = listed<Overtaken['by']>({ state: true, policy: true, claims: true });

/** Every reason that can be stored, by its kind: `kind: code`. */
export const everyReason: readonly string[] = Object.entries({
  causes,
  against,
  turns,
  leaving,
  removals,
  remarks,
  sizes,
  shortfalls,
  outcomes,
  overtaken,
}).flatMap(([kind, codes]) => codes.map((code) => `${kind}: ${code}`));

/** Where in a stored item a code of which kind stands: the field that holds it, and the field's own name. */
const kinds: Readonly<Record<string, string>> = {
  'causes.code': 'causes',
  'rejected.code': 'against',
  'turns.kind': 'turns',
  'swap.reason': 'leaving',
  'why.code': 'removals',
  'remarks.code': 'remarks',
  'sizes.code': 'sizes',
  'shortfall.code': 'shortfalls',
  'shortfalls.code': 'shortfalls',
  'outcome.code': 'outcomes',
  'overtaken.by': 'overtaken',
};

const walk = (value: unknown, field: string, tell: (reason: string) => void): void => {
  if (Array.isArray(value)) {
    for (const one of value) walk(one, field, tell);
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  for (const [name, inner] of Object.entries(value)) {
    const kind = kinds[`${field}.${name}`];
    if (kind !== undefined && typeof inner === 'string') tell(`${kind}: ${inner}`);
    walk(inner, name, tell);
  }
};

/** Reasons that the stored items of a run hold, and shortfalls that its events name: a later drain may have made up for one. */
export const reasonsIn = ({ evidence: { decisions, swaps }, history }: Played): ReadonlySet<string> => {
  const found = new Set<string>();
  for (const event of history.events) if (event.kind === 'announced') walk(event.detail.shortfalls, 'shortfalls', (reason) => found.add(reason));
  for (const decision of decisions) walk(decision, 'decision', (reason) => found.add(reason));
  for (const swap of swaps) walk(swap, 'swap', (reason) => found.add(reason));
  return found;
};

/** What an error code means to Holdfast, as `aws/calls/errors.ts` sorts it. */
const meanings = {
  'refused: offering': (code: string) => scopeOfRefusal(code) === 'offering',
  'refused: subnet': (code: string) => scopeOfRefusal(code) === 'subnet',
  'refused: for good': (code: string) => scopeOfRefusal(code) === 'zone-permanent',
  'refused: market': (code: string) => scopeOfRefusal(code) === 'market',
  throttled: (code: string) => troubleOfCode(code) === 'throttled',
  ambiguous: (code: string) => troubleOfCode(code) === 'ambiguous',
  'made before': (code: string) => troubleOfCode(code) === 'made-before',
  gone: (code: string) => isGone({ name: code }),
  'condition failed': (code: string) => isConditionFailed({ name: code }),
  'already started': (code: string) => isExecutionAlreadyStarted({ name: code }),
  'unknown template': (code: string) => isUnknownTemplate({ name: code }),
  validation: (code: string) => code === 'ValidationError' || code === 'ValidationException',
  'protected from ending': (code: string) => code === 'OperationNotPermitted',
} as const;

export const everyErrorMeaning: readonly string[] = Object.keys(meanings);

const meaningsOf = (code: string): readonly string[] =>
  Object.entries(meanings)
    .filter(([, suits]) => suits(code))
    .map(([name]) => name);

/** Error codes that functions were given in a run, and that launches were refused with. */
export const errorCodesIn = ({ evidence, history }: Played): ReadonlySet<string> =>
  new Set([
    ...history.events.flatMap((event) => (event.kind === 'called' && event.outcome !== 'ok' ? [event.outcome] : [])),
    ...evidence.decisions.flatMap(({ rounds }) =>
      (rounds ?? []).flatMap(({ rejected }) => rejected.flatMap((one) => (one.code === 'refused' ? [one.awsCode] : []))),
    ),
  ]);

export const errorMeaningsOf = (codes: Iterable<string>): ReadonlySet<string> => new Set([...codes].flatMap(meaningsOf));
