import { allSettled } from '../../aws/calls/in-parallel.ts';
import { unlessTroubled } from '../../aws/calls/unless-troubled.ts';
import { asgCalls, drainTargets } from '../../core/drain/targets.ts';
import type { Group } from '../../core/group/group.ts';
import { asgsFor, namedTargetGroups } from '../../core/group/holders.ts';
import type { AccountBudget } from '../../core/limits/account-budget.ts';
import type { Ask } from '../../core/limits/need.ts';
import type { Swap } from '../../core/swap/swap.ts';
import { deadlineMarginMs, startSlackMs } from '../../core/times/times.ts';
import { numberOf } from '../../core/units/number-of.ts';
import { type BudgetPorts, noLessons, shareBudget } from '../runtime/share-budget.ts';

/** Within this time, a launch that had its turn is requested and stored. */
const afterLaunchMs = 3_000;

/** Reads of one target group: its health, and at the first look also the health of leaving members and the delay. */
const readsPerLook = { first: 3, later: 1 } as const;

/**
 * Drains of one storm begin at the same moment. Those whose write fails try again at different times within this span.
 */
const [soonestMs, spreadMs] = [1_000, 6_000];

const spreadOf = (text: string): number => soonestMs + (numberOf(text) % spreadMs);

/** When a drain may make its calls. Undefined: now. */
const turnAt = async (ask: Omit<Ask, 'by'>, ports: BudgetPorts, known?: AccountBudget): Promise<number | undefined> => {
  const shared = await shareBudget([{ ...ask, by: ask.group }], noLessons, ports, known);
  if (shared === 'contended') return ports.clock.now() + spreadOf(ask.group);
  const turn = shared?.turns.get(ask.group);
  return turn?.kind === 'later' ? turn.turnAtMs : undefined;
};

const drainOf = (own: readonly Swap[]): string => own[0]?.drain ?? '';

/**
 * Until when a look shows nothing new, because the launch of the group's replacements waits for its own turn.
 * Undefined: no launch of this group waits.
 */
const launchesAtMs = ({ waiting }: AccountBudget, { name }: Group, nowMs: number): number | undefined => {
  const own = waiting.find(({ group, instances }) => group === name && instances > 0);
  return own === undefined ? undefined : Math.max(nowMs, own.turnAtMs) + afterLaunchMs;
};

/**
 * When a look may draw on the account's buckets. In a storm every group has a drain that looks, and launches go first.
 *
 * @param afterLaunches a look shows nothing new before the group's launches have had their turn. To see that costs a
 *   read. A request for a turn would cost a contended write
 */
export const looksAtMs = async (
  ports: BudgetPorts,
  group: Group,
  own: readonly Swap[],
  look: keyof typeof readsPerLook,
  afterLaunches = false,
): Promise<number | undefined> => {
  const read = afterLaunches ? await unlessTroubled(ports.store.budget()) : undefined;
  const launchMs = read && launchesAtMs(read, group, ports.clock.now());
  if (launchMs !== undefined) return launchMs;
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
    read,
  );
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
  const deadlineMs = Math.min(...own.map((swap) => swap.deadlineMs ?? Number.POSITIVE_INFINITY));
  const need = {
    urgency: 'warned',
    size: group.size.desired,
    ...(Number.isFinite(deadlineMs) && { deadlineMs }),
  } as const;
  const nowMs = ports.clock.now();
  const latestMs = { 'start-slack': nowMs + startSlackMs, deadline: deadlineMs - deadlineMarginMs };
  const times = await allSettled(
    Object.values(drainTargets).map(async ({ ask, bucket, releaseCalls, isPaidByLook, waitsFor }) => {
      const calls = hasLooked && isPaidByLook ? 0 : releaseCalls(group, own);
      if (calls === 0) return [];
      const untilMs = latestMs[waitsFor];
      const wanted = { group: `${drainOf(own)} ${ask}`, bucket, calls, instances: 0, need };
      const atMs = await turnAt({ ...wanted, ...(Number.isFinite(untilMs) && { untilMs }) }, ports);
      return atMs !== undefined && atMs > nowMs && atMs <= untilMs ? [atMs] : [];
    }),
  );
  const waits = times.flat();
  return waits.length === 0 ? undefined : Math.max(...waits);
};
