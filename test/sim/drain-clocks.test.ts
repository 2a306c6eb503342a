import { expect, test } from 'vitest';
import { scripted } from './audit/scripted.ts';
import { play } from './play.ts';
import { endThroughAsg } from './steps.ts';
import { settingOf } from './worlds.ts';

test('heartbeats of hooks come in time while the clocks of all drain functions jump by up to a minute', async () => {
  const hooks = [{ name: 'drain', transition: 'terminating', heartbeatSeconds: 60, defaultResult: 'CONTINUE' }] as const;
  const one = scripted(900_000)(
    'drain functions with wrong clocks',
    settingOf('attach', { hooks, delaySeconds: 240, policy: { drain: { timeout: '5m' } } }),
    {
      asked: { web: { size: 6 } },
      steps: [endThroughAsg(1_000, 1)],
      calmAtMs: 300_000,
    },
  );
  const { violations, evidence } = await play(one, {
    onReady: (stage) =>
      stage.addFaults([
        {
          on: 'clock',
          kind: 'step',
          withinMs: 60_000,
          probability: 0.3,
          match: { caller: stage.functionRoles.filter((role) => /drain/.test(role)) },
        },
      ]),
  });
  const heartbeats = evidence.calls.filter(({ operation }) => operation === 'RecordLifecycleActionHeartbeat');
  expect(heartbeats.length).toBeGreaterThanOrEqual(6);
  expect(heartbeats.every(({ outcome }) => outcome === 'ok')).toBe(true);
  expect(violations).toEqual([]);
});
