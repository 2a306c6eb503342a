import * as z from 'zod/mini';
import { eventSource, ownMessages } from '../contract.ts';
import { groupNamePattern } from '../policy/group-name.ts';
import { neverOver, noCause, signalKind } from './signal-kind.ts';

type PolicyChange = { readonly kind: 'policy-change'; readonly group: string; readonly atMs: number };

/** A new version of the group's policy is in force. */
export const policyChange = signalKind({
  kind: 'policy-change',
  source: eventSource,
  detailType: ownMessages.policyChange,
  comes: { by: 'queue' },
  detail: z.object({ group: z.string().check(z.regex(groupNamePattern)) }),
  toSignal: ({ group }, atMs): PolicyChange => ({ kind: 'policy-change', group, atMs }),
  about: ({ group }) => ({ groups: [group] }),
  isOver: neverOver,
  comesAgain: 'always',
  adds: () => ({ isTick: true }),
  ...noCause,
});
