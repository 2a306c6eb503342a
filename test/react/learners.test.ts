import { expect, test } from 'vitest';
import type { Ask } from '../../core/limits/need.ts';
import type { OfferingKey } from '../../core/pool/offering.ts';
import type { ReactPorts } from '../../functions/react/ports.ts';
import { createLearners } from '../../functions/react/turns/learners.ts';

const keyOf = (zone: string): OfferingKey => `m7g.large/${zone}/spot`;
const one = (group: string, ...zones: readonly string[]) => ({ ask: { group, offerings: zones.map((zone) => [keyOf(zone)]) } as unknown as Ask });

const learners = () => {
  const released: string[][] = [];
  const sleeps: { readonly ms: number; readonly end: () => void }[] = [];
  const sleep = (ms: number) => new Promise<void>((end) => void sleeps.push({ ms, end }));
  const time = { nowMs: 0 };
  const clock = { now: () => time.nowMs } as ReactPorts['clock'];
  const held = createLearners({ clock, sleep }, (some) => void released.push(some.map(({ ask: { group } }) => group)));
  const wake = async (index: number) => {
    sleeps[index]?.end();
    await Promise.resolve();
    await Promise.resolve();
  };
  return { held, released, sleeps, time, wake };
};

test('requests wait until all that they request is known, each is told once, and two seconds at most', async () => {
  const { held, released, sleeps, wake } = learners();
  held.hold([one('a', 'x'), one('both', 'x', 'y')]);
  held.hold([one('never', 'z')]);
  held.learned([keyOf('x')]);
  expect([released, sleeps.map(({ ms }) => ms)]).toEqual([[['a']], [2_000, 2_000]]);
  await wake(0);
  expect(released).toEqual([['a'], ['both']]);
  await wake(1);
  expect(released).toEqual([['a'], ['both'], ['never']]);
});

test('a request does not wait for what was learned while it was handled, and nobody holds no timer', () => {
  const { held, released, sleeps } = learners();
  held.hold([]);
  held.learned([keyOf('x')]);
  held.hold([one('a', 'x')]);
  expect([released, sleeps.length]).toEqual([[['a']], 1]);
});

test('how long a group was held is told, and nothing of groups that were not', async () => {
  const { held, time, wake } = learners();
  held.hold([one('a', 'x'), one('b', 'y')]);
  time.nowMs = 700;
  held.learned([keyOf('x')]);
  time.nowMs = 2_000;
  expect([held.heldMs('a'), held.heldMs('b'), held.heldMs('c')]).toEqual([700, 0, 0]);
  await wake(0);
  expect([held.heldMs('a'), held.heldMs('b')]).toEqual([700, 2_000]);
});
