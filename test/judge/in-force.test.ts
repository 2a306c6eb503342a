import { expect, it } from 'vitest';
import { lastGoodStays } from '../../sandbox/judge/rules/said/in-force.ts';
import { details } from './details.ts';
import { policy, type Script, twoServe } from './histories.ts';

const judged = (write: (script: Script) => void): readonly string[] =>
  details(lastGoodStays, (script) => {
    twoServe(script);
    write(script);
  });

const written = (script: Script, second: number, document?: Readonly<Record<string, unknown>>): void =>
  script.at(second, { kind: 'policy-written', group: 'web', ...(document && { document }) });

it('a version goes out of force only after the user deleted the policy', () => {
  const dropped = ['version 2 of web went out of force, and nobody had deleted the policy'];
  const after = (write: (script: Script) => void): readonly string[] =>
    judged((script) => {
      written(script, 99, policy);
      script.policy(100, 2);
      write(script);
      script.letGo(200);
    });
  expect(after(() => undefined)).toEqual(dropped);
  expect(after((script) => written(script, 198, { ...policy, size: 'many' }))).toEqual(dropped);
  expect(after((script) => written(script, 198))).toEqual([]);
  expect(after((script) => written(script, 201))).toEqual(dropped);
});

it('a policy that was deleted and written again may be out of force for a while, and no longer than a function runs', () => {
  const deletedAt = (second: number): readonly string[] =>
    judged((script) => {
      written(script, second);
      written(script, second + 1, policy);
      script.policy(100, 2);
      script.letGo(110);
    });
  expect(deletedAt(90)).toEqual([]);
  expect(deletedAt(50)).toHaveLength(1);
});

it('another version takes the place of the one before, and a group without a policy stays without one', () => {
  expect(judged((script) => script.policy(100, 2))).toEqual([]);
  expect(
    judged((script) => {
      written(script, 98);
      script.letGo(100);
      script.letGo(150);
    }),
  ).toEqual([]);
});
