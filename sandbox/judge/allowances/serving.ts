import { forgottenAtMs, knownWithin } from '../capacity/boots.ts';
import type { Chronicle } from '../chronicle.ts';
import type { Allowance } from '../finding.ts';
import { comesUpMsOfLife, servesAgainMsIn } from '../members/serves-again.ts';
import { servesAgain } from '../rules/launches/serving.ts';
import { sparesServe } from '../rules/launches/spares.ts';
import { times } from '../times.ts';
import { seenFailingSinceMs } from '../world/failing-refills.ts';
import { answersAt, endless, goneAtMs, isFunction, type Life, warnedAtMs } from '../world/life.ts';
import { givenUpAtMs } from '../world/unserved.ts';

const neverServed = ({ services }: Life): boolean => services.every(({ fromMs, untilMs }) => fromMs === untilMs);

/** Without a target group, an instance serves as soon as it has booted. */
const workedBefore = (chronicle: Chronicle, life: Life, atMs: number): boolean =>
  chronicle.targetsOf(life, atMs - 1).length === 0 && (life.bootedAtMs ?? endless) < atMs;

/** Whether another instance has not had the time to come up since one of these troubles of an instance that never served. */
const isOnItsWayAgain = (chronicle: Chronicle, group: string, life: Life, troubles: readonly number[], atMs: number): boolean =>
  neverServed(life) &&
  troubles.some(
    (troubleMs) => !workedBefore(chronicle, life, troubleMs) && troubleMs <= atMs && atMs - troubleMs <= servesAgainMsIn(chronicle, group),
  );

/** When it ended, if Holdfast did not end it. */
const diedAtMs = (life: Life): number => (isFunction(life.ending?.by) ? endless : goneAtMs(life));

/**
 * Whether an Auto Scaling group launched it by itself, and such launches had ended early for longer than Holdfast waits for the group. Only a look while one of
 * them has ended can tell: the next launch may be on its way when that time is over. What Holdfast knew before a user wrote the policy, or before the table
 * was restored, may be forgotten.
 */
const isOneTooMany = (chronicle: Chronicle, group: string, { by }: Life, diedMs: number): boolean => {
  const seenMs = by.kind === 'asg' ? seenFailingSinceMs(chronicle, by.asg, diedMs) : undefined;
  if (seenMs === undefined) return false;
  const sinceMs = Math.max(seenMs, forgottenAtMs(chronicle, group, diedMs));
  const nextMs = chronicle.times.asgPeriodMs + 1_000 * chronicle.history.spec.timing.pendingSeconds[1];
  return diedMs - sinceMs > times.asgRefillMs + nextMs + knownWithin(chronicle);
};

export const newcomersDie: Allowance = {
  name: 'a new member died on its way up',
  excuses: servesAgain.name,
  trouble: 'An instance that was launched for the group ended, or EC2 warned about it, before it ever served.',
  reaches:
    'The group of that instance, until another instance had the time to come up after that death or that warning. An end by Holdfast does not count. Where what an Auto Scaling group launches by itself ends before it runs, one after the other, only ends count until Holdfast knows that this lasts for longer than 90 seconds.',
  reason:
    'A replacement that dies must be replaced as well, and that takes the whole time again. Holdfast launches in place of an Auto Scaling group whose own launches keep dying.',
  covers: ({ group = '', atMs }, chronicle) =>
    chronicle.livesIn(group).some((life) => {
      const diedMs = diedAtMs(life);
      const troubles = diedMs <= atMs && isOneTooMany(chronicle, group, life, diedMs) ? [warnedAtMs(life)] : [warnedAtMs(life), diedMs];
      return isOnItsWayAgain(chronicle, group, life, troubles, atMs);
    }),
};

export const refillsDie: Allowance = {
  name: 'what an Auto Scaling group launches by itself dies on its way up',
  excuses: sparesServe.name,
  trouble: 'An instance that an Auto Scaling group launched by itself ended before it ever served.',
  reaches:
    'The spares of the group of that instance, until another instance had the time to come up after that death. An end by Holdfast does not count, and no instance that Holdfast launched does. Where such launches end before they run, one after the other, only ends count until Holdfast knows that this lasts for longer than 90 seconds.',
  reason:
    'Where launches of Holdfast die, their pool rests, and the rule does not count that time. An Auto Scaling group launches again at once, and its next instance needs the whole time again. Holdfast launches in place of a group whose own launches keep dying.',
  covers: ({ group = '', atMs }, chronicle) =>
    chronicle.livesIn(group).some((life) => {
      const diedMs = diedAtMs(life);
      const isExcused = life.by.kind === 'asg' && isOnItsWayAgain(chronicle, group, life, [diedMs], atMs);
      return isExcused && !isOneTooMany(chronicle, group, life, diedMs);
    }),
};

