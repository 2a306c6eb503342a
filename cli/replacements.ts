import type { DecisionRecord, LaunchOutcome } from '../core/decision/decision-record.ts';
import { endIn } from './stored-decision.ts';

/** An instance that was launched in place of one that left or ended, and when a decision first found it serving. */
export type Replacement = {
  readonly instance: string;
  /** When a decision that launched it was made. */
  readonly launchedAtMs: number;
  /** When an earlier decision requested it. Nothing says which of the two requests launched it. */
  readonly requestedAtMs?: number;
  readonly servedAtMs?: number;
  /** The launch named no member: it filled a gap of the group. */
  readonly forTheGroup?: true;
};

/** `reservation`: its id begins with that of the decision that made the request first. */
type Launched = Replacement & { readonly reservation: string };

type Answered = Extract<LaunchOutcome, { readonly result: 'answered' }>;

const answeredIn = ({ outcome }: DecisionRecord): readonly Answered[] =>
  outcome?.code !== 'carried-out'
    ? []
    : outcome.launches.flatMap((launch) => (launch.result === 'answered' ? [launch] : []));

const namedFor = (instance: string, record: DecisionRecord): readonly Launched[] =>
  answeredIn(record).flatMap(({ reservation, replaces, instances }) => {
    const replacement = instances[replaces.indexOf(instance)];
    return replacement === undefined ? [] : [{ instance: replacement, launchedAtMs: record.atMs, reservation }];
  });

/** Launches that name no member: those that they replace had ended already. */
const forTheMissing = (record: DecisionRecord): readonly Launched[] =>
  answeredIn(record).flatMap(({ reservation, replaces, instances }) =>
    instances
      .slice(replaces.length)
      .map((instance) => ({ instance, launchedAtMs: record.atMs, reservation, forTheGroup: true as const })),
  );

/** A replacement is launched within this time, even after a refusal or while an Auto Scaling group refills itself. */
const madeUpWithinMs = 900_000;

/** The launches of the first decision after the end of the instance that launched anything. */
const afterItsEnd = (instance: string, records: readonly DecisionRecord[]): readonly Launched[] => {
  const ended = records.find((record) => endIn(record).includes(instance));
  if (ended === undefined) return [];
  const within = records.filter(({ atMs }) => atMs >= ended.atMs && atMs <= ended.atMs + madeUpWithinMs);
  return within.map(forTheMissing).find((launched) => launched.length > 0) ?? [];
};

/** When each instance was first found serving. */
const servedIn = (inOrder: readonly DecisionRecord[]): ReadonlyMap<string, number> =>
  new Map(
    inOrder.toReversed().flatMap(({ rounds, atMs }) =>
      rounds
        .flatMap(({ remarks = [] }) => remarks)
        .flatMap((remark) => (remark.code === 'serves' ? remark.instances : []))
        .map((instance) => [instance, atMs] as const),
    ),
  );

/** The replacements of an instance by the stored decisions of its group, earliest first. */
export const replacementsOf = (instance: string, records: readonly DecisionRecord[]): readonly Replacement[] => {
  const inOrder = records.toSorted((a, b) => a.atMs - b.atMs);
  const served = servedIn(inOrder);
  // The decision that repeated a request names the same instance as the one that made it.
  const byName = [
    ...Map.groupBy(
      inOrder.flatMap((record) => namedFor(instance, record)),
      (one) => one.instance,
    ).values(),
  ].flatMap(([first]) => first ?? []);
  const found = byName.length > 0 ? byName : afterItsEnd(instance, inOrder);
  return found.map(({ reservation, ...one }) => {
    const first = inOrder.find(({ id, atMs }) => reservation.startsWith(`${id}-`) && atMs < one.launchedAtMs);
    const servedAtMs = served.get(one.instance);
    return {
      ...one,
      ...(first === undefined ? {} : { requestedAtMs: first.atMs }),
      ...(servedAtMs === undefined ? {} : { servedAtMs }),
    };
  });
};
