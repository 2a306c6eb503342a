import { expect, test } from 'vitest';
import { scripted } from './audit/scripted.ts';
import { play } from './play.ts';
import { endThroughAsg } from './steps.ts';
import { settingOf } from './worlds.ts';

const terminating = (name: string, heartbeatSeconds: number) =>
  ({ name, transition: 'terminating', heartbeatSeconds, defaultResult: 'CONTINUE' }) as const;

test.each([1, 2])('of two hooks of an instance, one whose message is lost (the %i.) is found and completed too', async (nth) => {
  const hooks = [terminating('drain', 600), terminating('logs', 600)];
  const lost = { on: 'event', kind: 'drop', nth, match: { detailType: 'EC2 Instance-terminate Lifecycle Action' } } as const;
  const one = scripted(900_000)('one of two messages about hooks is lost', settingOf('attach', { hooks }), {
    asked: { web: { size: 6 } },
    steps: [endThroughAsg(1_000, 1)],
    faults: [lost],
  });
  const completed = new Set<string>();
  const { violations } = await play(one, {
    onReady: ({ sandbox }) =>
      sandbox.callLog.observe(({ operation }, { input }) => {
        const { LifecycleHookName = '' } = input as { readonly LifecycleHookName?: string };
        if (operation === 'CompleteLifecycleAction') completed.add(LifecycleHookName);
      }),
  });
  expect(violations).toEqual([]);
  expect([...completed].toSorted()).toEqual(['drain', 'logs']);
});
