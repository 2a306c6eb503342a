import type { Mutant } from './mutant.ts';

/** Faults that a reader of the policy reference would try first, and that random worlds seldom show. */
export const obvious: readonly Mutant[] = [
  {
    name: 'a child of weight 0 gives where nothing else does',
    file: 'core/selector/tree.ts',
    from: 'choice.weight > 0 && isOpen(choice.node)',
    to: 'isOpen(choice.node)',
    // Among children of weight 0 alone, the reason of a launch would be no number.
    also: [
      { file: 'core/selector/weights.ts', from: 'deficitOf(scale, share) / scale.total', to: 'deficitOf(scale, share) / Math.max(1, scale.total)' },
    ],
    caughtBy: ['a child of weight 0, and the others give nothing'],
  },
  {
    name: 'warnings do not widen the limit of launches',
    file: 'core/limits/launch-limit.ts',
    from: 'mostOf(atMost, size) + sumOf(within(state.warnings, withinMs, nowMs));',
    to: 'mostOf(atMost, size);',
    caughtBy: ['more are warned than the limit of launches allows'],
  },
  {
    name: 'with drain-first, twice as many leave first as maxSurge says',
    file: 'core/decide/waiting-swaps.ts',
    from: 'isDrainFirst ? maxSurge : 0',
    to: 'isDrainFirst ? 2 * maxSurge : 0',
    caughtBy: ['four are advised to leave, one leaves first at a time'],
  },
  {
    name: 'a member moves once the rest of its place is over, whatever return.after says',
    file: 'core/returning/plan-return.ts',
    from: 'return atMs + Math.max(afterMs, restMs <',
    to: 'return atMs + Math.max(0 * afterMs, restMs <',
    caughtBy: ['spot is refused, and comes back sooner than members return'],
  },
  {
    name: 'a paused or observed group takes over short Auto Scaling groups',
    file: 'core/observe/in-mode.ts',
    from: '    takeOver: [],\n',
    to: '',
    caughtBy: ['paused while an Auto Scaling group finds nothing'],
  },
  {
    name: 'a share in an alarm is a share of the maximum',
    file: 'core/scaling/adjustment.ts',
    from: 'current + stepOf(current, adjustment)',
    to: 'current + stepOf(size.max, adjustment)',
    caughtBy: ['an alarm asks for a fifth more'],
  },
  {
    name: 'a second raise of a maximum takes the first one for the value of its owner',
    file: 'core/view/raised-max.ts',
    from: 'return { asg: name, fromMax: before.fromMax, toMax,',
    to: 'return { asg: name, fromMax: max, toMax,',
    caughtBy: ['members are lost twice at the maximum'],
  },
  {
    name: 'drain.timeout counts twice where no deadline comes',
    file: 'core/drain/drain.ts',
    from: 'if (swap.deadlineMs === undefined || beganTooLate(swap)) return begunAtMs + timeoutMs;',
    to: 'if (swap.deadlineMs === undefined || beganTooLate(swap)) return begunAtMs + 2 * timeoutMs;',
    caughtBy: ['a surplus whose connections outlast drain.timeout'],
  },
  {
    name: 'nobody is told that one member is missing',
    file: 'functions/react/record/record.ts',
    from: '...(unplaced > 0 ? [exhausted] : [])',
    to: '...(unplaced > 1 ? [exhausted] : [])',
    caughtBy: ['one member is lost, and nothing gives'],
  },
  {
    name: 'what EC2 gives counts for the first offering of its launch',
    file: 'core/group-state/answers.ts',
    from: "const successesOf = ({ reservation: { atMs }, result }: Launched): readonly Success[] =>\n  result.kind === 'answered'\n    ? result.instances.map(({ offering }) => ({ offering: offeringKey(offering), askedAtMs: atMs }))",
    to: "const successesOf = ({ reservation: { atMs, placement }, result }: Launched): readonly Success[] =>\n  result.kind === 'answered'\n    ? result.instances.map(({ offering }) => ({ offering: offeringKey(placement.offerings[0] ?? offering), askedAtMs: atMs }))",
    caughtBy: ['EC2 refuses both types, and the second comes back first'],
  },
];
