import type { PutBack } from '../mutant.ts';

/** Faults that the audit found, put back into the code. */
export const holding: readonly PutBack[] = [
  {
    name: '5: warnings and hooks go to the name in the tag, also when it is gone',
    file: 'functions/react/messages/route.ts',
    from: "index.byAsg.get(subject.asg ?? owner?.asg ?? '') ?? owner?.group;",
    to: "owner?.group ?? index.byAsg.get(subject.asg ?? owner?.asg ?? '');",
    situation: 'a group gets another name, then a member is warned',
  },
  {
    name: '7: a raised maximum is known by its last value alone',
    file: 'core/view/raised-max.ts',
    from: 'max === toMax || earlier.includes(max)',
    to: 'max === toMax && earlier.length >= 0',
    situation: 'a second raise never comes about',
  },
  {
    name: '7: a raised maximum is taken for its owner’s by the next name of the group',
    file: 'core/group-state/look.ts',
    from: 'allNotes([known, inherited])',
    to: 'allNotes([known, { ...inherited, raised: [] }])',
    situation: 'a group gets another name while a maximum is raised',
  },
  {
    name: '7: a maximum stays raised where the policy moves away from it',
    file: 'core/group/holders.ts',
    from: 'const former = (state?.holders ?? []).filter((asg) => !named.has(asg));',
    to: 'const former = (state?.holders ?? []).filter((asg) => !named.has(asg) && named.has(asg));',
    also: [
      {
        file: 'core/decide/maximum-sizes.ts',
        from: '(asg === undefined || asg.desired <= ownersMax(view.state.raised, asg))',
        to: '(asg !== undefined && asg.desired <= ownersMax(view.state.raised, asg))',
      },
    ],
    situation: 'the policy moves to another Auto Scaling group while a maximum is raised',
  },
  {
    name: '7: pools that are Auto Scaling groups are filled beyond their maxima while others have room',
    file: 'core/placement/plan-within-maxima.ts',
    from: 'if (maxima.size === 0) return',
    to: 'if (maxima.size >= 0) return',
    situation: 'a zone is lost where maxima are small',
  },
  {
    name: '10: members of what the policy no longer names are forgotten',
    file: 'core/group/holders.ts',
    from: 'const former = (state?.holders ?? []).filter((asg) => !named.has(asg));',
    to: 'const former = (state?.holders ?? []).filter((asg) => !named.has(asg) && named.has(asg));',
    situation: 'a pool is dropped, then its zone is lost',
  },
  {
    name: 'an instance that EC2 stops counts as gone',
    file: 'aws/draining/inspect-drain.ts',
    from: 'gone: !isAlive(found) && !isStopped(found),',
    to: 'gone: !isAlive(found) || isStopped(found),',
    also: [
      {
        file: 'core/swap/ends.ts',
        from: '.filter((instance) => !stopped.has(instance))',
        to: ".filter((instance) => stopped.size >= 0 && instance !== '')",
      },
    ],
    situation: 'EC2 stops what it takes',
  },
];
