import { describe, expect, it } from 'vitest';
import { againstText, placementText, removalText } from '../../cli/reason-text.ts';
import { remarkText } from '../../cli/remark-text.ts';

describe('what a policy limits', () => {
  it('names the full share and its number of members', () => {
    const full = { code: 'at-share', offering: 'm7g.large/eu-west-1a/spot', held: 4, most: 4 } as const;
    expect(againstText({ ...full, of: 'zone' })).toBe('m7g.large in eu-west-1a: its zone has 4 members, maxShare allows 4');
    expect(againstText({ ...full, of: 'instance-type' })).toContain('its instance type has 4 members');
    expect(remarkText({ code: 'shares-full', count: 2 })).toContain('launches 2 fewer: maxShare forbids');
  });

  it('is named in the reason of a member that leaves for it', () => {
    const why = { code: 'surplus', rank: { order: 'same-order' }, overShare: 'zone' } as const;
    expect(removalText(why)).toBe(
      'above the desired size; its zone holds more than maxShare allows; same order: the tree would place this member last',
    );
    expect(removalText({ code: 'surplus', rank: { order: 'same-order' }, unhealthy: true })).toMatch(
      /^above the desired size; unhealthy; same order/,
    );
  });

  it('is shown with the number that the policy requires on demand', () => {
    expect(placementText({ pool: 'od', count: 2, turns: [{ kind: 'tiered', tier: 2, of: 2 }], owed: { onDemand: 3, held: 1 } })).toBe(
      'the policy asks for 3 on demand, the group has 1: tiered: tier 2 of 2',
    );
    expect(remarkText({ code: 'on-demand-short', owed: 3, held: 1 })).toBe(
      'needs 3 on demand and has 1: no on-demand pool takes a launch now, so spot stays in their place',
    );
    expect(
      remarkText({ code: 'on-demand-short', owed: 3, held: 1, offering: 'm7g.large/a/on-demand', untilMs: Date.parse('2026-01-01T00:20:00Z') }),
    ).toBe(
      'needs 3 on demand and has 1: no on-demand pool takes a launch now, so spot stays in their place; ' +
        'no member moves to m7g.large/a/on-demand until 2026-01-01 00:20:00 UTC, because those that moved there did not stay',
    );
  });

  it('is shown with the need of a group that waits for its turn, and of those ahead of it', () => {
    const waits = { code: 'waits-for-turn', bucket: 'createFleet', count: 3, ahead: 4, turnAtMs: 1_000 } as const;
    const need = { urgency: 'warned', size: 30, aheadBy: { smaller: 1, empty: 2, earlier: 1 } } as const;
    expect(remarkText({ ...waits, ...need })).toMatch(
      /^3 wait for the account's createFleet bucket \(EC2 takes members, size 30\), behind 4 with greater need \(2 without a serving member, 1 as urgent and smaller, 1 as urgent and earlier in line\): the turn/,
    );
    expect(remarkText({ ...waits, ...need, code: 'rest-waits-for-turn', bucket: 'instances', count: 70, of: 100 })).toMatch(
      /^gets a part of its turn: of 100, 70 wait for the account's instances bucket \(EC2 takes members, size 30\), behind 4 .*: the turn/,
    );
    // A record of an earlier version.
    expect(remarkText(waits)).toMatch(/^3 wait for the account's createFleet bucket, behind 4 with greater need: the turn/);
  });
});
