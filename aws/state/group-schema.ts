import type { BreakerRule } from '../../core/breaker/breaker.ts';
import type {
  Adjustment,
  Group,
  Holding,
  RemovalOrder,
  ScalingRule,
  ScalingStep,
  ScheduledSize,
} from '../../core/group/group.ts';
import type { LaunchLimit } from '../../core/limits/launch-limit.ts';
import type { OnDemandFloor } from '../../core/placement/on-demand.ts';
import type { MaxShare } from '../../core/placement/shares.ts';
import type { Pool, Subnet } from '../../core/pool/pool.ts';
import type { MoveLimit, Returning } from '../../core/returning/returning.ts';
import type { Window } from '../../core/returning/window.ts';
import type { Selector, SpreadBy } from '../../core/selector/selector.ts';
import type { Ready } from '../../core/view/ready.ts';
import { anyOf, type Check, eitherOf, flag, listOf, mapOf, number, objectOf, oneOf, optional, text } from './checks.ts';
import { market } from './shapes.ts';
import { UnreadableItem } from './unreadable.ts';

/** A selector holds selectors. */
const below: Check<Selector> = (raw) => selector(raw);

const selector: Check<Selector> = eitherOf<Selector, 'kind'>('kind', {
  pool: objectOf({ kind: oneOf('pool'), pool: text }),
  tiered: objectOf({ kind: oneOf('tiered'), children: listOf(below) }),
  spread: objectOf({
    kind: oneOf('spread'),
    by: anyOf<SpreadBy>({ zone: true, pool: true, 'instance-type': true }),
    children: listOf(below),
  }),
  weighted: objectOf({
    kind: oneOf('weighted'),
    children: listOf(objectOf<{ readonly use: Selector; readonly weight: number }>({ use: below, weight: number })),
  }),
  cheapest: objectOf({ kind: oneOf('cheapest'), children: listOf(below) }),
});

const pool = objectOf<Pool>({
  name: text,
  market,
  launchTemplate: optional(text),
  subnets: listOf(objectOf<Subnet>({ id: text, zone: text })),
  instanceTypes: listOf(text),
  maxPriceUsdPerHour: optional(number),
  maxPriceByType: optional(mapOf(number)),
  priceFactor: optional(number),
  cap: optional(number),
  asg: optional(text),
});

const holding = eitherOf<Holding, 'kind'>('kind', {
  tag: objectOf({ kind: oneOf('tag') }),
  attach: objectOf({ kind: oneOf('attach'), asg: text }),
  'launch-instances': objectOf({ kind: oneOf('launch-instances') }),
});

const order = anyOf<RemovalOrder>({
  'dearest-first': true,
  'oldest-first': true,
  'newest-first': true,
  'same-order': true,
});

const limit = eitherOf<MoveLimit, 'kind'>('kind', {
  count: objectOf({ kind: oneOf('count'), by: number }),
  share: objectOf({ kind: oneOf('share'), percent: number }),
});

const launches = objectOf<LaunchLimit>({ atMost: limit, withinMs: number });

const returning = objectOf<Returning>({
  afterMs: number,
  everyMs: number,
  atMost: limit,
  windows: optional(listOf(objectOf<Window>({ days: listOf(number), fromMinute: number, untilMinute: number }))),
  timezone: text,
});

const targetGroups: Check<'auto' | readonly string[]> = (raw) => (raw === 'auto' ? undefined : listOf(text)(raw));

type ScalingSteps = NonNullable<ScalingRule['steps']>;

const adjustment = objectOf<Adjustment>({ kind: anyOf({ instances: true, percent: true }), by: number });

export const checkGroup = objectOf<Group>({
  name: text,
  policyVersion: number,
  backWith: optional(number),
  backAtMs: optional(number),
  mode: optional(anyOf({ observe: true, pause: true })),
  countsUnits: optional(oneOf(true)),
  size: objectOf<Group['size']>({ min: number, max: number, desired: number, from: optional(oneOf('asg')) }),
  capacity: selector,
  pools: mapOf(pool),
  onDemandPrices: optional(mapOf(number)),
  holding,
  former: optional(listOf(text)),
  formerTargetGroups: optional(listOf(text)),
  unserved: optional(listOf(text)),
  after: optional(listOf(text)),
  onDemand: optional(objectOf<OnDemandFloor>({ floor: number, percent: number })),
  maxShare: optional(
    objectOf<MaxShare>({ instanceType: optional(number), zone: optional(number), offering: optional(number) }),
  ),
  spare: optional(number),
  removal: objectOf<Group['removal']>({ order }),
  swap: objectOf<Group['swap']>({ order: anyOf({ 'launch-first': true, 'drain-first': true }), maxSurge: number }),
  rebalance: objectOf<Group['rebalance']>({ act: flag, atMostPerHour: optional(number) }),
  returning: optional(returning),
  ready: optional(
    objectOf<Ready>({ afterMs: optional(number), checks: optional(oneOf('ec2')), withinMs: optional(number) }),
  ),
  launches: optional(launches),
  breaker: optional(objectOf<BreakerRule>({ interruptions: number, withinMs: number, holdMs: number })),
  drain: objectOf<Group['drain']>({
    timeoutMs: number,
    loadBalancers: targetGroups,
    deregistrationDelayMs: optional(number),
    asgTargetGroups: optional(listOf(text)),
  }),
  scaling: listOf(
    objectOf<ScalingRule>({
      alarm: text,
      adjust: adjustment,
      steps: optional(
        objectOf<ScalingSteps>({
          side: anyOf({ above: true, below: true }),
          of: listOf(objectOf<ScalingStep>({ beyond: number, adjust: adjustment })),
        }),
      ),
      cooldownMs: number,
    }),
  ),
  schedule: optional(listOf(objectOf<ScheduledSize>({ at: text, timezone: text, size: number }))),
  tags: mapOf(text),
});

/**
 * Reads the group of an accepted policy. No part of it can be guessed, so a group that cannot be read is not decided:
 * its signals are delivered again until it is repaired, and then wait in the dead-letter queue.
 *
 * @throws {UnreadableItem}
 */
export const readGroup = (name: string, item: string, raw: unknown): Group => {
  const problem = checkGroup(raw);
  if (problem !== undefined) throw new UnreadableItem({ group: name, item, problems: [problem] });
  return raw as Group;
};
