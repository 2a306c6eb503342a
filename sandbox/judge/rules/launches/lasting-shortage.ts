import { announcements } from '../../../../core/contract.ts';
import { mayBeRequested } from '../../capacity/giving.ts';
import type { Chronicle } from '../../chronicle.ts';
import type { Finding, Rule } from '../../finding.ts';
import type { HistoryEvent } from '../../history.ts';
import { asgsOf, type Policy } from '../../policy/policy.ts';
import { usedPools } from '../../policy/tree.ts';
import { times } from '../../times.ts';
import { nameOf } from '../../world/cloud.ts';
import { isFunction } from '../../world/life.ts';

type Broken = Omit<Finding, 'rule'>;

/** A shortage counts as lasting after this time. An Auto Scaling group gets time to refill itself. */
const lastsMs = 90_000;
export const lastsInAsgsMs = 240_000;
/** The bus is told at the end of a look, or a moment later. */
const toldWithinMs = 6_000;
/** A request whose answer was lost may have been carried out. */
const inFlightMs = 200_000;
const refusedWithinMs = 1_800_000;
const stepMs = 15_000;
/** A request is stored before it is sent. */
const handedOverMs = 2_000;

type Look = { readonly group: string; readonly invocation: string; readonly beganAtMs: number; readonly endedAtMs: number };

/** Looks for a tick that no fault met. */
const ticksOf = (chronicle: Chronicle): readonly Look[] =>
  [...chronicle.invocations.values()].flatMap(({ id, beganAtMs, ended, deliveries }) =>
    ended === undefined || ended.injected || ended.error !== undefined || ended.again.length > 0
      ? []
      : [...new Set(deliveries.flatMap(({ told }) => (told.about === 'tick' ? told.groups : [])))].map((group) => ({
          group,
          invocation: id,
          beganAtMs,
          endedAtMs: ended.atMs,
        })),
  );

/** The policy that has been in force all the time, and acts. */
const policyAllAlong = (chronicle: Chronicle, group: string, sinceMs: number, untilMs: number): Policy | undefined => {
  const [policy, ...others] = chronicle.policiesIn(group, sinceMs, untilMs);
  const isHeld = chronicle.policyAt(group, untilMs) !== undefined && chronicle.policyAt(group, sinceMs) !== undefined;
  return others.length === 0 && isHeld && policy?.mode === 'act' && !policy.isSizedOutside ? policy : undefined;
};

const isShortAllAlong = (chronicle: Chronicle, group: string, sinceMs: number, untilMs: number): boolean => {
  const least = Math.min(...chronicle.desiredIn(group, sinceMs, untilMs));
  for (let atMs = sinceMs; atMs <= untilMs; atMs += stepMs) if (chronicle.membersAt(group, atMs).length >= least) return false;
  return chronicle.membersAt(group, untilMs).length < least;
};

/** Whether launches were under way, had no normal response, or came near to the limit of the policy. */
const mayBeHeldBack = (chronicle: Chronicle, group: string, { launches: { atMost, withinMs } }: Policy, untilMs: number): boolean => {
  const desired = Math.min(...chronicle.desiredIn(group, untilMs - withinMs, untilMs));
  const most = atMost.isShare ? Math.ceil((desired * atMost.by) / 100) : atMost.by;
  const own = chronicle
    .livesIn(group)
    .filter(({ by, launchedAtMs }) => isFunction(by) && launchedAtMs <= untilMs && launchedAtMs > untilMs - withinMs);
  // Another look may have stored what it requests in a moment.
  const soonMs = untilMs + handedOverMs;
  const isUnderWay = chronicle
    .livesIn(group)
    .some(({ launchedAtMs, askedAtMs = launchedAtMs }) => launchedAtMs > untilMs - inFlightMs && askedAtMs <= soonMs);
  const isUnsure = chronicle
    .of('called')
    .some(
      ({ launch, outcome, atMs, askedAtMs }) =>
        launch !== undefined && askedAtMs <= soonMs && (atMs > untilMs || (outcome !== 'ok' && atMs > untilMs - inFlightMs)),
    );
  return isUnderWay || isUnsure || 2 * own.length >= most;
};

type Refused = Extract<HistoryEvent, { readonly kind: 'refused' }>;

/** The longest that an offering can rest after a refusal, if each one before was in a row with it. */
const restsUntil = (refusals: readonly Refused[], refused: Refused): number => {
  const inRow = refusals.filter((one) => nameOf(one) === nameOf(refused) && one.atMs <= refused.atMs).length;
  return refused.atMs + Math.min(times.longestRestMs, times.refusedRestMs * 2 ** (inRow - 1));
};

