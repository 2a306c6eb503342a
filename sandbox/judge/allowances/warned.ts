import type { Chronicle } from '../chronicle.ts';
import type { Allowance, Finding } from '../finding.ts';
import { actsWithinMs, drainBeginsInTime, outByMs, servesUntilReplaced, warnedTakenOut } from '../rules/drains/warned.ts';
import { times } from '../times.ts';
import { deadlineOf, heardAtMs, isHealthy, isTakenOut, knewAtMs, lastServices, looksFrom, toldOf } from '../told/leaving.ts';
import { endless, goneAtMs, type Life, warnedAtMs } from '../world/life.ts';

/** Covers a finding about an instance that the world has, by its life. */
export const byLife =
  (covers: (life: Life, finding: Finding, chronicle: Chronicle) => boolean): Allowance['covers'] =>
  (finding, chronicle) => {
    const life = chronicle.life(finding.instance ?? '');
    return life !== undefined && covers(life, finding, chronicle);
  };

export const neverHeard: Allowance = {
  name: 'no function received the warning',
  excuses: warnedTakenOut.name,
  trouble: 'The warning was lost on its way. No message about it reached a function before the instance was gone.',
  reaches: 'The instance that the lost warning was about.',
  reason: 'EventBridge delivers at least once and may deliver late. An instance without a received warning cannot be drained.',
  covers: byLife((life) => toldOf(life, 'warning').length === 0 && toldOf(life, 'advice').length === 0),
};

export const heardWhileLetGo: Allowance = {
  name: 'the warning was heard only while the group was let go',
  excuses: warnedTakenOut.name,
  trouble: 'A fault was injected into the functions that received the warning first. The policy was deleted before the message came again.',
  reaches: 'The instance that the warning was about, if no function without a fault received it while a policy was in force.',
  reason: 'A message comes again once. No function acts for a group that was let go.',
  covers: byLife((life, { group }, chronicle) => {
    if (group === undefined) return false;
    const heard = toldOf(life, 'warning').filter(({ invocation }) => chronicle.invocations.get(invocation)?.ended?.injected === false);
    return heard.length > 0 && heard.every(({ atMs }) => chronicle.policyAt(group, atMs) === undefined);
  }),
};

export const heardTooLate: Allowance = {
  name: 'the warning was heard too late',
  excuses: warnedTakenOut.name,
  trouble: 'The first invocation without an injected fault that received the warning had less than fifteen seconds until the instance was gone.',
  reaches: 'The instance that the warning was about.',
  reason: 'A look, the start of a drain and its first call take so long.',
  covers: byLife((life, _, chronicle) => heardAtMs(chronicle, life, 'warning') > goneAtMs(life) - actsWithinMs),
};

/** A drain calls the load balancer again at least this long before EC2 takes the member. */
const lastTryMs = 20_000;

export const neverDeregistered: Allowance = {
  name: 'the load balancer took it out of no service',
  excuses: warnedTakenOut.name,
  trouble: 'Faults met every call to the load balancer that was to take the member out of service after its warning.',
  reaches: 'That member, if Holdfast still tried it within twenty seconds of its end, for each target group that it was not taken out of.',
  reason: 'Only the load balancer takes a member out of its target groups, and EC2 does not wait for it.',
  covers: byLife((life, _, chronicle) => {
    const sinceMs = warnedAtMs(life);
    const all = chronicle.of('called').filter(({ takesOut = [], askedAtMs }) => takesOut.includes(life.instance) && askedAtMs >= sinceMs);
    return lastServices(life)
      .filter((service) => !isTakenOut(service, life))
      .every(({ targetGroup }) => {
        const tries = all.filter(({ takesOutOf }) => takesOutOf === targetGroup);
        const isLate = tries.some(({ askedAtMs }) => askedAtMs >= goneAtMs(life) - lastTryMs);
        return isLate && tries.every(({ trouble, applied }) => trouble === 'fault' && !applied);
      });
  }),
};