/** Whether Holdfast ended it because EC2 advised that, and it never served. */
const endedOnAdvice = (life: Life, goneMs: number): boolean =>
  neverServed(life) &&
  isFunction(life.ending?.by) &&
  life.advisedAtMs.some((atMs) => atMs < goneMs) &&
  life.claims.some(({ atMs, reason }) => atMs < goneMs && reason === 'rebalance');

/** Members that never served, were given up or left on advice, a moment ago: with drain-first, their replacements are launched only then. */
const leftFirst = (chronicle: Chronicle, group: string, atMs: number): readonly Life[] =>
  chronicle.livesIn(group).filter((life) => {
    const goneMs = goneAtMs(life);
    const isRecent = goneMs <= atMs && atMs - goneMs <= servesAgainMsIn(chronicle, group);
    const isReplaced = givenUpAtMs(chronicle, life) < goneMs || endedOnAdvice(life, goneMs);
    return isRecent && isReplaced && chronicle.policyAt(group, goneMs)?.order === 'drain-first';
  });

/** Members that live and do not respond. */
const failingAt = (chronicle: Chronicle, group: string, atMs: number): readonly Life[] =>
  chronicle.membersAt(group, atMs).filter((life) => {
    const last = life.services.findLast(({ fromMs }) => fromMs <= atMs);
    // A target group that never found it healthy needs some checks that pass, also where its user took it out and put it back.
    const isAnew = last === undefined || (last.why === 'deregistered' && !isFunction(last.by) && last.untilMs <= atMs);
    const checkedMs = isAnew ? atMs - chronicle.times.healthMs : atMs;
    if (!answersAt(life, checkedMs) && life.launchedAtMs + comesUpMsOfLife(chronicle, life) <= atMs) return true;
    return last?.why === 'unhealthy' && last.untilMs <= atMs;
  });

/** A member that was requested a moment ago is not late yet, so failing members, and those that failed and left, explain only late ones. */
const explainsAll =
  (left: typeof leftFirst): Allowance['covers'] =>
  ({ group = '', atMs, members: late = Number.POSITIVE_INFINITY }, chronicle) =>
    late <= failingAt(chronicle, group, atMs - 1).length + left(chronicle, group, atMs - 1).length;

export const membersFail: Allowance = {
  name: 'a member fails its health checks and lives',
  excuses: servesAgain.name,
  trouble: 'An instance runs and does not respond: a target group finds it unhealthy, or never found it healthy since it joined.',
  reaches:
    'The group of that instance, for as many members as fail, while they live and fail. With drain-first, also for members that were given up, or that never served and left on EC2’s advice, until their replacements had the time to come up.',
  reason: 'Holdfast replaces members that leave. It does not promise to replace living members by their health.',
  covers: explainsAll(leftFirst),
};

/** Members that were given up a moment ago, and have ended. */
const givenUpLately = (chronicle: Chronicle, group: string, atMs: number): readonly Life[] =>
  chronicle.livesIn(group).filter((life) => {
    const sinceMs = givenUpAtMs(chronicle, life);
    return sinceMs <= goneAtMs(life) && goneAtMs(life) <= atMs && atMs - sinceMs <= servesAgainMsIn(chronicle, group);
  });

/** A member that fails is a spare at first, or has the place of one, until it is given up. */
export const sparesFail: Allowance = {
  ...membersFail,
  name: 'a member fails its health checks and lives, where spares are wanted',
  excuses: sparesServe.name,
  reaches: `${membersFail.reaches} Also for members that were given up and have ended, until one that is launched when they are given up had the time to come up.`,
  reason:
    'Holdfast launches no spare beside a member that may still come up: it gives that one up at the age that the policy sets. Then as many others serve as are desired, so it leaves at once, before its replacement serves.',
  covers: explainsAll((...at) => [...new Set([...leftFirst(...at), ...givenUpLately(...at)])]),
};

export const hookHoldsNewcomers: Allowance = {
  name: 'a hook of its user holds new members back',
  excuses: servesAgain.name,
  trouble: 'A user puts a hook on the Auto Scaling group of the policy, and new members wait there.',
  reaches:
    'The groups of that Auto Scaling group, while a new member that joined after the hook was put does not serve, and the hook was not removed.',
  reason: 'The user completes a launching hook, not Holdfast.',
  covers: ({ group = '', atMs }, chronicle) => {
    const beforeMs = atMs - 1;
    const steps = chronicle.of('step').filter((step) => step.atMs <= beforeMs && (step.step === 'hook-put' || step.step === 'hook-removed'));
    return chronicle.membersAt(group, beforeMs).some((life) => {
      const stay = life.stays.at(-1);
      const last = steps.findLast(({ asgs }) => asgs.includes(stay?.asg ?? ''));
      const isHeld = last !== undefined && (last.step === 'hook-put' || beforeMs - last.atMs <= servesAgainMsIn(chronicle, group));
      const put = steps.find(({ step, asgs }) => step === 'hook-put' && asgs.includes(stay?.asg ?? ''));
      return stay !== undefined && isHeld && put !== undefined && stay.fromMs >= put.atMs && !chronicle.servesAt(life, beforeMs);
    });
  },
};
