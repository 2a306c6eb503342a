import * as z from 'zod/mini';
import { instanceId } from './fields.ts';
import { instancesCause, signalKind } from './signal-kind.ts';

type Rebalance = { readonly kind: 'rebalance'; readonly instance: string; readonly atMs: number };

/** EC2 never withdraws advice. When the instance still runs an hour later, the advice is out of date. */
const adviceTellsForMs = 3_600_000;

/** EC2 sees a raised risk of interruption. It may come before the warning, with it, or without one. */
export const rebalance = signalKind({
  kind: 'rebalance',
  source: 'aws.ec2',
  detailType: 'EC2 Instance Rebalance Recommendation',
  comes: { by: 'rule' },
  detail: z.object({ 'instance-id': instanceId }),
  toSignal: (detail, atMs): Rebalance => ({
    kind: 'rebalance',
    instance: detail['instance-id'],
    atMs,
  }),
  about: ({ instance }) => ({ instance }),
  isOver: ({ atMs }, _, nowMs) => nowMs - atMs > adviceTellsForMs,
  comesAgain: 'always',
  adds: ({ instance, atMs }, owner) => ({
    leaving: [{ instance, reason: 'rebalance', atMs, ...(owner && { owner }) }],
  }),
  ...instancesCause,
});
