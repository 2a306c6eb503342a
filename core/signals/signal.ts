import { alarm } from './alarm.ts';
import { drainStopped } from './drain-stopped.ts';
import { interruption } from './interruption.ts';
import { launchUnsuccessful } from './launch-unsuccessful.ts';
import { policyChange } from './policy-change.ts';
import { rebalance } from './rebalance.ts';
import { reservationInterruption } from './reservation-interruption.ts';
import { scheduledChange } from './scheduled-change.ts';
import type { SignalKind, Unread } from './signal-kind.ts';
import { stateChange } from './state-change.ts';
import { terminateHook } from './terminate-hook.ts';
import { tick } from './tick.ts';

/** Every kind of signal. All facts about a kind are in its file. */
export const signalKinds = [
  interruption,
  rebalance,
  reservationInterruption,
  scheduledChange,
  stateChange,
  terminateHook,
  launchUnsuccessful,
  alarm,
  drainStopped,
  policyChange,
  tick,
] as const;

type Kinds = (typeof signalKinds)[number];
type SignalOf<Kind> = Kind extends { about(signal: infer S): unknown } ? S : never;

/** One normalised thing that happened. `atMs` is when it happened, by the sender's clock. */
export type Signal = SignalOf<Kinds>;

/** The result of reading one message. `ignored`: known and without effect. `invalid`: unknown or malformed. */
export type Reading = { readonly kind: 'signals'; readonly signals: readonly Signal[] } | Unread;

type CauseOf<Kind> = Kind extends Kinds ? { readonly code: Kind['kind'] } & ReturnType<Kind['causeOf']> : never;

/** A signal, or several of one kind, that led to a decision. */
export type SignalCause = CauseOf<Kinds>;

const byKind: ReadonlyMap<string, SignalKind<Signal>> = new Map(signalKinds.map((kind) => [kind.kind, kind]));

/** The kind of a signal. */
export const signalKindOf = ({ kind }: Signal): SignalKind<Signal> => {
  const found = byKind.get(kind);
  if (found === undefined) throw new Error(`Expected a kind of signal, found "${kind}".`);
  return found;
};
