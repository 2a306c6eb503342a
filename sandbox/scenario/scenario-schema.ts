import * as z from 'zod';
import { faultSchema } from '../fault-schema.ts';
import { capacity, duration, memberFilter, offeringFilter } from './fields.ts';
import { worldSection } from './world-schema.ts';

const change = z.strictObject({
  offerings: offeringFilter,
  capacity: capacity.optional(),
  priceUsdPerHour: z.number().positive().optional(),
  /** Where fewer are left than run, EC2 takes the surplus after this notice. */
  reclaim: duration.optional(),
});

/** One thing that happens; exactly one of the members. */
const action = z.union([
  z.strictObject({ change }),
  z.strictObject({ interrupt: memberFilter.extend({ notice: duration.default(120_000), silent: z.boolean().default(false) }) }),
  z.strictObject({ rebalance: memberFilter }),
  z.strictObject({ kill: memberFilter }),
  z.strictObject({ alarm: z.string() }),
  z.strictObject({ event: z.record(z.string(), z.unknown()) }),
  z.strictObject({ faults: z.array(faultSchema) }),
  z.strictObject({ policy: z.record(z.string(), z.unknown()) }),
]);
export type Action = z.infer<typeof action>;

const expectations = z.strictObject({
  /** Desired size that each group ends at, all of it serving. */
  size: z.record(z.string(), z.number().int().nonnegative()).optional(),
  /** Most requests that may be dropped. */
  droppedAtMost: z.number().int().nonnegative().default(0),
  /** Least members of a group that serve at any time once it is up. */
  lowestServing: z.record(z.string(), z.number().int().nonnegative()).optional(),
  /** Whether warnings reach Holdfast at all; where they do not, nothing can be drained in time. */
  warningsHeard: z.boolean().default(true),
  /** Whether every replacement must serve before its predecessor is gone. */
  replacedBeforeGone: z.boolean().default(true),
  /** Markets of the members that each group ends with. */
  endsWith: z.record(z.string(), z.record(z.string(), z.number().int().nonnegative())).optional(),
  /** Least share of time, in percent, in which each group served its desired size (trace scenarios). */
  availabilityPercentAtLeast: z.number().optional(),
  costPercentAtMost: z.number().optional(),
});
export type Expectations = z.infer<typeof expectations>;

/** Offerings driven by a recorded trace of real spot capacity, one zone of the trace per zone of the world. */
const traceSection = z.strictObject({
  file: z.string(),
  zones: z.record(z.string(), z.string()).describe('Zone of the trace by zone of the world.'),
  instanceType: z.string(),
  fromSample: z.number().int().nonnegative().default(0),
  notice: duration.default(120_000),
});

/** A scenario file. */
export const scenarioSchema = z.strictObject({
  name: z.string().regex(/^[a-z0-9][a-z0-9-]*$/),
  about: z.string(),
  mode: z
    .enum(['live', 'simulated'])
    .default('live')
    .describe('Live runs on the wall clock times `speed`; simulated in virtual time, as fast as it goes.'),
  seed: z.number().int().nonnegative().default(1),
  speed: z.number().positive().default(1),
  world: worldSection,
  policies: z.array(z.record(z.string(), z.unknown())),
  trace: traceSection.optional(),
  /** Times count from the moment when every group serves its desired size. */
  timeline: z.array(z.looseObject({ at: duration })).default([]),
  /** How long the scenario goes on after that moment. */
  lasts: duration,
  expect: expectations.prefault({}),
  notes: z.array(z.string()).default([]).describe('Printed under the report, for figures to compare with.'),
});

const step = (raw: Record<string, unknown>) => {
  const { at, ...rest } = raw;
  return { atMs: at as number, action: action.parse(rest) };
};

export type Scenario = Omit<z.infer<typeof scenarioSchema>, 'timeline'> & {
  readonly timeline: readonly { readonly atMs: number; readonly action: Action }[];
};

/** Reads a parsed document as a scenario. Throws zod's error, which names every path. */
export const parseScenario = (document: unknown): Scenario => {
  const { timeline, ...rest } = scenarioSchema.parse(document);
  return { ...rest, timeline: timeline.map(step) };
};
