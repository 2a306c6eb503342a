import * as z from 'zod/mini';
import { eventSource, ownMessages } from '../contract.ts';
import { groupNamePattern } from '../policy/group-name.ts';
import { neverOver, noCause, signalKind } from './signal-kind.ts';

/** `againAtMs`: the write changed nothing. A new version is known by its number instead. */
type PolicyChange = {
  readonly kind: 'policy-change';
  readonly group: string;
  readonly atMs: number;
  readonly againAtMs?: number;
};

/** The group's policy was written. */
export const policyChange = signalKind({
  kind: 'policy-change',
  source: eventSource,
  detailType: ownMessages.policyChange,
  comes: { by: 'queue' },
  detail: z.object({ group: z.string().check(z.regex(groupNamePattern)), againAtMs: z.optional(z.number()) }),
  toSignal: ({ group, againAtMs }, atMs): PolicyChange => ({
    kind: 'policy-change',
    group,
    atMs,
    ...(againAtMs !== undefined && { againAtMs }),
  }),
  about: ({ group }) => ({ groups: [group] }),
  isOver: neverOver,
  comesAgain: 'always',
  adds: ({ againAtMs }) => ({ isTick: true, ...(againAtMs !== undefined && { againAtMs }) }),
  ...noCause,
});
