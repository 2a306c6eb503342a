import { describe, expect, test } from 'vitest';
import { type AccountBudget, emptyBudget, shareOut, withLessons } from '../../../core/limits/account-budget.ts';
import { isAllKnown, mostAtFirst, whoWaits } from '../../../core/limits/ask-first.ts';
import type { Ask } from '../../../core/limits/need.ts';
import type { OfferingKey } from '../../../core/pool/offering.ts';

const nowMs = 1_000_000;
const [inA, inB]: readonly OfferingKey[] = ['m7g.large/a/spot', 'm7g.large/b/spot'];
const asksOf = (count: number, rest: Partial<Ask> = {}): readonly Ask[] =>
  Array.from({ length: count }, (_, index) => ({
    group: `g${index}`,
    by: `d${index}`,
    bucket: 'createFleet',
    calls: 1,
    instances: 10,
    need: { urgency: 'warned', size: 100 - index },
    offerings: [[inA as OfferingKey]],
    ...rest,
  }));
const withTokens = (tokens: number): AccountBudget => ({ ...emptyBudget, levels: { createFleet: { tokens, atMs: nowMs } } });
const first = (budget: AccountBudget, asks: readonly Ask[]): readonly string[] => {
  const waits = whoWaits(budget, asks, nowMs);
  return asks.filter((ask) => !waits.has(ask)).map(({ group }) => group);
};
const learned = { empty: new Set<never>(), refused: new Map(), granted: new Set<OfferingKey>(), unspent: {} };

describe('who requests an offering first that nobody knows', () => {
  test('are a few groups in the order of need, also where the bucket is full', () => {
    for (const tokens of [1, 50]) expect(first(withTokens(tokens), asksOf(10))).toEqual(['g6', 'g7', 'g8', 'g9']);
    expect([...whoWaits(withTokens(50), asksOf(10), nowMs)]).toHaveLength(10 - mostAtFirst);
    expect(first(withTokens(1), asksOf(mostAtFirst))).toHaveLength(mostAtFirst);
  });

  test('are a few for each offering: a request waits if each unknown offering of it is requested already', () => {
    const inBoth = asksOf(1, { group: 'both', need: { urgency: 'spare', size: 1 }, offerings: [[inA as OfferingKey], [inB as OfferingKey]] });
    expect(first(withTokens(1), [...asksOf(5), ...inBoth])).toEqual(['g1', 'g2', 'g3', 'g4', 'both']);
    const sameTwice = asksOf(5, { offerings: [[inA as OfferingKey], [inA as OfferingKey]] });
    expect(first(withTokens(1), sameTwice)).toHaveLength(mostAtFirst);
  });

  test('is everybody once EC2 has granted or refused one of the offerings to any group, for half a minute', () => {
    const taught = (budget: AccountBudget, lessons: object): AccountBudget => withLessons(budget, { ...learned, ...lessons }, nowMs - 29_999);
    const late = (budget: AccountBudget, lessons: object): AccountBudget => withLessons(budget, { ...learned, ...lessons }, nowMs - 30_000);
    for (const lessons of [{ granted: new Set([inA]) }, { refused: new Map([[inA, 'InsufficientInstanceCapacity']]) }]) {
      expect(first(taught(withTokens(1), lessons), asksOf(10))).toHaveLength(10);
      expect(first(late(withTokens(1), lessons), asksOf(10))).toHaveLength(mostAtFirst);
    }
  });

  test('are fewer where groups of other batches have just been given turns for the offering, and are counted anew after two seconds', () => {
    const { budget } = shareOut(withTokens(3), asksOf(3), nowMs - 1_999);
    expect(budget.asked).toEqual({ [inA as string]: { atMs: nowMs - 1_999, groups: 3 } });
    expect(first(budget, asksOf(10))).toHaveLength(mostAtFirst - 3);
    const again = shareOut(withTokens(9), asksOf(1, { group: 'x' }), nowMs - 500).budget;
    expect(shareOut({ ...again, asked: budget.asked }, asksOf(1, { group: 'y' }), nowMs - 500).budget.asked).toEqual({
      [inA as string]: { atMs: nowMs - 1_999, groups: 4 },
    });
    expect(first({ ...withTokens(3), asked: { [inA as OfferingKey]: { atMs: nowMs - 2_000, groups: 3 } } }, asksOf(10))).toHaveLength(mostAtFirst);
  });

  test('is everybody whose calls launch nothing', () => {
    expect(
      first(
        withTokens(1),
        asksOf(10).map(({ offerings: _, ...ask }) => ask),
      ),
    ).toHaveLength(10);
  });
});

test('what EC2 granted is remembered for half a minute, and neither it nor requested offerings are kept for those who wait', () => {
  const after = withLessons(withTokens(0), { ...learned, granted: new Set([inA as OfferingKey]) }, nowMs);
  const [line] = shareOut(after, asksOf(1), nowMs).budget.waiting;
  expect([line?.group, Object.keys(line ?? {}).includes('offerings')]).toEqual(['g0', false]);
  const granted = (atMs: number) => shareOut(after, [], atMs).budget.granted;
  expect([granted(nowMs + 29_999), granted(nowMs + 30_000)]).toEqual([{ [inA as string]: nowMs }, {}]);
});

test('a request is known once one offering of each placement is', () => {
  const [one] = asksOf(1, { offerings: [[inA as OfferingKey, inB as OfferingKey], [inB as OfferingKey]] });
  expect([[inA], [inB], []].map((known) => isAllKnown(one as Ask, new Set(known as OfferingKey[])))).toEqual([false, true, false]);
});
