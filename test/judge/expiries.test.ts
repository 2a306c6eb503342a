import { describe, expect, it } from 'vitest';
import { itemsExpire } from '../../sandbox/judge/rules/memory/expiries.ts';
import { details } from './details.ts';
import { react, user } from './histories.ts';

const dayS = 24 * 3_600;

type Change = {
  readonly table?: 'groups' | 'state';
  readonly group?: string;
  readonly state?: string;
  readonly isByUser?: true;
  readonly clockS?: number;
};

/** An item that a function writes at 100 s, and that is kept for so many seconds. `never`: it names no time. Undefined: not known. */
const found = (item: string, keptS: number | 'never' | undefined, { table = 'state', group = 'web', state, isByUser }: Change = {}) =>
  details(itemsExpire, (script) => {
    script.policy(0, 1);
    const expires = keptS === undefined ? {} : { expiresAtMs: keptS === 'never' ? keptS : 1_000 * (100 + keptS) };
    const swap = state === undefined ? {} : { swap: { reason: 'interruption', state } };
    script.at(100, { kind: 'item-written', table, group, item, bytes: 10, by: isByUser ? user : react('i-a'), ...expires, ...swap });
  });

describe('stored items expire when they are due', () => {
  it.each([
    ['decision#d-1', 14],
    ['past#i-1', 7],
    ['request#r-1', 1],
    ['wake', 1],
  ])('%s after %d days', (item, days) => {
    expect(found(item, days * dayS)).toEqual([]);
    expect(found(item, days * dayS - 1)).toEqual([]);
    expect(found(item, days * 3_600)).toHaveLength(1);
    expect(found(item, 2 * days * dayS)).toHaveLength(1);
    expect(found(item, 'never')).toEqual([`${item} is kept for good, expected for ${days}.00 days`]);
  });

  it('a swap once its instance is gone, and no sooner', () => {
    expect(found('swap#i-1', 7 * dayS, { state: 'gone' })).toEqual([]);
    expect(found('swap#i-1', 'never', { state: 'gone' })).toHaveLength(1);
    expect(found('swap#i-1', 'never', { state: 'leaving' })).toEqual([]);
    expect(found('swap#i-1', 7 * dayS, { state: 'leaving' })).toEqual(['swap#i-1 is kept for 7.00 days, expected for good']);
  });

  it('no other item of a group, and nothing of the groups table', () => {
    expect(found('checks', dayS)).toHaveLength(1);
    expect(found('checks', 'never')).toEqual([]);
    expect(found('version#000001', dayS, { table: 'groups' })).toHaveLength(1);
    expect(found('version#000001', 'never', { table: 'groups' })).toEqual([]);
  });

  it('ten minutes sooner or later, because clocks are wrong and writes are repeated, and no more', () => {
    expect(found('wake', dayS - 600)).toEqual([]);
    expect(found('wake', dayS - 601)).toHaveLength(1);
    expect(found('wake', dayS + 601)).toHaveLength(1);
  });

  it('says nothing of what people write, of what all groups share, and of histories without these times', () => {
    expect(found('wake', 'never', { isByUser: true })).toEqual([]);
    expect(found('budget', 'never', { group: '@account' })).toEqual([]);
    expect(found('look#1', dayS, { group: '@account' })).toEqual([]);
    expect(found('wake', undefined)).toEqual([]);
  });
});
