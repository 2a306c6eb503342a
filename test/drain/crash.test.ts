import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { DrainOrder } from '../../core/ports/drains.ts';
import type { Swap } from '../../core/swap/swap.ts';
import { beginDrain } from '../../functions/begin-drain/begin-drain.ts';
import { checkDrain } from '../../functions/check-drain/check-drain.ts';
import { endDrain } from '../../functions/end-drain/end-drain.ts';
import { execute } from './execution.ts';
import { Crash, createFleet, type Fleet, member, noonMs, order, swap } from './fleet.ts';

const inMs = (seconds: number) => noonMs + seconds * 1000;
const hook = { asg: 'web', hook: 'drain', token: 't', expiresAtMs: inMs(40), timeoutMs: 40_000 };

/** Batches of every kind: what EC2 ends, what we end, what waits on a hook. */
const scenes: Readonly<Record<string, { readonly swaps: readonly Swap[]; readonly order: DrainOrder; readonly gone?: string }>> = {
  'an interruption': {
    swaps: [swap('i-1', { deadlineMs: inMs(120) }), swap('i-2', { deadlineMs: inMs(120) })],
    order: order(),
    gone: 'i-2',
  },
  'a rebalance': {
    swaps: [swap('i-1', { reason: 'rebalance' }), swap('i-2', { reason: 'scale-in' })],
    order: order(),
  },
  'a hook': { swaps: [swap('i-1', { reason: 'hook', hooks: [hook] }), swap('i-2', { reason: 'rebalance', hooks: [hook] })], order: order() },
};

const prepare = (name: string): { readonly fleet: Fleet; readonly order: DrainOrder } => {
  const scene = scenes[name];
  if (!scene) throw new Error(name);
  const fleet = createFleet(scene.swaps, 45_000);
  fleet.members = [member('i-3')];
  if (scene.gone) fleet.goneAtMs.set(scene.gone, inMs(80));
  return { fleet, order: scene.order };
};

/** What must be the same at the end whatever happened on the way. Times may differ by the retries. */
const endOf = (fleet: Fleet) => ({
  swaps: [...fleet.swaps.values()].map(({ instance, state, shortfall, drain }) => ({ instance, state, shortfall, drain })),
  ended: [...fleet.ended].toSorted(),
  completed: [...fleet.completed].toSorted(),
  released: [...fleet.releasedAtMs.keys()].toSorted(),
  told: [...new Set(fleet.told.map(({ detailType }) => detailType))],
});

describe.each(Object.keys(scenes))('the drain of %s', (name) => {
  test('ends the same when the function dies before or after any of its calls', async () => {
    const calm = prepare(name);
    await execute(calm.fleet, calm.order);
    const expected = endOf(calm.fleet);
    for (const when of ['before', 'after'] as const) {
      for (let n = 1; n <= calm.fleet.calls.length; n += 1) {
        const { fleet, order: anOrder } = prepare(name);
        fleet.crashAt(n, when);
        await execute(fleet, anOrder);
        expect(endOf(fleet), `died ${when} call ${n}, ${calm.fleet.calls[n - 1]}`).toEqual(expected);
      }
    }
  });

  test('ends the same when every step is taken twice', async () => {
    const calm = prepare(name);
    await execute(calm.fleet, calm.order);
    const { fleet, order: anOrder } = prepare(name);
    for (let steps = 0; steps < 50; steps += 1) {
      await beginDrain(fleet.ports, anOrder);
      const { step } = await beginDrain(fleet.ports, anOrder);
      if (step.next === 'begin') fleet.nowMs = Date.parse(step.untilIso);
      else break;
    }
    for (let steps = 0; steps < 50; steps += 1) {
      await checkDrain(fleet.ports, anOrder);
      const { step } = await checkDrain(fleet.ports, anOrder);
      if (step.next === 'end') break;
      fleet.nowMs = Date.parse(step.untilIso);
    }
    await endDrain(fleet.ports, anOrder);
    await endDrain(fleet.ports, anOrder);
    expect(endOf(fleet)).toEqual(endOf(calm.fleet));
  });
});

test('two executions of one drain at the same time do no more than one', async () => {
  const { fleet, order: anOrder } = prepare('a rebalance');
  fleet.nowMs = inMs(25);
  await Promise.all([beginDrain(fleet.ports, anOrder), beginDrain(fleet.ports, anOrder)]);
  fleet.nowMs = inMs(80);
  await Promise.all([checkDrain(fleet.ports, anOrder), checkDrain(fleet.ports, anOrder)]);
  await Promise.all([endDrain(fleet.ports, anOrder), endDrain(fleet.ports, anOrder)]);
  expect([...fleet.swaps.values()].map(({ state, drainStartedAtMs }) => ({ state, drainStartedAtMs }))).toEqual([
    { state: 'drained', drainStartedAtMs: inMs(25) },
    { state: 'drained', drainStartedAtMs: inMs(25) },
  ]);
});

test('steps in any order, at any time, however often: states only go forward and a drain always ends', async () => {
  const steps = fc.array(
    fc.record({ step: fc.constantFrom('begin', 'check', 'end'), waitMs: fc.integer({ min: 0, max: 40_000 }), dies: fc.nat({ max: 12 }) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...Object.keys(scenes)), steps, async (name, visits) => {
      const { fleet, order: anOrder } = prepare(name);
      for (const { step, waitMs, dies } of visits) {
        fleet.nowMs += waitMs;
        if (dies > 0) fleet.crashAt(dies, 'after');
        const run = { begin: beginDrain, check: checkDrain, end: endDrain }[step as 'begin' | 'check' | 'end'];
        await run(fleet.ports, anOrder).catch((error: unknown) => {
          if (!(error instanceof Error) || !(error instanceof Crash || error.cause instanceof Crash)) throw error;
        });
      }
      fleet.crashAt(0, 'after');
      await execute(fleet, anOrder);
      for (const { instance, state, reason } of fleet.swaps.values()) {
        expect(['drained', 'gone']).toContain(state);
        expect(fleet.ended.has(instance)).toBe(reason === 'rebalance' || reason === 'scale-in');
      }
    }),
    { numRuns: 200 },
  );
});
