import { expect, test } from 'vitest';
import type { Signal } from '../../core/signals/signal.ts';
import { routeAll } from '../../functions/react/messages/route-all.ts';
import { createSeenMembers } from '../../functions/react/messages/seen-members.ts';
import { createStrangers } from '../../functions/react/messages/strangers.ts';
import type { ReactPorts } from '../../functions/react/ports.ts';

const nowMs = Date.UTC(2026, 0, 1);
const warning: Signal = { kind: 'interruption', instance: 'i-0123456789abcdef0', action: 'terminate', atMs: nowMs };
const received = [
  { message: 'of a warning', signal: warning },
  { message: 'of a tick', signal: { kind: 'policy-change', group: 'web', atMs: nowMs } as Signal },
];

const routed = (thrown: Error) => {
  const logged: string[] = [];
  const ports = {
    owners: {
      ownersOf: async () => {
        throw thrown;
      },
    },
    strangers: createStrangers(),
    seen: createSeenMembers(),
    store: { registry: async () => [] },
    clock: { now: () => nowMs },
    telemetry: { logger: { error: (text: string) => void logged.push(text) } },
  } as unknown as ReactPorts;
  return { logged, result: routeAll(received, ports) };
};

test('while EC2 does not return the owners of instances, their signals come again, and signals that name a group go on', async () => {
  const throttle = Object.assign(new Error('Request limit exceeded.'), { name: 'RequestLimitExceeded', $fault: 'client' });
  const { logged, result } = routed(throttle);
  expect(await result).toMatchObject({ facts: [{ group: 'web' }], strangers: 0, again: ['of a warning'] });
  expect(logged).toEqual(['The groups of signals could not be found. The signals are delivered again.']);
});

test('an error that AWS did not return is thrown', async () => {
  await expect(routed(new TypeError('x is not a function')).result).rejects.toThrow('x is not a function');
});
