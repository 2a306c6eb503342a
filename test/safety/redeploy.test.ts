import { describe, expect, test } from 'vitest';
import { holdings } from '../sim/worlds.ts';
import { type Fleet, withFleet } from './fleet.ts';

/** The stack is gone: no function answers, no event is heard, executions have ended, queues have lost what was in them. */
const deleteStack = async (fleet: Fleet): Promise<void> => {
  const { sandbox, functionRoles } = fleet;
  fleet.addFaults([
    { on: 'event', kind: 'drop' },
    { on: 'call', kind: 'crash-caller', when: 'before', match: { caller: [...functionRoles] } },
  ]);
  for (const { arn, status } of sandbox.executions()) {
    if (status === 'RUNNING') await fleet.operate('states', 'StopExecution', { executionArn: arn, error: 'StateMachineDeleting' });
  }
};

const deployAgain = ({ sandbox }: Fleet): void => {
  for (const queue of sandbox.platform.queues) queue.purge();
  sandbox.platform.functions.renew();
  sandbox.faults.clear();
};

describe.each(holdings)('a stack deleted and deployed again over a fleet held by %s', (holding) => {
  test('goes on where it stood when its tables were kept', () =>
    withFleet({ holding, spot: 8 }, async (fleet) => {
      await deleteStack(fleet);
      await fleet.minutes(30);
      const before = { ids: fleet.ids(), launched: fleet.launched() };
      deployAgain(fleet);
      await fleet.minutes(15);
      expect({ ids: fleet.ids(), launched: fleet.launched() }).toEqual(before);
    }));

  test('adopts the instances when its tables were lost and the policy is put again', () =>
    withFleet({ holding, spot: 8 }, async (fleet) => {
      await deleteStack(fleet);
      await fleet.minutes(30);
      const before = { ids: fleet.ids(), launched: fleet.launched() };
      await fleet.overwrite('groups', []);
      await fleet.overwrite('state', []);
      deployAgain(fleet);
      await fleet.put();
      await fleet.minutes(15);
      expect({ ids: fleet.ids(), launched: fleet.launched() }).toEqual(before);
      expect(await fleet.state()).toMatchObject({ desired: 6 });
    }));

  test('ends the drains that were cut off', () =>
    withFleet({ holding, spot: 8, policy: { rebalance: { act: true } } }, async (fleet) => {
      fleet.warn(1);
      const [atRisk] = fleet.members('web', { market: 'spot' });
      fleet.recommend(1);
      await fleet.until('a drain runs', () => fleet.sandbox.executions().some(({ status }) => status === 'RUNNING'));
      await fleet.minutes(0.1);
      await deleteStack(fleet);
      await fleet.minutes(10);
      deployAgain(fleet);
      await fleet.settles(6, 30);
      expect((await fleet.swaps()).filter(({ state }) => state !== 'gone')).toEqual([]);
      expect(fleet.ids()).not.toContain(atRisk?.id);
    }));
});
