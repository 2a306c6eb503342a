import type { PutBack } from '../mutant.ts';

/** Faults of instances that do not come up, put back into the code. */
export const booting: readonly PutBack[] = [
  {
    name: 'real account 3: an instance that dies while it boots teaches its pool nothing',
    file: 'core/selector/standing.ts',
    from: 'if (failed !== undefined)\n    return {',
    to: 'if (failed !== undefined && nowMs < 0)\n    return {',
    situation: 'every boot fails, kept by tag',
  },
  {
    name: 'real account 3: however many die, all that are missing are launched',
    file: 'core/pool-memory/boot-memory.ts',
    from: 'mostDeathsPerNeed * missing - known - unexplained',
    to: 'mostDeathsPerNeed * missing + 0 * (known + unexplained)',
    situation: 'every boot fails, kept by tag',
  },
  {
    name: 'an instance that a user ends counts as a failed boot',
    file: 'core/pool-memory/failed-boots.ts',
    from: '!otherEnds.has(code) && !lateRefusals.has(code)',
    to: '(otherEnds.has(code) || !lateRefusals.has(code))',
    situation: 'a user ends what comes up',
  },
  {
    name: 'failed boots are not reported',
    file: 'functions/react/record/announce.ts',
    from: '    if (!isNews(remark)) return [];',
    to: "    if (!isNews(remark) || remark.code === 'boots-failed') return [];",
    situation: 'every boot on spot fails, attached',
  },
  {
    name: 'real account 1b: desired capacities fall while launches are denied',
    file: 'core/decide/covering.ts',
    from: 'unplaced +\n  placements',
    to: '0 * unplaced + 0 * placements',
    also: [
      { file: 'core/decide/covering.ts', from: 'doubtful(view) +', to: '0 * doubtful(view) +' },
      { file: 'core/decide/covering.ts', from: 'mayBeGone(view);', to: '0 * mayBeGone(view);' },
    ],
    situation: 'launches are denied while members are taken, attached',
  },
  {
    name: 'real account 1b: members at risk leave while launches are denied',
    file: 'core/decide/waiting-swaps.ts',
    from: '{ ...input, ...(denials && { denials }) }',
    to: '{ ...input, ...(denials && { denials: {} }) }',
    also: [
      // Nobody leaves in the hope of a pool that was not requested since a denial.
      {
        file: 'core/decide/waiting-swaps.ts',
        from: 'every((pool) => mayBeDenied(view.state.denials, pool))) return 0;',
        to: 'every((pool) => mayBeDenied({}, pool))) return 0;',
      },
      // Nobody leaves after launches that were denied a moment ago, whatever is remembered.
      {
        file: 'functions/react/converge.ts',
        from: 'const mayBegin = first !== undefined && !endDenied(rounds);',
        to: 'const mayBegin = first !== undefined && (!endDenied(rounds) || rounds.length > 0);',
      },
    ],
    situation: 'launches are denied while members are at risk, drain first',
  },
  {
    name: 'a group that is taken over for launches that are denied stays lowered',
    file: 'functions/react/carry-out/lowered-sizes.ts',
    from: 'if (to > from) await raise(',
    to: 'if (to > from + 99) await raise(',
    // What later looks give back would hide it.
    also: [
      {
        file: 'core/launch/give-back.ts',
        from: 'if (outsideAsgOf(group) !== undefined ||',
        to: 'if (missing > 0 || outsideAsgOf(group) !== undefined ||',
      },
    ],
    situation: 'launches are denied while a group does not refill itself',
  },
  {
    name: 'what fell before a denial was known stays lowered',
    file: 'core/launch/give-back.ts',
    from: 'if (outsideAsgOf(group) !== undefined ||',
    to: 'if (missing > 0 || outsideAsgOf(group) !== undefined ||',
    situation: 'launches are denied from the first warning on, drain first',
  },
  {
    name: 'a policy that is written forgets that launches are denied',
    file: 'core/group-state/look.ts',
    from: 'denials: withoutRest(state.denials, writtenAtMs)',
    to: 'denials: {}',
    situation: 'a policy is written while launches are denied',
  },
];
