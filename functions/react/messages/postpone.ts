import { signalAgainAtMs } from '../../../core/times/again.ts';
import type { ReactPorts } from '../ports.ts';
import type { Routed } from './route.ts';

type Delivery = { readonly id: string; readonly receipt: string; readonly sentAtMs: number };

/** Arranges that messages that fail are delivered again ever more rarely, and at common times. Others come soon. */
export const postpone = async (
  again: readonly Delivery[],
  soon: Routed['soon'],
  { clock, redelivery }: Pick<ReactPorts, 'clock' | 'redelivery'>,
): Promise<void> => {
  const nowMs = clock.now();
  const due = again.map(({ id, receipt, sentAtMs }) => ({
    receipt,
    atMs: soon.get(id) ?? signalAgainAtMs(nowMs, sentAtMs),
  }));
  await redelivery.postpone(due.flatMap(({ receipt, atMs }) => (atMs === undefined ? [] : { receipt, atMs })));
};
