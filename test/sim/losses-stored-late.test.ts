import { expect, test } from 'vitest';
import { chronicleOf } from '../../sandbox/judge/chronicle.ts';
import { isFunction } from '../../sandbox/judge/world/life.ts';
import { scripted } from './audit/scripted.ts';
import { movePrice } from './capacity-steps.ts';
import { play } from './play.ts';
import { interrupt } from './steps.ts';
import { settingOf, zones } from './worlds.ts';

const [lost, ...others] = zones;
const instanceType = 'm7g.large';
const size = 3;
const lostAtMs = 10_000;

// The swap of the warned member is written, and nothing else for minutes (18600023 of outages).
test('nobody moves to where EC2 took a member, although the state could not be written until minutes after that', async () => {
  const unwritten = {
    on: 'call',
    kind: 'error',
    code: 'InternalServerError',
    status: 500,
    match: { service: 'dynamodb', operation: 'PutItem' },
    fromMs: lostAtMs + 1_300,
    untilMs: lostAtMs + 280_000,
  } as const;
  const setting = settingOf('tag', { size, policy: { capacity: { cheapest: ['spot-a', 'spot-b'] }, return: { after: '20m' } } });
  const situation = scripted(2_400_000)('a loss while no state is written', setting, {
    asked: { web: { size } },
    steps: [
      interrupt(lostAtMs, 1),
      movePrice(lostAtMs + 1_000, instanceType, [lost], 2),
      movePrice(500_000, instanceType, [lost], 0.2),
      movePrice(800_000, instanceType, others, 1),
    ],
    faults: [unwritten],
  });
  const { history, violations } = await play(situation);
  const { lives } = chronicleOf(history);
  const since = lives.filter(({ by, launchedAtMs }) => isFunction(by) && launchedAtMs > history.readyAtMs);
  expect(violations).toEqual([]);
  expect(since.length).toBeGreaterThan(0);
  expect(since.filter(({ zone }) => zone === lost)).toEqual([]);
});
