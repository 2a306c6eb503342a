import type { Chronicle } from '../chronicle.ts';
import type { HistoryEvent } from '../history.ts';
import { remembered } from '../remembered.ts';
import type { Delivery } from '../world/life.ts';

type Called = Extract<HistoryEvent, { readonly kind: 'called' }>;

const callsBy = remembered(
  (chronicle: Chronicle): ReadonlyMap<string, readonly Called[]> => Map.groupBy(chronicle.of('called'), ({ invocation }) => invocation),
);

const isRead = ({ service, operation }: Called): boolean => service === 'dynamodb' && !/^(Update|Put|Delete)/.test(operation);

/** A function looks instances up before it reads the policies. It has given up where AWS refused its last try. */
const gaveUp = (calls: readonly Called[]): boolean => {
  const first = calls.findIndex(isRead);
  const last = calls.slice(0, Math.max(0, first)).findLast(({ operation }) => operation === 'DescribeInstances');
  return last !== undefined && last.outcome !== 'ok' && last.trouble !== undefined;
};

/** Whether a function could not find out whose instance a message is about, because AWS refused to show it, and gave the message back. */
export const isUnowned = (chronicle: Chronicle, { invocation, message }: Delivery): boolean =>
  chronicle.invocations.get(invocation)?.ended?.again.includes(message) === true && gaveUp(callsBy(chronicle).get(invocation) ?? []);
