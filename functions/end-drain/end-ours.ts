import { codeOf, notOurs } from '../../aws/calls/errors.ts';
import { unendedShortfall } from '../../core/drain/shortfall.ts';
import type { Group } from '../../core/group/group.ts';
import type { ActionResult } from '../../core/ports/capacity-provider.ts';
import type { DrainOrder } from '../../core/ports/drains.ts';
import { isKept, keptForMs } from '../../core/swap/kept-members.ts';
import { endsItself, type Swap } from '../../core/swap/swap.ts';
import { recordKeptUntil } from '../runtime/drain/record.ts';
import type { EndDrainPorts } from './ports.ts';
import { onlyForNow } from './undone.ts';

type Ending = { readonly ports: EndDrainPorts; readonly order: DrainOrder; readonly group: Group | undefined };

const nothingToEnd: ActionResult = { done: [], failed: [] };

/** Terminates the instances that Holdfast has to terminate. */
export const endOurs = async ({ ports, group }: Ending, swaps: readonly Swap[]): Promise<ActionResult> => {
  const ours = swaps.filter((swap) => !endsItself(swap) && !isKept(swap));
  if (group === undefined || ours.length === 0) return nothingToEnd;
  const end = ports.providerFor(group.holding).end(group, ours);
  return end.catch((error: unknown): ActionResult => {
    const code = codeOf(onlyForNow(error));
    return { done: [], failed: ours.map(({ instance }) => ({ instance, code, retry: 'later' })) };
  });
};

/** Those that AWS refuses to terminate. A member that its user took out of the group meanwhile is no failure. */
export const refusedOf = (failed: ActionResult['failed']): ActionResult['failed'] =>
  failed.filter(({ code }) => code !== notOurs);

/**
 * A swap whose instance cannot be terminated. One that its user took out of the group meanwhile is left to its user, so
 * its swap is over at once.
 */
const unended = (swap: Swap, code: string, nowMs: number): Swap => {
  if (code === notOurs) return { ...swap, keptUntilMs: nowMs, shortfall: unendedShortfall(code) };
  const keptUntilMs = nowMs + keptForMs;
  return { ...swap, keptUntilMs, shortfall: unendedShortfall(code, keptUntilMs) };
};

/**
 * Records on each swap whose instance cannot be terminated that it is kept, and why. Returns the swaps as stored
 * afterwards.
 */
export const recordKept = async (
  { ports, order }: Ending,
  swaps: readonly Swap[],
  failed: ActionResult['failed'],
): Promise<readonly Swap[]> => {
  const codes = new Map(failed.map(({ instance, code }) => [instance, code]));
  const nowMs = ports.clock.now();
  const now = swaps.map((swap) => {
    const code = codes.get(swap.instance);
    return code === undefined ? swap : unended(swap, code, nowMs);
  });
  await recordKeptUntil(
    ports.store,
    order.drain,
    now.filter(({ instance }) => codes.has(instance)),
  );
  return now;
};
