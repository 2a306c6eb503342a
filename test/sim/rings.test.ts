import { expect, it } from 'vitest';
import { randomSituation } from './random-situation.ts';

const seeds = Array.from({ length: 80 }, (_, index) => index + 1);
const worlds = seeds.map((seed) => randomSituation(seed, { profile: 'small' }));

it('in some worlds an alarm rings again, or another one soon after it', () => {
  const rings = worlds.map(({ steps }) => steps.filter(({ kind }) => kind === 'alarmed').map(({ atMs }) => atMs));
  const close = rings.filter((times) =>
    times.some((atMs, index) => times.some((other, place) => place !== index && Math.abs(other - atMs) < 80_000)),
  );
  expect(close.length).toBeGreaterThan(4);
  expect(close.length).toBeLessThan(40);
});

it('in some worlds alarms ask for a share of the size', () => {
  const shared = worlds.filter(({ policies }) => JSON.stringify(policies[0]?.scaling ?? []).includes('%'));
  expect(shared.length).toBeGreaterThan(10);
  expect(shared.length).toBeLessThan(50);
});

it('no world is calm before its last alarm is over', () => {
  for (const { steps, calmAtMs } of worlds) expect(calmAtMs).toBeGreaterThan(Math.max(0, ...steps.map(({ atMs, lastsMs = 0 }) => atMs + lastsMs)));
});

it('no share takes more than the whole size away', () => {
  const shares = worlds.flatMap(({ policies }) => JSON.stringify(policies[0]?.scaling ?? []).match(/-\d+%/g) ?? []);
  expect(shares.length).toBeGreaterThan(0);
  for (const share of shares) expect(Number.parseInt(share, 10)).toBeGreaterThanOrEqual(-100);
});
