import { expect, it } from 'vitest';
import type { History } from '../../sandbox/judge/history.ts';
import { drainedFirst } from '../../sandbox/judge/rules/removals/drained-first.ts';
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
  for (const operation of ['CreateFleet', 'PutEvents']) {
    const other = { on: 'call', kind: 'throttle', match: { operation } } as const;
    expect(found(115, { faults: [{ fault: other, fromMs: 109_000, untilMs: 111_000 }] as History['faults'] })).toBe(1);
  }
});

/** Two of five members drain for advice from second 110 on. Another one is warned at second 116, and launches follow. */
const foundAfter = (sizeAt: readonly (readonly [second: number, size: number])[], launches = 1): number =>
  details(drainedFirst, (script) => {
    twoServe(script);
    for (const instance of ['i-3', 'i-4', 'i-5']) script.member(instance);
    script.policy(10, 2, { ...policy, swap: { order: 'drain-first', maxSurge: 2 } });
    script.desired(11, 5, 2);
    for (const instance of ['i-1', 'i-2']) {
      script.advise(100, instance);
      script.at(102, {
        ...{ kind: 'item-written', table: 'state', group: 'web', item: `swap#${instance}`, bytes: 1 },
        by: react('i-a'),
        swap: { reason: 'rebalance', state: 'leaving' },
      });
      script.takeOut(110, instance);
    }
    script.react(101, 105, 'i-a');
    for (const [second, size] of sizeAt) script.desired(second, size, 2);
    script.warn(116, 'i-5');
    script.react(117, 120, 'i-b');
    for (let index = 0; index < launches; index++) script.launch(118 + index, `i-${6 + index}`, { pool: 'spot-a', by: react('i-b') });
  }).length;

it('a fall of the size takes away the places of as many members that drain already', () => {
  expect(foundAfter([[112, 3]])).toBe(0);
  expect(foundAfter([[112, 4]])).toBe(0);
  expect(foundAfter([[112, 4]], 2)).toBe(1);
  expect(foundAfter([[101, 4]])).toBe(1);
});

it('a fall and a rise take away none that the size needs again', () => {
  expect(
    foundAfter(
      [
        [112, 4],
        [113, 5],
      ],
      2,
    ),
  ).toBe(0);
  expect(
    foundAfter(
      [
        [112, 4],
        [113, 5],
      ],
      3,
    ),
  ).toBe(1);
});
