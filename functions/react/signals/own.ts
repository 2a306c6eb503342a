import * as z from 'zod/mini';
import { eventSource, ownMessages } from '../../../core/contract.ts';
import { groupNamePattern } from '../../../core/policy/group-name.ts';
import { timeOf } from './envelope.ts';
import { signalType } from './signal-type.ts';

const name = z.string().check(z.regex(groupNamePattern));
const detail = z.object({ group: name });
/**
 * Look at these groups, for whatever reason: every minute by the schedule, or when a wake was set. `group` names one,
 * `groups` several.
 */
export const tick = signalType({
  source: eventSource,
  detailType: ownMessages.tick,
  detail: z.object({
    group: z.optional(name),
    groups: z.optional(z.array(name)),
    isScheduled: z._default(z.boolean(), false),
  }),
  toReading: ({ group, groups = group === undefined ? [] : [group], isScheduled }, event) =>
    groups.length === 0
      ? { kind: 'invalid', why: 'detail.group: expected a name, or a list of names at detail.groups' }
      : { kind: 'signal', signal: { kind: 'tick', groups, atMs: timeOf(event), isScheduled } },
});

/** A new version of the group's policy is in force. */
export const policyChange = signalType({
  source: eventSource,
  detailType: ownMessages.policyChange,
  detail,
  toReading: ({ group }, event) => ({ kind: 'signal', signal: { kind: 'policy-change', group, atMs: timeOf(event) } }),
});
