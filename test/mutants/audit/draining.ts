import type { PutBack } from '../mutant.ts';

/** Faults that the audit found, put back into the code. */
export const draining: readonly PutBack[] = [
  {
    name: 'members that wait on a hook are shown by no look',
    file: 'aws/providers/describe-members.ts',
    from: 'aside: idsOf(ours.filter((instance) => isAside(instance, standings))),',
    to: 'aside: idsOf(ours.slice(0, 0)),',
    situation: 'a hook drain of twenty minutes',
  },
  {
    name: 'a hook drain that was stopped is taken over by nobody',
    file: 'core/swap/stuck-drains.ts',
    from: 'return isOnHook(swap) ? isUnattended(swap, nowMs) :',
    to: 'return isOnHook(swap) ? isUnattended(swap, 0) :',
    situation: 'a hook drain that somebody stops',
  },
  {
    name: 'a removal shares the drain of a warning, and its deadline',
    file: 'functions/react/converge.ts',
    from: 'const drain = drainName({ group: run.group.name, kind, decision: run.id });',
    to: "const drain = swaps.findLast(({ reason, state }) => reason === 'interruption' && state === 'leaving')?.drain ?? drainName({ group: run.group.name, kind, decision: run.id });",
    also: [
      {
        file: 'functions/runtime/drain/batch.ts',
        from: "own: ours.filter(({ state }) => state !== 'gone' && state !== 'waiting'),",
        to: "own: ours.filter(({ state }) => state !== 'gone' && state !== 'waiting').map((swap, _, all) => { const deadlines = all.flatMap(({ deadlineMs }) => deadlineMs ?? []); return deadlines.length === 0 ? swap : { ...swap, deadlineMs: Math.min(...deadlines) }; }),",
      },
    ],
    situation: 'ten deadlines and a scale-in in one look',
  },
  {
    name: 'every warning has a drain of its own',
    file: 'functions/react/carry-out/drain-names.ts',
    from: "return kind === 'interruption' && deadlineMs !== undefined && !begun.has(shared) ? shared :",
    to: "return kind === 'interruption' && deadlineMs !== undefined && begun.has(shared) ? shared :",
    situation: 'a trickle of warnings',
  },
  {
    name: 'a throttled look fails the drain',
    file: 'functions/begin-drain/judge.ts',
    from: 'const holdings = await unlessTroubled(look);',
    to: 'const holdings: Awaited<typeof look> | undefined = await look;',
    also: [
      {
        file: 'functions/begin-drain/release.ts',
        from: 'const progress = underway.length === 0 ? [] : await unlessTroubled(provider.inspectDrain(group, underway));',
        to: 'const progress = underway.length === 0 ? [] : await provider.inspectDrain(group, underway);',
      },
      {
        file: 'functions/react/carry-out/drain-names.ts',
        from: "return kind === 'interruption' && deadlineMs !== undefined && !begun.has(shared) ? shared :",
        to: "return kind === 'interruption' && deadlineMs !== undefined && begun.has(shared) ? shared :",
      },
    ],
    situation: 'a trickle of warnings',
  },
  {
    name: 'the end that a release brings is taken for a cut',
    file: 'functions/runtime/drain/take-out.ts',
    from: "const change = store.advance(swap, { from: ['leaving'], drain, set: { releaseAskedAtMs } });",
    to: "const change = store.advance(swap, { from: ['leaving'], drain, set: swap.reason === 'unwanted' ? { releaseAskedAtMs } : {} });",
    also: [
      {
        file: 'functions/runtime/drain/take-out.ts',
        from: 'return [releaseAskedAtMs === undefined ? swap : { ...swap, releaseAskedAtMs }];',
        to: "return [releaseAskedAtMs === undefined || swap.reason !== 'unwanted' ? swap : { ...swap, releaseAskedAtMs }];",
      },
    ],
    situation: 'a trickle of warnings',
  },
  {
    name: 'a member that EC2 announced to take and did not is ended',
    file: 'functions/react/carry-out/unfinished-swaps.ts',
    from: 'const spared = outlivedIn(gathered.swaps, members,',
    to: 'const spared = outlivedIn([], members,',
    situation: 'warnings that do not come true',
  },
  {
    name: 'a member that EC2 did not take is put back before its five minutes are over',
    file: 'core/swap/outlived.ts',
    from: 'const outlivedAfterMs = 300_000;',
    to: 'const outlivedAfterMs = 0;',
    situation: 'warnings that do not come true',
  },
  {
    name: 'the target groups of its Auto Scaling group do not get a member back',
    file: 'aws/draining/auto-scaling.ts',
    from: 'instances.filter((instance) => standings.get(instance)?.inService),',
    to: 'instances.filter((instance) => standings.get(instance)?.leaving),',
    situation: 'warnings of attached members that do not come true',
  },
  {
    name: 'a member whose replacement was refused is ended through its Auto Scaling group',
    file: 'functions/react/carry-out/unnoticed-members.ts',
    from: 'const left = new Set(replacedOf(first, last));',
    to: 'const left = new Set([...first.decision.unnoticed, ...replacedOf(first, first)]);',
    situation: 'warnings of attached members that do not come true',
  },
  {
    name: 'only the first instance of an event of AWS Health is replaced',
    file: 'functions/react/react.ts',
    from: 'return reading.signals.map((signal) => ({ message: id, signal }));',
    to: 'return reading.signals.slice(0, 1).map((signal) => ({ message: id, signal }));',
    situation: 'members that AWS will retire',
  },
  {
    name: 'what AWS announces to a paused group is forgotten',
    file: 'core/observe/in-mode.ts',
    from: '{ ...now, heard: later }',
    to: '{ ...now, heard: later && {} }',
    situation: 'members that AWS will retire, announced while the group is paused',
  },
];
