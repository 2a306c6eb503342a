import { expect, it } from 'vitest';
import { forkRandom } from '../../sandbox/random.ts';
import { small } from './profiles/mixed.ts';
import { drawFrom } from './random-draw.ts';
import { withSecondAct } from './random-second-act.ts';

const seeds = Array.from({ length: 60 }, (_, index) => index + 1);
const last = (list: readonly { readonly atMs: number; readonly lastsMs?: number }[]): number =>
  Math.max(0, ...list.map(({ atMs, lastsMs = 0 }) => atMs + lastsMs));

/** A small world without what else may widen it. */
const worldOf = (seed: number) => withSecondAct(small.draw(drawFrom(forkRandom(seed, 'situation'))), drawFrom(forkRandom(seed, 'second act')));

/** The script of a small world is over within this time. */
const firstActMs = 31_000;

it('some worlds have a second act, which begins after the script and ends before the world is calm', () => {
  const worlds = seeds.map(worldOf);
  const second = worlds.filter(({ steps }) => steps.some(({ atMs }) => atMs > firstActMs));
  expect(second.length).toBeGreaterThan(8);
  expect(second.length).toBeLessThan(40);
  for (const { steps, calmAtMs } of worlds) expect(calmAtMs).toBeGreaterThan(last(steps));
  const kinds = new Set(second.flatMap(({ steps }) => steps.filter(({ atMs }) => atMs > firstActMs).map(({ kind }) => kind)));
  expect([...kinds].toSorted()).toEqual(expect.arrayContaining(['died', 'interrupted', 'rebalance-advised']));
});

it('alarms ring again only where the script rings them', () => {
  for (const seed of seeds) {
    const { steps } = worldOf(seed);
    const ring = (isSecond: boolean) =>
      new Set(steps.filter(({ atMs }) => atMs > firstActMs === isSecond).flatMap(({ about }) => about?.alarm ?? []));
    expect([...ring(true)].every((name) => ring(false).has(name))).toBe(true);
  }
});
