import * as z from 'zod/mini';
import { groupNamePattern } from '../../../core/policy/group-name.ts';
import { eventSource, ownMessages } from '../../contract.ts';
import { timeOf } from './envelope.ts';
import { signalType } from './signal-type.ts';

const detail = z.object({ group: z.string().check(z.regex(groupNamePattern)) });

/** Look at this group, for whatever reason: every minute by the schedule, or when a wake was set. */
export const tick = signalType({
  source: eventSource,
  detailType: ownMessages.tick,
  detail: z.extend(detail, { isScheduled: z._default(z.boolean(), false) }),
  toReading: ({ group, isScheduled }, event) => ({
    kind: 'signal',
    signal: { kind: 'tick', group, atMs: timeOf(event), isScheduled },
  }),
});

/** A new version of the group's policy is in force. */
export const policyChange = signalType({
  source: eventSource,
  detailType: ownMessages.policyChange,
  detail,
  toReading: ({ group }, event) => ({ kind: 'signal', signal: { kind: 'policy-change', group, atMs: timeOf(event) } }),
});
