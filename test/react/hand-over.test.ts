import { describe, expect, test } from 'vitest';
import type { Swap } from '../../core/swap/swap.ts';
import type { GroupState } from '../../core/view/view.ts';
import type { Facts } from '../../functions/react/messages/facts.ts';
import type { ReactPorts } from '../../functions/react/ports.ts';
import { canHandOver, type Hindrance, handOver } from '../../functions/react/turns/hand-over.ts';
import { group, nowMs, state, swapOf } from '../core/views.ts';
import { factsOf, silent } from './facts.ts';

const acting = group();

test.each<readonly [string, Partial<Facts>, boolean]>([
  ['a warning can', { leaving: [{ instance: 'i-1', reason: 'interruption', atMs: nowMs }] }, true],
  ['an alarm cannot: it is in its message alone', { alarms: [{ alarm: 'cpu-high', atMs: nowMs }] as unknown as Facts['alarms'] }, false],
  ['a refill that was refused can: it is noted', { refusedAsgs: ['web-asg'] }, true],
  ['a drain that was stopped cannot', { stoppedDrains: ['d-1'] as unknown as Facts['stoppedDrains'] & object }, false],
  ['a policy change cannot', { causes: [{ code: 'policy-change' }] }, false],
])('whether a wake can go on: %s', (_what, facts, can) => {
  expect(canHandOver(factsOf(facts), acting)).toBe(can);
});

test('a group that is observed is not handed over: its claims would be kept', () => {
  expect(canHandOver(factsOf(), group({ mode: 'observe' }))).toBe(false);
});

test('what is handed over is claimed and announced, and another invocation is woken two seconds later', async () => {
  const done: string[] = [];
  const ports = {
    store: {
      swaps: async () => [],
      claim: async ({ instance, state: of }: { instance: string; state: string }) => {
        done.push(`claims ${instance} as ${of}`);
        return { kind: 'claimed' };
      },
    },
    announcer: { announce: async (events: readonly unknown[]) => void done.push(`tells ${events.length}`) },
    wakes: { wake: async (groups: readonly string[], atMs: number) => void done.push(`wakes ${groups.join()} in ${atMs - nowMs}`) },
    clock: { now: () => nowMs },
    random: () => 0.5,
    telemetry: { count: () => {}, logger: { warn: () => {}, error: () => {}, info: () => {} } },
  } as unknown as ReactPorts;
  const leaving = [{ instance: 'i-1', reason: 'interruption', atMs: nowMs, deadlineMs: nowMs + 120_000 }] as const;
  await handOver(factsOf({ leaving }), { group: acting, state: state() }, ports, 'slow');
  expect(done).toEqual(['claims i-1 as leaving', 'tells 1', 'wakes web in 2000']);
  done.length = 0;
  await handOver(factsOf(), { group: acting, state: state() }, ports, 'slow');
  expect(done).toEqual(['wakes web in 2000']);
  // What stays throttled is looked at more rarely, unless a signal waits for it.
  done.length = 0;
  await handOver(factsOf(), { group: acting, state: state() }, ports, 'throttled');
  await handOver(factsOf({ messages: ['m-1'] }), { group: acting, state: state() }, ports, 'throttled');
  expect(done).toEqual(['wakes web in 10000', 'wakes web in 2000']);
  // What fails is looked at once more for its signals, soon for a wake, and after the minute's tick with the next one.
  done.length = 0;
  await handOver(factsOf({ messages: ['m-1'] }), { group: acting, state: state() }, ports, 'failed');
  await handOver(factsOf({ isTick: true }), { group: acting, state: state() }, ports, 'failed');
  await handOver(factsOf({ isTick: true, isMinute: true }), { group: acting, state: state() }, ports, 'failed');
  expect(done).toEqual(['wakes web in 20000', 'wakes web in 2000']);
});

/** The wakes of looks in vain at these times, in seconds: when each was sent, and how much later it comes. */
const wakesOf = async (
  timesS: readonly number[],
  facts: Partial<Facts>,
  trouble: Hindrance,
  swaps: readonly Swap[] = [],
): Promise<readonly string[]> => {
  const wakes: string[] = [];
  let atMs = nowMs;
  const ports = {
    store: {},
    drains: {},
    wakes: { wake: async (_: readonly string[], ms: number) => void wakes.push(`${(atMs - nowMs) / 1000} +${(ms - atMs) / 1000}`) },
    clock: { now: () => atMs },
  } as unknown as ReactPorts;
  for (const sinceS of timesS) {
    atMs = nowMs + sinceS * 1_000;
    await handOver(factsOf(facts), { group: acting, state: state(), swaps }, ports, trouble);
  }
  return wakes;
};

test('looks that stay throttled are more frequent near the latest start of a drain that has not started, and near the deadline after that', async () => {
  const timesS = [0, 40, 60, 80, 96, 110, 119, 121];
  const leaving = swapOf('i-1', { reason: 'interruption', state: 'leaving', drain: 'web-interruption-1', deadlineMs: nowMs + 120_000 });
  const pressed = ['0 +7.125', '40 +5', '60 +5', '80 +5', '96 +3', '110 +2', '119 +2', '121 +30.25'];
  const usual = ['0 +10', '40 +10', '60 +15', '80 +20', '96 +24', '110 +27.5', '119 +29.75', '121 +30.25'];
  expect(await wakesOf(timesS, {}, 'throttled', [leaving])).toEqual(pressed);
  expect(await wakesOf(timesS, {}, 'throttled', [{ ...leaving, state: 'draining' }])).toEqual(usual);
  const { deadlineMs: _, ...advised } = leaving;
  expect(await wakesOf(timesS, {}, 'throttled', [advised])).toEqual(usual);
});

