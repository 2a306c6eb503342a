import type { Mutant } from './mutant.ts';

/** Breakages of what is stored for people: `holdfast explain`, `decisions` and `status` read it, and no decision follows from it. */
export const records: readonly Mutant[] = [
  {
    name: 'a decision counts members by pool without those that come up',
    file: 'functions/react/record/record.ts',
    from: 'Map.groupBy(view.members, ({ pool }) => pool',
    to: 'Map.groupBy(view.members.filter(({ admitted }) => admitted), ({ pool }) => pool',
    caughtBy: ['interruption, own group'],
  },
  {
    name: 'a decision counts one swap in each state',
    file: 'functions/react/record/record.ts',
    from: '.map(([state, swaps]) => [state, swaps.length])',
    to: '.map(([state]) => [state, 1])',
    caughtBy: ['warnings overlap'],
  },
  {
    name: 'a decision says that a minimum keeps the whole surplus',
    file: 'core/decide/surplus.ts',
    from: '? Math.max(0, count - room) : 0',
    to: '? Math.max(0, count) : 0',
    caughtBy: ['surplus while replacements boot'],
  },
  {
    name: 'a decision does not say who serves now',
    file: 'core/decide/remarks.ts',
    from: "aboutMembers('serves', news?.serves, mostArriving)",
    to: "aboutMembers('serves', undefined, mostArriving)",
    caughtBy: ['interruption, own group'],
  },
  {
    name: 'a decision names the first instance of each cause',
    file: 'functions/react/messages/causes.ts',
    from: "if ('instance' in signal) one",
    to: "if ('instance' in signal && one.instances.size === 0) one",
    caughtBy: ['interruption, own group'],
  },
  {
    name: 'a decision does not say how the size changed',
    file: 'functions/react/record/record.ts',
    from: '...headOf(run, sizesOf(run, first.sizes)),',
    to: '...headOf(run, []),',
    caughtBy: ['alarm at the maximum'],
  },
  {
    name: 'a decision does not say whom its launches replace',
    file: 'functions/react/record/record.ts',
    from: 'replaces: reservation.replaces,',
    to: 'replaces: [],',
    caughtBy: ['interruption, own group'],
  },
  {
    name: 'a swap says that its drain began with its claim',
    file: 'functions/runtime/drain/take-out.ts',
    from: 'released.has(swap.instance) ? startedAtMs :',
    to: 'released.has(swap.instance) ? swap.claimedAtMs :',
    caughtBy: ['interruption, own group'],
  },
  {
    name: 'an Auto Scaling group that held too few is noted for good',
    file: 'core/group-state/state.ts',
    from: 'asgGaps: gapsNow(told),',
    to: 'asgGaps: { ...view.state.asgGaps, ...gapsNow(told) },',
    caughtBy: ['refilled by its own group'],
  },
  {
    name: 'a size beyond the maximum of the policy is not said',
    file: 'core/group/outside-size.ts',
    from: 'outside.size > size.max && !countsUnits ? outside.size : undefined',
    to: 'outside.size > size.max + 100 && !countsUnits ? outside.size : undefined',
    caughtBy: ['a person sets more than the policy allows'],
  },
];
