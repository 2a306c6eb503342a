import type { Mutant } from './mutant.ts';

/** Breakages of how instances leave: claims, deadlines, drains, hooks. */
export const leaving: readonly Mutant[] = [
  {
    name: 'the claim is skipped: always claimed',
    file: 'aws/state/swap-items.ts',
    from: "return ours ? { kind: 'claimed' } : { kind: 'exists', swap: existing };",
    to: "return { kind: 'claimed' };",
    caughtBy: ['rebalance and warning at once'],
  },
  {
    name: 'the claim is never written',
    file: 'functions/react/claims.ts',
    from: 'const claim = await context.store.claim(wanted);',
    to: "const claim = await Promise.resolve({ kind: 'claimed', swap: wanted });",
    caughtBy: ['interruption, own group'],
  },
  {
    name: 'the deadline is not tightened',
    file: 'core/swap-life/claim.ts',
    from: 'const deadlineMs = tighter(swap.deadlineMs, fact.deadlineMs);',
    to: 'const deadlineMs = tighter(swap.deadlineMs, undefined);',
    caughtBy: ['rebalance, then warning'],
  },
  {
    name: 'the drain begins before replacements serve',
    file: 'functions/begin-drain/judge.ts',
    from: '>= desiredNow(group, state, holdings.asgs, nowMs)',
    to: '>= 0 * desiredNow(group, state, holdings.asgs, nowMs)',
    caughtBy: ['interruption, own group'],
  },
  {
    name: 'the drain never deregisters',
    file: 'aws/providers/release-members.ts',
    from: 'const named = await deregisterTargets(deps.elb, registered, ids);',
    to: 'const named = { ...nothing, done: registered.length < 0 ? [] : ids };',
    caughtBy: ['interruption, own group', 'scenario zone-outage'],
  },
  {
    name: 'a drain that never began is not ordered again',
    file: 'functions/react/leave.ts',
    from: "isOrdered(swap) || (swap.state === 'leaving' &&",
    to: "isOrdered(swap) || (swap.state === 'waiting' &&",
    caughtBy: ['killed before the drain, and nobody hears'],
  },
  {
    name: 'the end of a drain ends interrupted instances too',
    file: 'functions/end-drain/end-drain.ts',
    from: 'const ours = swaps.filter((swap) => !endsItself(swap) && !isKept(swap));',
    to: 'const ours = swaps.filter((swap) => (!endsItself(swap) || swap.reason.length > 0) && !isKept(swap));',
    caughtBy: ['interruption, own group'],
  },
  {
    name: 'the end of a drain does not end what is ours to end',
    file: 'functions/end-drain/end-drain.ts',
    from: 'const ours = swaps.filter((swap) => !endsItself(swap) && !isKept(swap));',
    to: 'const ours = swaps.filter((swap) => !endsItself(swap) && !isKept(swap) && swap.reason.length < 0);',
    caughtBy: ['scale-in'],
  },
  {
    name: 'the hook is never completed',
    file: 'functions/end-drain/end-drain.ts',
    from: 'await completeHooks(ports, [...drained, ...gone]);',
    to: '',
    caughtBy: ['hook of an hour'],
  },
  {
    name: 'the heartbeat is never sent',
    file: 'functions/runtime/drain/heartbeats.ts',
    from: 'if (due.length === 0) return swap;',
    to: 'if (due.length >= 0) return swap;',
    caughtBy: ['hook shorter than the drain'],
  },
  {
    name: 'a shortfall is not said',
    file: 'core/swap-life/progress.ts',
    from: '...(shortfall !== undefined && { shortfall }),',
    to: '...(shortfall !== undefined && {}),',
    also: [
      {
        file: 'functions/runtime/drain/record.ts',
        from: 'set: { ...(swap.shortfall !== undefined && { shortfall: swap.shortfall }) }',
        to: 'set: {}',
      },
    ],
    caughtBy: ['connections outlast the notice'],
  },
  {
    name: 'the reasons of a removal are kept only at the end',
    file: 'functions/react/rounds.ts',
    from: ' + removals.length + remarks.length',
    to: '',
    caughtBy: ['killed once removals are claimed'],
  },
];
