import * as z from 'zod/mini';
import { eventSource, ownMessages } from '../contract.ts';
import { groupNamePattern } from '../policy/group-name.ts';
import { neverOver, noCause, signalKind } from './signal-kind.ts';

/** `writtenAtMs`: when the policy was written. The message comes later, and may come more than once. */
type PolicyChange = {
  readonly kind: 'policy-change';
  readonly group: string;
  readonly atMs: number;
  readonly writtenAtMs?: number;
};

/** The group's policy was written. */
export const policyChange = signalKind({
  kind: 'policy-change',
  source: eventSource,
  detailType: ownMessages.policyChange,
  comes: { by: 'queue' },
  detail: z.object({ group: z.string().check(z.regex(groupNamePattern)), writtenAtMs: z.optional(z.number()) }),
  toSignal: ({ group, writtenAtMs }, atMs): PolicyChange => ({
    kind: 'policy-change',
    group,
    atMs,
    ...(writtenAtMs !== undefined && { writtenAtMs }),
  }),
  about: ({ group }) => ({ groups: [group] }),
  isOver: neverOver,
  comesAgain: 'always',
  adds: ({ writtenAtMs }) => ({ isTick: true, ...(writtenAtMs !== undefined && { writtenAtMs }) }),
  ...noCause,
});
