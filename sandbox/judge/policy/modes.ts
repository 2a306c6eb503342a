import type { Chronicle } from '../chronicle.ts';
import type { Policy } from './policy.ts';

type Mode = Policy['mode'];

/** The modes of a group that were in force at some time between the two. Without a policy there is none. */
export const modesIn = (chronicle: Chronicle, group: string, fromMs: number, untilMs: number): readonly Mode[] =>
  chronicle.policiesIn(group, fromMs, untilMs).map(({ mode }) => mode);

export const wasObserved = (chronicle: Chronicle, group: string, fromMs: number, untilMs: number): boolean =>
  modesIn(chronicle, group, fromMs, untilMs).includes('observe');

/** Until when a group was observed that began before this moment: the end of the last such time. */
export const lastObservedMs = ({ groups }: Chronicle, group: string, atMs: number): number => {
  const policies = groups.get(group)?.policies ?? [];
  const last = policies.findLastIndex((one) => one.atMs <= atMs && one.policy?.mode === 'observe');
  return last === -1 ? Number.NEGATIVE_INFINITY : (policies[last + 1]?.atMs ?? Number.POSITIVE_INFINITY);
};

/** Whether a look between the two may show that a size counts weights: describes of Auto Scaling groups may be late, and a policy is never read late. */
const mayShowWeights = (chronicle: Chronicle, group: string, fromMs: number, untilMs: number): boolean =>
  chronicle.policiesIn(group, fromMs - chronicle.times.asgLagMs, untilMs).some(({ isWeighed }) => isWeighed);

/** Whether the user's mode, or a size that counts weights, prevented launches for a group at some time between the two. */
export const wasIdle = (chronicle: Chronicle, group: string, fromMs: number, untilMs: number): boolean =>
  modesIn(chronicle, group, fromMs, untilMs).some((mode) => mode !== 'act') || mayShowWeights(chronicle, group, fromMs, untilMs);

/** Since when a group has acted without a break, up to this moment: the moment itself where it does not act. */
export const actsSince = ({ groups, history, times }: Chronicle, group: string, atMs: number): number => {
  const modes = (groups.get(group)?.modes ?? []).filter((one) => one.atMs <= atMs);
  const last = modes.findLastIndex(({ policy }) => policy !== undefined && policy.mode !== 'act');
  if (last === -1) return history.beganAtMs;
  // Describes of Auto Scaling groups may be late. A policy is never read late.
  const lagMs = modes[last]?.policy?.isWeighed ? times.asgLagMs : 0;
  return Math.min(atMs, (modes[last + 1]?.atMs ?? atMs) + lagMs);
};
