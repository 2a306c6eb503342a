import type { Ask } from '../../core/account-budget.ts';
import { startSlackMs } from '../../core/drain.ts';
import type { Group } from '../../core/group.ts';
import { asgsFor, namedTargetGroups } from '../../core/holders.ts';
import { numberOf } from '../../core/number-of.ts';
import type { Swap } from '../../core/swap.ts';
import { type BudgetPorts, noLessons, shareBudget } from '../runtime/share-budget.ts';

/** Calls of one look: the group, and the state of what leaves. */
const callsPerLook = 2;

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

const drainOf = (own: readonly Swap[]): string => own[0]?.drain ?? '';

/**
 * When a look may draw on the account's buckets. In a storm every group has a drain that wants to look, and launches go
 * first.
 */
export const looksAtMs = (ports: BudgetPorts, group: Group, own: readonly Swap[]): Promise<number | undefined> =>
  turnAt(
    {
      group: drainOf(own),
      bucket: asgsFor(group, own).length === 0 ? 'health' : 'autoScaling',
      calls: callsPerLook,
      instances: 0,
      need: { urgency: 'look', size: group.size.desired },
    },
    ports,
  );

/**
 * When a batch may be deregistered from the target groups that the policy names. Undefined: now, because its turn would
 * come later than the slack of its start.
 */
export const deregistersAtMs = async (
  ports: BudgetPorts,
  group: Group,
  own: readonly Swap[],
): Promise<number | undefined> => {
  const calls = namedTargetGroups(group).length;
  if (calls === 0) return undefined;
  const deadlineMs = Math.min(...own.map((swap) => swap.deadlineMs ?? Number.POSITIVE_INFINITY));
  const need = {
    urgency: 'warned',
    size: group.size.desired,
    ...(Number.isFinite(deadlineMs) && { deadlineMs }),
  } as const;
  const atMs = await turnAt({ group: `${drainOf(own)} targets`, bucket: 'targets', calls, instances: 0, need }, ports);
  return atMs !== undefined && atMs - ports.clock.now() <= startSlackMs ? atMs : undefined;
};
