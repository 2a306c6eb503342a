import { expect, it } from 'vitest';
import { stillRegistered, withRegistered } from '../../../core/view/registered.ts';
import { member } from '../members.ts';
import { nowMs, spotA } from '../views.ts';

it('notes the latest three hundred members that were registered', () => {
  expect(withRegistered(undefined, ['i-1'], nowMs)).toEqual({ 'i-1': nowMs });
  expect(withRegistered({ 'i-1': 1 }, ['i-2'], nowMs)).toEqual({ 'i-1': 1, 'i-2': nowMs });
  const many = Array.from({ length: 300 }, (_, index) => `i-${index}`);
  expect(Object.keys(withRegistered({ 'i-old': 1 }, many, nowMs))).toEqual(many);
});

it('keeps a note for two minutes, and for as long as its member is new', () => {
  const note = { 'i-1': nowMs - 120_000 };
  const one = member('i-1', spotA);
  const left = (atMs: number, members: Parameters<typeof stillRegistered>[1], isNew: boolean) => stillRegistered(note, members, () => isNew, atMs);
  expect(left(nowMs - 1, [], false)).toEqual(note);
  expect(left(nowMs, [], true)).toBeUndefined();
  expect(left(nowMs, [one], false)).toBeUndefined();
  expect(left(nowMs, [one], true)).toEqual(note);
  expect(stillRegistered(undefined, [one], () => true, nowMs)).toBeUndefined();
});
