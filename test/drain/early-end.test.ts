import { describe, expect, it } from 'vitest';
import { asGone } from '../../core/drain/shortfall.ts';
import type { Swap } from '../../core/swap.ts';

const swap: Swap = {
  group: 'web',
  instance: 'i-1',
  reason: 'interruption',
  state: 'leaving',
  pool: 'spot-a',
  offering: 'm7g.large/eu-west-1a/spot',
  claimedAtMs: 1_000,
  decision: 'd',
};

describe('an instance that comes to its end', () => {
  it.each(['waiting', 'leaving'] as const)('before its drain began (%s) is said to have', (state) => {
    expect(asGone({ ...swap, state }, 5_000)).toMatchObject({
      state: 'gone',
      goneAtMs: 5_000,
      shortfall: { code: 'ended-before-drain' },
    });
  });
  it.each(['draining', 'drained'] as const)('while it was %s needs no word', (state) => {
    expect(asGone({ ...swap, state }, 5_000).shortfall).toBeUndefined();
  });
  it('keeps what was said before', () => {
    const shortfall = { code: 'not-released', awsCode: 'AccessDenied' } as const;
    expect(asGone({ ...swap, shortfall }, 5_000).shortfall).toEqual(shortfall);
  });
});
