import { expect, it } from 'vitest';
import type { History } from '../../sandbox/judge/history.ts';
import { drainedFirst } from '../../sandbox/judge/rules/drained-first.ts';
import { details } from './details.ts';
import { policy, react, type Script, twoServe } from './histories.ts';

type Write = (script: Script) => void;
const nothing: Write = () => undefined;

/** EC2 advises to leave one of two members, which is taken out of service at second 110 for twenty seconds. */
const found = (launchedAt: number, { order = 'drain-first', reason = 'rebalance', also = nothing, faults = [] as History['faults'] } = {}): number =>
  details(
    drainedFirst,
    (script) => {
      twoServe(script);
      script.policy(10, 2, { ...policy, swap: { order, maxSurge: 1 } });
      script.desired(11, 2, 2);
      script.advise(100, 'i-1');
      script.react(101, 105, 'i-a');
      script.at(102, {
        ...{ kind: 'item-written', table: 'state', group: 'web', item: 'swap#i-1', bytes: 1 },
        by: react('i-a'),
        swap: { reason, state: 'leaving' },
      });
      script.takeOut(110, 'i-1');
      also(script);
      script.react(launchedAt - 1, launchedAt + 1, 'i-b');
      script.launch(launchedAt, 'i-3', { pool: 'spot-a', by: react('i-b') });
    },
    { faults },
  ).length;

it('breaks when a replacement is launched while its member drains, and holds once that is over', () => {
  expect(found(115)).toBe(1);
  expect(found(131)).toBe(0);
});

it('holds with launch-first, and for a member that leaves for another reason', () => {
  expect(found(115, { order: 'launch-first' })).toBe(0);
  expect(found(115, { reason: 'scale-in' })).toBe(0);
});

it('holds where EC2 takes the member, or another one is lost', () => {
  expect(found(115, { also: (script) => script.warn(112, 'i-1') })).toBe(0);
  expect(found(115, { also: (script) => script.end(105, 'i-2') })).toBe(0);
});

it('holds where a fault may have ended the drain early', () => {
  const fault = { on: 'call', kind: 'throttle', match: { service: 'states' } } as const;
  expect(found(115, { faults: [{ fault, fromMs: 109_000, untilMs: 111_000 }] as History['faults'] })).toBe(0);
  expect(found(115, { faults: [{ fault, fromMs: 1_000, untilMs: 2_000 }] as History['faults'] })).toBe(1);
});
