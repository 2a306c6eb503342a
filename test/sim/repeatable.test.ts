import { describe, expect, it } from 'vitest';
import { cleanRun, playCrash, twoDeaths } from './crash-points.ts';
import { traceOnce, traceTwice } from './trace.ts';

describe('a simulation', () => {
  it('is the same, byte by byte, when its seed is played again', async () => {
    const [first, second] = await traceTwice(7);
    expect(first.length).toBeGreaterThan(1_000);
    expect(second).toBe(first);
  });

  it.each(['endings', 'outages', 'scarce', 'edits'] as const)('is the same whether calls pass as values or as text: %s', async (profile) => {
    const [values, text] = [await traceOnce(910_001, { profile }), await traceOnce(910_001, { profile }, true)];
    expect(values.length).toBeGreaterThan(1_000);
    expect(values).toBe(text);
  });

  it('ends well when functions die twice', async () => {
    const clean = new Map([['interruption-tag', await cleanRun('interruption-tag', 1)]]);
    for (const run of twoDeaths(3, 1, clean)) expect({ run, ...(await playCrash(run)) }).toMatchObject({ run, violations: [] });
  });
});
