import { expect, test } from 'vitest';
import { scripted } from './audit/scripted.ts';
import { play } from './play.ts';
import { endThroughAsg } from './steps.ts';
import { settingOf } from './worlds.ts';

type Action = { readonly InstanceId?: string; readonly LifecycleActionToken?: string };

test('a terminating hook whose message is lost is found by the tick, kept alive and completed', async () => {
  const hooks = [{ name: 'drain', transition: 'terminating', heartbeatSeconds: 120, defaultResult: 'CONTINUE' }] as const;
  const lost = { on: 'event', kind: 'drop', match: { detailType: 'EC2 Instance-terminate Lifecycle Action' } } as const;
  const did: (readonly [string, Action])[] = [];
  const one = scripted(600_000)('a hook whose message is lost', settingOf('attach', { hooks }), {
    asked: { web: { size: 6 } },
    steps: [endThroughAsg(1_000, 2)],
    faults: [lost],
  });
  const { violations } = await play(one, {
    onReady: ({ sandbox }) =>
      sandbox.callLog.observe(({ operation, outcome }, { input }) => {
        if (/LifecycleAction/.test(operation) && outcome === 'ok') did.push([operation, input as Action]);
      }),
  });
  expect(violations).toEqual([]);
  const completed = did.filter(([operation]) => operation === 'CompleteLifecycleAction');
  expect(new Set(completed.map(([, { InstanceId }]) => InstanceId)).size).toBe(2);
  expect(did.every(([, { LifecycleActionToken }]) => LifecycleActionToken === undefined)).toBe(true);
  expect(did.some(([operation]) => operation === 'RecordLifecycleActionHeartbeat')).toBe(true);
});
