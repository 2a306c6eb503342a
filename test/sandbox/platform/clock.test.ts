import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLiveClock } from '../../../sandbox/platform/live-clock.ts';
import { farthestAheadMs } from '../../../sandbox/platform/pace.ts';
import type { SharedTime } from '../../../sandbox/platform/shared-time.ts';
import { createVirtualClock } from '../../../sandbox/platform/virtual-clock.ts';

const wallMs = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe('virtual time', () => {
  it('runs actions by time, and by the order they were set within one moment', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 40 }), async (delays) => {
        const clock = createVirtualClock(1000);
        const seen: [number, number][] = [];
        delays.forEach((delay, index) => {
          clock.after(delay, () => {
            seen.push([clock.now() - 1000, index]);
          });
        });
        expect(await clock.run()).toBe('empty');
        expect(seen).toEqual(delays.map((delay, index): [number, number] => [delay, index]).sort((a, b) => a[0] - b[0] || a[1] - b[1]));
      }),
      { numRuns: 50 },
    );
  });

  it('does not move while a file is read', async () => {
    const clock = createVirtualClock(0);
    const read = async (): Promise<number> => {
      for (let times = 0; times < 20; times += 1) await readFile(import.meta.filename);
      return clock.now();
    };
    expect(await clock.drive(Promise.all([read(), clock.sleep(10).then(() => clock.now())]))).toEqual([0, 10]);
  });

  it('does not move while real work is under way', async () => {
    const clock = createVirtualClock(0);
    let doneAtMs = -1;
    clock.after(10, async () => {
      await clock.busy(wallMs(20));
      await clock.busy(wallMs(5));
      doneAtMs = clock.now();
    });
    clock.after(11, () => undefined);
    await clock.run();
    expect(doneAtMs).toBe(10);
    expect(clock.now()).toBe(11);
  });

  it('is not held back by a caller that sleeps in it', async () => {
    const clock = createVirtualClock(0);
    const seen: string[] = [];
    clock.after(1, async () => {
      await clock.sleep(100);
      seen.push(`sleeper ${clock.now()}`);
    });
    clock.after(50, () => {
      seen.push(`other ${clock.now()}`);
    });
    await clock.run();
    expect(seen).toEqual(['other 50', 'sleeper 101']);
  });

  it('stops at a moment, standing exactly there, and goes on later', async () => {
    const clock = createVirtualClock(0);
    const seen: number[] = [];
    for (const delay of [5, 10, 15]) {
      clock.after(delay, () => {
        seen.push(delay);
      });
    }
    expect(await clock.run({ untilMs: 12 })).toBe('time');
    expect(clock.now()).toBe(12);
    expect(seen).toEqual([5, 10]);
    await clock.run({ untilMs: 20 });
    expect(seen).toEqual([5, 10, 15]);
    expect(clock.now()).toBe(20);
  });

  it('stops when a condition holds', async () => {
    const clock = createVirtualClock(0);
    let count = 0;
    const again = (): void => {
      count += 1;
      clock.after(60_000, again);
    };
    clock.after(0, again);
    expect(await clock.run({ until: () => count === 3 })).toBe('condition');
    expect(clock.now()).toBe(120_000);
  });

  it('does nothing for a timer that was cancelled', async () => {
    const clock = createVirtualClock(0);
    let ran = false;
    clock
      .after(5, () => {
        ran = true;
      })
      .cancel();
    await clock.run();
    expect(ran).toBe(false);
  });

  it('reports what an action threw, at once or later', async () => {
    const clock = createVirtualClock(0);
    clock.after(1, () => {
      throw new Error('at once');
    });
    clock.after(2, async () => {
      await clock.sleep(5);
      throw new Error('later');
    });
    await expect(clock.run()).rejects.toThrow('at once');
    await expect(clock.run()).rejects.toThrow('later');
  });

  it('drives time until a promise settles, and throws when nothing can settle it', async () => {
    const clock = createVirtualClock(0);
    expect(await clock.drive(clock.sleep(500).then(() => clock.now()))).toBe(500);
    await expect(clock.drive(new Promise(() => undefined))).rejects.toThrow('Nothing is left to happen');
  });
});

describe('live time', () => {
  it('is wall time times its factor', async () => {
    const clock = createLiveClock({ originMs: 1_000_000, factor: 100 });
    await clock.sleep(2000);
    expect(clock.now()).toBeGreaterThanOrEqual(1_002_000);
    expect(clock.now()).toBeLessThan(1_040_000);
    clock.close();
  });

  it('runs what is due in order, and nothing after it was closed', async () => {
    const clock = createLiveClock({ factor: 1000 });
    const seen: number[] = [];
    const beganMs = clock.now();
    for (const delay of [3000, 1000, 2000, 1_000_000]) {
      clock.at(beganMs + delay, () => {
        seen.push(delay);
      });
    }
    await clock.sleep(4000);
    clock.close();
    await wallMs(10);
    expect(seen).toEqual([1000, 2000, 3000]);
  });

  it('waits for a thread that is blocked: it runs on by a bounded step alone', async () => {
    const clock = createLiveClock({ factor: 100 });
    await clock.sleep(500);
    const beganMs = clock.now();
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
    expect(clock.now() - beganMs).toBeLessThanOrEqual(farthestAheadMs);
    await clock.sleep(1_000);
    expect(clock.now() - beganMs).toBeLessThan(300 * 100);
    clock.close();
  });

  it('waits for work from its beginning to its end, also while other work ends', async () => {
    const clock = createLiveClock({ factor: 100 });
    const beganMs = clock.now();
    const work = Promise.withResolvers<void>();
    const busy = clock.busy(work.promise);
    await clock.busy(wallMs(50));
    await wallMs(50);
    // In 100 ms of wall time, without the work, it runs on by 10,000 ms.
    expect(clock.now() - beganMs).toBeLessThanOrEqual(2 * farthestAheadMs);
    work.resolve();
    await busy;
    await clock.sleep(2_000);
    expect(clock.now() - beganMs).toBeGreaterThanOrEqual(2_000);
    clock.close();
  });

  it('is the same in every thread', async () => {
    const clock = createLiveClock({ originMs: 5_000, factor: 50 });
    await clock.sleep(1_000);
    const time = clock.time as SharedTime;
    const source = `
      const { parentPort, workerData } = require('node:worker_threads');
      import(workerData.module).then(({ readTimeMs }) => parentPort.postMessage(readTimeMs(workerData.time)));`;
    const module = new URL('../../../sandbox/platform/shared-time.ts', import.meta.url).href;
    const before = clock.now();
    const [seen] = await once(new Worker(source, { eval: true, workerData: { time, module } }), 'message');
    expect(seen).toBeGreaterThanOrEqual(before);
    expect(seen).toBeLessThanOrEqual(clock.now());
    clock.close();
  });

  it('is the wall clock at a factor of one, which clients share: nothing holds it back', async () => {
    const clock = createLiveClock();
    void clock.busy(new Promise(() => undefined));
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2 * farthestAheadMs);
    expect(Math.abs(clock.now() - Date.now())).toBeLessThan(50);
    expect(clock.time).toBeUndefined();
    clock.close();
  });
});
