import { expect, test } from 'vitest';
import { scripted } from './audit/scripted.ts';
import { play } from './play.ts';
import type { Step } from './situation.ts';
import { kill } from './steps.ts';
import { settingOf } from './worlds.ts';

/** Environments come and go, so the next look knows nothing of what an earlier one remembered. */
const renew = (atMs: number): Step => ({
  atMs,
  what: 'the environments of all functions end',
  kind: 'fault-arranged',
  happen: ({ sandbox }) => sandbox.platform.functions.renew(),
});

test('a member whose target group cannot be read is registered once, whichever environment looks', async () => {
  const throttled = { on: 'call', kind: 'throttle', untilMs: 300_000, match: { operation: 'DescribeTargetHealth' } } as const;
  const one = scripted(900_000)('target health is throttled', settingOf('tag', {}), {
    asked: { web: { size: 6 } },
    steps: [kill(1_000, 2), renew(25_000), renew(70_000)],
    faults: [throttled],
  });
  const registered: string[] = [];
  const { violations } = await play(one, {
    onReady: ({ sandbox }) =>
      sandbox.callLog.observe(({ operation }, { input }) => {
        const { Targets = [] } = input as { readonly Targets?: readonly { readonly Id: string }[] };
        if (operation === 'RegisterTargets') registered.push(...Targets.map(({ Id }) => Id));
      }),
  });
  expect(violations).toEqual([]);
  expect(registered).toHaveLength(2);
  expect(new Set(registered).size).toBe(2);
});
