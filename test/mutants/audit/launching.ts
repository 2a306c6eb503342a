import type { PutBack } from '../mutant.ts';

/** Faults that the audit found, put back into the code. */
export const launching: readonly PutBack[] = [
  {
    name: '2: after a lost race a group is decided with the policy that was read at first',
    file: 'functions/react/play-round.ts',
    from: 'if (now?.policyVersion === run.group.policyVersion) return true;',
    to: 'if (now?.policyVersion !== -1) return true;',
    also: [
      {
        file: 'functions/react/rounds.ts',
        from: 'if (now === undefined) return undefined;',
        to: 'if (now === undefined) return { run, gathered: withLessons(await gather(run.group, facts, run.provider, ports, await ports.store.stateAndSwaps(run.group.name)), run, warned) };',
      },
      {
        file: 'functions/react/rounds.ts',
        from: '{ ...run, group: now.group, provider: ports.providerFor(now.group.holding) }',
        to: '{ ...run }',
      },
      { file: 'functions/react/rounds.ts', from: 'gather(now.group, facts,', to: 'gather(run.group, facts,' },
    ],
    situation: 'edited to fewer while somebody gathers',
  },
  {
    name: '3: a throttle on a repeat is taken for the answer to the first attempt',
    file: 'core/launch/reservation-life.ts',
    from: 'return before && { ...open, leaseUntilMs: repeatAtMs, forgetAtMs: before.forgetAtMs };',
    to: 'return undefined;',
    situation: 'a repeat is throttled, tag',
  },
  {
    name: '4: a repeat is made up from the policy in force, and a token that is taken is taken for a wrong request',
    file: 'functions/react/carry-out/launches.ts',
    from: '(await ports.store.request(group.name, reservation.id)) ?? provider.requestOf(group, reservation)',
    to: 'provider.requestOf(group, reservation)',
    also: [
      {
        file: 'core/launch/reservation-life.ts',
        from: 'return { ...open, leaseUntilMs: repeatAtMs, forgetAtMs: (before ?? open).forgetAtMs };',
        to: 'return undefined;',
      },
    ],
    situation: 'tags edited before a repeat',
  },
  {
    name: '8: each reservation keeps its whole list of offerings in the state item',
    file: 'core/group-state/binding.ts',
    from: '...fresh.map(inBrief)',
    to: '...fresh',
    also: [{ file: 'core/group-state/state-size.ts', from: 'if (bytes <= most) break;', to: 'if (bytes > 0) break;' }],
    situation: 'six hundred offerings, a warning every two seconds',
  },
  {
    name: 'a refusal that names some instances is taken for an answer about all of them',
    file: 'aws/providers/act-on.ts',
    from: 'const culprits = known.length === 0 ? rest : known;',
    to: 'const culprits = known.length === 0 || known.length > 0 ? rest : known;',
    situation: 'the user attaches one of two new members',
  },
  {
    name: '9: a read that only improves a decision blocks everything when it fails',
    file: 'aws/calls/optional-read.ts',
    from: 'if (!isFromAws(error)) throw error;',
    to: 'if (isFromAws(error) || read === read) throw error;',
    situation: 'target health cannot be read, kept by tag',
  },
];
