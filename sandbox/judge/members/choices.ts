import type { Chronicle } from '../chronicle.ts';
import { isMisplaced } from '../policy/policy.ts';
import { remembered } from '../remembered.ts';
import { forcedOutAtMs, isFunction, isScheduled, type Life, lastBackMs, staysAgainAtMs, takenOutAtMs } from '../world/life.ts';
import { givenUpAtMs } from '../world/unserved.ts';

/** A member that leaves by Holdfast's choice. */
export type Choice = {
  readonly life: Life;
  readonly group: string;
  /** When it was chosen: its swap was written, or else it was taken out of service. */
  readonly chosenAtMs: number;
  readonly lookedSinceMs: number;
  /** When it stopped working. */
  readonly outAtMs: number;
  readonly isAdvised: boolean;
  /** Whether it is to be replaced, because the policy in force holds its members elsewhere, or because it never served. */
  readonly isMoved: boolean;
};

/** Whether it was at a place where a policy in force meanwhile holds no members. */
const wasMoved = (chronicle: Chronicle, life: Life, group: string, fromMs: number, untilMs: number): boolean =>
  chronicle.policiesIn(group, fromMs, untilMs).some((policy) => isMisplaced(policy, life, untilMs));

const endedByUs = ({ ending }: Life): number => (isFunction(ending?.by) ? (ending?.atMs ?? Number.POSITIVE_INFINITY) : Number.POSITIVE_INFINITY);

/** When Holdfast took it out of service or ended it. Undefined if others did. */
export const outByUs = (life: Life, sinceMs?: number): number => Math.min(takenOutAtMs(life, sinceMs), endedByUs(life));

/** The choice of a member between two moments: from the start, or from a refusal of EC2 to end it, until the next refusal. */
const choiceOf = (chronicle: Chronicle, life: Life, sinceMs: number, untilMs: number): readonly Choice[] => {
  const outAtMs = outByUs(life, sinceMs);
  if (outAtMs === Number.POSITIVE_INFINITY || outAtMs > untilMs || forcedOutAtMs(life, lastBackMs(life, outAtMs)) <= outAtMs) return [];
  const claim = life.claims.find(({ atMs, state }) => atMs > sinceMs && state === 'leaving');
  const chosenAtMs = Math.min(claim?.atMs ?? outAtMs, outAtMs);
  const group = chronicle.groupAt(life, chosenAtMs);
  if (group === undefined) return [];
  const lookedSinceMs = isFunction(claim?.by) ? (chronicle.invocations.get(claim.by.invocation)?.beganAtMs ?? chosenAtMs) : chosenAtMs;
  const acts = chronicle.policiesIn(group, life.advisedAtMs[0] ?? outAtMs, outAtMs).some(({ actsOnAdvice }) => actsOnAdvice);
  const isAdvised = isScheduled(life, outAtMs) || (acts && life.advisedAtMs.some((atMs) => atMs <= outAtMs));
  const isMoved = wasMoved(chronicle, life, group, lookedSinceMs, chosenAtMs) || givenUpAtMs(chronicle, life) <= chosenAtMs;
  return [{ life, group, chosenAtMs, lookedSinceMs, outAtMs, isAdvised, isMoved }];
};

const choicesOfOne = (chronicle: Chronicle, life: Life): readonly Choice[] => {
  const staysAgain = staysAgainAtMs(life).toSorted((a, b) => a - b);
  return [Number.NEGATIVE_INFINITY, ...staysAgain].flatMap((sinceMs, index) =>
    choiceOf(chronicle, life, sinceMs, staysAgain[index] ?? Number.POSITIVE_INFINITY),
  );
};

/** Members that leave by Holdfast's choice alone, in the order in which they were chosen. */
export const choicesOf = remembered((chronicle: Chronicle): readonly Choice[] =>
  chronicle.lives.flatMap((life) => choicesOfOne(chronicle, life)).toSorted((a, b) => a.chosenAtMs - b.chosenAtMs || a.life.order - b.life.order),
);
