import { describe, expect, it } from 'vitest';
import { type LoadReading, startLoadAlarm } from '../../../sandbox/outside/load-alarms.ts';
import { createTestWorld, startMs } from '../world/build.ts';

type Heard = readonly [minute: number, from: string, to: string, fromThreshold: number];

/** Plays an alarm over minutes with so many requests on so many healthy targets. */
const run = async (
  comparison: 'above' | 'below',
  minutes: readonly (readonly [requests: number, healthy: number] | undefined)[],
): Promise<readonly Heard[]> => {
  const { clock, seconds } = createTestWorld();
  const heard: Heard[] = [];
  let reading: LoadReading | undefined = { requests: 1_000, healthy: 2 };
  let total = 1_000;
  const alarm = startLoadAlarm(
    {
      clock,
      read: () => reading,
      emitEvent: ({ detail }) => {
        const { state, previousState } = detail as {
          readonly state: { readonly value: string; readonly reasonData: string };
          readonly previousState: { readonly value: string };
        };
        const { recentDatapoints, threshold } = JSON.parse(state.reasonData) as {
          readonly recentDatapoints: readonly number[];
          readonly threshold: number;
        };
        heard.push([Math.round((clock.now() - startMs) / 60_000), previousState.value, state.value, (recentDatapoints.at(-1) ?? 0) - threshold]);
      },
    },
    { name: 'busy', targetGroup: 'web', comparison, threshold: 100, periods: 2 },
  );
  for (const minute of minutes) {
    const [requests, healthy] = minute ?? [0, 0];
    total += requests;
    reading = minute && { requests: total, healthy };
    await seconds(60);
  }
  alarm.stop();
  await seconds(600);
  return heard;
};

describe('an alarm on the requests of each target', () => {
  it('goes off after its periods, sends nothing while it lasts, and is over with the first minute within bounds', async () => {
    expect(
      await run('above', [
        [100, 2],
        [400, 2],
        [400, 2],
        [400, 2],
        [400, 4],
      ]),
    ).toEqual([
      [1, 'INSUFFICIENT_DATA', 'OK', -50],
      [3, 'OK', 'ALARM', 100],
      [5, 'ALARM', 'OK', 0],
    ]);
  });

  it('below its threshold', async () => {
    expect(
      await run('below', [
        [100, 2],
        [100, 2],
        [100, 1],
      ]),
    ).toEqual([
      [2, 'INSUFFICIENT_DATA', 'ALARM', -50],
      [3, 'ALARM', 'OK', 0],
    ]);
  });

  it('keeps its state in a minute without a healthy target, and without a target group', async () => {
    expect(await run('above', [[400, 2], [400, 2], [400, 0], undefined, [400, 2]])).toEqual([[2, 'INSUFFICIENT_DATA', 'ALARM', 100]]);
  });
});
