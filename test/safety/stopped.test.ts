import { expect, test } from 'vitest';
import { type Fleet, withFleet } from './fleet.ts';

const stateOf = (fleet: Fleet, instance: string) => fleet.sandbox.world.snapshot().instances.find(({ id }) => id === instance)?.state;

test.each([
  ['stop', 120_000],
  ['hibernate', 0],
] as const)('an instance that EC2 takes by %s is replaced, and ended once its replacement serves', (action, noticeMs) =>
  withFleet({ holding: 'tag', spot: 8 }, async (fleet) => {
    const taken = fleet
      .members('web', { market: 'spot' })
      .slice(0, 2)
      .map(({ id }) => id);
    fleet.sandbox.world.interrupt(taken, { noticeMs, action });
    await fleet.until('they are stopped', () => taken.every((id) => stateOf(fleet, id) === 'stopped'));
    await fleet.until('they are ended', () => taken.every((id) => stateOf(fleet, id) === 'terminated'));
    await fleet.settles(6);
    expect(fleet.launched()).toBe(8);
    expect((await fleet.swaps()).map(({ state }) => state)).toEqual(['gone', 'gone']);
  }),
);

test('an instance that EC2 stopped is left to it while nothing else can be had', () =>
  withFleet({ holding: 'tag', spot: 8, policy: { capacity: { spread: ['spot-a', 'spot-b', 'spot-c'] } } }, async (fleet) => {
    const [taken = ''] = fleet.ids();
    for (const zone of ['eu-west-1a', 'eu-west-1b', 'eu-west-1c'])
      fleet.sandbox.world.setOffering({ instanceType: 'm7g.large', zone, market: 'spot' }, { capacity: 0 });
    fleet.sandbox.world.interrupt([taken], { noticeMs: 120_000, action: 'stop' });
    await fleet.minutes(20);
    expect(stateOf(fleet, taken)).toBe('stopped');
    for (const zone of ['eu-west-1a', 'eu-west-1b', 'eu-west-1c'])
      fleet.sandbox.world.setOffering({ instanceType: 'm7g.large', zone, market: 'spot' }, { capacity: 8 });
    await fleet.settles(6, 40);
    await fleet.until('it is ended', () => stateOf(fleet, taken) === 'terminated');
  }));
