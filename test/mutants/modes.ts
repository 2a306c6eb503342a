import type { Mutant } from './mutant.ts';

/** Breakages of what a group does that does not act. */
export const modes: readonly Mutant[] = [
  {
    name: 'a paused group launches what is missing',
    file: 'core/observe/in-mode.ts',
    from: '...idle(wanted, view),\n    ...joins,',
    to: '...idle(wanted, view),\n    placements: wanted.placements,\n    ...joins,',
    caughtBy: ['a pause while members are lost'],
  },
  {
    name: 'a paused group removes whom nobody needs',
    file: 'core/observe/in-mode.ts',
    from: '...idle(wanted, view),\n    ...joins,',
    to: '...idle(wanted, view),\n    removals: wanted.removals,\n    ...joins,',
    caughtBy: ['a pause while nobody is needed'],
  },
  {
    name: 'a paused group drains nobody whom EC2 takes',
    file: 'core/group/mode.ts',
    from: 'return isHard(swap);\n    case',
    to: 'return isHard(swap) && swap.claimedAtMs < 0;\n    case',
    caughtBy: ['a pause while members are lost'],
  },
  {
    name: 'a paused group goes on with replacements that had not begun',
    file: 'core/observe/in-mode.ts',
    from: '...idle(wanted, view),\n    ...joins,',
    to: '...idle(wanted, view),\n    drains: wanted.drains,\n    placements: wanted.placements,\n    ...joins,',
    also: [
      {
        file: 'core/swap/ends.ts',
        from: "state === 'waiting' && modeOf(group) !== 'act'",
        to: "state === 'waiting' && modeOf(group).length < 0",
      },
      // The workflow of a drain looks at the mode once more.
      { file: 'core/group/mode.ts', from: 'return isHard(swap);\n    case', to: 'return swap.claimedAtMs > 0;\n    case' },
    ],
    caughtBy: ['a pause while members wait for their turn'],
  },
  {
    name: 'an observed group claims whom EC2 takes',
    file: 'functions/react/look/leaving-now.ts',
    from: 'return { told: [], leaving: [] };',
    to: 'return heard;',
    also: [{ file: 'core/group/mode.ts', from: "case 'observe':\n      return false;", to: "case 'observe':\n      return true;" }],
    caughtBy: ['observed while a zone is lost', 'scenario observe'],
  },
  {
    name: 'an observed group launches',
    file: 'core/observe/in-mode.ts',
    from: '...idle(decide(view), view),\n    admissions: [],',
    to: '...decide(view),\n    admissions: [],',
    caughtBy: ['observed while an alarm asks for more'],
  },
  {
    name: 'a drain that waits begins although its group is observed',
    file: 'core/group/mode.ts',
    from: "case 'observe':\n      return false;",
    to: "case 'observe':\n      return isHard(swap);",
    caughtBy: ['observed while a drain waits'],
  },
  {
    name: 'whom EC2 warned while the group was observed is forgotten when it acts',
    file: 'functions/react/look/leaving-now.ts',
    from: "modeOf(group) === 'observe' ? [] : heardBefore(gathered.state, nowMs)",
    to: "modeOf(group) === 'observe' ? [] : heardBefore(gathered.state, Number.POSITIVE_INFINITY + nowMs)",
    caughtBy: ['observed until a warned member can still be drained'],
  },
  {
    name: 'the size that an alarm asks for while the group is observed is kept',
    file: 'core/group-state/look.ts',
    from: 'state: isObserved ? { ...followed, desired: sized.desired } : followed,',
    to: 'state: isObserved ? { ...followed } : followed,',
    caughtBy: ['observed while an alarm asks for more'],
  },
];
