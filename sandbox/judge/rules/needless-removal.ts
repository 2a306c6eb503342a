import type { Chronicle } from '../chronicle.ts';
import type { Finding, Rule } from '../finding.ts';
import { forcedOutAtMs, goneAtMs, isFunction, isProtected, type Life, stayAt, takenOutAtMs } from '../life.ts';
import { asgsOf } from '../policy.ts';
import { headcountAt, isStray } from '../staying.ts';

/** A member that leaves by Holdfast's choice. */
type Choice = {
  readonly life: Life;
  readonly group: string;
  /** When it was chosen: its swap was written, or else it was taken out of service. */
  readonly chosenAtMs: number;
  readonly lookedSinceMs: number;
  /** When it stopped working. */
  readonly outAtMs: number;
  readonly isAdvised: boolean;
  /** The policy in force had moved away from the Auto Scaling group that held it: it is to be replaced. */
  readonly isMoved: boolean;
};

/** Held by an Auto Scaling group that some policy in force meanwhile does not name. */
const wasMoved = (chronicle: Chronicle, life: Life, group: string, fromMs: number, untilMs: number): boolean => {
  const asg = stayAt(life, untilMs)?.asg;
  return asg !== undefined && chronicle.policiesIn(group, fromMs, untilMs).some((policy) => !asgsOf(policy).includes(asg));
};

const endedByUs = ({ ending }: Life): number => (isFunction(ending?.by) ? (ending?.atMs ?? Number.POSITIVE_INFINITY) : Number.POSITIVE_INFINITY);

/** When it was taken out of service, or ended, by Holdfast and by nothing else. */
const outByUs = (life: Life): number => Math.min(takenOutAtMs(life), endedByUs(life));

const choiceOf = (chronicle: Chronicle, life: Life): readonly Choice[] => {
  const outAtMs = outByUs(life);
  if (outAtMs === Number.POSITIVE_INFINITY || forcedOutAtMs(life) <= outAtMs) return [];
  const claim = life.claims[0];
  const chosenAtMs = Math.min(claim?.atMs ?? outAtMs, outAtMs);
  const group = chronicle.groupAt(life, chosenAtMs);
  if (group === undefined) return [];
  const lookedSinceMs = isFunction(claim?.by) ? (chronicle.invocations.get(claim.by.invocation)?.beganAtMs ?? chosenAtMs) : chosenAtMs;
  const acts = chronicle.policiesIn(group, life.advisedAtMs[0] ?? outAtMs, outAtMs).some(({ actsOnAdvice }) => actsOnAdvice);
  const isAdvised = acts && life.advisedAtMs.some((atMs) => atMs <= outAtMs);
  return [{ life, group, chosenAtMs, lookedSinceMs, outAtMs, isAdvised, isMoved: wasMoved(chronicle, life, group, lookedSinceMs, chosenAtMs) }];
};

/** Members that leave by Holdfast's choice alone, in the order in which they were chosen. */
const choicesOf = (chronicle: Chronicle): readonly Choice[] =>
  chronicle.lives.flatMap((life) => choiceOf(chronicle, life)).toSorted((a, b) => a.chosenAtMs - b.chosenAtMs || a.life.order - b.life.order);

type Broken = Omit<Finding, 'rule'>;

const unasked = (chronicle: Chronicle, choices: readonly Choice[]): readonly Broken[] =>
  choices.flatMap(({ life, group, chosenAtMs, lookedSinceMs, isAdvised, isMoved }, index) => {
    if (isAdvised || isMoved || isStray(chronicle, life, chosenAtMs)) return [];
    const { staying, advised } = headcountAt(chronicle, group, chosenAtMs);
    // Of several that were chosen at one moment, each leaves the others one fewer.
    const sameMoment = choices.slice(index).filter((one) => one.group === group && one.chosenAtMs === chosenAtMs && !one.isAdvised && !one.isMoved);
    const before = new Set([...staying, ...advised, ...sameMoment.map((one) => one.life)]).size;
    const desired = Math.min(...chronicle.desiredIn(group, lookedSinceMs, chosenAtMs));
    if (before > desired) return [];
    return [
      { group, instance: life.instance, atMs: chosenAtMs, detail: `${life.instance} is removed where ${before} stay and ${desired} are wanted` },
    ];
  });

export const needlessRemoval: Rule = {
  name: 'nobody is removed without need',
  meaning:
    'A member that no warning, advice or hook takes is chosen to leave only while more stay than the desired size in force, or where the policy in force no longer names the Auto Scaling group that holds it.',
  broken: (chronicle) => unasked(chronicle, choicesOf(chronicle)),
};

export const protectedStay: Rule = {
  name: 'protected members stay',
  meaning: 'A member that is protected from scale-in or from termination is not chosen to leave, unless EC2 says that it is at risk.',
  broken: (chronicle) =>
    choicesOf(chronicle).flatMap(({ life, group, chosenAtMs, lookedSinceMs, isAdvised }) => {
      const wasProtected = isProtected(life, chosenAtMs) && isProtected(life, lookedSinceMs - chronicle.times.lagMs);
      return isAdvised || !wasProtected
        ? []
        : [{ group, instance: life.instance, atMs: chosenAtMs, detail: `${life.instance} is protected, and was chosen to leave` }];
    }),
};

/** Who stopped serving lately without Holdfast's doing: nobody could know of them yet. */
const lostLately = (chronicle: Chronicle, group: string, sinceMs: number, atMs: number): number =>
  chronicle.livesIn(group).filter((life) => {
    const stopped = chronicle.servesAt(life, sinceMs) && !chronicle.servesAt(life, atMs);
    return stopped && !(outByUs(life) <= atMs);
  }).length;

const lookBackMs = 10_000;

export const successorServes: Rule = {
  name: 'a member whose end is ours to choose leaves only against a successor that serves',
  meaning:
    'When Holdfast takes out of service a member that works and need not leave, the others that serve are the desired size (launch-first), or up to maxSurge fewer (drain-first, members at risk).',
  broken: (chronicle) =>
    choicesOf(chronicle).flatMap(({ life, group, outAtMs, isAdvised, isMoved }) => {
      if (!chronicle.servesAt(life, outAtMs - 1) || goneAtMs(life) < outAtMs) return [];
      const sinceMs = outAtMs - lookBackMs - chronicle.times.lagMs;
      const policies = chronicle.policiesIn(group, sinceMs, outAtMs);
      const fewer = isAdvised || isMoved ? Math.max(0, ...policies.map(({ order, maxSurge }) => (order === 'drain-first' ? maxSurge : 0))) : 0;
      const others = chronicle.membersAt(group, outAtMs).filter((one) => one !== life && chronicle.servesAt(one, outAtMs)).length;
      const after = others + lostLately(chronicle, group, sinceMs, outAtMs);
      const wanted = Math.min(...chronicle.desiredIn(group, sinceMs, outAtMs)) - fewer;
      if (after >= wanted) return [];
      return [
        {
          group,
          instance: life.instance,
          atMs: outAtMs,
          detail: `${after} serve after ${life.instance} was taken out of service, ${wanted} are wanted`,
        },
      ];
    }),
};
