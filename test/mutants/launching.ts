import type { Mutant } from './mutant.ts';

/** Breakages of how a decision becomes instances: reservations, tokens, answers, memory. */
export const launching: readonly Mutant[] = [
  {
    name: 'a token for each retry instead of each attempt',
    file: 'functions/react/carry-out/launches.ts',
    from: '(await ports.store.request(group.name, reservation.id)) ?? provider.requestOf(group, reservation)',
    to: "provider.requestOf(group, { ...reservation, token: reservation.token + '-again' })",
    caughtBy: ['killed after the launch'],
  },
  {
    name: 'a reservation is not written before its launch',
    file: 'functions/react/play-round.ts',
    from: 'await putState(group.name, state, ports)',
    to: 'state as GroupState | "conflict"',
    caughtBy: ['warnings overlap', 'killed after the launch'],
  },
  {
    name: 'a lost race for the state item is taken for won',
    file: 'functions/react/play-round.ts',
    from: 'const written = await putState(group.name, state, ports);',
    to: "const tried = await putState(group.name, state, ports); const written = tried === 'conflict' && run.id !== '' ? state : tried;",
    caughtBy: ['warnings overlap'],
  },
  {
    name: 'an open reservation never expires',
    file: 'core/launch/reservation-life.ts',
    from: 'repeatedAtMs(reservation) <= nowMs &&',
    to: 'repeatedAtMs(reservation) <= 0 * nowMs &&',
    also: [
      { file: 'core/launch/reservation-life.ts', from: 'nowMs < forgetAtMs ||', to: 'nowMs < forgetAtMs + 1e9 * Number(instances === undefined) ||' },
    ],
    caughtBy: ['killed after the launch', 'killed before the launch'],
  },
  {
    name: 'a granted reservation is never forgotten',
    file: 'core/launch/reservation-life.ts',
    from: 'nowMs < forgetAtMs ||',
    to: 'nowMs < forgetAtMs + 1e9 ||',
    also: [
      {
        file: 'core/view/headcount.ts',
        from: 'instances === undefined || view.nowMs < forgetAtMs',
        to: 'instances === undefined || view.nowMs < forgetAtMs + 1e9',
      },
    ],
    caughtBy: ['long after a launch'],
  },
  {
    name: 'a raised maximum is not written down',
    file: 'core/group-state/binding.ts',
    from: '...maxima.map((raise) => notedBy(author.decision, raise, view.state.raised, view.nowMs)),',
    to: '...decision.raise.slice(0, 0).map((raise) => notedBy(author.decision, raise, view.state.raised, view.nowMs)),',
    caughtBy: ['interruption, attached'],
  },
  {
    name: 'a refusal is treated as a throttle',
    file: 'aws/calls/errors.ts',
    from: "if (scopeOfRefusal(code)) return 'refused';",
    to: "if (scopeOfRefusal(code)) return 'throttled';",
    caughtBy: ['refusal'],
  },
  {
    name: 'a throttle is treated as a refusal',
    file: 'aws/calls/errors.ts',
    from: "if (throttled.has(code) || contended.has(code)) return 'throttled';",
    to: "if (throttled.has(code) || contended.has(code)) return 'refused';",
    caughtBy: ['throttled launches'],
  },
  {
    name: 'an answer that was lost counts as no launch',
    file: 'core/launch/reservation-life.ts',
    from: 'return { ...open, leaseUntilMs: repeatAtMs, forgetAtMs: nowMs + describeLagMs };',
    to: 'return undefined;',
    caughtBy: ['launch answers lost'],
  },
  {
    name: 'a refusal is not remembered',
    file: 'core/group-state/answers.ts',
    from: 'launched.flatMap(refusalsOf)',
    to: 'launched.flatMap(refusalsOf).slice(0, 0)',
    // The groups of an account share their refusals, and each learns its own from there too.
    also: [
      {
        file: 'functions/react/turns/take-turn.ts',
        from: 'refused: new Map(refusals.map(',
        to: 'refused: new Map(refusals.slice(0, 0).map(',
      },
    ],
    caughtBy: ['refusal'],
  },
  {
    name: 'what was refused waits for the next tick',
    file: 'functions/react/rounds.ts',
    from: 'if (missingAfter(played.launched) === 0 &&',
    to: 'if (missingAfter(played.launched) >= 0 &&',
    caughtBy: ['refusal'],
  },
  {
    name: 'the wake is never sent',
    file: 'functions/react/carry-out/carry-out.ts',
    from: 'if (wakeAtMs !== undefined) await ports.wakes.wake([group.name], wakeAtMs, how);',
    to: '',
    caughtBy: ['throttled launches'],
  },
  {
    name: 'members are never attached',
    file: 'functions/react/carry-out/admit.ts',
    from: 'if (decision.admissions.length === 0) return',
    to: 'if (decision.admissions.length < 1e6) return',
    caughtBy: ['interruption, attached'],
  },
  {
    name: 'the second page of a describe is not read',
    file: 'aws/calls/all-of.ts',
    from: 'found.push(...(itemsOf(page) ?? []));',
    to: 'if (found.length === 0) found.push(...(itemsOf(page) ?? []));',
    caughtBy: ['short pages of instances', 'short pages of Auto Scaling groups'],
  },
  {
    name: 'every look asks for a wake of its own',
    file: 'aws/messages/wakes.ts',
    from: 'sentForMs > nowMs && sentForMs <= atMs + soonEnoughMs;',
    to: 'sentForMs > nowMs && sentForMs <= soonEnoughMs;',
    // Environments claim wakes too.
    also: [
      {
        file: 'aws/messages/wakes.ts',
        from: '(await claim(group, atMs, last.get(group))) ? group : []',
        to: '(await claim(group, atMs)) || group !== undefined ? group : []',
      },
    ],
    caughtBy: ['slow boots while warnings come one by one'],
  },
  {
    name: 'each request without a response begins its tries anew',
    file: 'core/group-state/answers.ts',
    from: 'Math.max(againAtMs(nowMs, Math.min(atMs, unansweredMs)), throttle?.untilMs ?? 0);',
    to: 'Math.max(againAtMs(nowMs, Math.min(atMs, unansweredMs + nowMs)), throttle?.untilMs ?? 0);',
    caughtBy: ['no launch has a response while warnings come one by one'],
  },
  {
    name: 'a list that moved while it was read is not read again',
    file: 'aws/instances.ts',
    from: 'once.size < found.length && readings > 1',
    to: 'once.size < 0',
    caughtBy: ['a list of instances that moves'],
  },
  {
    name: 'the group tag does not name the deployment',
    file: 'core/contract.ts',
    from: 'export const groupTagValue = (deployment: string, group: string): string =>',
    to: "export const groupTagValue = (_: string, group: string): string => '/' + group; export const whole = (deployment: string, group: string) =>",
    caughtBy: ['interruption, own group'],
  },
  {
    name: 'members of another group are counted',
    file: 'aws/providers/read-groups.ts',
    from: 'rest.map(({ name }) => groupTagValue(deps.deployment, name))',
    to: "rest.map(() => groupTagValue(deps.deployment, '*'))",
    also: [
      { file: 'aws/providers/read-groups.ts', from: '(await read.byGroup).get(group.name) ?? []', to: '[...(await read.byGroup).values()].flat()' },
      {
        file: 'aws/providers/describe-members.ts',
        from: 'return groupOf(instance, deployment) === group.name &&',
        to: 'return groupOf(instance, deployment) !== undefined &&',
      },
    ],
    caughtBy: ['two groups'],
  },
  {
    name: 'launches use the latest version of a launch template',
    file: 'aws/providers/create-fleet.ts',
    from: "Version = '$Default'] = text.split(':');",
    to: "Version = '$Latest'] = text.split(':');",
    caughtBy: ['a version that is not the default one'],
  },
  {
    name: 'launches use the default version of a launch template, whatever the policy names',
    file: 'aws/providers/create-fleet.ts',
    from: "const [nameOrId = '', Version = '$Default'] = text.split(':');",
    to: "const [nameOrId = '', Version = '$Default'] = text.split(':').slice(0, 1);",
    caughtBy: ['another version becomes the default one'],
  },
  {
    name: 'an overdue launch is repeated once its lease is over',
    file: 'core/launch/reservation-life.ts',
    from: 'repeatFromMs ?? leaseUntilMs;',
    to: 'Math.max(repeatFromMs ?? 0, leaseUntilMs);',
    caughtBy: ['a function dies before its launch, and another member is warned'],
  },
];
