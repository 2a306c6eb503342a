import { describe, expect, it } from 'vitest';
import { moveText, notMovedText } from '../../cli/move-text.ts';

const offering = 'm7g.large/eu-west-1a/spot' as const;

describe('a move', () => {
  it('is shown with the reason why its place is better', () => {
    const to = { pool: 'spot-a', instances: ['i-1', 'i-2'] };
    expect(moveText({ ...to, why: { code: 'earlier-tier', tier: 1, from: 2 } })).toBe(
      'moves i-1, i-2 to spot-a: tier 1 takes launches again; these members are in tier 2',
    );
    expect(moveText({ ...to, why: { code: 'cheaper', usdPerHour: 0.03, fromUsdPerHour: 0.05 } })).toContain('0.03 USD per hour');
    expect(moveText({ ...to, why: { code: 'spot-again' } })).toContain('spot takes launches again');
    expect(moveText({ ...to, why: { code: 'on-demand-owed', owed: 3, held: 1 } })).toContain('the policy asks for 3 on demand, the group has 1');
    expect(moveText({ ...to, why: { code: 'fewer-members', held: 1, fromHeld: 3 } })).toContain(
      'this part of the spread holds 1, their part holds 3',
    );
    expect(moveText({ ...to, why: { code: 'below-share', below: 0.666, fromAbove: 1 } })).toContain(
      'this child is 0.67 members below its share, their child is 1 member above',
    );
  });
});

describe('that no member moves', () => {
  it('is shown with the reason, and until when it holds', () => {
    const untilMs = Date.parse('2026-01-01T10:00:00Z');
    const texts = [
      notMovedText({ code: 'resting', offering, untilMs }),
      notMovedText({ code: 'would-not-pay', offering, usdPerHour: 0.04, fromUsdPerHour: 0.05, lifeMs: 1_200_000 }),
      notMovedText({ code: 'window-closed' }),
      notMovedText({ code: 'unsettled', untilMs }),
      notMovedText({ code: 'flapping', untilMs }),
      notMovedText({ code: 'budget', withinMs: 300_000 }),
    ];
    const parts = [offering, '20 minutes', 'window', '10:00', 'three moves', '5 minutes'];
    expect(texts.map((text, index) => text.includes(parts[index] ?? ''))).toEqual(parts.map(() => true));
  });
});
