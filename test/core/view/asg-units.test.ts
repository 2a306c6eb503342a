import { expect, it } from 'vitest';
import { unitsEach, unitsJoining, unitsOf } from '../../../core/view/asg-units.ts';
import { members } from '../members.ts';
import { onDemandB, spotA } from '../views.ts';

it('counts instances by what their Auto Scaling group shows for each, and those without a number as one', () => {
  expect(unitsOf({ units: { 'i-1': 3, 'i-2': 2 } }, ['i-1', 'i-3'])).toBe(4);
  expect(unitsOf({}, ['i-1', 'i-2'])).toBe(2);
});

it('counts members that join by the weights of their own types', () => {
  const [one, two] = [...members(spotA, 1), ...members(onDemandB, 1)];
  const type = one?.offering.instanceType ?? '';
  const joining = [one, two].flatMap((member) => (member === undefined ? [] : [{ ...member, offering: { ...member.offering } }]));
  const other = joining.map((member, at) => (at === 1 ? { ...member, offering: { ...member.offering, instanceType: 'other' } } : member));
  expect(unitsEach({ weights: { [type]: 3 } }, other)).toEqual({ [one?.instance ?? '']: 3 });
  expect(unitsJoining({ weights: { [type]: 3, other: 5 } }, other)).toBe(8);
  expect(unitsJoining({}, other)).toBe(2);
});
