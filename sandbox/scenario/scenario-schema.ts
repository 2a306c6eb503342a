import * as z from 'zod';
import { faultSchema } from '../fault-schema.ts';
import { exactly } from '../shape.ts';
import { type BootFailure, bootFailures } from '../world/boot-fates.ts';
import { checkReferences } from './check-references.ts';
import { bootFilter, capacity, duration, memberFields, memberFilter, offeringFilter } from './fields.ts';
import { RepeatError, withCopies } from './repeat.ts';
import { worldSection } from './world-schema.ts';

const change = exactly({
  offerings: offeringFilter,
  capacity: capacity.optional(),
  priceUsdPerHour: z.number().positive().optional(),
  /** If more instances run than the new capacity, EC2 takes the surplus after this notice. */
  reclaim: duration.optional(),
});

/** The fate of matching launches, from now on. */
const boots = exactly({
  launches: bootFilter,
  fate: z.enum(['well', 'dies', 'never-answers', 'impaired']),
  /** EC2's code for those that end. */
  reason: z.enum(Object.keys(bootFailures) as [BootFailure, ...BootFailure[]]).optional(),
});

/** The requests that a target group gets, from now on. */
const load = exactly({ targetGroup: z.string(), requestsPerSecond: z.number().nonnegative() });

/** One thing that happens; exactly one of the members. */
const actions = {
  change,
  boots,
  interrupt: exactly({ ...memberFields, notice: duration.default(120_000), silent: z.boolean().default(false) }),
  rebalance: memberFilter,
  advise: exactly({ ...memberFields, taken: duration.optional() }),
  kill: memberFilter,
  alarm: z
    .union([z.string(), exactly({ name: z.string(), lasts: duration, suppressed: z.boolean().default(false), fromThreshold: z.number().optional() })])
    .transform((alarm) => (typeof alarm === 'string' ? { name: alarm, lasts: 30_000, suppressed: false } : alarm)),
  load,
  event: z.looseObject({ source: z.string(), 'detail-type': z.string(), detail: z.record(z.string(), z.unknown()) }),
  faults: z.array(faultSchema),
  policy: z.record(z.string(), z.unknown()),
};
type Actions = { readonly [Kind in keyof typeof actions]: z.infer<(typeof actions)[Kind]> };
export type Action = { [Kind in keyof Actions]: { readonly [Only in Kind]: Actions[Only] } }[keyof Actions];

const step = exactly({ at: duration, ...actions })
  .partial()
  .required({ at: true })
  .transform(({ at, ...given }, context) => {
    const kinds = Object.keys(given);
    if (kinds.length === 1) return { atMs: at, action: given as Action };
    context.addIssue({
      code: 'custom',
      message: `expected exactly one of ${Object.keys(actions).join(', ')}; found ${kinds.join(' and ') || 'none'}. Two things at one time are two steps.`,
    });
    return z.NEVER;
  });

const plan = z
  .array(exactly({ at: duration, value: z.number().nonnegative() }).transform(({ at, value }) => ({ atSeconds: at / 1_000, value })))
  .min(1);
const asg = z.string();
const everySeconds = z.number().positive().default(10);

/** Others that set the desired capacity of an Auto Scaling group, once the groups are up. */
const writer = z.discriminatedUnion('kind', [
  exactly({ kind: z.literal('absolute'), asg, everySeconds, wants: plan }),
  exactly({
    kind: z.literal('steps'),
    asg,
    everySeconds,
    wants: plan,
    step: z.number().int().positive().default(1),
    thinksSeconds: z.number().nonnegative().default(1),
  }),
  exactly({ kind: z.literal('target-tracking'), asg, load: plan, perInstance: z.number().positive() }),
  exactly({ kind: z.literal('person'), asg, wants: plan }),
]);

/** An alarm of CloudWatch on the requests of a minute that each healthy target of a target group gets. */
const loadAlarm = exactly({
  name: z.string(),
  targetGroup: z.string(),
  comparison: z.enum(['above', 'below']),
  threshold: z.number().nonnegative(),
  periods: z.number().int().positive().default(3),
});

const expectations = exactly({
  /** Desired size that each group ends at, all of it serving. */
  size: z.record(z.string(), z.number().int().nonnegative()).optional(),
  /** Most requests that may be dropped. */
  droppedAtMost: z.number().int().nonnegative().default(0),
  /** Least members of a group that serve at any time once it is up. `*` is every group that is not named. */
  lowestServing: z.record(z.string(), z.number().int().nonnegative()).optional(),
  /** Whether Holdfast receives warnings. If it does not, nothing can be drained in time. */
  warningsHeard: z.boolean().default(true),
  /** Whether every replacement must serve before the member that it replaces ends. */
  replacedBeforeGone: z.boolean().default(true),
  /** Most calls of functions that change instances, Auto Scaling groups or target groups. */
  changesAtMost: z.number().int().nonnegative().optional(),
  /** Members that each group ends with, by market and by zone. */
  endsWith: z.record(z.string(), z.record(z.string(), z.number().int().nonnegative())).optional(),
  /** Least share of time, in percent, in which each group served its desired size (trace scenarios). */
  availabilityPercentAtLeast: z.number().optional(),
  costPercentAtMost: z.number().optional(),
});
export type Expectations = z.infer<typeof expectations>;

/** Offerings that follow a recorded trace of real spot capacity, one zone of the trace for each zone of the world. */
const traceSection = exactly({
  file: z.string(),
  zones: z.record(z.string(), z.string()).describe('Zone of the trace by zone of the world.'),
  instanceType: z.string(),
  fromSample: z.number().int().nonnegative().default(0),
  notice: duration.default(120_000),
  prices: z.boolean().default(false).describe('Whether spot prices follow the trace as well.'),
  unlimitedWhenUp: z.boolean().default(false).describe('A zone that gave one instance is taken to give any number.'),
});

/** A scenario file. */
export const scenarioSchema = exactly({
  name: z.string().regex(/^[a-z0-9][a-z0-9-]*$/, 'lower case letters, digits and dashes'),
  about: z.string(),
  mode: z
    .enum(['live', 'simulated'])
    .default('live')
    .describe('Live runs on the wall clock times `speed`; simulated in virtual time, as fast as it goes.'),
  seed: z.number().int().nonnegative().default(1),
  speed: z.number().positive().max(1_000).default(1),
  world: worldSection,
  policies: z.array(z.looseObject({ group: z.string() })),
  trace: traceSection.optional(),
  /** Times count from the moment when every group serves its desired size. */
  timeline: z.array(step).default([]),
  writers: z
    .array(writer)
    .default([])
    .describe('Who sets the sizes of Auto Scaling groups from outside; their times count as those of the timeline.'),
  alarms: z.array(loadAlarm).default([]).describe('Alarms that are evaluated each minute, from that moment on.'),
  /** How long the scenario goes on after that moment. */
  lasts: duration,
  expect: expectations.prefault({}),
  notes: z.array(z.string()).default([]).describe('Printed under the report, for figures to compare with.'),
});

export type Scenario = z.infer<typeof scenarioSchema>;

/** Reads a parsed document as a scenario. Throws zod's error, which names every path. */
export const parseScenario = (document: unknown): Scenario => {
  try {
    return scenarioSchema.superRefine(checkReferences).parse(withCopies(document));
  } catch (error) {
    if (!(error instanceof RepeatError)) throw error;
    throw new z.ZodError([{ code: 'custom', path: [...error.path], message: error.message, input: document }]);
  }
};
