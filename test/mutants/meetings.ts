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
    caughtBy: ['a user stops the drain of a warned member, and the event is lost'],
  },
  {
    name: 'a hook whose message was lost counts as new',
    file: 'functions/react/look/unheard-hooks.ts',
    from: 'hook: { ...hook, sinceMs: nowMs, expiresAtMs: nowMs },',
    to: 'hook: { ...hook, sinceMs: nowMs, expiresAtMs: nowMs + (hook.timeoutMs ?? 0) },',
    caughtBy: ['messages about hooks are lost while connections outlast them'],
  },
  {
    name: 'who waits for the Auto Scaling groups of a deleted policy is not judged',
    file: 'functions/accept-policy/accept-policy.ts',
    from: 'for (const waiting of await waitingFor(await letGo(group, inForce, ports), group, ports))',
    to: 'for (const waiting of (await waitingFor(await letGo(group, inForce, ports), group, ports)).slice(1))',
    caughtBy: ['a group is renamed, and its new name is there before the old one goes'],
  },
  {
    name: 'a registry that the tick has read is used for hours',
    file: 'functions/tick/handler.ts',
    from: '    registryKnownMs,\n    surroundings.now,',
    to: '    60 * registryKnownMs,\n    surroundings.now,',
    caughtBy: ['a group is renamed, and its new name is there before the old one goes'],
  },
  {
    name: 'version numbers begin anew after a deletion',
    file: 'functions/accept-policy/put-in-force.ts',
    from: 'const number = Math.max(latest?.version ?? 0, inForce?.version ?? 0) + 1;',
    to: 'const number = Math.max(inForce === undefined ? 0 : (latest?.version ?? 0), inForce?.version ?? 0) + 1;',
    caughtBy: ['members are warned while there is no policy'],
  },
  {
    name: 'of a part of a launch that EC2 granted, no refusal is learned',
    file: 'aws/providers/launch-result.ts',
    from: 'const isRefused = short || !gave',
    to: 'const isRefused = !gave',
    caughtBy: ['a group grows, and its first choice has one instance left'],
  },
  {
    name: 'the requests of launches are stored meanwhile',
    file: 'functions/react/carry-out/launches.ts',
    from: 'if (request !== undefined) await ports.store.putRequest',
    to: 'if (request !== undefined) void ports.store.putRequest',
    caughtBy: ['writes take from a moment to a second while members are warned'],
  },
];
