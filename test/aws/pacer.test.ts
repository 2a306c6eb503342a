import { describe, expect, test } from 'vitest';
import { autoScalingCall, ec2Call, loadBalancingCall, paced } from '../../aws/calls/paced-client.ts';
import { createPacer } from '../../aws/calls/pacer.ts';
import type { PaceItem } from '../../aws/state/pace-item.ts';
import { type FullAt, heartbeatPatienceMs, type PacedCall } from '../../core/limits/call-pace.ts';
import { awsError } from './fake-aws.ts';

const startMs = 1_000_000;
const act: PacedCall = { bucket: 'autoScaling', kind: 'act', patienceMs: 1_000 };
const look: PacedCall = { bucket: 'autoScaling', kind: 'look', patienceMs: 1_000 };
/** An invocation in which only time passes, and that has time. */
const quiet = { isQuiet: true, untilMs: startMs + 3_600_000 };

/** One environment: its time passes while it sleeps. */
const environment = (fullAt: FullAt = {}) => {
  const world = {
    nowMs: startMs,
    fullAt: { ...fullAt } as Record<string, number>,
    takes: 0,
    reads: 0,
    slept: [] as number[],
    /** How long the item takes to fail. Absent: it does not fail. */
    failsInMs: undefined as number | undefined,
    unused: 0,
    /** How far the clock is set back whenever the environment sleeps. */
    setBackMs: 0,
  };
  const item: PaceItem = {
    take: async ({ bucket, costMs, untilMs, nowMs }) => {
      if (world.failsInMs !== undefined) {
        world.nowMs += world.failsInMs;
        throw awsError('ServiceUnavailable', 'out', 503);
      }
      world.takes += 1;
      const fromMs = Math.max(nowMs, world.fullAt[bucket] ?? 0);
      if (fromMs + costMs > untilMs) return { kind: 'over', fullAtMs: fromMs };
      world.fullAt[bucket] = fromMs + costMs;
      return { kind: 'taken', fullAtMs: fromMs + costMs };
    },
    fullNoSooner: async (bucket, atMs) => {
      world.fullAt[bucket] = Math.max(world.fullAt[bucket] ?? 0, atMs);
    },
    read: async () => {
      world.reads += 1;
      return world.fullAt;
    },
  };
  const pacer = createPacer({
    item,
    now: () => world.nowMs,
    sleep: async (ms) => {
      world.slept.push(ms);
      world.nowMs += ms - world.setBackMs;
    },
    unused: () => {
      world.unused += 1;
    },
  });
  return { world, pacer };
};
const count = (taken: readonly boolean[]): number => taken.filter(Boolean).length;

