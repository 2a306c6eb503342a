import * as z from 'zod';
import { exactly } from '../shape.ts';
import { capacity, market, secondsRange } from './fields.ts';

const strings = z.array(z.string().min(1)).min(1);

const offering = exactly({
  instanceTypes: strings.describe('Instance types offered on these terms.'),
  zones: strings,
  market,
  capacity: capacity.describe('Instances of each type that each zone can give, or `unlimited`.'),
  priceUsdPerHour: z.number().positive(),
});

const hook = exactly({
  name: z.string(),
  transition: z.enum(['launching', 'terminating']),
  heartbeatSeconds: z.number().int().min(30).max(7200),
  defaultResult: z.enum(['CONTINUE', 'ABANDON']).default('CONTINUE'),
});

const autoScalingGroup = exactly({
  name: z.string(),
  launchTemplate: z.string(),
  subnets: strings,
  instanceTypes: strings,
  market: z.enum(['spot', 'on-demand', 'mixed']),
  min: z.number().int().nonnegative(),
  max: z.number().int().nonnegative(),
  desired: z.number().int().nonnegative(),
  targetGroups: strings.optional(),
  hooks: z.array(hook).optional(),
  suspended: strings.optional(),
  rebalancesZones: z.boolean().optional(),
  rebalancesCapacity: z.boolean().optional(),
  weights: z.record(z.string(), z.number().int().min(1).max(999)).optional(),
  healthChecks: z.enum(['EC2', 'ELB']).optional(),
  protectsNew: z.boolean().optional(),
  deletionProtection: z.enum(['none', 'prevent-force-deletion', 'prevent-all-deletion']).optional(),
  retains: z.boolean().optional(),
  warmPool: exactly({ size: z.number().int().nonnegative(), state: z.enum(['Stopped', 'Running']) }).optional(),
});

const targetGroup = exactly({
  name: z.string(),
  deregistrationDelaySeconds: z.number().int().min(0).max(3600).default(300),
  healthCheckIntervalSeconds: z.number().int().min(5).max(300).default(30),
  healthyThreshold: z.number().int().min(2).max(10).default(5),
  load: exactly({
    requestsPerSecond: z.number().positive(),
    requestSeconds: secondsRange,
    perInstancePerSecond: z.number().positive().optional(),
    startsAtSeconds: z.number().nonnegative().optional(),
  }).optional(),
});

const timing = exactly({
  pendingSeconds: secondsRange.default([5, 17]),
  bootSeconds: secondsRange.default([10, 20]),
  statusCheckSeconds: secondsRange.optional(),
  lagSeconds: secondsRange.default([0, 2]),
  asgLagSeconds: secondsRange.optional(),
  shutdownSeconds: secondsRange.optional(),
  asgPeriodSeconds: z.number().positive().default(15),
  latencyMs: z.record(z.string(), z.tuple([z.number(), z.number()])).default({
    'ec2:CreateFleet': [1_000, 2_500],
    'autoscaling:LaunchInstances': [1_000, 2_500],
    'dynamodb:*': [3, 10],
    '*': [20, 80],
  }),
  latencyPerInstanceMs: z.record(z.string(), z.number().nonnegative()).optional(),
});

const pages = exactly({
  longest: z.number().int().positive(),
  lagSeconds: secondsRange.default([0, 0]),
  moves: z.number().min(0).max(1).default(0),
});

const lambda = exactly({ concurrency: z.number().int().positive().optional(), pollers: z.enum(['one', 'ramp']).optional() });

const quota = z.number().int().nonnegative().optional();

/** The `world` section of a scenario. */
export const worldSection = exactly({
  zones: strings,
  subnets: z.array(exactly({ id: z.string(), zone: z.string(), freeAddresses: z.number().int().positive().optional() })).min(1),
  offerings: z.array(offering).min(1),
  launchTemplates: z
    .array(
      exactly({
        name: z.string(),
        imageId: z.string().optional(),
        instanceType: z.string().optional(),
        architecture: z.enum(['arm64', 'x86_64']).optional(),
      }),
    )
    .default([]),
  autoScalingGroups: z.array(autoScalingGroup).default([]),
  targetGroups: z.array(targetGroup).default([]),
  timing: timing.prefault({}),
  pages: pages.optional(),
  lambda: lambda.optional(),
  quotas: exactly({ spot: quota, 'on-demand': quota }).optional(),
});
export type WorldSection = z.infer<typeof worldSection>;