export const takenBeforeTime: Allowance = {
  name: 'EC2 took it before its time',
  excuses: warnedTakenOut.name,
  trouble: 'EC2 takes a warned instance before the two minutes of a warning are over, or a user ends it.',
  reaches: 'The instance that was taken, if its drain did not have to begin yet.',
  reason: 'A warning does not say how much time is left. A drain begins as late as two minutes allow.',
  covers: byLife((life) => goneAtMs(life) < deadlineOf(life) - times.deadlineMarginMs),
};

/** Whether an invocation belongs to a drain of this member. */
export const isOfDrainOf =
  ({ invocations }: Chronicle, { drains }: Life) =>
  ({ invocation }: { readonly invocation: string }): boolean =>
    drains.some(({ drain }) => drain === invocations.get(invocation)?.drain);

/** Whether a fault met every function that received a message about a group or its members between two moments. */
const allMetFaults = (chronicle: Chronicle, group: string, fromMs: number, untilMs: number): boolean => {
  const told = chronicle.livesIn(group).flatMap(({ deliveries }) => deliveries);
  const looks = looksFrom(chronicle, group, fromMs);
  return (
    told.every(({ atMs, invocation }) => atMs < fromMs || atMs > untilMs || !isHealthy(chronicle, invocation)) &&
    looks.every(({ atMs, injected }) => atMs > untilMs || injected)
  );
};

/** Whether faults met each function of the drain of a member, one at the least, and each one that received a message, from when it acts on it. */
const metFaultsUntil = (chronicle: Chronicle, life: Life, group: string | undefined, endMs: number): boolean => {
  const sinceMs = outByMs(chronicle, life, knewAtMs(chronicle, life)) - actsWithinMs;
  const steps = chronicle
    .of('invocation-ended')
    .filter((one) => isOfDrainOf(chronicle, life)(one) && one.atMs >= sinceMs && one.startedAtMs <= endMs);
  return steps.length > 0 && steps.every(({ injected }) => injected) && group !== undefined && allMetFaults(chronicle, group, sinceMs, endMs);
};

export const drainedByNobody: Allowance = {
  name: 'faults met every function until the member was gone',
  excuses: warnedTakenOut.name,
  trouble:
    'From fifteen seconds before the latest start of its drain until the member was gone, a fault was injected into each function of its drain, one at the least, and into each one that received a message about the group.',
  reaches: 'That member.',
  reason: 'A table that refuses every call stops all functions that could take a member out of service. EC2 does not wait for them.',
  covers: byLife((life, { group }, chronicle) => metFaultsUntil(chronicle, life, group, goneAtMs(life))),
};

export const outlivedUnderFaults: Allowance = {
  name: 'faults met every function until the deadline of the member',
  excuses: drainBeginsInTime.name,
  trouble:
    'From fifteen seconds before the latest start of its drain until its deadline, a fault was injected into each function of its drain, one at the least, and into each one that received a message about the group. EC2 did not take the member.',
  reaches: 'That member, if it is taken out of service after its deadline.',
  reason: 'A member that EC2 did not take by its deadline serves until enough others do. Nothing has to end before that deadline any more.',
  covers: byLife((life, { group, atMs }, chronicle) => atMs > deadlineOf(life) && metFaultsUntil(chronicle, life, group, deadlineOf(life))),
};

export const begunByNobody: Allowance = {
  name: 'faults met every function that could begin the drain',
  excuses: drainBeginsInTime.name,
  trouble: 'A fault was injected into each function that received the warning, and into each one that received another message about the group.',
  reaches: 'The instance that the warning was about, if it is taken out of service within fifteen seconds after the first function without a fault.',
  reason: 'A function may die between its claim and the start of the drain. Its message comes again after forty seconds, and may meet a fault again.',
  covers: byLife((life, { group, atMs }, chronicle) => {
    const heardMs = Math.min(endless, ...toldOf(life, 'warning').map((one) => one.atMs));
    return group !== undefined && heardMs < atMs - actsWithinMs && allMetFaults(chronicle, group, heardMs, atMs - actsWithinMs);
  }),
};

