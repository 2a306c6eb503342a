import { describe, expect, it } from 'vitest';
import { observedSizesAreFollowed } from '../../sandbox/judge/rules/size/observed.ts';
import { details } from './details.ts';
import { policy, type Script, user } from './histories.ts';

const observed = { ...policy, asg: 'web-asg', mode: 'observe', size: { min: 1, max: 6, desired: 2 }, scaling: [] };

/** Others set this desired capacity at 100, and the state at the end says that the group wants this size. */
const found = (desired: number, said: number, { document = observed as object, changes = {}, more = {} } = {}) =>
  details(
    observedSizesAreFollowed,
    (script: Script) => {
      script.policy(0, 1, { ...document });
      script.at(100, { kind: 'asg-changed', asg: 'web-asg', min: 1, max: 9, desired, suspended: [], by: user, ...more });
    },
    { stored: { states: { web: { desired: said } }, swaps: [], decisions: [], deadLetters: 0, staleMessages: 0 }, ...changes },
  );

describe('an observed group has the size of its Auto Scaling groups', () => {
  it('holds for their desired capacity within the bounds of the policy, and breaks for another size', () => {
    expect(found(4, 4)).toEqual([]);
    expect(found(8, 6)).toEqual([]);
    expect(found(4, 2)).toEqual(['at rest, the desired capacity of web, which is observed, is 4, and its state says 2, expected 4']);
    expect(found(8, 8)).toHaveLength(1);
  });
  it('says nothing without rest, of a group that acts, and of Auto Scaling groups that are gone or count weights', () => {
    expect(found(4, 2, { changes: { restAtMs: undefined } })).toEqual([]);
    expect(found(4, 2, { document: { ...observed, mode: 'act' } })).toEqual([]);
    expect(found(4, 2, { more: { isGone: true } })).toEqual([]);
    expect(found(4, 2, { more: { weights: { t: 2 } } })).toEqual([]);
  });
});
