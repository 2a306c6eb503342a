import { expect, test } from 'vitest';
import { newDecisionId } from '../../functions/react/record/identifiers.ts';

const idAt = (ms: number, drawn: number) => newDecisionId({ now: () => ms }, () => drawn);

test('ids of decisions sort by time, whatever was drawn for them', () => {
  const times = [0, 1, 35, 36, 1_000_000, Date.UTC(2026, 10, 20), Date.UTC(2026, 10, 20) + 1, Date.UTC(2059, 0, 1)];
  const ids = times.map((ms, index) => idAt(ms, index % 2 === 0 ? 0.999_999 : 0));
  expect(ids.toSorted()).toEqual(ids);
  expect(new Set(ids.map(({ length }) => length))).toEqual(new Set([16]));
});

test('ids of the same moment differ by what was drawn for them', () => {
  const ids = [0, 0.000_001, 0.5, 0.999_999_999].map((drawn) => idAt(1_000.7, drawn));
  expect(new Set(ids).size).toBe(4);
  expect(ids[0]).toBe('0000000rs-000000');
  expect(ids.every((id) => /^[0-9a-z]{9}-[0-9a-z]{6}$/.test(id))).toBe(true);
});