describe('calls wait for their tokens', () => {
  test('no call waits while there are tokens, and simultaneous calls are written together', async () => {
    const { world, pacer } = environment();
    expect(count(await Promise.all(Array.from({ length: 19 }, () => pacer.take(act))))).toBe(19);
    expect([world.takes, world.slept]).toEqual([1, []]);
    await Promise.all([pacer.take(look), undefined, Promise.resolve().then(() => pacer.take(look))]);
    expect(world.takes).toBe(2);
  });

  test('a full bucket refills nothing until launches, which take seconds, have taken their tokens', async () => {
    const left = async (call: PacedCall) => {
      const { world, pacer } = environment();
      expect(count(await Promise.all(Array.from({ length: 10 }, () => pacer.take(call))))).toBe(10);
      world.nowMs += 800;
      const more: PacedCall = { ...act, patienceMs: 0 };
      return count(await Promise.all(Array.from({ length: 30 }, () => pacer.take(more))));
    };
    expect([await left(act), await left({ ...act, isLaunch: true })]).toEqual([13, 9]);
  });

  test('of more calls than a bucket holds, as many are made as it holds', async () => {
    const { world, pacer } = environment();
    const glance: PacedCall = { bucket: 'health', kind: 'look', patienceMs: 0 };
    expect(count(await Promise.all(Array.from({ length: 61 }, () => pacer.take(glance))))).toBe(39);
    expect(world.unused).toBe(0);
  });

  test('a clock that is set back makes no call wait longer than its patience', async () => {
    const { world, pacer } = environment();
    pacer.begin(quiet);
    expect(await pacer.take(look)).toBe(true);
    pacer.spend('autoScaling', 5);
    world.nowMs -= 50_000;
    pacer.begin({ isQuiet: false, untilMs: startMs });
    expect(await pacer.take(act)).toBe(true);
    expect(world.slept).toEqual([]);
  });

  test('nor does a clock that is set back while a call waits', async () => {
    const { world, pacer } = environment({ autoScaling: startMs + 26 * 200 });
    world.setBackMs = 60_000;
    expect(await pacer.take(act)).toBe(false);
    expect(world.slept.reduce((sum, ms) => sum + ms, 0)).toBeLessThanOrEqual(1_000);
  });

  test('a call that is of no use later waits no longer, and others that are made with it wait as long as they may', async () => {
    const behind = async (untilMs?: number) => {
      const { world, pacer } = environment({ autoScaling: startMs + 22 * 200 });
      const late = pacer.take({ ...act, ...(untilMs !== undefined && { untilMs }) });
      return [await late, await pacer.take(act), world.nowMs - startMs <= 1_000];
    };
    expect([await behind(startMs + 300), await behind(startMs - 1), await behind(startMs + 999), await behind()]).toEqual([
      [false, true, true],
      [false, true, true],
      [true, true, true],
      [true, true, true],
    ]);
  });

  test('a call that changes something waits in line within its patience, and is refused beyond it', async () => {
    const behind = async (calls: number) => {
      const { world, pacer } = environment({ autoScaling: startMs + calls * 200 });
      return [await pacer.take(act), ...world.slept];
    };
    expect(await Promise.all([18, 19, 23, 29].map(behind))).toEqual([[true], [true, 200], [true, 1_000], [false]]);
    expect(await behind(26)).toEqual([true, 600, 1_000]);
  });

  test('an urgent call waits within its patience only once, is made beyond it, and its token is counted with the next call', async () => {
    const urgent: PacedCall = { ...act, isUrgent: true };
    const behind = async (calls: number) => {
      const { world, pacer } = environment({ autoScaling: startMs + calls * 200 });
      return [await pacer.take(urgent), ...world.slept];
    };
    expect(await Promise.all([18, 23, 24, 26, 70].map(behind))).toEqual([[true], [true, 1_000], [true], [true], [true]]);
    const { world, pacer } = environment({ autoScaling: startMs + 24 * 200 });
    await pacer.take(urgent);
    expect(world.fullAt.autoScaling).toBe(startMs + 24 * 200);
    await pacer.take({ ...act, patienceMs: 2_000 });
    expect(world.fullAt.autoScaling).toBe(startMs + 26 * 200);
  });

  test('a call that finds no token beside another one tries again when the next token has come, and not sooner', async () => {
    const { world, pacer } = environment({ autoScaling: startMs + 22 * 200 + 100 });
    expect(await Promise.all([pacer.take(act), pacer.take(act)])).toEqual([true, false]);
    expect(world.slept).toEqual([900]);
  });

  test('looks leave tokens to calls that change something, and try again later', async () => {
    const { world, pacer } = environment({ autoScaling: startMs + 12 * 200 });
    expect(await pacer.take(look)).toBe(true);
    expect(world.slept).toEqual([400]);
    expect(await environment({ autoScaling: startMs + 18 * 200 }).pacer.take(look)).toBe(false);
  });

  test('a look for launches waits in the line of calls that change something, whatever other looks leave', async () => {
    const decide: PacedCall = { ...look, kind: 'decide' };
    const { world, pacer } = environment({ autoScaling: startMs + 20 * 200 });
    expect(await pacer.take(decide)).toBe(true);
    expect(world.slept).toEqual([400]);
    expect(await environment({ autoScaling: startMs + 29 * 200 }).pacer.take(decide)).toBe(false);
  });

  test('a bucket that AWS found empty gives nothing for a while, and attempts of the SDK count', async () => {
    const { world, pacer } = environment();
    await pacer.throttled('autoScaling');
    pacer.spend('autoScaling', 2);
    expect(await pacer.take(act)).toBe(true);
    expect(world.slept).toEqual([600]);
  });

  test('no call waits beyond the time that its invocation plans to use; later ones are made only if there is a token', async () => {
    const { world, pacer } = environment();
    await pacer.throttled('autoScaling');
    pacer.begin({ isQuiet: false, untilMs: startMs + 500 });
    const taken = await Promise.all(Array.from({ length: 5 }, () => pacer.take(act)));
    expect([count(taken), world.slept]).toEqual([2, [200, 400]]);
    expect(world.nowMs).toBe(startMs + 600);
    expect([await pacer.take(act), await pacer.take(act), world.slept]).toEqual([true, false, [200, 400]]);
  });

  test('nor does one that has waited for its place in line: there it waits no longer than is left', async () => {
    const { world, pacer } = environment({ autoScaling: startMs + 26 * 200 });
    pacer.begin({ isQuiet: false, untilMs: startMs + 1_200 });
    expect(await pacer.take(act)).toBe(false);
    expect(world.nowMs).toBeLessThanOrEqual(startMs + 1_200);
  });

  test('while nothing happens looks are only counted, and written with the next call', async () => {
    const { world, pacer } = environment();
    pacer.begin(quiet);
    await Promise.all([pacer.take(look), pacer.take(look)]);
    expect(world.takes).toBe(0);
    await pacer.take(act);
    expect([world.takes, world.fullAt.autoScaling]).toEqual([1, startMs + 600]);
  });

  test('a bucket that was full for less than ten seconds says nothing: it fills up between the calls of a storm too', async () => {
    const takesAfter = async (fullForMs: number): Promise<number> => {
      const { world, pacer } = environment({ health: startMs - fullForMs });
      pacer.begin(quiet);
      await pacer.take(look);
      return world.takes;
    };
    expect([await takesAfter(9_999), await takesAfter(10_000)]).toEqual([1, 0]);
  });

  test('an environment that found the account calm does not read the item again for ten minutes before a single look', async () => {
    const { world, pacer } = environment();
    const tick = async (inMs: number, looks = 1) => {
      world.nowMs += inMs;
      pacer.begin(quiet);
      await Promise.all(Array.from({ length: looks }, () => pacer.take(look)));
      return [world.reads, world.takes];
    };
    expect(await tick(0)).toEqual([1, 0]);
    expect(await tick(60_000)).toEqual([1, 0]);
    expect(await tick(60_000, 2)).toEqual([2, 0]);
    expect(await tick(599_999)).toEqual([2, 0]);
    expect(await tick(1)).toEqual([3, 0]);
  });

  test.each([
    ['a signal came', (pacer: ReturnType<typeof environment>['pacer']) => pacer.begin({ ...quiet, isQuiet: false })],
    ['a call was written', (pacer: ReturnType<typeof environment>['pacer']) => pacer.take(act)],
  ])('it reads the item again once %s', async (_what, happens) => {
    const { world, pacer } = environment();
    pacer.begin(quiet);
    await pacer.take(look);
    await happens(pacer);
    world.nowMs += 60_000;
    pacer.begin(quiet);
    await pacer.take(look);
    expect(world.reads).toBe(2);
  });

  test('if the item fails, calls go on without it, and do not use it again for five times as long as that took', async () => {
    const { world, pacer } = environment({ autoScaling: startMs + 60_000 });
    world.failsInMs = 1_000;
    expect([await pacer.take(act), await pacer.take(act), world.unused]).toEqual([true, true, 1]);
    world.nowMs += 4_999;
    expect([await pacer.take(act), world.unused]).toEqual([true, 1]);
    world.nowMs += 1;
    expect([await pacer.take(act), world.unused]).toEqual([true, 2]);
    world.nowMs += 5_000;
    world.failsInMs = 8_000;
    expect([await pacer.take(act), world.unused]).toEqual([true, 3]);
    world.nowMs += 5_000;
    expect([await pacer.take(act), world.unused]).toEqual([true, 4]);
  });

  test('a call that follows an item which failed at once takes its token', async () => {
    const { world, pacer } = environment();
    world.failsInMs = 0;
    expect([await pacer.take(act), world.takes]).toEqual([true, 0]);
    world.failsInMs = undefined;
    expect([await pacer.take(act), world.takes]).toEqual([true, 1]);
  });
});

