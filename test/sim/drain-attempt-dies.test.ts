import { expect, test } from 'vitest';
import { scripted } from './audit/scripted.ts';
import { play } from './play.ts';
import { alarm } from './steps.ts';
import { settingOf } from './worlds.ts';

type Targets = { readonly Targets?: readonly { readonly Id: string }[] };

test('a member that is taken out of service by a function that dies, and that ends before the repeat, is not said to end undrained', async () => {
  const policy = { scaling: [{ alarm: 'low', adjust: '-2', cooldown: '1m' }] };
  const one = scripted(900_000)(
    'a function dies after it took members out of service',
    settingOf('tag', { size: { min: 1, max: 8, desired: 4 }, policy }),
    {
      asked: { web: { size: 4, endsAt: 2 } },
      steps: [alarm(1_000, 'low')],
      faults: [{ on: 'call', kind: 'crash-caller', when: 'answered', times: 1, match: { operation: 'DeregisterTargets' } }],
    },
  );
  const killed: string[] = [];
  const shortfalls: unknown[] = [];
  const { violations } = await play(one, {
    onReady: ({ sandbox }) =>
      sandbox.callLog.observe(({ operation }, { input }) => {
        const [target] = (input as Targets).Targets ?? [];
        if (operation !== 'DeregisterTargets' || target === undefined || killed.length > 0) return;
        killed.push(target.Id);
        sandbox.world.kill(target.Id);
      }),
    onEnd: (_, { swaps }) => shortfalls.push(...swaps.filter(({ instance }) => killed.includes(instance)).map(({ shortfall }) => shortfall)),
  });
  expect(violations).toEqual([]);
  expect(shortfalls).toMatchObject([{ code: 'drain-broke', error: 'AttemptFailed' }]);
});
