import type { CutBy, Shortfall } from '../../../../core/swap/shortfall.ts';
import type { Chronicle } from '../../chronicle.ts';
import type { Finding, Rule } from '../../finding.ts';
import { asgsOf, type Policy } from '../../policy/policy.ts';
import { type SaidSwap, swapsOf } from '../../said/stored.ts';
import { deadlineOf, delayOf, failedDeregistrations, tellsEnd } from '../../told/leaving.ts';
import { failedWith, isOutcome } from '../../told/outcomes.ts';
import { belowMinCode, wasAtMinimum } from '../../world/kept-by-minimum.ts';
import { beganToEndMs, endless, goneAtMs, isFunction, type Life, takenOutAtMs } from '../../world/life.ts';
import { runFrom, runsOf } from '../../world/runs.ts';
import { mayBeGivenUp } from '../../world/unserved.ts';

type Broken = Omit<Finding, 'rule'>;
type Said<Code extends Shortfall['code']> = Extract<Shortfall, { readonly code: Code }>;

const toleranceMs = 3_000;
export const slackOf = ({ times }: Chronicle): number => toleranceMs + 2 * times.clockMs;

/** When the load balancer was done with it everywhere. The delay of a target runs whoever deregistered it, and also if it never was healthy. */
const emptyByMs = (chronicle: Chronicle, { instance }: Life): number =>
  Math.max(
    0,
    ...chronicle
      .of('out-of-service')
      .flatMap((out) => (out.instance === instance && out.why === 'deregistered' ? [out.atMs + delayOf(chronicle, [out.targetGroup])] : [])),
  );

const cutter: Readonly<Record<CutBy, (life: Life) => boolean>> = {
  // Others may end an instance without an announcement, by calls to EC2 or because it fails.
  ec2: (life) => deadlineOf(life) < endless || ['ec2', 'user', 'script'].includes(life.ending?.by.kind ?? ''),
  'auto-scaling': (life) => life.hooks.length > 0 || life.stays.some(({ how }) => how === 'terminating'),
  holdfast: (life) => deadlineOf(life) === endless || isFunction(life.ending?.by),
};

/** How long describes may hide that an instance has ended: until a message told a function so. */
const hiddenMs = ({ times: { lagMs } }: Chronicle, { deliveries }: Life, untilMs: number): number =>
  deliveries.some((one) => tellsEnd(one) && one.atMs <= untilMs) ? 0 : lagMs;

/** Who has ended an instance cuts what is open then. Holdfast cuts nothing of an instance that others ended before, as far as it can know. */
const isBeforeOthers = (chronicle: Chronicle, life: Life, { cutAtMs, by }: { readonly cutAtMs: number; readonly by: CutBy }): boolean =>
  by !== 'holdfast' || isFunction(life.ending?.by) || cutAtMs <= goneAtMs(life) + hiddenMs(chronicle, life, cutAtMs) + slackOf(chronicle);

/** EC2 cuts no connections before the time that it announced, unless the instance ends before. */
const isNoSooner = (chronicle: Chronicle, life: Life, { cutAtMs, by }: { readonly cutAtMs: number; readonly by: CutBy }): boolean =>
  by !== 'ec2' || cutAtMs >= Math.min(deadlineOf(life), goneAtMs(life)) - slackOf(chronicle);

/** Whether anything cuts open connections of a member at that time. */
const isCut = (chronicle: Chronicle, life: Life, busyUntilMs: number, said: { readonly cutAtMs: number; readonly by: CutBy }): boolean =>
  busyUntilMs > said.cutAtMs - slackOf(chronicle) &&
  cutter[said.by](life) &&
  isNoSooner(chronicle, life, said) &&
  isBeforeOthers(chronicle, life, said);

/** Whether a call that was to take this very instance out of service failed with that code, before a moment. */
export const stayedInService = (chronicle: Chronicle, instance: string, code: string, untilMs = endless): boolean =>
  failedDeregistrations(chronicle, instance).some(({ outcome, askedAtMs }) => askedAtMs <= untilMs && isOutcome(outcome, code));

