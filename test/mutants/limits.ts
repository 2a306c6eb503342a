import type { Mutant } from './mutant.ts';

/** Breakages of what bounds launches. */
export const limits: readonly Mutant[] = [
  {
    name: 'launches have no limit',
    file: 'core/decide/arbiter.ts',
    from: 'Math.min(most, launchRoom(view).left)',
    to: 'Math.max(0, most + 0 * launchRoom(view).left)',
    also: [{ file: 'core/decide/missing-members.ts', from: 'Math.max(0, lack - launchRoom(view).left)', to: '0 * launchRoom(view).left * lack' }],
    caughtBy: ['scenario crash-loop'],
  },
  {
    name: 'launches are never forgotten',
    file: 'core/launch-limit.ts',
    from: '.filter(({ atMs }) => nowMs - atMs < withinMs);',
    to: '.filter(({ atMs }) => nowMs - atMs < 100 * withinMs);',
    caughtBy: ['scenario crash-loop'],
  },
  {
    name: 'a spare is bought on demand',
    file: 'core/plan-spares.ts',
    from: "pools, count, only: 'spot' });",
    to: 'pools, count });',
    caughtBy: ['a member is lost, and spot gives no more', 'a zone is lost to a group with two spares'],
  },
  {
    name: 'no spare is bought',
    file: 'core/decide/missing-members.ts',
    from: 'const asked = unplaced > 0 ? 0 : arbiter.launches.take(most);',
    to: 'const asked = 0 * arbiter.launches.take(0 * unplaced * most);',
    caughtBy: ['a member is lost, and spot gives no more'],
  },
  {
    name: 'a spare counts as above what the group keeps',
    file: 'core/spare.ts',
    from: 'return view.state.desired + Math.min(wanted, spot.length);',
    to: 'return view.state.desired + 0 * Math.min(wanted, spot.length);',
    caughtBy: ['a group with a spare becomes smaller', 'a member is lost, and spot gives no more'],
  },
  {
    name: 'a member on demand is kept where a spare could take its place',
    file: 'core/returning/rule.ts',
    from: 'plan.moves.length > 0 ? [] : standIns(',
    to: 'plan.moves.length >= 0 ? [] : standIns(',
    caughtBy: ['spot comes back for no more than the size'],
  },
  {
    name: 'spares go beyond the maximum of an Auto Scaling group',
    file: 'core/spare.ts',
    from: "if (spare === 0 || holding.kind !== 'attach') return spare;",
    to: "if (spare >= 0 || holding.kind !== 'attach') return spare;",
    caughtBy: ['a spare above the maximum of its owner'],
  },
  {
    name: 'a share of the price on demand is no limit',
    file: 'core/price.ts',
    from: 'const relative = maxPriceByType?.[instanceType];',
    to: "const relative = maxPriceByType?.[instanceType.concat(' none')];",
    caughtBy: ['spot becomes dearer than its share of on-demand'],
  },
  {
    name: 'no breaker opens',
    file: 'core/breaker/learn.ts',
    from: 'return count >= rule.interruptions ?',
    to: 'return count < 0 * rule.interruptions ?',
    also: [{ file: 'core/breaker/learn.ts', from: 'return rest >= rule.interruptions', to: 'return rest < 0 * rule.interruptions' }],
    caughtBy: ['scenario breaker'],
  },
  {
    name: 'launches go where a breaker is open',
    file: 'core/selector/standing.ts',
    from: "if (against.code === 'breaker') return against.is === 'half-open' ? trialRank : closed;",
    to: "if (against.code === 'breaker') return trialRank;",
    caughtBy: ['scenario breaker'],
  },
  {
    name: 'a half-open breaker lets all launches through',
    file: 'core/selector/hold.ts',
    from: 'breaking.isTried = true;',
    to: 'breaking.isTried = false;',
    also: [
      {
        file: 'core/breaker/breaker.ts',
        from: 'const triedMs = one.trial?.atMs ?? (isTried ? nowMs : undefined);',
        to: 'const triedMs = isTried ? nowMs : undefined;',
      },
    ],
    caughtBy: ['scenario breaker'],
  },
  {
    name: 'an interrupted trial does not open the breaker again',
    file: 'core/breaker/learn.ts',
    from: "return opened(key, 'trial', 1, rule, look.nowMs);",
    to: 'return { breaker: rest };',
    caughtBy: ['scenario breaker'],
  },
];
