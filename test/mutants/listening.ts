import type { Mutant } from './mutant.ts';

/** Breakages of what is heard, and of what a policy may say. */
export const listening: readonly Mutant[] = [
  {
    name: 'the cooldown of an alarm is ignored',
    file: 'core/group-state/follow-alarms.ts',
    from: 'atMs < last + Math.max(1, rule.cooldownMs)',
    to: 'atMs <= last + 0 * rule.cooldownMs',
    caughtBy: ['alarm in its cooldown'],
  },
  {
    name: 'an alarm that is delivered twice counts twice',
    file: 'core/group-state/follow-alarms.ts',
    from: 'atMs < last + Math.max(1, rule.cooldownMs)',
    to: 'nowMs - last > 10_000 && atMs < last + Math.max(1, rule.cooldownMs)',
    caughtBy: ['alarm delivered twice'],
  },
  {
    name: 'a rejected policy puts the last good one out of force',
    file: 'functions/accept-policy/accept-policy.ts',
    from: 'to.telemetry.count(metrics.policiesRejected);',
    to: 'await to.store.removeInForce(group);',
    caughtBy: ['policy becomes invalid, then a loss'],
  },
  {
    name: 'a policy that takes another group’s Auto Scaling group is put in force',
    file: 'functions/accept-policy/judge.ts',
    from: 'const problems = [...taken, ...sizeProblems(candidate)];',
    to: 'const problems = sizeProblems(candidate);',
    also: [
      {
        file: 'functions/accept-policy/claim-asgs.ts',
        from: 'if (why !== undefined) return { before, problems: [takenProblem(named, why)] };',
        to: '',
      },
    ],
    caughtBy: ['a second group wants the same Auto Scaling group'],
  },
  {
    name: 'the accepted version is not bumped',
    file: 'functions/accept-policy/put-in-force.ts',
    from: 'Math.max(latest?.version ?? 0, inForce?.version ?? 0) + 1;',
    to: 'Math.max(1, latest?.version ?? 0, inForce?.version ?? 0);',
    caughtBy: ['policy change'],
  },
  {
    name: 'the tick ignores groups after the first',
    file: 'functions/tick/tick.ts',
    from: '.map(({ group }) => group);',
    to: '.map(({ group }) => group).slice(0, 1);',
    caughtBy: ['two groups, nobody hears'],
  },
  {
    name: 'no message is ever named to come again',
    file: 'functions/react/handler.ts',
    from: 'again.map((itemIdentifier)',
    to: 'again.slice(0, 0).map((itemIdentifier)',
    caughtBy: ['alarm while the state cannot be read'],
  },
  {
    name: 'a message that cannot be read throws',
    file: 'functions/react/react.ts',
    from: "if (reading.kind === 'ignored') return [];",
    to: "if (reading.kind === 'ignored') return []; else if (reading.why !== '') throw new Error(reading.why);",
    caughtBy: ['messages that are none'],
  },
  {
    name: 'the end of an instance is not noticed',
    file: 'core/swap/ends.ts',
    from: 'if (ended.has(swap.instance)) return true;',
    to: '',
    caughtBy: ['interruption, own group'],
  },
];
