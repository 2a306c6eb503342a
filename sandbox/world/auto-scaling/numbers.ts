import { isMutating } from '../../call-log.ts';
import type { Actor, AsgEvent } from '../../judge/history.ts';
import type { Operations } from '../operation.ts';
import type { Group, Scaling } from './group.ts';

type Numbers = Pick<AsgEvent, 'asg' | 'min' | 'max' | 'desired' | 'suspended'>;

const numbersOf = ({ name, min, max, desired, suspended }: Group): Numbers => ({ asg: name, min, max, desired, suspended: [...suspended].sort() });

const textOf = ({ min, max, desired, suspended }: Group): string => `${min} ${max} ${desired} ${[...suspended].sort()}`;

/** A group's numbers as an event, whether they changed or not. */
export const numbersEvent = ({ base }: Scaling, group: Group): AsgEvent => ({
  kind: 'asg-changed',
  ...numbersOf(group),
  by: { kind: 'user' },
  atMs: base.clock.now(),
});

const noteChanges = ({ base, groups }: Scaling): void => {
  for (const group of groups.values()) {
    const text = textOf(group);
    if (text === group.told) continue;
    group.told = text;
    base.note({ kind: 'asg-changed', ...numbersOf(group), by: base.acting.current().by });
  }
};

/** Whatever a call changes of a group's numbers is told, whichever operation it was. */
export const tellingNumbers = (scaling: Scaling, operations: Operations): Operations => {
  noteChanges(scaling);
  const telling =
    (run: Operations[string]): Operations[string] =>
    (input, caller) => {
      try {
        return run(input, caller);
      } finally {
        noteChanges(scaling);
      }
    };
  return Object.fromEntries(Object.entries(operations).map(([name, run]) => [name, isMutating(name) ? telling(run) : run]));
};

/** Runs what an Auto Scaling group does of its own accord. */
export const byItself = <T>({ base }: Scaling, { name }: Group, why: Extract<Actor, { kind: 'asg' }>['why'], work: () => T): T =>
  base.acting.as({ by: { kind: 'asg', asg: name, why } }, work);
