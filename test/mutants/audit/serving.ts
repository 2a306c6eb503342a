import type { PutBack } from '../mutant.ts';

/** Faults in who counts as serving, put back into the code. */
export const serving: readonly PutBack[] = [
  {
    name: 'peers 1: without a load balancer a member serves as soon as it runs',
    file: 'core/ready.ts',
    from: 'ready?.afterMs === undefined && ready?.checks === undefined',
    to: 'true',
    situation: 'slow boots, kept by tag, counted by a warm-up',
  },
  {
    name: 'status checks without a result count as passed',
    file: 'aws/providers/status-checks.ts',
    from: "told.get(id) ?? 'waiting'",
    to: "(told.get(id) === 'failed' ? 'failed' : 'passed')",
    situation: 'slow boots, attached, counted by status checks',
  },
  {
    name: 'beside a target group the warm-up is ignored',
    file: 'core/ready.ts',
    from: 'if (isWarm(judged, asking))',
    to: 'if (member.unchecked !== true || isWarm(judged, asking))',
    situation: 'a warm-up beside a target group',
  },
];
