import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Surroundings } from '../../core/contract.ts';

/** The defaults in Lambda: the process's environment, the clocks of the machine, the SDK's own defaults. */
export const lambdaSurroundings = (): Surroundings => ({
  id: randomUUID(),
  env: process.env,
  now: Date.now,
  elapsedMs: () => Math.trunc(performance.now()),
  sleep: (ms) => sleep(ms),
  random: Math.random,
  clientConfig: {},
});
