import { instancesPerCall } from '../../../aws/providers/launch-into-asg.ts';
import type { Decision } from '../../../core/decision/decision.ts';
import type { Remark } from '../../../core/decision/remark.ts';
import { grantedBy, type Launched } from '../../../core/group-state/answers.ts';
import type { BucketName } from '../../../core/limits/account-buckets.ts';
import type { Tokens } from '../../../core/limits/account-budget.ts';
import type { Rest, Turn } from '../../../core/limits/line.ts';
import { type Ask, type Need, warnedAmong } from '../../../core/limits/need.ts';
import { type OfferingKey, offeringKey, parseOfferingKey } from '../../../core/pool/offering.ts';
import { hasPriceLimit } from '../../../core/pool/price.ts';
import { isResting } from '../../../core/pool-memory/pool-memory.ts';
import { rememberRefusals } from '../../../core/pool-memory/refusals.ts';
import type { LaunchResult, Refusal } from '../../../core/ports/launches.ts';
import type { View } from '../../../core/view/view.ts';
import type { Run } from '../run.ts';
import { askHere, wakeForTurnMs } from './ask-here.ts';
import { knowsAutoScalingShort } from './lasting.ts';
import { bucketOf, type Given } from './turns.ts';

/** A decision that the account's buckets allow now, and the view that it is made from. */
export type Allowed = {
  readonly view: View;
  readonly decision: Decision;
  /** The tokens that its turn gave it. */
  readonly given?: Tokens;
};

/** Codes of refusals for lack of capacity, which hold for every group. The second one may also be about a price. */
const noCapacity = 'InsufficientInstanceCapacity';
const noneOfThese = 'UnfulfillableCapacity';

/** How much a group needs the account's buckets. */
export const needOf = (view: View): Need => {
  const { serving, deadlineMs } = warnedAmong(view);
  const urgency = serving === 0 ? 'empty' : deadlineMs === undefined ? 'missing' : 'warned';
  return { urgency, size: view.state.desired, deadlineMs };
};

/** Whether all launches are spares. Groups that lack members of their size go first. */
const isForSpares = ({ placements, spares }: Decision): boolean =>
  spares !== undefined && placements.reduce((sum, { count }) => sum + count, 0) === spares.placed;

const askOf = ({ group, id }: Run, view: View, decision: Decision): Ask => {
  const { placements } = decision;
  const bucket = bucketOf(group);
  const callsFor = (count: number): number => (bucket === 'autoScaling' ? Math.ceil(count / instancesPerCall) : 1);
  return {
    group: group.name,
    by: id,
    bucket,
    calls: placements.reduce((sum, { count }) => sum + callsFor(count), 0),
    leastCalls: placements.length,
    instances: placements.reduce((sum, { count }) => sum + count, 0),
    offerings: placements.map(({ offerings }) => offerings.map(offeringKey)),
    need: isForSpares(decision) ? { urgency: 'spare', size: view.state.desired } : needOf(view),
  };
};

/**
 * The view with refusals that other groups got a moment ago, because another request would cost a call and its time.
 * Their rests count from the time at which EC2 refused.
 */
const withRefusals = (view: View, { refused }: Pick<Given, 'refused'>): View => {
  const { memory } = view.state;
  const news = Object.entries(refused).flatMap(([key, { code, atMs }]) => {
    const offering = parseOfferingKey(key);
    const lesson = memory[key as OfferingKey];
    if (offering === undefined || (lesson?.kind === 'refused' && isResting(lesson, view.nowMs))) return [];
    const refusal: Refusal = { offering, code, message: 'another group was refused', scope: 'offering' };
    return [{ refusal, atMs }];
  });
  if (news.length === 0) return view;
  const learned = news.reduce((known, { refusal, atMs }) => rememberRefusals(known, [refusal], {}, atMs), memory);
  return { ...view, state: { ...view.state, memory: learned } };
};

const remarksOn = (
  turn: Exclude<Turn, { kind: 'taken' }>,
  { bucket, instances, need: { urgency, size } }: Ask,
  nowMs: number,
): readonly Remark[] => {
  const placeOf = ({ turnAtMs, ahead: aheadBy }: Rest) => {
    const ahead = Object.values(aheadBy).reduce((sum, count) => sum + count, 0);
    return { urgency, size, ahead, aheadBy, turnAtMs };
  };
  if (turn.kind === 'later') return [{ code: 'waits-for-turn', bucket, count: instances, ...placeOf(turn) }];
  const waitedMs = nowMs - turn.sinceMs;
  const { rest } = turn;
  // Few calls delay a turn as a whole. Only the bucket of instances gives a part of one.
  const part = { bucket: 'instances', count: instances - turn.instances, of: instances } as const;
  return [
    ...(waitedMs < 1_000 ? [] : [{ code: 'waited-for-turn' as const, bucket, waitedMs }]),
    ...(rest === undefined ? [] : [{ code: 'rest-waits-for-turn' as const, ...part, ...placeOf(rest) }]),
  ];
};

const earlier = (atMs: number | undefined, otherMs: number | undefined): { readonly wakeAtMs?: number } => {
  const times = [atMs, otherMs].filter((ms) => ms !== undefined);
  return times.length === 0 ? {} : { wakeAtMs: Math.min(...times) };
};

