import { type OfferingKey, parseOfferingKey } from '../../core/pool/offering.ts';
import type { Deaths, FailedBoots, Newcomer } from '../../core/pool-memory/boot-memory.ts';
import type { Failing, Refill } from '../../core/pool-memory/failing-refills.ts';
import { type Check, number, objectOf, oneOf, optional, text } from './checks.ts';

export const offeringKey: Check<OfferingKey> = (raw) =>
  parseOfferingKey(String(raw)) === undefined
    ? `expected the key of an offering, found ${String(raw).slice(0, 60)}`
    : undefined;

export const failedBoots = objectOf<FailedBoots>({
  template: optional(text),
  code: text,
  message: text,
  atMs: number,
  launchedAtMs: optional(number),
  restsUntilMs: number,
  streak: number,
});

export const deaths = objectOf<Deaths>({ atMs: number, count: number });

export const newcomer = objectOf<Newcomer>({
  pool: text,
  offering: optional(offeringKey),
  atMs: number,
  hasRun: optional(oneOf(true)),
});

export const refill = objectOf<Refill>({ asg: text, atMs: number });

export const failing = objectOf<Failing>({ sinceMs: number, atMs: number });
