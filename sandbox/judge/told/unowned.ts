import { registryPartition } from '../../../core/contract.ts';
import type { Chronicle } from '../chronicle.ts';
import type { HistoryEvent } from '../history.ts';
import { remembered } from '../remembered.ts';
import type { Delivery } from '../world/life.ts';

type Called = Extract<HistoryEvent, { readonly kind: 'called' }>;

const callsBy = remembered(
  (chronicle: Chronicle): ReadonlyMap<string, readonly Called[]> => Map.groupBy(chronicle.of('called'), ({ invocation }) => invocation),
);

const isRead = ({ service, operation }: Called): boolean => service === 'dynamodb' && !/^(Update|Put|Delete)/.test(operation);

/** Whether AWS refused the last of the tries of a call. */
const isRefused = (last: Called | undefined): boolean => last !== undefined && last.outcome !== 'ok' && last.trouble !== undefined;

/** A function looks instances up before it reads the policies, and those whose end it is told not at all if it has seen them before. */
const gaveUpInstances = (calls: readonly Called[]): boolean => {
  const first = calls.findIndex(isRead);
  return isRefused(calls.slice(0, Math.max(0, first)).findLast(({ operation }) => operation === 'DescribeInstances'));
};

/** Then it reads the registry, which names the groups of Auto Scaling groups, and only after that what belongs to one group. */
const gaveUpRegistry = (calls: readonly Called[]): boolean => {
  const reads = calls.filter(isRead);
  const other = reads.findIndex(({ partition }) => partition !== registryPartition);
  return isRefused(reads.slice(0, other === -1 ? reads.length : other).at(-1));
};

/**
 * Whether a function could not find out whose instance a message is about, because AWS refused to show the instance or the groups, and gave the message
 * back.
 */
export const isUnowned = (chronicle: Chronicle, { invocation, message }: Delivery): boolean => {
  if (chronicle.invocations.get(invocation)?.ended?.again.includes(message) !== true) return false;
  const calls = callsBy(chronicle).get(invocation) ?? [];
  return gaveUpInstances(calls) || gaveUpRegistry(calls);
};