/**
 * The request of a decision, as it is once others' refusals are known: it takes no tokens for what would be refused. If
 * everything would be, it stays as it was, and its turn is given back.
 */
const asksAs = (run: Run, { view, decision }: Allowed, again: (view: View) => Decision) => {
  let ask = askOf(run, view, decision);
  let known = '';
  const asNow = (refused: Given['refused']): Ask => {
    const keys = Object.keys(refused).toSorted().join();
    if (keys === known) return ask;
    known = keys;
    const informed = withRefusals(view, { refused });
    const next = informed === view ? decision : again(informed);
    if (next.placements.length > 0) ask = askOf(run, view, next);
    return ask;
  };
  return { asNow, last: () => ask };
};

/**
 * A decision that launches nothing now. While Auto Scaling's bucket is short, it lowers no desired capacity either: a
 * later look does that, or the decision that launches.
 */
const withoutLowering = ({ ports: { store, clock } }: Run, decision: Decision): Decision =>
  decision.takeOver.length > 0 && knowsAutoScalingShort(store, clock.now()) ? { ...decision, takeOver: [] } : decision;

/** By then another decision about the group has stored its launches. */
const afterTakenMs = 2_000;

/**
 * Has a decision wait for its turn at the account's buckets. Undefined when another decision about this group is about
 * to launch: look again.
 *
 * @param isLate whether this decision then launches nothing, and another one follows soon. Its other parts are not held
 *   up any longer.
 */
export const takeTurn = async (
  run: Run,
  { view, decision: wanted }: Allowed,
  again: (view: View) => Decision,
  isLate = false,
): Promise<Allowed | undefined> => {
  if (wanted.placements.length === 0) return { view, decision: withoutLowering(run, wanted) };
  const { asNow, last } = asksAs(run, { view, decision: wanted }, again);
  const told = await askHere(run, last, asNow);
  const ask = last();
  const after = { kind: 'later', turnAtMs: view.nowMs + afterTakenMs, sinceMs: view.nowMs, ahead: {} } as const;
  const turn = isLate && told.turn.kind === 'taken' ? after : told.turn;
  if (turn.kind === 'taken') return undefined;
  const informed = withRefusals(view, told);
  const mayLaunch = turn.kind === 'now' ? turn.instances : 0;
  const given: Tokens = turn.kind === 'now' ? { [ask.bucket]: turn.calls, instances: turn.instances } : {};
  const isAsWanted = informed === view && mayLaunch >= ask.instances;
  const decided = isAsWanted ? wanted : again({ ...informed, mayLaunch });
  const decision = turn.kind === 'later' ? withoutLowering(run, decided) : decided;
  const turnAtMs = turn.kind === 'now' ? turn.rest?.turnAtMs : turn.turnAtMs;
  const wakeAtMs = turnAtMs === undefined || turn === after ? turnAtMs : wakeForTurnMs(turnAtMs);
  return {
    view: informed,
    given,
    decision: {
      ...decision,
      remarks: [...(decision.remarks ?? []), ...(turn === after ? [] : remarksOn(turn, ask, view.nowMs))],
      ...earlier(decision.wakeAtMs, wakeAtMs),
    },
  };
};

/** How many instances of a turn EC2 certainly did not launch. */
const unlaunchedBy = (launched: Launched): number => {
  const { result, before, reservation } = launched;
  if (before !== undefined || result.kind === 'ambiguous' || result.kind === 'made-before') return 0;
  return reservation.placement.count - grantedBy(launched);
};

/**
 * The bucket that EC2 found empty. Calls to Auto Scaling are paced one by one, so their throttles are already recorded.
 */
const emptyBy = (result: LaunchResult, bucket: ReturnType<typeof bucketOf>): BucketName | undefined => {
  if ('empty' in result) return result.empty;
  return result.kind === 'throttled' && bucket === 'createFleet' ? bucket : undefined;
};

/** Gives back the turn of a decision that lost a race and launches nothing. The next one takes a turn of its own. */
export const giveTurnBack = ({ turns, group, id }: Run, { given = {} }: Allowed): void =>
  turns.learn({
    empty: new Set(),
    refused: new Map(),
    granted: new Set(),
    unspent: given,
    dropped: new Map([[group.name, id]]),
  });

/** Shares the facts about the account in these responses with the other groups. */
export const shareLessons = ({ group, turns }: Run, launched: readonly Launched[]): void => {
  if (launched.length > 0) turns.launched(group.name);
  const results = launched.map(({ result }) => result);
  const answered = results.filter((result) => result.kind === 'answered');
  const refusals = launched.flatMap(({ result, reservation: { placement } }) => {
    const pool = group.pools[placement.pool];
    const hasLimit = pool !== undefined && hasPriceLimit(pool);
    const tells = (code: string): boolean => code === noCapacity || (code === noneOfThese && !hasLimit);
    return result.kind === 'answered' ? result.refusals.filter(({ code }) => tells(code)) : [];
  });
  turns.learn({
    empty: new Set(results.flatMap((result) => emptyBy(result, bucketOf(group)) ?? [])),
    refused: new Map(refusals.map(({ offering, code }) => [offeringKey(offering), code])),
    unspent: { instances: launched.reduce((sum, one) => sum + unlaunchedBy(one), 0) },
    granted: new Set(answered.flatMap(({ instances }) => instances.map(({ offering }) => offeringKey(offering)))),
  });
};
