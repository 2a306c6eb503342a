import { expect, test } from 'vitest';
import type { Signal } from '../../core/signals/signal.ts';
import { noFacts } from '../../functions/react/messages/facts.ts';
import { inOrder } from '../../functions/react/turns/in-order.ts';

const tick = (groups: readonly string[], isScheduled: boolean) => ({ signal: { kind: 'tick', groups, atMs: 0, isScheduled } as Signal });
const factsOf = (group: string) => ({ ...noFacts(group), causes: [] });

test('groups whose facts exist only in messages come first, then those that a wake names, then those of the tick', () => {
  const alarm = { ...factsOf('alarm'), alarms: [{ alarm: 'busy', state: 'ALARM', atMs: 0 }] };
  const facts = [factsOf('a'), factsOf('b'), factsOf('woken'), alarm, factsOf('c')];
  const received = [tick(['a', 'b', 'woken', 'alarm', 'c'], true), tick(['woken', 'elsewhere'], false)];
  expect(inOrder(facts as never, received).map(({ group }) => group)).toEqual(['alarm', 'woken', 'a', 'b', 'c']);
});
