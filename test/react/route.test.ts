import { expect, test } from 'vitest';
import type { Owner } from '../../core/ports.ts';
import type { Signal } from '../../core/signal.ts';
import { route } from '../../functions/react/route.ts';

const nowMs = Date.UTC(2026, 0, 1);
const instance = 'i-0123456789abcdef0';
const offering = { instanceType: 'm7g.large', zone: 'eu-west-1a', market: 'spot' } as const;
const member: Owner = { group: 'web', asg: 'fleet', offering, state: 'running' };

const hookOf = (asg: string): Signal => ({
  kind: 'terminate-hook',
  instance,
  hook: { asg, hook: 'drain', token: 't', expiresAtMs: nowMs },
  atMs: nowMs,
});
const routed = (signal: Signal) => route([{ message: 'm', signal }], { ownersOf: async () => new Map([[instance, member]]) }, async () => [], nowMs);

test('a lifecycle action goes to the group of its instance', async () => {
  expect((await routed(hookOf('fleet'))).facts.map(({ group }) => group)).toEqual(['web']);
});

test('a lifecycle action of an Auto Scaling group that does not hold the instance is a stranger’s', async () => {
  expect(await routed(hookOf('others'))).toEqual({ facts: [], strangers: 1, again: [] });
});
