import { announcements } from '../../../core/contract.ts';
import type { Chronicle } from '../chronicle.ts';
import type { Finding } from '../finding.ts';
import { isFunction } from '../life.ts';
import { asgsOf, type Policy } from '../policy.ts';

type Broken = Omit<Finding, 'rule'>;

/** A shortage that no look of so long a time finds is not of a moment. An Auto Scaling group is given time to refill itself. */
const lastsMs = 90_000;
const lastsInAsgsMs = 240_000;
/** The bus is told at the end of a look, or a moment later. */
const toldWithinMs = 6_000;
/** A request whose answer was lost may have been carried out. */
const inFlightMs = 200_000;
const refusedWithinMs = 1_800_000;
const stepMs = 15_000;
/** A request is stored before it is sent. */
const handedOverMs = 2_000;

const asgsIn = (policy: Policy | undefined): readonly string[] => (policy === undefined ? [] : asgsOf(policy));

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

/** Whether launches were under way, met anything but an answer, or came near to the limit of the policy. */
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

const wasRefused = (chronicle: Chronicle, group: string, policy: Policy, untilMs: number): boolean =>
  chronicle
    .of('refused')
    .some(
      (refused) =>
        (refused.group === group || asgsOf(policy).includes(refused.asg ?? '')) &&
        refused.atMs <= untilMs &&
        refused.atMs > untilMs - refusedWithinMs,
    );

/** A group that has lacked instances for a while, because EC2 refuses them, and of which a look is made: the bus has heard so. */
export const lastingShortagesTold = (chronicle: Chronicle): readonly Broken[] =>
  ticksOf(chronicle).flatMap(({ group, invocation, beganAtMs, endedAtMs }): readonly Broken[] => {
    const inAsgs = asgsIn(chronicle.policyAt(group, beganAtMs)).length > 0;
    const sinceMs = beganAtMs - (inAsgs ? lastsInAsgsMs : lastsMs);
    const policy = policyAllAlong(chronicle, group, sinceMs, endedAtMs);
    if (policy === undefined || !isShortAllAlong(chronicle, group, sinceMs, endedAtMs)) return [];
    if (mayBeHeldBack(chronicle, group, policy, endedAtMs) || !wasRefused(chronicle, group, policy, beganAtMs)) return [];
    const isTold = chronicle
      .of('announced')
      .some(
        (event) =>
          event.detailType === announcements.exhausted &&
          event.detail.group === group &&
          event.atMs >= beganAtMs &&
          event.atMs <= endedAtMs + toldWithinMs,
      );
    return isTold
      ? []
      : [{ group, invocation, atMs: endedAtMs, detail: `${group} has been short for a while, and a look did not send that to the bus` }];
  });