/** What EC2 says where its user protects an instance from termination. */
export const refusedCode = 'OperationNotPermitted';

/** What Holdfast says where an instance is no member any more. */
const notOursCode = 'NotOurs';

export const brokeOff = (chronicle: Chronicle, life: Life): boolean =>
  life.drains.some(({ drain }) =>
    chronicle.of('drain').some((event) => event.drain === drain && ['failed', 'timed-out', 'aborted'].includes(event.status)),
  ) || chronicle.of('invocation-ended').some(({ error, function: name }) => error !== undefined && name.includes('drain'));

/** When a swap began: the time that it names, or its first write if that was earlier. The clock of a function may be ahead. */
const beganMs = ({ claims }: Life, { claimedAtMs }: SaidSwap): number => {
  const isOver = (state: string | undefined): boolean => state === undefined || state === 'withdrawn' || state === 'gone';
  const first = claims.findLast(({ state }, index) => !isOver(state) && isOver(claims[index - 1]?.state));
  return Math.min(claimedAtMs, first?.atMs ?? endless);
};

/** When a swap of an instance that had ended was first written as over. */
const closedMs = (life: Life, swap: SaidSwap): number =>
  life.claims.find(({ state, atMs }) => state === 'gone' && atMs >= beganMs(life, swap))?.atMs ?? endless;

/** Whether such a policy, or none, came into force for its group between its claim and its end. */
const cameMeanwhile = (
  { groups }: Chronicle,
  life: Life,
  swap: SaidSwap,
  isSuch: (policy: Policy | undefined) => boolean,
  untilMs = goneAtMs(life),
): boolean => {
  const sinceMs = beganMs(life, swap);
  return (groups.get(swap.group)?.policies ?? []).some(({ policy, atMs }) => isSuch(policy) && atMs >= sinceMs && atMs <= untilMs);
};

/** When Holdfast had its Auto Scaling group end it, which takes it out of service first. */
export const letGoAtMs = ({ stays }: Life): number =>
  Math.min(endless, ...stays.filter(({ how, by }) => how === 'terminating' && isFunction(by)).map(({ untilMs }) => untilMs));

const wasLetGoFirst = (life: Life): boolean => letGoAtMs(life) <= goneAtMs(life);

/**
 * Whether the clock of the function that took it out of service may have been past its deadline already: then it is believed to have been taken before.
 */
const seemedTaken = ({ times: { clockMs } }: Chronicle, life: Life): boolean => {
  const outMs = takenOutAtMs(life);
  return outMs < deadlineOf(life) && outMs + clockMs >= deadlineOf(life);
};

/**
 * Whether it ended between its deregistration and the next look of the function that deregistered it. That function cannot know which of the two came
 * first.
 */
const endedBeforeLook = (chronicle: Chronicle, life: Life): boolean =>
  life.services.some(({ why, by, untilMs }) => {
    if (why !== 'deregistered' || !isFunction(by)) return false;
    const look = chronicle
      .of('called')
      .find(({ invocation, operation, atMs }) => invocation === by.invocation && operation === 'DescribeInstances' && atMs > untilMs);
    return look !== undefined && untilMs < goneAtMs(life) && goneAtMs(life) <= look.atMs;
  });

/** Whether it served on in a target group until it ended, because the call that was to take it out there did nothing. */
const servedOn = (chronicle: Chronicle, life: Life): boolean =>
  life.services.some(({ untilMs }) => untilMs >= goneAtMs(life)) &&
  failedDeregistrations(chronicle, life.instance).some(({ atMs }) => atMs <= goneAtMs(life));

const hadEndedAtBegin = (chronicle: Chronicle, life: Life): boolean =>
  goneAtMs(life) <= takenOutAtMs(life) || seemedTaken(chronicle, life) || endedBeforeLook(chronicle, life) || servedOn(chronicle, life);

