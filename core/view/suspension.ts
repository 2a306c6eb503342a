import { leaseMs, loweredShownMs } from '../times/times.ts';
import type { AsgView } from './view.ts';

/** Processes of an Auto Scaling group that we suspend, and must resume. It is written before they are, at `atMs`. */
export type Suspension = {
  readonly asg: string;
  readonly processes: readonly string[];
  readonly atMs?: number;
  /** When they were resumed, although the function that noted this may still suspend them. */
  readonly resumedAtMs?: number;
};

/**
 * Whether the function that noted this may still suspend the processes, or has done so and no describe shows it yet.
 * The note stays that long, because without it nobody would resume them.
 */
export const mayBeSuspendedYet = ({ atMs }: Suspension, nowMs: number): boolean =>
  atMs !== undefined && nowMs - atMs < leaseMs + loweredShownMs;

/**
 * Whether to resume these processes now. Once they are resumed, they are resumed again if a look shows one suspended,
 * and for the last time when the note is no longer needed.
 */
export const isToResume = (suspension: Suspension, asgs: readonly AsgView[], nowMs: number): boolean => {
  if (suspension.resumedAtMs === undefined || !mayBeSuspendedYet(suspension, nowMs)) return true;
  const { suspended = [] } = asgs.find(({ name }) => name === suspension.asg) ?? {};
  return suspension.processes.some((process) => suspended.includes(process));
};
