import type { Mutant } from './mutant.ts';

/** Breakages of how sizes that others set are obeyed. */
export const outside: readonly Mutant[] = [
  {
    name: 'what attaching added is taken for the word of others',
    file: 'core/group/outside-size.ts',
    from: 'if (open !== undefined && isAsAdded(open, asg)) return open.from;',
    to: '',
    also: [
      {
        file: 'aws/providers/size-changes.ts',
        from: 'if (now.desired === added.from) return',
        to: 'if (now.desired >= added.from) return',
      },
    ],
    caughtBy: ['a size that others raise', 'interruption, a size that others set'],
  },
  {
    name: 'what attaching added is never taken down',
    file: 'functions/react/carry-out/carry-out.ts',
    from: '...(added === undefined || admissions.admitted.length === 0 ? [] : [added]),',
    to: '',
    also: [{ file: 'core/decide/held-processes.ts', from: 'const takeDown = toTakeDown(view);', to: 'const takeDown = toTakeDown(view).slice(9);' }],
    caughtBy: ['a size that others raise'],
  },
  {
    name: 'the desired capacity falls with a member that is replaced, although others set it',
    file: 'aws/draining/auto-scaling.ts',
    from: 'asg.name !== outsideAsgOf(group),',
    to: "asg.name !== '' || outsideAsgOf(group) === '',",
    caughtBy: ['interruption, a size that others set'],
  },
  {
    name: 'a group whose size others set is taken over',
    file: 'core/view/asg-ledger.ts',
    from: '.filter(({ name }) => name !== outsideAsgOf(view.group))',
    to: ".filter(({ name }) => name !== '')",
    caughtBy: ['a size that others raise'],
  },
  {
    name: 'suspended processes are not resumed',
    file: 'functions/react/carry-out/put-back.ts',
    from: 'run.provider.resume(about),',
    to: "Promise.resolve('done'),",
    caughtBy: ['a size that others raise'],
  },
  {
    name: 'a smaller size that others set is not followed',
    file: 'core/group/outside-size.ts',
    from: 'const desired = Math.min(size.max, outside.size);',
    to: 'const desired = Math.max(state.desired, Math.min(size.max, outside.size));',
    caughtBy: ['a size that others lower'],
  },
  {
    name: 'what attaching added is taken down twice',
    file: 'aws/providers/size-changes.ts',
    from: 'const to = { DesiredCapacity: added.from,',
    to: 'const to = { DesiredCapacity: added.from - added.instances.length,',
    caughtBy: ['a size that others raise', 'interruption, a size that others set'],
  },
  {
    name: 'an attach is not noted before it is made',
    file: 'core/group/outside-size.ts',
    from: 'if (asg === undefined || instances.length === 0) return added;',
    to: 'if (asg === undefined || instances.length >= 0) return added;',
    caughtBy: ['a size that others raise'],
  },
  {
    name: 'the group goes on by itself while members are replaced',
    file: 'core/decide/held-processes.ts',
    from: 'return { suspend: toSuspend(situation, asg), resume:',
    to: 'return { suspend: toSuspend(situation, asg).slice(9), resume:',
    caughtBy: ['interruption, a size that others set', 'a size that others raise'],
  },
  {
    name: 'where others set the size, nobody moves back to spot',
    file: 'core/returning/rule.ts',
    from: "    modeOf(view.group) !== 'act' ||",
    to: "    modeOf(view.group) !== 'act' ||\n    outsideAsgOf(view.group) !== undefined ||",
    caughtBy: ['spot comes back to a group that others size'],
  },
  {
    name: 'where others set the size, members that the group launched move as well',
    file: 'core/returning/ground.ts',
    from: 'outsideAsgOf(group) === undefined || (isOnDemand(member) && member.reservation !== undefined);',
    to: 'outsideAsgOf(group) === undefined || isOnDemand(member);',
    caughtBy: ['a group that others size launches on demand by itself'],
  },
  {
    name: 'a group is held as long as it is paused in the middle of a move',
    file: 'core/decide/held-processes.ts',
    from: "if (modeOf(view.group) !== 'act') return",
    to: "if (modeOf(view.group) === 'observe') return",
    caughtBy: ['paused while a member moves where others set the size'],
  },
  {
    name: 'the group goes on by itself while a member moves',
    file: 'core/decide/held-processes.ts',
    from: 'return [...idsOf(swaps), ...movesUnderWay(view, headcount).flatMap(({ leaving }) => leaving)];',
    to: 'return [...idsOf(swaps), ...movesUnderWay(view, headcount).flatMap(({ leaving }) => leaving).slice(9)];',
    caughtBy: ['spot comes back to a group that others size'],
  },
];
