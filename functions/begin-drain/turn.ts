import { unlessTroubled } from '../../aws/unless-troubled.ts';
import type { Ask } from '../../core/account-budget.ts';
import { deadlineMarginMs } from '../../core/deadline.ts';
import { startSlackMs } from '../../core/drain.ts';
import type { Group } from '../../core/group.ts';
import { asgsFor, namedTargetGroups } from '../../core/holders.ts';
import { numberOf } from '../../core/number-of.ts';
import type { Swap } from '../../core/swap.ts';
import { type BudgetPorts, noLessons, shareBudget } from '../runtime/share-budget.ts';

/** By then a launch that had its turn is requested and stored. */
const afterLaunchMs = 3_000;

/** Reads of one target group: its health, and at the first look that of what leaves, and its deregistration delay. */
const readsPerLook = { first: 3, later: 1 } as const;

/** Drains of one storm begin at the same moment. Those that cannot write then come again spread over this time. */
const [soonestMs, spreadMs] = [1_000, 6_000];

const spreadOf = (text: string): number => soonestMs + (numberOf(text) % spreadMs);

/** When a drain may make its calls. Undefined: now. */
const turnAt = async (ask: Omit<Ask, 'by'>, ports: BudgetPorts): Promise<number | undefined> => {
  const shared = await shareBudget([{ ...ask, by: ask.group }], noLessons, ports);
  if (shared === 'contended') return ports.clock.now() + spreadOf(ask.group);
  const turn = shared?.turns.get(ask.group);
  return turn?.kind === 'later' ? turn.turnAtMs : undefined;
};

/** Calls to Auto Scaling of a look that releases its batch at once: one read, and a call for each group. */
const asgCalls = (group: Group, own: readonly Swap[]): number => {
  const asgs = new Set(own.flatMap(({ asg }) => asg ?? []));
  return 1 + Math.max(1, Math.min(asgs.size, asgsFor(group, own).length));
};

const drainOf = (own: readonly Swap[]): string => own[0]?.drain ?? '';

/**
 * When a look may draw on the account's buckets. In a storm every group has a drain that wants to look, and launches go
 * first.
 */
export const looksAtMs = (
  ports: BudgetPorts,
  group: Group,
  own: readonly Swap[],
  look: keyof typeof readsPerLook,
): Promise<number | undefined> => {
  const isInAsg = asgsFor(group, own).length > 0;
  return turnAt(
    {
      group: drainOf(own),
      bucket: isInAsg ? 'autoScaling' : 'health',
      calls: isInAsg ? asgCalls(group, own) : readsPerLook[look] * namedTargetGroups(group).length,
      instances: 0,
      need: { urgency: 'look', size: group.size.desired },
    },
    ports,
  );
};

/**
 * Until when a look shows nothing new, because the launch of the group's replacements waits for its own turn.
 * Undefined: no launch of this group waits. Costs a read, where asking for a turn costs a write that others race for.
 */
export const launchesAtMs = async ({ store, clock }: BudgetPorts, group: Group): Promise<number | undefined> => {
  const budget = await unlessTroubled(store.budget());
  const waiting = budget?.waiting.find((one) => one.group === group.name && one.instances > 0);
  return waiting === undefined ? undefined : Math.max(clock.now(), waiting.turnAtMs) + afterLaunchMs;
};

/**
 * When a batch may be taken out of service: deregistered from the target groups that the policy names, and ended
 * through its Auto Scaling groups unless its look has had a turn for that. Undefined: now, because its turn would come
 * later than the slack of its start.
 */
export const releasesAtMs = async (
  ports: BudgetPorts,
  group: Group,
  own: readonly Swap[],
  hasLooked: boolean,
): Promise<number | undefined> => {
  const targets = namedTargetGroups(group).length;
  const asgs = hasLooked || asgsFor(group, own).length === 0 ? 0 : asgCalls(group, own);
  const deadlineMs = Math.min(...own.map((swap) => swap.deadlineMs ?? Number.POSITIVE_INFINITY));
  const need = {
    urgency: 'warned',
    size: group.size.desired,
    ...(Number.isFinite(deadlineMs) && { deadlineMs }),
  } as const;
  const asks = [
    { group: `${drainOf(own)} targets`, bucket: 'targets', calls: targets, instances: 0, need },
    { group: `${drainOf(own)} ends`, bucket: 'autoScaling', calls: asgs, instances: 0, need },
  ] as const;
  const times = await Promise.all(asks.map((ask) => (ask.calls === 0 ? undefined : turnAt(ask, ports))));
  const [targetsAtMs = 0, endsAtMs = 0] = times;
  const nowMs = ports.clock.now();
  const isSoon = (atMs: number): boolean => atMs > nowMs && atMs - nowMs <= startSlackMs;
  const isInTime = (atMs: number): boolean => atMs > nowMs && atMs <= deadlineMs - deadlineMarginMs;
  const waits = [isSoon(targetsAtMs) ? [targetsAtMs] : [], isInTime(endsAtMs) ? [endsAtMs] : []].flat();
  return waits.length === 0 ? undefined : Math.max(...waits);
};