const wasLetGo = (chronicle: Chronicle, group: string, fromMs: number, untilMs: number): boolean =>
  (chronicle.groups.get(group)?.policies ?? []).some(({ policy, atMs }) => policy === undefined && atMs >= fromMs && atMs <= untilMs);

export const takenUpLate: Allowance = {
  name: 'a fault met the function that took the group up again',
  excuses: warnedTakenOut.name,
  trouble: 'The policy was deleted after the warning and then written again. A fault was injected into the function that received it.',
  reaches:
    'A member that was warned before the policy was deleted, and that was gone within a tick of the new policy. Each invocation without an injected fault that received the policy or a tick had less than fifteen seconds left.',
  reason: 'No function acts for a group that was let go. After a look that was lost, the next one is the tick.',
  covers: byLife((life, { group }, chronicle) => {
    if (group === undefined) return false;
    const endMs = goneAtMs(life);
    const written = (chronicle.groups.get(group)?.policies ?? []).filter(({ atMs }) => atMs >= warnedAtMs(life) && atMs <= endMs);
    const backMs = written.findLast(({ policy }) => policy !== undefined)?.atMs;
    if (backMs === undefined || !written.some(({ policy, atMs }) => policy === undefined && atMs < backMs)) return false;
    const looks = looksFrom(chronicle, group, backMs).filter(({ atMs }) => atMs <= endMs);
    const isSoon = endMs <= backMs + times.tickMs + times.batchMs + actsWithinMs;
    return isSoon && looks.some(({ injected }) => injected) && looks.every(({ injected, atMs }) => injected || atMs > endMs - actsWithinMs);
  }),
};

export const backTooLate: Allowance = {
  name: 'the policy came back too late',
  excuses: warnedTakenOut.name,
  trouble: 'The policy was deleted before the drain had to begin, and written again less than fifteen seconds before the member was gone.',
  reaches: 'Members that were warned before the policy was written again.',
  reason: 'No function acts for a group that was let go, and one that receives a policy needs fifteen seconds to act.',
  covers: byLife((life, { group }, chronicle) => {
    const endMs = goneAtMs(life);
    const written = (chronicle.groups.get(group ?? '')?.policies ?? []).filter(({ atMs }) => atMs <= endMs);
    const [gone, back] = written.slice(-2);
    if (gone === undefined || gone.policy !== undefined || back?.policy === undefined) return false;
    return back.atMs > endMs - actsWithinMs && warnedAtMs(life) < back.atMs && gone.atMs <= outByMs(chronicle, life, knewAtMs(chronicle, life));
  }),
};

export const letGoMeanwhile: Allowance = {
  name: 'the group was let go meanwhile',
  excuses: drainBeginsInTime.name,
  trouble: 'The policy is deleted after the warning, so that the drain ends. It is written again before EC2 takes the member.',
  reaches: 'Members that were warned before the group was let go.',
  reason: 'No function acts for a group that was let go.',
  covers: byLife((life, { group, atMs }, chronicle) => group !== undefined && wasLetGo(chronicle, group, warnedAtMs(life), atMs)),
};

export const delaysUnknown: Allowance = {
  name: 'deregistration delays could not be read',
  excuses: servesUntilReplaced.name,
  trouble: 'A fault met a call that reads from the load balancer how long it waits for connections.',
  reaches: 'Members whose drain was under way then.',
  reason: 'Without the delay, Holdfast assumes the default of the load balancer, which is longer.',
  covers: (finding, chronicle) => {
    const life = chronicle.life(finding.instance ?? '');
    const sinceMs = life === undefined ? finding.atMs : warnedAtMs(life);
    return chronicle
      .of('called')
      .some(
        ({ service, isMutating, trouble, askedAtMs }) =>
          service === 'elasticloadbalancing' && !isMutating && trouble !== undefined && askedAtMs >= sinceMs && askedAtMs <= finding.atMs,
      );
  },
};
