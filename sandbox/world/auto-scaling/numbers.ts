import { isMutating } from '../../call-log.ts';
import type { Actor, AsgEvent } from '../../judge/history.ts';
import type { Operations } from '../operation.ts';
import { type Group, held, type Scaling } from './group.ts';
import { weightsShown } from './units.ts';

type Numbers = Pick<AsgEvent, 'asg' | 'min' | 'max' | 'desired' | 'suspended' | 'unfit' | 'weights'>;

/** Settings with which a policy for the group is refused. */
const unfitIn = (group: Group): NonNullable<AsgEvent['unfit']> => [
  ...(group.rebalancesCapacity ? (['capacity-rebalancing'] as const) : []),
  ...(group.warmPool ? (['warm-pool'] as const) : []),
  ...(weightsShown(group) === undefined ? [] : (['weights'] as const)),
];

const numbersOf = (group: Group): Numbers => {
  const { name, min, max, desired, suspended } = group;
  const unfit = unfitIn(group);
  const weights = weightsShown(group);
  return { asg: name, min, max, desired, suspended: [...suspended].sort(), ...(unfit.length > 0 && { unfit }), ...(weights && { weights }) };
};

const textOf = (group: Group): string =>
  `${group.min} ${group.max} ${group.desired} ${[...group.suspended].sort()} ${unfitIn(group)} ${JSON.stringify(weightsShown(group))}`;

/** A group's numbers as an event, whether they changed or not. */
export const numbersEvent = ({ base }: Scaling, group: Group): AsgEvent => ({
  kind: 'asg-changed',
  ...numbersOf(group),
  by: { kind: 'user' },
  atMs: base.clock.now(),
});

const noteChanges = ({ base, groups: there }: Scaling, groups: Iterable<Group>): void => {
  for (const group of groups) {
    const isGone = there.get(group.name) !== group;
    const text = `${textOf(group)}${isGone ? ' gone' : ''}`;
    if (text === group.told) continue;
    group.told = text;
    base.note({ kind: 'asg-changed', ...numbersOf(group), ...(isGone && { isGone }), by: base.acting.current().by });
  }
};

/** Reports the processes that others than Holdfast resumed, whether they were suspended or not. */
export const noteResumed = ({ base }: Scaling, group: Group, resumed: readonly string[]): void => {
  const { by } = base.acting.current();
  if (by.kind === 'function') return;
  group.told = textOf(group);
  base.note({ kind: 'asg-changed', ...numbersOf(group), resumed, by });
};

/**
 * The group whose desired capacity a call names. To delete a group is to set it to 0 (user guide, Delete your Auto Scaling group), and to create one is to
 * set its first size.
 */
const sizedBy = (operation: string, input: Readonly<Record<string, unknown>>): unknown =>
  operation === 'SetDesiredCapacity' ||
  operation === 'CreateAutoScalingGroup' ||
  operation === 'DeleteAutoScalingGroup' ||
  (operation === 'UpdateAutoScalingGroup' && input.DesiredCapacity !== undefined)
    ? input.AutoScalingGroupName
    : undefined;

/** Desired capacities before a call, and the name of the group whose desired capacity it names. */
type Written = { readonly before: ReadonlyMap<Group, number>; readonly named: unknown };

/** Reports sizes that others than Holdfast wrote. */
const noteSizes = ({ base }: Scaling, groups: Iterable<Group>, { before, named }: Written): void => {
  const { by } = base.acting.current();
  if (by.kind === 'function') return;
  for (const group of groups) {
    const { name: asg, desired: size } = group;
    const found = before.get(group) ?? size;
    if (found === size && named !== asg) continue;
    const covers = held(group).map(({ instance }) => instance.id);
    base.note({ kind: 'size-written', asg, found, size, how: named === asg ? 'set' : 'moved', covers, by });
  }
};

/** Reports every change of a group's numbers by a call, for any operation. */
export const tellingNumbers = (scaling: Scaling, operations: Operations): Operations => {
  noteChanges(scaling, scaling.groups.values());
  const telling =
    (name: string, run: Operations[string]): Operations[string] =>
    (input, caller) => {
      const before = new Map([...scaling.groups.values()].map((group) => [group, group.desired]));
      let named: unknown;
      try {
        const output = run(input, caller);
        named = sizedBy(name, input);
        return output;
      } finally {
        // A call may have deleted a group.
        const groups = new Set([...before.keys(), ...scaling.groups.values()]);
        noteChanges(scaling, groups);
        noteSizes(scaling, groups, { before, named });
      }
    };
  return Object.fromEntries(Object.entries(operations).map(([name, run]) => [name, isMutating(name) ? telling(name, run) : run]));
};

/** Runs what an Auto Scaling group does of its own accord. */
export const byItself = <T>({ base }: Scaling, { name }: Group, why: Extract<Actor, { kind: 'asg' }>['why'], work: () => T): T =>
  base.acting.as({ by: { kind: 'asg', asg: name, why } }, work);