/** Whether a group had its size at some time between the two. */
const wasWhole = (chronicle: Chronicle, group: string, sinceMs: number, untilMs: number): boolean => {
  for (let atMs = sinceMs; atMs <= untilMs; atMs += stepMs)
    if (chronicle.membersAt(group, atMs).length >= Math.max(...chronicle.desiredIn(group, atMs, atMs))) return true;
  return false;
};

/** Whether a refusal may be why a group is short: its offering still rests, or the group has not had its size since then. */
const isRefused = (chronicle: Chronicle, group: string, policy: Policy, untilMs: number): boolean => {
  const refusals = chronicle
    .of('refused')
    .filter((refused) => (refused.group === group || asgsOf(policy).includes(refused.asg ?? '')) && refused.atMs <= untilMs);
  return refusals.some(
    (refused) =>
      refused.atMs > untilMs - refusedWithinMs && (restsUntil(refusals, refused) > untilMs || !wasWhole(chronicle, group, refused.atMs, untilMs)),
  );
};

export type Short = Look & { readonly policy: Policy };

/** Looks at groups that have lacked instances for so long, because EC2 refuses them. */
export const looksAtShort = (chronicle: Chronicle, lasts: (policy: Policy | undefined) => number): readonly Short[] =>
  ticksOf(chronicle).flatMap((look): readonly Short[] => {
    const { group, beganAtMs, endedAtMs } = look;
    const sinceMs = beganAtMs - lasts(chronicle.policyAt(group, beganAtMs));
    const policy = policyAllAlong(chronicle, group, sinceMs, endedAtMs);
    if (policy === undefined || !isShortAllAlong(chronicle, group, sinceMs, endedAtMs)) return [];
    return mayBeHeldBack(chronicle, group, policy, endedAtMs) || !isRefused(chronicle, group, policy, beganAtMs) ? [] : [{ ...look, policy }];
  });

export const isInAsgs = (policy: Policy | undefined): boolean => policy !== undefined && asgsOf(policy).length > 0;

/** The tick of each minute sends a shortage that lasts, and a wake between two ticks that finds it unchanged does not. A tick may be this late. */
const toldEveryMs = times.tickMs + toldWithinMs;

/** A look at a group that has been short for a while sends that to the bus, unless another one did within the minute before. */
export const lastingShortagesTold = (chronicle: Chronicle): readonly Broken[] =>
  looksAtShort(chronicle, (policy) => (isInAsgs(policy) ? lastsInAsgsMs : lastsMs)).flatMap(
    ({ group, invocation, beganAtMs, endedAtMs }): readonly Broken[] => {
      const isTold = chronicle
        .of('announced')
        .some(
          ({ detailType, detail, atMs }) =>
            detailType === announcements.exhausted && detail.group === group && atMs >= beganAtMs - toldEveryMs && atMs <= endedAtMs + toldWithinMs,
        );
      return isTold
        ? []
        : [{ group, invocation, atMs: endedAtMs, detail: `${group} has been short for a while, and a look did not send that to the bus` }];
    },
  );

/** Something is requested each minute, by the look of the next tick at the latest, and the call takes a while. */
const asksWithinMs = 150_000;

/** Whether a pool could be requested at every moment of the time in which a request is due. */
const mayRequest = (chronicle: Chronicle, { group, endedAtMs, policy }: Short): boolean => {
  for (let atMs = endedAtMs - asksWithinMs; atMs <= endedAtMs; atMs += stepMs)
    if (!usedPools(policy).some((pool) => mayBeRequested(chronicle, policy, pool, { group, sinceMs: atMs, atMs }))) return false;
  return true;
};

export const missingAreRequested: Rule = {
  name: 'what EC2 refuses is requested again',
  meaning:
    'While a group is short because EC2 refuses capacity, Holdfast requests something for it at least every two and a half minutes. Only a limit, or a request under way, may hold its launches back. It does not count where no pool can be requested, because each one rests after early ends of instances, costs too much, or has no room by its cap or by the shares.',
  broken: (chronicle) =>
    looksAtShort(chronicle, (policy) => asksWithinMs + (isInAsgs(policy) ? lastsInAsgsMs : 0)).flatMap((short): readonly Broken[] => {
      const { group, invocation, endedAtMs, policy } = short;
      const isRequested = chronicle
        .of('called')
        .some(
          ({ launch, askedAtMs }) =>
            launch !== undefined &&
            (launch.group === group || asgsOf(policy).includes(launch.asg ?? '')) &&
            askedAtMs <= endedAtMs &&
            askedAtMs > endedAtMs - asksWithinMs,
        );
      return isRequested || !mayRequest(chronicle, short)
        ? []
        : [{ group, invocation, atMs: endedAtMs, detail: `${group} is short, and nothing was requested for a while` }];
    }),
};
