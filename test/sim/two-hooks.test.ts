import { expect, test } from 'vitest';
import { chronicleOf } from '../../sandbox/judge/chronicle.ts';
import { scripted } from './audit/scripted.ts';
import { play } from './play.ts';
import { endThroughAsg, recommendRebalance } from './steps.ts';
import { settingOf } from './worlds.ts';

const terminating = (name: string, heartbeatSeconds: number) =>
  ({ name, transition: 'terminating', heartbeatSeconds, defaultResult: 'CONTINUE' }) as const;

const lostHook = (nth: number) => ({ on: 'event', kind: 'drop', nth, match: { detailType: 'EC2 Instance-terminate Lifecycle Action' } }) as const;

test.each([1, 2])('of two hooks of an instance, one whose message is lost (the %i.) is found and completed too', async (nth) => {
  const hooks = [terminating('drain', 600), terminating('logs', 600)];
  const one = scripted(900_000)('one of two messages about hooks is lost', settingOf('attach', { hooks }), {
    asked: { web: { size: 6 } },
    steps: [endThroughAsg(1_000, 1)],
    faults: [lostHook(nth)],
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

test.each([1, 2])(
  'the tick after a drain finds the hook whose message is lost (the %i.), also when Holdfast had the instance ended a moment ago',
  async (nth) => {
    const hooks = [terminating('drain', 600), terminating('logs', 600)];
    const one = scripted(900_000)('one of two messages about hooks is lost', settingOf('attach', { hooks, policy: { rebalance: { act: true } } }), {
      asked: { web: { size: 6 } },
      steps: [recommendRebalance(1_000, 1)],
      faults: [lostHook(nth)],
    });
    expect((await play(one)).violations).toEqual([]);
  },
);

test.each([1, 2])('a hook whose message is lost (the %i.) is kept alive where its instance had waited long for its drain', async (nth) => {
  const hooks = [terminating('drain', 100), terminating('logs', 100)];
  const policy = { rebalance: { act: true }, swap: { maxSurge: 1 }, drain: { timeout: '10m' } };
  const setting = settingOf('attach', { delaySeconds: 180, bootSeconds: [60, 70], hooks, policy });
  const one = scripted(900_000)('one of two messages about hooks is lost', setting, {
    asked: { web: { size: 6 } },
    steps: [recommendRebalance(1_000, 1)],
    faults: [lostHook(nth)],
    calmAtMs: 300_000,
  });
  const { history } = await play(one);
  const ends = chronicleOf(history).lives.flatMap((life) => life.hooks.map(({ over }) => over?.how));
  expect(ends.length).toBeGreaterThan(0);
  expect(new Set(ends)).toEqual(new Set(['completed']));
});
