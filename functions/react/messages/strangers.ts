import type { Owner } from '../../../core/ports/owners.ts';
import { type Signal, signalKindOf } from '../../../core/signals/signal.ts';
import { isAlive } from '../../../core/signals/signal-age.ts';
import { describeLagMs } from '../../../core/times/times.ts';

/** An instance may join a group of ours later. The tick finds its end then. */
const strangeForMs = 3_600_000;
const mostRemembered = 20_000;

/** Instances that EC2 showed to be of no group, as one environment remembers them. */
export type Strangers = {
  has(instance: string, nowMs: number): boolean;
  add(instance: string, nowMs: number): void;
  /** A policy was written: its group may hold some of them. */
  forget(): void;
};

export const createStrangers = (): Strangers => {
  const untilMs = new Map<string, number>();
  return {
    has: (instance, nowMs) => (untilMs.get(instance) ?? 0) > nowMs,
    add: (instance, nowMs) => {
      if (untilMs.size >= mostRemembered) untilMs.clear();
      untilMs.set(instance, nowMs + strangeForMs);
    },
    forget: () => untilMs.clear(),
  };
};

/** Whether the tick makes up for a signal that is not read: only such signals about strangers are passed over. */
export const isMadeUpFor = (signal: Signal): boolean => signalKindOf(signal).comesAgain === 'failed';

/** Whether a describe shows for certain that an instance is of no group. A young instance may lack its tags yet. */
export const isSurelyStrange = (owner: Owner | undefined, nowMs: number): boolean =>
  owner !== undefined &&
  (owner.asg !== undefined || !isAlive(owner) || nowMs - (owner.launchedAtMs ?? nowMs) > describeLagMs);
