import * as z from 'zod/mini';
import { breakerSchema } from './breaker-schema.ts';
import { capacitySchema, poolName } from './capacity-schema.ts';
import { duration } from './duration-field.ts';
import { key, map, mostMembers, oneOf, shortList, text, wholeNumber } from './field.ts';
import { groupNamePattern, groupNameText } from './group-name.ts';
import { launchesSchema } from './launches-schema.ts';
import { maxShareSchema } from './max-share-schema.ts';
import { onDemandSchema } from './on-demand-schema.ts';
import { asgName, defaultsSchema, poolSchema } from './pool-schema.ts';
import { onDemandPricesSchema } from './price-schema.ts';
import { readySchema } from './ready-schema.ts';
import { returnSchema } from './return-schema.ts';
import { scalingSchema } from './scaling-schema.ts';
import { scheduleSchema } from './schedule-schema.ts';
import { tagsSchema } from './tags-schema.ts';

const targetGroupPattern = /^arn:aws[a-z-]*:elasticloadbalancing:[a-z0-9-]+:\d{12}:targetgroup\/[^/]+\/[^/]+$/;

/** The most target groups that an Auto Scaling group can have (EC2 Auto Scaling quotas). */
const mostTargetGroups = 50;
const mostPools = 300;

const count = (meaning: string) => wholeNumber(0, mostMembers).check(z.describe(meaning));

const sizeSchema = z
  .union(
    [
      wholeNumber(0, mostMembers),
      map(
        {
          from: z.optional(
            z
              .literal('asg', { error: 'asg' })
              .check(
                z.describe('Others set the size: it is the desired capacity of the Auto Scaling group that asg names.'),
              ),
          ),
          min: count('The smallest size that an alarm may set; with from: asg, at most the minimum of that group.'),
          max: count('The largest size that an alarm or a schedule may set. With from: asg, no launch goes beyond it.'),
          desired: z.optional(count('Size to start with. Default: min. Not with from: asg.')),
        },
        'a map with min and max',
      ),
    ],
    { error: 'a whole number, or a map with min, max and desired' },
  )
  .check(z.describe('How many members: a number, or bounds and the size to start with, or from: asg. 0 is allowed.'));

const swapSchema = map(
  {
    order: z
      ._default(oneOf(['launch-first', 'drain-first']), 'launch-first')
      .check(
        z.describe(
          'launch-first: a member that can wait leaves when its replacement serves. drain-first: it leaves first.',
        ),
      ),
    maxSurge: z
      ._default(wholeNumber(1), 3)
      .check(
        z.describe(
          'The most members replaced at once when there is no deadline (rebalance). Interruptions never wait for it.',
        ),
      ),
  },
  'a map with order and maxSurge',
).check(z.describe('How a member that leaves is replaced.'));

const drainSchema = map(
  {
    timeout: z
      ._default(duration('0s', '48h'), '5m')
      .check(z.describe('The longest that a drain may take when there is no deadline.')),
    loadBalancers: z
      ._default(
        z.union(
          [
            z.literal('auto', { error: 'auto' }),
            shortList(
              text(targetGroupPattern, 'the ARN of a target group'),
              'a list of target group ARNs',
              mostTargetGroups,
            ),
          ],
          { error: 'auto, or a list of target group ARNs' },
        ),
        'auto',
      )
      .check(
        z.describe(
          'auto: the target groups of the Auto Scaling group; none for a group kept by tag. ' +
            'A list: these target groups. Members of a group kept by tag are registered with them.',
        ),
      ),
  },
  'a map with timeout and loadBalancers',
).check(z.describe('How work is taken off a member that leaves.'));

/** The group document: the only source of its types, its validation and the published JSON Schema. */
export const groupSchema = map(
  {
    group: key(groupNamePattern, groupNameText).check(
      z.describe("The group's name: the same as the item's partition key."),
    ),
    mode: z
      ._default(oneOf(['act', 'observe', 'pause']), 'act')
      .check(
        z.describe(
          'act: Holdfast keeps the group. observe: it changes nothing and records what it would have done. ' +
            'pause: it launches and removes nothing, and drains what EC2 or Auto Scaling takes.',
        ),
      ),
    size: sizeSchema,
    capacity: capacitySchema,
    pools: z.record(poolName, poolSchema, { error: 'a map of pools by name' }).check(
      z.refine((pools) => Object.keys(pools).length <= mostPools, `at most ${mostPools} pools`),
      z.describe('The pools that `capacity` names.'),
    ),
    defaults: z.prefault(defaultsSchema, {}),
    onDemandPrices: z.optional(onDemandPricesSchema),
    asg: z.optional(
      asgName.check(
        z.describe('The Auto Scaling group that members live in. Without it Holdfast keeps the group itself, by tag.'),
      ),
    ),
    onDemand: z.optional(onDemandSchema),
    maxShare: z.optional(maxShareSchema),
    spare: z
      ._default(wholeNumber(0), 0)
      .check(
        z.describe(
          'Members kept above the size, on spot alone. While one of them serves, a member that is lost is not ' +
            'replaced on demand. Not with size.from: asg.',
        ),
      ),
    removal: z.prefault(
      map(
        {
          order: z
            ._default(oneOf(['dearest-first', 'oldest-first', 'newest-first', 'same-order']), 'dearest-first')
            .check(
              z.describe('Which members leave first. Unhealthy ones always leave first, protected ones never leave.'),
            ),
        },
        'a map with order',
      ).check(z.describe('Which members leave when the group shrinks.')),
      {},
    ),
    swap: z.prefault(swapSchema, {}),
    rebalance: z.prefault(
      map(
        {
          act: z
            ._default(z.boolean({ error: 'true or false' }), false)
            .check(z.describe('Whether a member at risk (rebalance recommendation) is replaced before a warning.')),
          atMostPerHour: z.optional(
            wholeNumber(1).check(z.describe('The most members replaced for it within an hour. Default: any number.')),
          ),
        },
        'a map with act and atMostPerHour',
      ).check(z.describe('The effect of rebalance recommendations.')),
      {},
    ),
    return: z.prefault(returnSchema, {}),
    ready: z.prefault(readySchema, {}),
    launches: z.prefault(launchesSchema, {}),
    breaker: z.optional(breakerSchema),
    drain: z.prefault(drainSchema, {}),
    scaling: z._default(scalingSchema, []),
    schedule: z._default(scheduleSchema, []),
    tags: z._default(tagsSchema, {}),
  },
  'a map with group, size, capacity and pools',
);

/** A policy as accepted: the user's document with every default filled in. */
export type Policy = z.output<typeof groupSchema>;
/** A policy as a user writes it. */
export type GroupDocument = z.input<typeof groupSchema>;
