import type { Mutant } from './mutant.ts';

/** Breakages of what is done for Auto Scaling groups whose sizes count weights of instance types. */
export const weights: readonly Mutant[] = [
  {
    name: 'a group whose sizes count weights acts',
    file: 'core/group/unfit.ts',
    from: "modeOf(group) === 'act' && countsOtherUnits(group, asgs)",
    to: "modeOf(group) === 'act' && countsOtherUnits(group, asgs) && asgs.length === 0",
    caughtBy: ['weights come while members are on their way'],
  },
  {
    name: 'what is attached counts as one, although its type has a weight',
    file: 'core/group/attached-number.ts',
    from: 'const counts = [unitsOf(asg, shown), unitsOf(added, shown), shown.length];',
    to: 'const counts = [shown.length];',
    caughtBy: ['weights come while members are on their way'],
  },
  {
    name: 'what is attached counts by the weights of now alone',
    file: 'core/group/attached-number.ts',
    from: 'const counts = [unitsOf(asg, shown), unitsOf(added, shown), shown.length];',
    to: 'const counts = [unitsOf(asg, shown)];',
    caughtBy: ['weights go while what an attach added stays', 'weights come while what an attach added stays'],
  },
  {
    name: 'a member that joins counts by the weight of another type',
    file: 'core/view/asg-units.ts',
    from: 'const weight = weights[offering.instanceType];',
    to: 'const weight = Object.entries(weights).find(([type]) => type !== offering.instanceType)?.[1];',
    caughtBy: ['weights come to a group at its maximum', 'weights go while what an attach added stays'],
  },
  {
    name: 'a maximum is raised by the number of members that join, and not by their weights',
    file: 'core/decide/maximum-sizes.ts',
    from: 'return toRaise(view, new Map([[joins, { now: unitsOfJoining(view, joins, admissions), soon: 0 }]]));',
    to: 'return toRaise(view, new Map([[joins, { now: admissions.length, soon: 0 }]]));',
    caughtBy: ['weights come to a group at its maximum'],
  },
  {
    name: 'a gap counts from a time in which the size counted weights',
    file: 'core/view/asg-ledger.ts',
    from: 'view.group.countsUnits === undefined && gapOf(asg, view) > 0',
    to: 'gapOf(asg, view) > 0',
    caughtBy: ['weights go, and a look comes at once'],
  },
  {
    name: 'a member above the size of a paused group never joins',
    file: 'core/observe/in-mode.ts',
    from: 'return { admissions, wakeAtMs: isComing',
    to: 'return { admissions: wanted.admissions, wakeAtMs: isComing',
    caughtBy: ['paused and smaller while members are on their way'],
  },
];
