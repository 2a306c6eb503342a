import { type DrainKind, kindOf, type NameDrain } from '../../../core/swap/drain-kind.ts';
import type { Swap } from '../../../core/swap/swap.ts';
import { sharedDrainMs } from '../../../core/times/times.ts';
import { sha256 } from '../../runtime/sha256.ts';

const longestGroup = 43;

/**
 * A group's name in the characters that execution names allow (letters, digits, `-` and `_`). A name that must be
 * changed for that gets a digest, which keeps it unique.
 */
const groupPart = (group: string): string => {
  const safe = group.replaceAll('.', '_').slice(0, longestGroup);
  return safe === group ? group : `${safe.slice(0, longestGroup - 9)}-${sha256(group).slice(0, 8)}`;
};

/** What a drain's name is made from. `decision` is absent where several decisions share a drain. */
export type DrainId = {
  readonly group: string;
  readonly kind: DrainKind;
  readonly deadlineMs?: number | undefined;
  readonly decision?: string;
};

/** Name of a drain, and so of its execution: at most 80 characters (Step Functions API reference, StartExecution). */
export const drainName = ({ group, kind, deadlineMs, decision }: DrainId): string => {
  const bucket = deadlineMs === undefined ? [] : [Math.floor(deadlineMs / sharedDrainMs).toString(36)];
  return [groupPart(group), kind, ...bucket, ...(decision === undefined ? [] : [decision])].join('-');
};

/**
 * Names of the drains that one decision orders. Warnings whose deadlines are in the same ten seconds share a drain,
 * even from different decisions, while the drain waits for replacements: one look serves them all. Warnings that come
 * after it has begun get a drain of their own, also where a hook has put its members on another drain since.
 */
export const drainsOf = (group: string, decision: string, swaps: readonly Swap[]): NameDrain => {
  const begun = new Set(
    swaps
      .filter(({ state }) => state !== 'waiting' && state !== 'leaving')
      .flatMap((swap) => [swap.drain, drainName({ group, kind: kindOf(swap), deadlineMs: swap.deadlineMs })]),
  );
  return (kind, deadlineMs) => {
    const shared = drainName({ group, kind, deadlineMs });
    return kind === 'interruption' && deadlineMs !== undefined && !begun.has(shared)
      ? shared
      : drainName({ group, kind, deadlineMs, decision });
  };
};
