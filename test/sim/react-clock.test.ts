import { expect, test } from 'vitest';
import { scripted } from './audit/scripted.ts';
import { play } from './play.ts';
import { interrupt } from './steps.ts';
import { settingOf } from './worlds.ts';

test('what the function that reacts stores is dated by the time of AWS while its clock jumps by up to a minute', async () => {
  const one = scripted(900_000)('a function that reacts with a wrong clock', settingOf('attach', {}), {
    asked: { web: { size: 6 } },
    steps: [interrupt(1_000, 1), interrupt(40_000, 1), interrupt(80_000, 1)],
    calmAtMs: 240_000,
  });
  const { history, violations } = await play(one, {
    onReady: (stage) =>
      stage.addFaults([
        { on: 'clock', kind: 'step', withinMs: 60_000, probability: 1, match: { caller: stage.functionRoles.filter((role) => /react/.test(role)) } },
      ]),
  });
  const aheadMs = history.events.flatMap((event) => (event.kind === 'dated-ahead' ? [event.aheadMs] : []));
  // Some are ahead by what the start of a function may take.
  expect(aheadMs.length).toBeGreaterThan(0);
  expect(Math.max(...aheadMs)).toBeLessThan(6_000);
  expect(violations).toEqual([]);
}, 180_000);
