import type { ApiService } from '../../../sandbox/api.ts';
import type { WorldClock } from '../../../sandbox/clock.ts';
import { type Cloud, type CloudOptions, createCloud } from '../../../sandbox/cloud.ts';
import { createDirectHandler } from '../../../sandbox/direct-handler.ts';

/** Time moves exactly as far as somebody sleeps. */
export const createSleepClock = (): WorldClock & { pass(ms: number): void } => {
  let nowMs = Date.UTC(2026, 0, 1);
  const unused = () => {
    throw new Error('This clock has no timers');
  };
  return {
    now: () => nowMs,
    at: unused,
    after: unused,
    sleep: async (delayMs) => {
      nowMs += delayMs;
    },
    busy: (work) => work,
    pass: (ms) => {
      nowMs += ms;
    },
  };
};

export type Seen = { readonly operation: string; readonly input: Record<string, unknown> };
type Answers = Readonly<Record<string, unknown>>;

/** A service that notes what it was asked and answers what it was told to; an Error is thrown. */
export const recordingService = (service: string, answers: Answers, seen: Seen[] = []): ApiService => ({
  service,
  operations: Object.fromEntries(
    Object.entries(answers).map(([operation, answer]) => [
      operation,
      (input: Record<string, unknown>) => {
        seen.push({ operation, input });
        if (answer instanceof Error) throw answer;
        return answer;
      },
    ]),
  ),
});

export const cloudOf = (services: readonly ApiService[], options: Partial<CloudOptions> = {}): Cloud =>
  createCloud({ services, clock: createSleepClock(), random: () => 0.5, ...options });

/** Configuration for any SDK client that shall talk to this cloud in the same process. */
export const direct = (cloud: Cloud, accessKeyId = 'operator') => ({
  region: 'eu-west-1',
  credentials: { accessKeyId, secretAccessKey: 'x' },
  requestHandler: createDirectHandler(cloud, accessKeyId),
  maxAttempts: 1,
});