test('looks of a group that stay throttled are ever rarer, and left to the tick in the end; another throttle begins anew', async () => {
  const wakes = await wakesOf([0, 10, 20, 60, 100, 150, 160, 220, 339, 460], {}, 'throttled');
  expect(wakes).toEqual(['0 +10', '10 +10', '20 +10', '60 +15', '100 +25', '150 +37.5', '460 +10']);
});

test('looks that time and again have too little time are ever rarer, unless a signal waits for them', async () => {
  const timesS = [0, 20, 60, 100, 150, 170, 300];
  expect(await wakesOf(timesS, {}, 'slow')).toEqual(['0 +2', '20 +5', '60 +15', '100 +25', '150 +37.5', '300 +2']);
  expect(await wakesOf(timesS, { messages: ['m-1'] }, 'slow')).toEqual(timesS.map((atS) => `${atS} +2`));
});

test('a tick of the minute that has too little time leaves the look to the next tick, unless it brings a signal or is crowded', async () => {
  expect(await wakesOf([0, 60], { isMinute: true }, 'slow')).toEqual([]);
  expect(await wakesOf([0], { isMinute: true, messages: ['m-1'] }, 'slow')).toEqual(['0 +2']);
  expect(await wakesOf([0], { isMinute: true }, 'crowded')).toEqual(['0 +2']);
});

test('a tick of the minute that fails is followed by a look for a drain that must start before the next one', async () => {
  const leaving = swapOf('i-1', { reason: 'interruption', state: 'leaving', drain: 'web-interruption-1', deadlineMs: nowMs + 120_000 });
  const { deadlineMs: _, ...advised } = leaving;
  for (const trouble of ['failed', 'slow'] as const) {
    expect(await wakesOf([0, 60, 110], { isMinute: true }, trouble, [leaving])).toEqual(['0 +7.125', '60 +5', '110 +2']);
    expect(await wakesOf([121], { isMinute: true }, trouble, [leaving])).toEqual([]);
    expect(await wakesOf([0], { isMinute: true }, trouble, [advised])).toEqual([]);
    expect(await wakesOf([0], { isMinute: true }, trouble, [{ ...leaving, state: 'draining' }])).toEqual([]);
  }
});

test('a group that the groups before it left no time is looked at soon, each time', async () => {
  const timesS = [0, 20, 60, 100, 170];
  expect(await wakesOf(timesS, {}, 'crowded')).toEqual(timesS.map((atS) => `${atS} +2`));
});

describe('what only a message says: a refused refill', () => {
  const refill = { refusedAsgs: ['web-asg'] };
  const noting = (stored: GroupState | undefined, races = 0, facts: Partial<Facts> = refill, of = acting) => {
    const world = { written: [] as GroupState[], woken: 0 };
    let left = races;
    const ports = {
      store: {
        state: async () => stored && { ...stored, version: stored.version + races - left },
        putState: async (_: string, next: GroupState) => {
          if (left > 0) {
            left -= 1;
            return 'conflict';
          }
          world.written.push(next);
          return 'done';
        },
      },
      believed: (_: string, known: GroupState) => known,
      wakes: {
        wake: async () => {
          world.woken += 1;
        },
      },
      clock: { now: () => nowMs },
      telemetry: silent,
    } as unknown as ReactPorts;
    return { world, handOver: () => handOver(factsOf(facts), { group: of, state: stored }, ports, 'slow') };
  };
  const refused = { 'web-asg': { sinceMs: nowMs, refused: true } };

  test('is noted in the state item before the group is handed over, also after lost races', async () => {
    for (const races of [0, 3]) {
      const { world, handOver: play } = noting(state({ version: 5 }), races);
      await play();
      expect(world.written).toMatchObject([{ version: 6 + races, asgGaps: refused }]);
      expect(world.woken).toBe(1);
    }
  });

  test('is counted, so that a function that launches meanwhile can tell a note from a decision', async () => {
    const { world, handOver: play } = noting(state({ notes: 3 }));
    await play();
    expect(world.written.map(({ notes }) => notes)).toEqual([4]);
  });

  test('that is noted already is not written again', async () => {
    const { world, handOver: play } = noting(state({ asgGaps: refused }));
    await play();
    expect([world.written, world.woken]).toEqual([[], 1]);
  });

  test('that cannot be noted keeps its message, and arranges no wake', async () => {
    for (const { world, handOver: play } of [noting(undefined), noting(state(), 10)]) {
      await expect(play()).rejects.toThrow('Signals of group web could not be noted.');
      expect([world.written, world.woken]).toEqual([[], 0]);
    }
  });

  test('is noted like a new member that runs, where a running member needs nothing more', async () => {
    const newcomers = { 'i-1': { pool: 'spot-b', atMs: nowMs } };
    const known = state({ version: 5, newcomers });
    const inAsgs = group({ holding: { kind: 'launch-instances' } });
    const write = async (facts: Partial<Facts>, of = inAsgs) => {
      const { world, handOver: play } = noting(known, 0, facts, of);
      await play();
      return world.written.map((one) => [one.version, one.newcomers, one.asgGaps]);
    };
    const ran = { 'i-1': { ...newcomers['i-1'], hasRun: true } };
    expect(await write({ ran: ['i-1', 'i-2'] })).toEqual([[6, ran, {}]]);
    expect(await write({ ran: ['i-1'], ...refill })).toEqual([[6, ran, refused]]);
    expect(await write({ ran: ['i-2'] })).toEqual([]);
    // Where members are registered or attached, one that runs is not in service yet.
    const attached = group({ holding: { kind: 'attach', asg: 'asg-1' } });
    expect(await write({ ran: ['i-1'] }, attached)).toEqual([]);
    expect(await write({ ran: ['i-1'], ...refill }, attached)).toEqual([[6, newcomers, refused]]);
  });
});
