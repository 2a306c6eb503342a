import { describe, expect, it } from 'vitest';
import type { DrainKind } from '../../core/swap/drain-kind.ts';
import type { Swap } from '../../core/swap/swap.ts';
import { drainName, drainsOf } from '../../functions/react/carry-out/drain-names.ts';
import { noonMs, swap } from '../drain/fleet.ts';

const inMs = (seconds: number) => noonMs + seconds * 1_000;
const kinds: readonly DrainKind[] = ['interruption', 'hook', 'removal', 'swap', 'mend'];

describe('names of drains', () => {
  it('differ by group, kind, decision and the ten seconds of the deadline', () => {
    const names = kinds.flatMap((kind) =>
      ['web', 'api'].flatMap((group) =>
        [undefined, ...Array.from({ length: 12 }, (_, index) => inMs(10 * index))].flatMap((deadlineMs) =>
          ['0mjuoj5za-xd6s7c', '0mjuoj5za-xd6s7d'].map((decision) => drainName({ group, kind, deadlineMs, decision })),
        ),
      ),
    );
    expect(new Set(names).size).toBe(names.length);
  });

  it('are taken by Step Functions, however long or odd the name of the group is, and two groups never share one', () => {
    const odd = ['a.b', 'a_b', `${'x'.repeat(62)}1`, `${'x'.repeat(62)}2`];
    const names = odd.map((group) => drainName({ group, kind: 'interruption', deadlineMs: inMs(0), decision: '0mjuoj5za-xd6s7c' }));
    for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_-]{1,80}$/);
    expect(new Set(names).size).toBe(odd.length);
  });
});

describe('the drain that a warning is put on', () => {
  const nameFor = (decision: string, swaps: readonly Swap[] = []) => drainsOf('web', decision, swaps)('interruption', inMs(128));
  const joined = nameFor('d-1');

  it('is the same for every decision, while it has not begun', () => {
    expect(nameFor('d-2', [swap('i-1', { drain: joined })])).toBe(joined);
    expect(drainsOf('web', 'd-2', [])('interruption', inMs(121))).toBe(joined);
  });
  it('is another for a deadline ten seconds later', () => {
    expect(drainsOf('web', 'd-1', [])('interruption', inMs(138))).not.toBe(joined);
  });
  it.each(['draining', 'drained', 'gone'] as const)('is one of its own, once a member of the shared one is %s', (state) => {
    expect(nameFor('d-2', [swap('i-1', { drain: joined, state })])).not.toBe(joined);
    expect(nameFor('d-2', [swap('i-1', { drain: joined, state })])).not.toBe(nameFor('d-3', [swap('i-1', { drain: joined, state })]));
  });
  it('is one of its own, once a member of the shared one drains on the drain of its hook', () => {
    const moved = swap('i-1', { drain: 'web-hook-1', state: 'draining', deadlineMs: inMs(128) });
    expect(nameFor('d-2', [moved])).not.toBe(joined);
    expect(nameFor('d-2', [{ ...moved, deadlineMs: inMs(138) }])).toBe(joined);
    expect(nameFor('d-2', [{ ...moved, state: 'leaving' }])).toBe(joined);
    expect(nameFor('d-2', [{ ...moved, reason: 'rebalance' }])).toBe(joined);
  });
  it('is never shared with another kind of leaving, nor does another kind join across decisions', () => {
    for (const kind of kinds.slice(1)) {
      const name = drainsOf('web', 'd-1', [])(kind, inMs(128));
      expect(name).not.toBe(joined);
      expect(name).not.toBe(drainsOf('web', 'd-2', [])(kind, inMs(128)));
    }
  });
});
