import { expect, test } from 'vitest';
import { goneAsgs } from '../../../core/decide/gone-asgs.ts';
import type { GoneAsgs } from '../../../core/view/gone-asgs.ts';
import type { View } from '../../../core/view/view.ts';
import { asgView, group, nowMs, spotA, state } from '../views.ts';
import { proposed } from './situations.ts';

const attached = group({ holding: { kind: 'attach', asg: 'web-asg' } });
const there = asgView({ name: 'web-asg' });
const look = (before: GoneAsgs | undefined, rest: Partial<View> = {}) =>
  proposed(goneAsgs, { group: attached, asgs: [], state: state(before ? { goneAsgs: before } : {}), ...rest });
const since = (agoMs: number) => ({ 'web-asg': { sinceMs: nowMs - agoMs } });
const told = { 'web-asg': { sinceMs: nowMs - 90_000, isTold: true as const } };

test('a group that no describe shows is told as gone after 20 seconds, once, and a look comes then', () => {
  expect(look(undefined)).toEqual({ goneAsgs: since(0), wakeAtMs: nowMs + 20_000, remarks: [] });
  expect(look(since(19_999))).toEqual({ goneAsgs: since(19_999), wakeAtMs: nowMs + 1, remarks: [] });
  const gone = { 'web-asg': { sinceMs: nowMs - 20_000, isTold: true } };
  expect(look(since(20_000))).toEqual({ goneAsgs: gone, remarks: [{ code: 'asg-gone', asgs: ['web-asg'] }] });
  expect(look(told)).toEqual({ goneAsgs: told, remarks: [] });
});

test('a group that is there again is told as back if it was told as gone', () => {
  expect(look(told, { asgs: [there] })).toEqual({ remarks: [{ code: 'asg-back', asgs: ['web-asg'] }] });
  expect(look(since(10_000), { asgs: [there] })).toEqual({ remarks: [] });
  expect(look(undefined, { asgs: [there] })).toEqual({ remarks: [] });
});

test('a group that the policy does not name any more is told as neither', () => {
  const byTag = group();
  expect(look(told, { group: byTag })).toEqual({ remarks: [] });
  expect(look(told, { group: byTag, asgs: [there] })).toEqual({ remarks: [] });
});

test('each Auto Scaling group that is a pool counts by itself', () => {
  const pools = { a: { ...spotA, asg: 'a-asg' }, b: { ...spotA, asg: 'b-asg' } };
  const before = { 'b-asg': { sinceMs: nowMs - 30_000 } };
  expect(look(before, { group: group({ holding: { kind: 'launch-instances' }, pools }), asgs: [asgView({ name: 'a-asg' })] })).toMatchObject({
    remarks: [{ code: 'asg-gone', asgs: ['b-asg'] }],
  });
});