/**
 * The run of its instance that EC2 warned about. EC2 hibernates an instance as it warns about it, so that the swap is written after the end of that run, and
 * stays open when the instance starts again: its work was cut all the same.
 */
const warnedRunOf = (chronicle: Chronicle, { instance, warnedAtMs }: SaidSwap): readonly Life[] => {
  const life = chronicle.life(instance);
  if (life === undefined || warnedAtMs === undefined || life.restarts.length === 0) return [];
  const isNamed = ({ silent, atMs }: Life['warnings'][number]): boolean => !silent && Math.abs(atMs - warnedAtMs) <= toleranceMs;
  return runsOf(life).filter(({ warnings }) => warnings.some(isNamed));
};

/** Whether it is leaving: it was put on a drain by then, and its swap has not been withdrawn since. It may still serve. */
const isLeaving = ({ history }: Chronicle, { instance, drains }: Life, atMs: number): boolean => {
  const orderedMs = drains.findLast((drain) => drain.atMs <= atMs)?.atMs;
  const backs = swapsOf(history).flatMap((swap) => (swap.instance === instance ? (swap.withdrawnAtMs ?? []) : []));
  return orderedMs !== undefined && !backs.some((backMs) => backMs >= orderedMs && backMs <= atMs);
};

/** Whether it had warmed up by the clock of every function, also of one whose clock is behind. */
const isSurelyWarm = ({ policyAt, times: { clockMs } }: Chronicle, group: string, { launchedAtMs }: Life, atMs: number): boolean =>
  launchedAtMs + (policyAt(group, atMs)?.ready.afterMs ?? 0) + clockMs <= atMs;

/** Whether, at some moment of its swap, so few others were ready and not leaving. */
const wasNeeded = (chronicle: Chronicle, life: Life, { desired }: Said<'needed'>, { group, claimedAtMs, withdrawnAtMs }: SaidSwap): boolean => {
  const untilMs = withdrawnAtMs ?? Math.min(goneAtMs(life), chronicle.history.endedAtMs);
  const others = chronicle.livesIn(group).filter(({ instance }) => instance !== life.instance);
  const changes = others.flatMap((one) => [
    one.bootedAtMs ?? endless,
    goneAtMs(one),
    beganToEndMs(one),
    ...one.services.flatMap(({ fromMs, untilMs: endMs }) => [fromMs, endMs]),
    ...one.drains.map((drain) => drain.atMs),
  ]);
  const moments = [claimedAtMs, ...changes.filter((atMs) => atMs > claimedAtMs && atMs < untilMs)];
  const isReady = (one: Life, atMs: number): boolean =>
    one.instance !== life.instance &&
    atMs < beganToEndMs(one) &&
    chronicle.isReadyAt(one, atMs) &&
    isSurelyWarm(chronicle, group, one, atMs) &&
    !isLeaving(chronicle, one, atMs);
  const readyAt = (atMs: number): number => chronicle.membersAt(group, atMs).filter((one) => isReady(one, atMs)).length;
  return chronicle.desiredIn(group, claimedAtMs, untilMs).includes(desired) && moments.some((atMs) => readyAt(atMs) < desired);
};

/** Where a delay could not be read, the default of the load balancer counts: 300 s. */
const isDelayUnread = (chronicle: Chronicle): boolean =>
  chronicle.of('called').some(({ operation, outcome }) => operation === 'DescribeTargetGroupAttributes' && outcome !== 'ok');

/**
 * Whether the delay that it names is that of target groups that its instance was taken out of, whoever did that and however long before its drain, and
 * whether no more of it was left than lay between that and the cut. Nothing is left where the drain began after the cut.
 */