type Middleware = (next: (args: unknown) => Promise<unknown>, context: { commandName: string }) => (args: unknown) => Promise<unknown>;

/** What the middleware makes of a call whose result is this. */
const callThrough = (pacer: ReturnType<typeof environment>['pacer'], next: () => Promise<unknown>, commandName = 'AttachInstancesCommand') => {
  const added: Middleware[] = [];
  const patience = { actMs: 1_000, lookMs: 0, reads: 'look', healthMs: 0 } as const;
  paced({ middlewareStack: { add: (one: Middleware) => void added.push(one) } } as never, autoScalingCall(patience), pacer);
  return added[0]?.(next, { commandName })({});
};

describe('a client whose calls are paced', () => {
  test('does not call where there is no token, and fails as if AWS had throttled it', async () => {
    const { pacer } = environment({ autoScaling: startMs + 18_000 });
    const calls: number[] = [];
    const made = callThrough(pacer, async () => void calls.push(1), 'DescribeAutoScalingGroupsCommand');
    await expect(made).rejects.toMatchObject({ name: 'Throttling', $fault: 'client' });
    expect(calls).toEqual([]);
  });

  test('counts what AWS throttles, and every attempt', async () => {
    const { world, pacer } = environment();
    await callThrough(pacer, async () => ({ output: { $metadata: { attempts: 3 } } }));
    await expect(callThrough(pacer, async () => Promise.reject(awsError('Throttling')))).rejects.toThrow();
    expect(world.fullAt.autoScaling).toBe(startMs + 19 * 200);
  });

  test('takes the further attempts of a call from its bucket with the next call', async () => {
    const spent = async (attempts: number) => {
      const { world, pacer } = environment();
      await callThrough(pacer, async () => ({ output: { $metadata: { attempts } } }));
      await pacer.take(act);
      return ((world.fullAt.autoScaling ?? startMs) - startMs) / 200;
    };
    expect([await spent(1), await spent(3)]).toEqual([2, 4]);
  });

  test('each call takes its tokens from the bucket that AWS documents', () => {
    const patience = { actMs: 3, lookMs: 2, reads: 'look', healthMs: 1 } as const;
    expect(autoScalingCall(patience)('LaunchInstancesCommand')).toEqual({ bucket: 'autoScaling', kind: 'act', patienceMs: 3, isLaunch: true });
    expect(autoScalingCall(patience)('AttachInstancesCommand')).toEqual({ bucket: 'autoScaling', kind: 'act', patienceMs: 3 });
    const heartbeat = { bucket: 'autoScaling', kind: 'act', patienceMs: heartbeatPatienceMs, isUrgent: true };
    expect(autoScalingCall(patience)('RecordLifecycleActionHeartbeatCommand')).toEqual(heartbeat);
    expect(autoScalingCall(patience)('DescribeAutoScalingGroupsCommand')).toEqual({ bucket: 'autoScaling', kind: 'look', patienceMs: 2 });
    expect(autoScalingCall(patience)('DescribeLifecycleHooksCommand')).toEqual(heartbeat);
    const deciding = { ...patience, reads: 'decide' } as const;
    expect(autoScalingCall(deciding)('DescribeLifecycleHooksCommand')).toEqual({ bucket: 'autoScaling', kind: 'decide', patienceMs: 2 });
    expect(autoScalingCall(deciding)('DescribeAutoScalingGroupsCommand')).toEqual({ bucket: 'autoScaling', kind: 'decide', patienceMs: 2 });
    expect(loadBalancingCall(patience)('RegisterTargetsCommand')).toEqual({ bucket: 'targets', kind: 'act', patienceMs: 3 });
    expect(loadBalancingCall(patience)('DescribeTargetHealthCommand')).toEqual({ bucket: 'health', kind: 'look', patienceMs: 1 });
    expect(ec2Call(patience)('CreateFleetCommand')).toEqual({ bucket: 'createFleet', kind: 'act', patienceMs: 3 });
    expect(ec2Call(patience)('DescribeInstancesCommand')).toBeUndefined();
  });
});
