import { setTimeout as sleep } from 'node:timers/promises';
import type { Surroundings } from '../../core/contract.ts';

/** The defaults in Lambda: the process's environment, the wall clock, the SDK's own defaults. */
export const lambdaSurroundings = (): Surroundings => ({
  env: process.env,
  now: Date.now,
  sleep: (ms) => sleep(ms),
  random: Math.random,
  clientConfig: {},
});
