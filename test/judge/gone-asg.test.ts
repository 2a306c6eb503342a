import { expect, it } from 'vitest';
import { chronicleOf } from '../../sandbox/judge/chronicle.ts';
import { sizeIsHeld } from '../../sandbox/judge/rules/rest.ts';
import { excusesAreTrue } from '../../sandbox/judge/rules/said/said.ts';
import { details } from './details.ts';
import { historyOf, policy, type Script, user } from './histories.ts';

const numbers = { kind: 'asg-changed', asg: 'web-asg', min: 0, max: 4, suspended: [], by: user } as const;
const deleted = (script: Script): void => script.at(100, { ...numbers, max: 0, desired: 0, isGone: true });
const withAsg = (write: (script: Script) => void, asg = 'web-asg') => {
  const of = (script: Script): void => {
    script.policy(0, 1, { ...policy, asg, scaling: [] });
    write(script);
  };
  return of;
};

it('nobody is wanted in an Auto Scaling group that its owner has deleted, until there is one of that name again', () => {
  const history = historyOf(
    withAsg((script) => {
      deleted(script);
      script.at(200, { ...numbers, desired: 2 });
    }),
  );
  const at = (fromS: number, untilS = fromS) => chronicleOf(history).desiredIn('web', 1_000 * fromS, 1_000 * untilS);
  expect([at(150), at(90, 150).includes(0), at(90).includes(0), at(250).includes(0)]).toEqual([[0], true, false, false]);
});

it('at rest, nobody has to serve in one that is gone, and everybody in one that is there with the same numbers', () => {
  const held = (write: (script: Script) => void, asg?: string) => details(sizeIsHeld, withAsg(write, asg), { endedAtMs: 300_000 });
  expect(held(deleted)).toEqual([]);
  expect(held(deleted, 'other-asg')).toHaveLength(1);
  expect(held((script) => script.at(100, { ...numbers, max: 0, desired: 0 }))).toHaveLength(1);
});

it('nothing shows the target groups of a member whose Auto Scaling group was deleted before it ended, and of no other member', () => {
  const swap = { group: 'web', instance: 'i-1', reason: 'interruption', state: 'gone', decision: 'd', claimedAtMs: 90_000, goneAtMs: 103_000 };
  const swaps = [{ ...swap, shortfall: { code: 'not-seen' } }];
  const unseen = (endedAt: number, asg?: string) =>
    details(
      excusesAreTrue,
      withAsg((script) => {
        script.member('i-1', asg === undefined ? {} : { asg });
        deleted(script);
        script.end(endedAt, 'i-1', user);
      }),
      { endedAtMs: 300_000, stored: { states: {}, decisions: [], deadLetters: 0, staleMessages: 0, swaps } },
    );
  expect(unseen(100, 'web-asg')).toEqual([]);
  expect([unseen(99, 'web-asg'), unseen(100, 'other-asg'), unseen(100)].map(({ length }) => length)).toEqual([1, 1, 1]);
});
