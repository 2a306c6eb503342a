import type { Mutant } from './mutant.ts';

/** Breakages that an attacker wrote: each hurts a user, or tells one what is not so. */
export const attacked: readonly Mutant[] = [
  {
    name: 'termination protection is ignored before a drain',
    file: 'aws/providers/termination-protection.ts',
    from: 'return shown?.DisableApiTermination?.Value === true ?',
    to: 'return shown?.DisableApiTermination?.Value === undefined ?',
    caughtBy: ['termination protection'],
  },
  {
    name: 'the pool that refused last is requested first again',
    file: 'core/pool-memory/ask-again.ts',
    from: '.toSorted((one, other) => one.atMs - other.atMs)',
    to: '.toSorted((one, other) => other.atMs - one.atMs)',
    caughtBy: ['nothing gives for half an hour'],
  },
  {
    name: 'a share of the size is rounded down',
    file: 'core/scaling/adjustment.ts',
    from: 'Math.max(1, Math.ceil(exact))',
    to: 'Math.max(1, Math.floor(exact))',
    caughtBy: ['a share of an odd size'],
  },
  {
    name: 'alarms share one cooldown',
    file: 'core/group-state/follow-alarms.ts',
    from: 'const last = state.alarms[alarm];',
    to: 'const last = Object.values(state.alarms).toSorted((a, b) => b - a)[0];',
    caughtBy: ['two alarms soon after each other'],
  },
  {
    name: 'an alarm acts again after half of its cooldown',
    file: 'core/group-state/follow-alarms.ts',
    from: 'atMs < last + Math.max(1, rule.cooldownMs)',
    to: 'atMs < last + Math.max(1, rule.cooldownMs / 2)',
    caughtBy: ['an alarm again in the second half of its cooldown'],
  },
  {
    name: 'a window that ends after midnight ends with its own day',
    file: 'core/returning/window.ts',
    from: 'const wasYesterday = days.includes((now.day + 6) % 7);',
    to: 'const wasYesterday = isToday;',
    caughtBy: ['spot comes back in a window of the night before'],
  },
  {
    name: 'the swap of a removal names another market',
    file: 'core/swap/claim.ts',
    from: '  pool,\n  offering: offeringKey(offering),\n  ...(asg !== undefined && { asg }),\n  claimedAtMs: nowMs,\n  drain,',
    to: "  pool,\n  offering: offeringKey({ ...offering, market: 'spot' }),\n  ...(asg !== undefined && { asg }),\n  claimedAtMs: nowMs,\n  drain,",
    caughtBy: ['termination protection'],
  },
  {
    name: 'every decision says that the limit of launches holds some back',
    file: 'core/decide/missing-members.ts',
    from: '...(overLimit > 0 ? [{',
    to: '...(overLimit >= 0 ? [{',
    caughtBy: ['interruption, own group'],
  },
  {
    name: 'a decision counts a drain that it did not start',
    file: 'functions/react/record/record.ts',
    from: '  drainsStarted: drains,\n',
    to: '  drainsStarted: drains + 1,\n',
    caughtBy: ['interruption, own group'],
  },
  {
    name: 'a decision names what EC2 refused as launched',
    file: 'functions/react/record/record.ts',
    from: 'instances: result.instances.map(({ instance }) => instance),',
    to: "instances: [...result.instances.map(({ instance }) => instance), ...result.refusals.map(() => 'i-0')],",
    caughtBy: ['refusal'],
  },
  {
    name: 'a decision does not say who joined',
    file: 'functions/react/record/record.ts',
    from: '  ...acted,\n  failed:',
    to: '  ...acted,\n  admitted: acted.admitted.slice(1),\n  failed:',
    caughtBy: ['interruption, attached'],
  },
];