const areTimesTrue = (chronicle: Chronicle, { instance }: Life, { delayMs, leftMs, cutAtMs }: Said<'delay-exceeds-deadline'>): boolean => {
  const outs = chronicle.of('out-of-service').filter((out) => out.instance === instance && out.why === 'deregistered');
  if (leftMs === 0 || outs.length === 0) return true;
  const delaysMs = outs.map(({ targetGroup }) => delayOf(chronicle, [targetGroup]));
  // The function reads the time before its calls, and a throttled call takes seconds.
  const begunMs = outs.map(({ atMs, by }) => (isFunction(by) ? (chronicle.invocations.get(by.invocation)?.beganAtMs ?? atMs) : atMs));
  const tookMs = Math.max(...outs.map(({ atMs }) => atMs)) - Math.min(...begunMs);
  const longestMs = Math.max(...delaysMs, isDelayUnread(chronicle) ? 300_000 : 0) + tookMs;
  const mostLeftMs = cutAtMs - Math.min(...begunMs);
  const isWithin = (ms: number, leastMs: number, mostMs: number): boolean => ms >= leastMs - slackOf(chronicle) && ms <= mostMs + slackOf(chronicle);
  return isWithin(delayMs, Math.min(...delaysMs), longestMs) && isWithin(leftMs, 0, mostLeftMs);
};

type Truth = { readonly [Code in Shortfall['code']]: (chronicle: Chronicle, life: Life, said: Said<Code>, swap: SaidSwap) => boolean };

/** For each excuse, whether the world's record confirms it. */
const truths: Truth = {
  'delay-exceeds-deadline': (chronicle, life, said) =>
    isCut(chronicle, life, emptyByMs(chronicle, life), said) && areTimesTrue(chronicle, life, said),
  'not-released': (chronicle, life, { awsCode: code }, swap) =>
    code === belowMinCode ? wasAtMinimum(chronicle, life, beganMs(life, swap), swap.withdrawnAtMs) : failedWith(chronicle, code),
  'still-in-service': (chronicle, life, { awsCode }) => stayedInService(chronicle, life.instance, awsCode) || brokeOff(chronicle, life),
  'not-released-in-time': (chronicle, life, said) => isCut(chronicle, life, takenOutAtMs(life), said),
  'still-draining': (chronicle, life, said) => isCut(chronicle, life, emptyByMs(chronicle, life), said),
  // Where its Auto Scaling group was deleted, nothing shows its target groups.
  'not-seen': (chronicle, life) =>
    chronicle.of('called').some(({ operation, outcome }) => operation.startsWith('Describe') && outcome !== 'ok') ||
    life.stays.some(({ asg }) => chronicle.cloud.asgAt(asg, goneAtMs(life))?.isGone),
  'drain-broke': (chronicle, life) => brokeOff(chronicle, life),
  'not-ended': (chronicle, life, { awsCode }) => {
    if (awsCode === notOursCode) return life.stays.some(({ how, by }) => how === 'detached' && by?.kind === 'user');
    return awsCode === refusedCode ? life.refusedAtMs.length > 0 : failedWith(chronicle, awsCode);
  },
  'ended-before-drain': (chronicle, life, _, swap) =>
    [life, ...warnedRunOf(chronicle, swap)].some((run) => hadEndedAtBegin(chronicle, run) && !wasLetGoFirst(run)),
  'let-go': (chronicle, life, _, swap) => {
    const isNone = (policy: Policy | undefined): boolean => policy === undefined;
    // Of one that had ended before its claim, no drain could begin until its swap was closed.
    const untilMs = goneAtMs(life) < beganMs(life, swap) ? closedMs(life, swap) : goneAtMs(life);
    return isNone(chronicle.policyAt(swap.group, beganMs(life, swap))) || cameMeanwhile(chronicle, life, swap, isNone, untilMs);
  },
  'held-back': (chronicle, life, { mode }, swap) => cameMeanwhile(chronicle, life, swap, (policy) => policy?.mode === mode),
  needed: wasNeeded,
  prose: () => true,
};

const isTrue = (chronicle: Chronicle, life: Life, swap: SaidSwap, said: Shortfall): boolean =>
  (truths[said.code] as Truth[Shortfall['code']] | undefined)?.(chronicle, life, said as never, swap) ?? false;

