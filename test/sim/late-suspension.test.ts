import { expect, test } from 'vitest';
import { chronicleOf } from '../../sandbox/judge/chronicle.ts';
import { scripted } from './audit/scripted.ts';
import { play } from './play.ts';
import { deletePolicy, interrupt, setSpot } from './steps.ts';
import { settingOf, zones } from './worlds.ts';

const options = { size: 6, max: 20, market: 'spot', policy: { size: { from: 'asg', min: 0, max: 20 } } } as const;
/** The first attempt has no response for five seconds and was not carried out. The second one is. */
const late = {
  on: 'call',
  kind: 'lose-answer',
  when: 'before',
  as: 'timeout',
  afterMs: 5_000,
  times: 1,
  match: { operation: 'SuspendProcesses' },
} as const;

test('processes that a function suspends after its group was let go are resumed', async () => {
  const one = scripted(600_000)('a function suspends processes after its policy was deleted', settingOf('attach', options), {
    asked: { web: { size: 6 } },
    steps: [setSpot(500, zones, 0), interrupt(1_000, 2), deletePolicy(2_000)],
    faults: [late],
  });
  const { history, violations } = await play(one);
  const changes = history.events.flatMap((event) => (event.kind === 'asg-changed' && event.asg === 'web-asg' ? [event.suspended.length] : []));
  expect([violations, changes]).toEqual([[], [0, 2, 0]]);
  expect(chronicleOf(history).cloud.asgAt('web-asg', history.endedAtMs)?.suspended).toEqual([]);
});
