import { describe, expect, it } from 'vitest';
import { asgsPutBack } from '../../sandbox/judge/rules/auto-scaling/put-back.ts';
import { details } from './details.ts';
import { policy, type Script, user } from './histories.ts';

const outside = { ...policy, asg: 'web-asg', size: { from: 'asg', min: 0, max: 6 }, scaling: [] };
const weighed = (desired: number) =>
  ({ kind: 'asg-changed', asg: 'web-asg', min: 1, max: 20, desired, suspended: [], unfit: ['weights'], weights: { t: 3 }, by: user }) as const;

describe('Auto Scaling groups are left as their owners set them, also where their sizes count weights', () => {
  const left = (desired: number, protects: readonly string[] = []) =>
    details(asgsPutBack, (script: Script) => {
      script.policy(0, 1, { ...outside });
      for (const instance of ['i-1', 'i-2']) script.member(instance, { asg: 'web-asg' });
      for (const instance of protects) script.at(40, { kind: 'protection', instance, from: 'scale-in', isOn: true, by: user });
      script.at(100, weighed(desired));
    });
  it('holds for as many units, and for more where no member could end without being missing', () => {
    expect([left(6), left(5), left(4)]).toEqual([[], [], []]);
  });
  it('breaks for fewer units, and where a member could end', () => {
    expect(left(7)).toEqual(['web-asg: its desired capacity is 7, and it holds 2']);
    expect(left(3)).toEqual(['web-asg: its desired capacity is 3, and it holds 2']);
  });
  it('holds for members that the group may not end, and for no others', () => {
    expect(left(3, ['i-1', 'i-2'])).toEqual([]);
    expect(left(3, ['i-1'])).toHaveLength(1);
  });
});
