import { describe, expect, it } from 'vitest';
import { scripted } from './audit/scripted.ts';
import { stopForAWhile } from './ending-steps.ts';
import { play } from './play.ts';
import { deletePolicy, interrupt, putPolicy } from './steps.ts';
import { settingOf } from './worlds.ts';

const [warnedAtMs, takenAtMs] = [1_000, 121_000];

/** The policy is deleted before the drain has to begin, and comes back so long before EC2 takes the member. */
const backBefore = (leftMs: number) => {
  const setting = settingOf('tag', { size: 4, delaySeconds: 30 });
  return scripted(900_000)('a policy that comes back before EC2 takes a warned member', setting, {
    asked: { web: { size: 4, endsAt: 4 } },
    steps: [interrupt(warnedAtMs, 1), deletePolicy(10_000), putPolicy(takenAtMs - leftMs, setting.policy, 'the policy comes back')],
  });
};

describe('a warned member of a group that was let go', () => {
  it.each([20_000, 1_000])(
    'is taken out of service where the policy comes back early enough, and %i ms before its end break no rule',
    async (leftMs) => {
      const { violations, history } = await play(backBefore(leftMs));
      expect(violations).toEqual([]);
      const [taken] = history.events.flatMap((event) => (event.kind === 'warned' ? [event.instance] : []));
      const out = history.events.filter((event) => event.kind === 'out-of-service' && event.instance === taken);
      expect(out).toMatchObject(leftMs > 15_000 ? [{ why: 'deregistered' }] : [{ why: 'ending' }]);
    },
  );
});

it('a member that EC2 stopped and started again serves on where the policy comes back just before it is put back', async () => {
  const setting = settingOf('tag', { size: 4, delaySeconds: 30 });
  const stop = stopForAWhile(15_000, 1, 'stop', 220_000);
  const back = putPolicy(430_000, setting.policy, 'the policy comes back');
  const one = scripted(900_000)('a policy that comes back just before a member is put back', setting, {
    asked: { web: { size: 4, endsAt: 4 } },
    steps: [deletePolicy(10_000), stop, back],
  });
  const { violations, history } = await play(one);
  expect(violations).toEqual([]);
  const [stopped] = history.events.flatMap((event) => (event.kind === 'warned' ? [event.instance] : []));
  const isOut = (event: (typeof history.events)[number]): boolean =>
    event.kind === 'out-of-service' && event.instance === stopped && event.why === 'deregistered';
  expect([stopped, history.events.some(isOut)]).toEqual([expect.any(String), false]);
});
