import type { Edit } from '../mutant.ts';

type Survivor = Edit & { readonly name: string; readonly also?: readonly Edit[] };

/**
 * Mutants that no random world of the first version could tell from the code as it was, and later ones that survived at first. Each must fall in
 * random worlds now.
 */
export const survivors: readonly Survivor[] = [
  {
    name: 'maxSurge is ignored, launch first',
    file: 'core/decide/arbiter.ts',
    from: 'surge = budgetOf(isLaunchFirst ? maxSurge :',
    to: 'surge = budgetOf(isLaunchFirst ? maxSurge + 1e6 :',
  },
  {
    name: 'maxSurge is ignored, drain first',
    file: 'core/decide/waiting-swaps.ts',
    from: '(isDrainFirst ? maxSurge : 0)',
    to: '(isDrainFirst ? maxSurge + view.state.desired : 0)',
  },
  {
    name: 'members held are ignored by caps',
    file: 'core/placement/plan-placements.ts',
    from: 'countIn(tree, input.held);',
    to: 'countIn(tree, input.held);\n  for (const leaves of tree.leavesOf.values()) for (const { room } of leaves) room.held = 0;',
  },
  {
    name: 'a refusal rests ten hours',
    file: 'core/pool-memory/refusals.ts',
    from: 'export const refusedRestMs = 3 * 60_000;',
    to: 'export const refusedRestMs = 10 * 3_600_000;',
    also: [
      {
        file: 'core/pool-memory/pool-memory.ts',
        from: 'export const longestRestMs = 30 * 60_000;',
        to: 'export const longestRestMs = 10 * 3_600_000;',
      },
    ],
  },
  {
    name: 'the price limit is ignored',
    file: 'core/selector/standing.ts',
    from: 'price > limit)',
    to: 'price > limit * 1e6)',
    also: [
      {
        file: 'aws/providers/create-fleet.ts',
        from: "pool.market === 'spot' ? priceLimit(pool, instanceType) : undefined",
        to: 'undefined as number | undefined',
      },
      { file: 'aws/providers/create-fleet.ts', from: 'const limit = pool.maxPriceUsdPerHour;', to: 'const limit = undefined as number | undefined;' },
    ],
  },
  { name: "the policy's tags are not applied", file: 'aws/providers/create-fleet.ts', from: '    ...group.tags,\n', to: '' },
  {
    name: 'interruption drains begin at the last ten seconds',
    file: 'core/drain/drain.ts',
    from: 'const waitMs = neededMs <= leftMs ? Math.max(0, leftMs - neededMs - startLeadMs) : Math.floor(halvedMs / 2);',
    to: 'const waitMs = Math.max(0, leftMs - 10_000 + 0 * neededMs);',
    also: [
      {
        file: 'functions/begin-drain/judge.ts',
        from: 'if (servingCount(holdings, batch.all) >= desiredNow(group, state, holdings, nowMs))',
        to: 'if (servingCount(holdings, batch.all) >= 1e6 + desiredNow(group, state, holdings, nowMs))',
      },
    ],
  },
  {
    name: 'hooks are answered with ABANDON',
    file: 'aws/lifecycle-actions.ts',
    from: "LifecycleActionResult: 'CONTINUE'",
    to: "LifecycleActionResult: 'ABANDON'",
  },
  {
    name: 'nothing is caught up with after a restored state item',
    file: 'core/group-state/state.ts',
    from: "if (latest === (state.lastReservation ?? '')) return state;",
    to: "if (latest >= (state.lastReservation ?? '')) return state;",
  },
  {
    name: 'announced and not taken: never put back',
    file: 'core/swap/outlived.ts',
    from: 'const outlivedAfterMs = 300_000;',
    to: 'const outlivedAfterMs = 3e11;',
  },
  {
    name: 'only the first target group is left',
    file: 'aws/draining/load-balancers.ts',
    from: 'deregisterTargets(deps.elb, registered, idsOf(swaps))',
    to: 'deregisterTargets(deps.elb, registered.slice(0, 1), idsOf(swaps))',
  },
  {
    name: 'nothing is sent to the bus',
    file: 'aws/messages/announcer.ts',
    from: 'callsOf(announcements.map(entryOf))',
    to: 'callsOf(announcements.slice(0, 0).map(entryOf))',
  },
  {
    name: 'replacements are always on demand',
    file: 'core/decide/launch-plan.ts',
    from: 'selector: view.group.capacity,',
    to: [
      'selector: headcount.staying.length === 0 ? view.group.capacity : {',
      "  kind: 'tiered',",
      "  children: [...Object.values(view.group.pools).filter(({ market }) => market === 'on-demand').map(({ name }) => ({ kind: 'pool' as const, pool: name })), view.group.capacity],",
      '},',
    ].join('\n'),
  },
  {
    name: "a tenth of the policy's drain time-out",
    file: 'core/policy/resolve.ts',
    from: 'timeoutMs: durationMs(drain.timeout)',
    to: 'timeoutMs: durationMs(drain.timeout) / 10',
  },
  {
    name: 'a full subnet rests nothing',
    file: 'core/pool-memory/pool-memory.ts',
    from: 'return isResting(lesson, nowMs) ? lesson : undefined;',
    to: 'return isResting(lesson, nowMs) && nowMs < 0 ? lesson : undefined;',
  },
  {
    name: 'what EC2 refuses is requested again after ten minutes',
    file: 'core/pool-memory/ask-again.ts',
    from: 'export const askAgainAfterMs = 60_000;',
    to: 'export const askAgainAfterMs = 600_000;',
  },
  {
    name: 'a shortage is not sent to the bus',
    file: 'functions/react/record/record.ts',
    from: '...(unplaced > 0 ? [exhausted] : [])',
    to: '...(unplaced > 99 ? [exhausted] : [])',
  },
  {
    name: 'a breaker stays open for the time in which it counts',
    file: 'core/breaker/learn.ts',
    from: '{ withinMs, holdMs }: BreakerRule,\n  nowMs: number,\n): Required<Learned> => {\n  const untilMs = nowMs + holdMs;',
    to: '{ withinMs }: BreakerRule,\n  nowMs: number,\n): Required<Learned> => {\n  const untilMs = nowMs + withinMs;',
  },
  {
    name: 'a rejected policy names no problem',
    file: 'functions/accept-policy/accept-policy.ts',
    from: 'problems: problems.slice(0, mostProblems),',
    to: 'problems: problems.slice(0, 0),',
  },
  {
    name: 'a decision counts admitted members as serving',
    file: 'functions/react/record/record.ts',
    from: 'view.members.filter(({ serving }) => serving).length',
    to: 'view.members.filter(({ admitted }) => admitted).length',
  },
  {
    name: 'the larger of two price limits holds',
    file: 'core/pool/price.ts',
    from: 'return Math.min(relative, maxPriceUsdPerHour);',
    to: 'return Math.max(relative, maxPriceUsdPerHour);',
  },
];
