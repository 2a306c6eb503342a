import type { Mutant } from './mutant.ts';

/** Breakages that show where a change of the owner meets a loss. */
export const meetings: readonly Mutant[] = [
  {
    name: 'target groups of an earlier policy keep members that leave',
    file: 'aws/draining/load-balancers.ts',
    from: 'return deregisterTargets(deps.elb, registered, idsOf(swaps));',
    to: 'return deregisterTargets(deps.elb, namedTargetGroups(group), idsOf(swaps));',
    caughtBy: ['a policy drops a target group, and members are warned'],
  },
  {
    name: 'warnings of a group that was let go look for its policy in force',
    file: 'functions/react/let-go/let-go.ts',
    from: 'taken.length === 0 ? undefined : await store.lastGroup(facts.group)',
    to: 'taken.length === 0 ? undefined : await store.group(facts.group)',
    caughtBy: ['members are warned while there is no policy'],
  },
  {
    name: 'the event of a version that a dead run left untold is dropped',
    file: 'functions/accept-policy/tell-versions.ts',
    from: 'known.get(group) === stamp ? [] : untold',
    to: 'known.get(group) !== stamp ? [] : untold',
    caughtBy: ['a policy changes twice while the event bus takes nothing'],
  },
  {
    name: 'a spot quota is an error of the request',
    file: 'aws/calls/errors.ts',
    from: "new Set(['MaxSpotInstanceCountExceeded', 'VcpuLimitExceeded', 'InstanceLimitExceeded'])",
    to: "new Set(['VcpuLimitExceeded', 'InstanceLimitExceeded'])",
    caughtBy: ['the account has no room for spot when EC2 takes members'],
  },
  {
    name: 'an attach resumes Terminate too',
    file: 'aws/providers/size-changes.ts',
    from: "ScalingProcesses: ['Launch'] }",
    to: "ScalingProcesses: ['Launch', 'Terminate'] }",
    caughtBy: ['its owner suspends Terminate for two minutes'],
  },
  {
    name: 'a drain whose execution is over counts as running',
    file: 'aws/drains.ts',
    from: "if (isExecutionAlreadyStarted(error)) return 'over';",
    to: "if (isExecutionAlreadyStarted(error)) return 'running';",
    caughtBy: ['a user stops the drain of a warned member, and nobody hears of it'],
  },
  {
    name: 'a hook whose message was lost counts as new',
    file: 'functions/react/look/unheard-hooks.ts',
    from: 'hook: { ...hook, sinceMs: nowMs, expiresAtMs: nowMs },',
    to: 'hook: { ...hook, sinceMs: nowMs, expiresAtMs: nowMs + (hook.timeoutMs ?? 0) },',
    caughtBy: ['messages about hooks are lost while connections outlast them'],
  },
];
