import { expect, it } from 'vitest';
import { arrivedIn, cameUpNow, stillArriving, withGranted } from '../../../core/view/arriving.ts';
import { member as fullMember } from '../members.ts';
import { spotA } from '../views.ts';

const member = (instance: string, serving: boolean) => ({ instance, serving });

it('reports once for each launched instance that it serves', () => {
  const arriving = withGranted(withGranted(undefined, ['i-1'], 0), ['i-2', 'i-3'], 1_000);
  expect(arriving).toEqual({ 'i-1': 0, 'i-2': 1_000, 'i-3': 1_000 });
  const members = [member('i-1', true), member('i-2', false), member('i-old', true)];
  expect(arrivedIn(arriving, members)).toEqual(['i-1']);
  const left = stillArriving(arriving, members, 60_000);
  expect(left).toEqual({ 'i-2': 1_000, 'i-3': 1_000 });
  expect(arrivedIn(left, members)).toEqual([]);
});

it('drops arriving instances that no describe shows any more, and keeps instances that start slowly', () => {
  const arriving = { 'i-gone': 0, 'i-slow': 0 };
  expect(stillArriving(arriving, [member('i-slow', false)], 3_600_000)).toEqual({ 'i-slow': 0 });
  expect(stillArriving({ 'i-gone': 5 }, [], 600_005)).toBeUndefined();
  expect(stillArriving({ 'i-gone': 5 }, [], 600_004)).toEqual({ 'i-gone': 5 });
  expect(stillArriving(undefined, [], 0)).toBeUndefined();
});

const many = (count: number) => Array.from({ length: count }, (_, index) => `i-${index}`);

it('keeps all that EC2 grants in four minutes', () => {
  const arriving = withGranted(withGranted(undefined, many(1_000), 0), ['i-a', 'i-b'], 240_000);
  expect(Object.keys(arriving ?? {})).toHaveLength(1_002);
});

it('has a bounded length, because it is part of the state item, and keeps the latest', () => {
  const arriving = withGranted(withGranted({}, many(1_600), 0), ['i-last'], 1_000) ?? {};
  expect(Object.keys(arriving)).toHaveLength(1_500);
  expect(arriving).toMatchObject({ 'i-1599': 0, 'i-last': 1_000 });
  expect(withGranted(undefined, [], 0)).toBeUndefined();
});

it('remembers a bounded number of members that came up', () => {
  const members = many(1_600).map((instance) => fullMember(instance, spotA));
  expect(cameUpNow({}, members, () => true)).toHaveLength(1_500);
});
