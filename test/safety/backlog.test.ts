import { expect, test } from 'vitest';
import { readMessage } from '../../functions/react/messages/read-message.ts';
import { holdings } from '../sim/worlds.ts';
import { type Fleet, withFleet } from './fleet.ts';

const reactRole = ({ functionRoles }: Fleet): string => functionRoles.find((role) => /react/i.test(role)) ?? 'react';

const deadLetterQueue = ({ sandbox }: Fleet) => {
  const queue = sandbox.platform.queues.find(({ name }) => name === 'holdfast-signals-dlq');
  if (queue === undefined) throw new Error('The stack has no dead-letter queue for signals.');
  return queue;
};

/** What StartMessageMoveTask does. */
const redrive = (fleet: Fleet): number => {
  const [dead, signals] = [deadLetterQueue(fleet), fleet.sandbox.platform.queues.find(({ name }) => name === 'holdfast-signals')];
  const messages = dead.messages();
  dead.purge();
  for (const { body, attributes } of messages) signals?.send(body, attributes);
  return messages.length;
};

const breakReact = (fleet: Fleet): void =>
  fleet.addFaults([{ on: 'call', kind: 'crash-caller', when: 'before', match: { caller: reactRole(fleet) } }]);

test.each(holdings)('two hours without react, then a backlog: one run brings the %s group back to its size', (holding) =>
  withFleet({ holding, spot: 8 }, async (fleet) => {
    breakReact(fleet);
    await fleet.minutes(5);
    fleet.warn(2);
    await fleet.minutes(110);
    fleet.warn(1);
    await fleet.minutes(5);
    const missing = 6 - fleet.serving();
    const before = fleet.launched();
    fleet.sandbox.faults.clear();
    await fleet.settles(6);
    expect(fleet.launched() - before).toBeLessThanOrEqual(missing + 1);
    const dead = deadLetterQueue(fleet).messages();
    expect(dead.length).toBeGreaterThan(40);
    expect(dead.filter(({ body, sentAtMs }) => readMessage(body, sentAtMs).kind !== 'signals')).toEqual([]);
    const launched = fleet.launched();
    expect(redrive(fleet)).toBe(dead.length);
    await fleet.minutes(5);
    await fleet.settles(6);
    expect(fleet.launched()).toBe(launched);
    expect(deadLetterQueue(fleet).messages()).toEqual([]);
  }),
);

test.each(holdings)('an hour without DynamoDB, in a storm: drains break off, and the %s group comes back to size', (holding) =>
  withFleet({ holding, spot: 8 }, async (fleet) => {
    fleet.warn(1);
    await fleet.minutes(0.3);
    fleet.addFaults([{ on: 'call', kind: 'error', code: 'InternalServerError', status: 500, match: { service: 'dynamodb' } }]);
    fleet.warn(2);
    await fleet.minutes(60);
    const [missing, launched] = [Math.max(0, 6 - fleet.serving()), fleet.launched()];
    fleet.sandbox.faults.clear();
    await fleet.settles(6);
    expect(fleet.launched() - launched).toBeLessThanOrEqual(missing);
  }),
);

test('of two hours of alarms that no function could act on, each alarm acts once, and sent back it does not act again', () =>
  withFleet(
    { holding: 'tag', spot: 8, size: { min: 1, max: 20, desired: 4 }, policy: { scaling: [{ alarm: 'busy', adjust: '+2', cooldown: '2m' }] } },
    async (fleet) => {
      breakReact(fleet);
      for (let alarms = 0; alarms < 5; alarms += 1) {
        fleet.alarm('busy');
        await fleet.minutes(25);
      }
      fleet.sandbox.faults.clear();
      fleet.alarm('busy');
      await fleet.settles(6);
      expect(redrive(fleet)).toBeGreaterThan(5);
      await fleet.minutes(5);
      await fleet.settles(6);
    },
  ));

test('an alarm of long ago that is sent back does not act', () =>
  withFleet(
    { holding: 'tag', spot: 8, size: { min: 1, max: 20, desired: 4 }, policy: { scaling: [{ alarm: 'idle', adjust: '-50%', cooldown: '2m' }] } },
    async (fleet) => {
      fleet.alarm('idle', fleet.sandbox.clock.now() - 2 * 3_600_000);
      await fleet.settles(4);
    },
  ));