export const overLives =
  (judgeOne: (chronicle: Chronicle, swap: SaidSwap, life: Life) => string | undefined): Rule['broken'] =>
  (chronicle) =>
    swapsOf(chronicle.history).flatMap((swap): readonly Broken[] => {
      const life = chronicle.life(swap.instance);
      const about = { group: swap.group, instance: swap.instance, atMs: chronicle.history.endedAtMs };
      if (life === undefined) return [{ ...about, detail: `a swap reports ${swap.instance}, which never existed` }];
      const detail = judgeOne(chronicle, swap, life);
      return detail === undefined ? [] : [{ ...about, detail }];
    });

/** Whether EC2 is said to cut connections of a member that it did not take: the swap was withdrawn, and the same run went on. */
const isSpared = (chronicle: Chronicle, run: Life, { withdrawnAtMs = endless }: SaidSwap, said: Shortfall): boolean =>
  'by' in said && said.by === 'ec2' && withdrawnAtMs + slackOf(chronicle) < goneAtMs(run);

export const excusesAreTrue: Rule = {
  name: 'excuses are true',
  meaning:
    'When a swap says that something could not be done, or not in time, what happened confirms it. A member had ended when its drain began if it ended by the next look of the function that took it out of service, or if it served in another target group until its end, because AWS did not carry out the call that was to take it out there. No swap says that EC2 cuts connections before the time that EC2 announced, and none that is withdrawn says so of a member that runs on. None says that Holdfast cuts connections of a member that others had ended before: once describes show that, or a message told a function. A delay that exceeds a deadline is no shorter than the deregistration delay of a target group of the member.',
  broken: overLives((chronicle, swap, life) => {
    const { shortfall } = swap;
    const run = runFrom(life, beganMs(life, swap));
    return shortfall === undefined || (isTrue(chronicle, run, swap, shortfall) && !isSpared(chronicle, run, swap, shortfall))
      ? undefined
      : `${swap.instance}: ${JSON.stringify(shortfall)} is not so`;
  }),
};

/** A policy of pools that are Auto Scaling groups holds no member outside of them. */
const wantsAsgs = (policy: Policy): boolean => policy.asg === undefined && asgsOf(policy).length > 0;

/** When the swap was written: it says so by the clock of a function. */
const claimedMoments = (chronicle: Chronicle, { claims }: Life, { claimedAtMs }: SaidSwap): readonly number[] => {
  const written = claims.map(({ atMs }) => atMs).filter((atMs) => Math.abs(atMs - claimedAtMs) <= slackOf(chronicle));
  return written.length === 0 ? [claimedAtMs] : written;
};

const happened: Readonly<Record<SaidSwap['reason'], (life: Life, chronicle: Chronicle, swap: SaidSwap) => boolean>> = {
  interruption: (life) => life.warnings.some(({ silent }) => !silent),
  rebalance: (life) => life.advisedAtMs.length > 0,
  maintenance: (life) => life.scheduled.length > 0,
  hook: (life) => life.hooks.length > 0 || life.stays.some(({ how }) => how === 'terminating'),
  'scale-in': () => true,
  // It was in an Auto Scaling group, or in none where the policy wants each member in one.
  moved: (life, chronicle, { group, claimedAtMs }) =>
    life.stays.length > 0 || chronicle.policiesIn(group, claimedAtMs - slackOf(chronicle), claimedAtMs).some(wantsAsgs),
  'never-served': (life, chronicle, swap) => claimedMoments(chronicle, life, swap).some((atMs) => mayBeGivenUp(chronicle, life, atMs)),
  // Its place and the better one are judged by the rules about returns.
  return: () => true,
  unwanted: () => true,
};

export const reasonsAreTrue: Rule = {
  name: 'reasons are true',
  meaning: 'The reason of a swap is something that happened to its instance.',
  broken: overLives((chronicle, swap, life) =>
    happened[swap.reason]?.(life, chronicle, swap) === false ? `${swap.instance} is said to leave by ${swap.reason}, which never came` : undefined,
  ),
};
