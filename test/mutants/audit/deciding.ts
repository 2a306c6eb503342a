import type { PutBack } from '../mutant.ts';

/** Faults that the audit found, put back into the code. */
export const deciding: readonly PutBack[] = [
  {
    name: 'drain-first asks nobody whether the one before was replaced',
    file: 'core/decide/waiting-swaps.ts',
    from: 'const drains = isDrainFirst',
    to: 'const drains = isDrainFirst ? headcount.waiting.slice(0, Math.max(0, maxSurge - headcount.holdingPlace.length)).map(({ instance }) => instance) : isDrainFirst',
    situation: 'drain first, no capacity anywhere',
  },
  {
    name: 'subnets of one pool are not spread',
    file: 'core/policy/resolve-capacity.ts',
    from: 'zonesIn(pool) > 1',
    to: 'zonesIn(pool) > 99',
    situation: 'a pool over three zones',
  },
  {
    name: 'advice teaches pool memory nothing',
    file: 'core/pool-memory/advice.ts',
    from: 'const known = traitsOf({ reason }).isAdvice && states.includes(state) ? parseOfferingKey(offering) : undefined;',
    to: "const known = reason === 'interruption' && traitsOf({ reason }).isAnnounced && states.includes(state) ? parseOfferingKey(offering) : undefined;",
    situation: 'advice about a zone',
  },
  {
    name: 'a warning of the second of its advice is no news',
    file: 'core/swap/claim.ts',
    from: "traitsOf(fact).endedBy === 'ec2' && swap.deadlineMs === fact.deadlineMs && before?.deadlineMs !== fact.deadlineMs;",
    to: "traitsOf(fact).endedBy === 'ec2' && swap.warnedAtMs === fact.atMs && before?.warnedAtMs !== fact.atMs;",
    // Each look also counts warnings that an earlier function claimed and did not count.
    also: [
      {
        file: 'core/limits/counted-warnings.ts',
        from: 'counted.length >= mostCounted ? []',
        to: 'counted.length >= 0 ? []',
      },
    ],
    situation: 'a warning in the second of its advice',
  },
  {
    name: 'nothing is asked again while everything rests',
    file: 'core/pool-memory/ask-again.ts',
    from: 'if (nowMs < fromMs) return undefined;',
    to: 'if (nowMs > 0 * fromMs) return undefined;',
    situation: 'capacity that comes back after twenty minutes',
  },
  {
    name: 'a warning opens the next tier',
    file: 'core/selector/tiered.ts',
    from: 'rankOf: ([first]) => first?.node.rank ?? closed,',
    to: 'rankOf: (giving) => giving.reduce((best, { node }) => Math.min(best, node.rank), closed),',
    situation: 'warnings in every zone while spot is plentiful',
  },
  {
    name: 'peers 7: a mixed group that cannot replace by itself leads past the tree',
    file: 'core/selector/tiered.ts',
    from: 'rankOf: ([first]) => first?.node.rank ?? closed,',
    to: 'rankOf: (giving) => giving.reduce((best, { node }) => Math.min(best, node.rank), closed),',
    situation: 'a mixed group cannot replace by itself while spot of another type is plentiful',
  },
  {
    name: 'removals are not noted in the state',
    file: 'core/decision/chosen-members.ts',
    from: 'return instances.length === 0 ? [] : [{ decision, instances, untilMs }];',
    to: 'return instances.slice(0, 0).map(() => ({ decision, instances, untilMs }));',
    // Right before a decision becomes binding, swaps that others wrote meanwhile are read.
    also: [
      {
        file: 'functions/react/carry-out/claimed-meanwhile.ts',
        from: 'return now.filter((swap) =>',
        to: 'return now.slice(0, 0).filter((swap) =>',
      },
    ],
    situation: 'the order of removal changes while a choice is written',
  },
  {
    name: 'a full subnet rests its type in the whole zone',
    file: 'aws/providers/launch-result.ts',
    from: 'subnet !== undefined && { subnet }',
    to: "subnet === '' && { subnet }",
    situation: 'a full subnet beside an empty one',
  },
  {
    name: 'a refused end is forgotten',
    file: 'functions/runtime/drain/record.ts',
    from: '...(swap.keptUntilMs !== undefined && { keptUntilMs: swap.keptUntilMs }),',
    to: '',
    situation: 'termination protection',
  },
  {
    name: 'members of the old name make the size of the new one',
    file: 'core/group-state/state.ts',
    from: 'members.filter(({ launchedFor }) => launchedFor === undefined)',
    to: "members.filter(({ launchedFor }) => launchedFor !== '')",
    situation: 'a group that is renamed after an alarm',
  },
  {
    name: 'a detached member is attached again',
    file: 'aws/providers/member-of.ts',
    from: 'const joinedAtMs = Number(',
    to: 'const joinedAtMs = 0 / 0 + Number(',
    // The environment that attached it remembers it.
    also: [
      {
        file: 'aws/providers/member-of.ts',
        from: 'return sinceNotedMs(seen, instance) ?? (here && seen.nowMs - here.atMs);',
        to: 'return sinceNotedMs(seen, instance) ?? (here && undefined);',
      },
    ],
    situation: 'a member that its user detached',
  },
  {
    name: 'events have no age',
    file: 'functions/react/messages/route.ts',
    from: 'return kind.isOver(signal, owner, nowMs) ? {} : kind.adds(signal, owner);',
    to: 'return kind.adds(signal, owner);',
    situation: 'old event about a member',
  },
];
