import type { PutBack } from '../mutant.ts';

/** Faults in who counts as serving, put back into the code. */
export const serving: readonly PutBack[] = [
  {
    name: 'peers 1: without a load balancer a member serves as soon as it runs',
    file: 'core/view/ready.ts',
    from: 'ready?.afterMs === undefined && ready?.checks === undefined',
    to: 'true',
    situation: 'slow boots, kept by tag, counted by a warm-up',
  },
  {
    name: 'status checks without a result count as passed',
    file: 'aws/providers/status-checks.ts',
    from: "told.get(id) ?? (read.unknown.has(id) ? 'unread' : 'waiting')",
    to: "(told.get(id) === 'failed' ? 'failed' : 'passed')",
    situation: 'slow boots, attached, counted by status checks',
  },
  {
    name: 'beside a target group the warm-up is ignored',
    file: 'core/view/ready.ts',
    from: 'if (isWarm(judged, asking))',
    to: 'if (member.unchecked !== true || isWarm(judged, asking))',
    situation: 'a warm-up beside a target group',
  },
  {
    name: 'peers 4: a new member that never serves is kept forever',
    file: 'core/view/unserved.ts',
    from: 'if (candidates.length === 0) return [];',
    to: 'if (candidates.length < 99) return [];',
    situation: 'new members on spot never serve, tag',
  },
  {
    name: 'nobody is given up while nobody serves',
    file: 'core/view/unserved.ts',
    from: ': Math.min(1, group.swap.maxSurge);',
    to: ': 0 * group.swap.maxSurge;',
    situation: 'all that is new never serves for a while',
  },
  {
    name: 'several members are given up at once although nobody serves',
    file: 'core/view/unserved.ts',
    from: 'othersServe(look) ? group.swap.maxSurge : Math.min(1, group.swap.maxSurge)',
    to: 'othersServe(look) ? group.swap.maxSurge : group.swap.maxSurge',
    situation: 'no new member ever serves',
  },
  {
    name: 'all that never serve are given up at once',
    file: 'core/view/unserved.ts',
    from: 'Math.max(0, most - underWay)',
    to: '99 + 0 * (most - underWay)',
    situation: 'new members on spot never serve, launch-instances',
  },
  {
    name: 'a pool whose members never serve is used as before',
    file: 'core/pool-memory/given-up.ts',
    from: 'const firstRestMs = 600_000;',
    to: 'const firstRestMs = -1;',
    situation: 'new members of the first tier never serve',
  },
];
