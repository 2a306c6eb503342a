import { describe, expect, it } from 'vitest';
import { decisionTexts } from '../../cli/decision-list.ts';
import { decisionText } from '../../cli/decision-text.ts';
import type { DecisionRecord } from '../../core/decision/decision-record.ts';
import { decisionOf } from '../core/decisions.ts';

const nowMs = Date.UTC(2026, 10, 20, 12);
const minuteMs = 60_000;

/** One member is missing, and its only pool rests. */
const refused = (minute: number, more: Partial<DecisionRecord> = {}): DecisionRecord => {
  const atMs = nowMs + minute * minuteMs;
  return {
    group: 'web',
    id: `000${minute}`,
    atMs,
    policyVersion: 1,
    correlation: `c-${minute}`,
    causes: [{ code: 'tick' }],
    sizes: [],
    rounds: [
      decisionOf({
        desired: 4,
        staying: 3,
        unplaced: 1,
        rejected: [
          {
            path: 'tiered[0]',
            pool: 'spot-a',
            code: 'refused',
            offering: 'm7g.large/us-east-1a/spot',
            awsCode: 'InsufficientInstanceCapacity',
            untilMs: atMs + 180_000,
          },
        ],
      }),
    ],
    view: { nowMs: atMs, byPool: {}, swaps: {}, reservations: 0, desired: 4, members: 3, serving: 3, prices: { readAtMs: atMs - minute * 1_000 } },
    ...more,
  };
};

describe('a list of decisions', () => {
  it('folds consecutive decisions with the same contents, whatever their times', () => {
    const [text, ...others] = decisionTexts([refused(3), refused(2), refused(1)]);
    expect(others).toEqual([]);
    expect(text).toBe(`${decisionText(refused(3))}\n  the same 2 times before, since 2026-11-20 12:01:00 UTC`);
  });
  it('shows "once before" for a single repeat', () => {
    expect(decisionTexts([refused(2), refused(1)])[0]).toContain('the same once before, since 2026-11-20 12:01:00 UTC');
  });
  it('keeps apart decisions with other contents, and decisions with another one between them', () => {
    const other = refused(2, { sizes: [{ code: 'policy', from: 3, to: 4 }] });
    const all = [refused(3), other, refused(1)];
    expect(decisionTexts(all)).toEqual(all.map(decisionText));
  });
  it('folds what differs in who had ended before, because EC2 shows that for an hour', () => {
    const before = refused(1);
    const all = [refused(2), { ...before, view: before.view && { ...before.view, ended: ['i-a'] } } as DecisionRecord];
    expect(decisionTexts(all)).toHaveLength(1);
  });
  it('keeps apart what was seen of other members', () => {
    const fewer = refused(1);
    const all = [refused(2), { ...fewer, view: fewer.view && { ...fewer.view, members: 2 } } as DecisionRecord];
    expect(decisionTexts(all)).toHaveLength(2);
  });
});
