import { expect, it } from 'vitest';
import type { Rule } from '../../sandbox/judge/finding.ts';
import { versionRules } from '../../sandbox/judge/rules/said/in-force.ts';
import { details } from './details.ts';
import { policy, type Script, twoServe } from './histories.ts';

const [lastGoodStays, versionsDiffer] = versionRules as [Rule, Rule];

const judged = (write: (script: Script) => void, rule = lastGoodStays): readonly string[] =>
  details(rule, (script) => {
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

it('a version that comes into force says something else than the one before', () => {
  const after = (write: (script: Script) => void): readonly string[] =>
    judged((script) => {
      script.at(100, { kind: 'policy-in-force', group: 'web', version: 2, meaning: 'six' });
      write(script);
    }, versionsDiffer);
  const saying = (meaning: string) => (script: Script) => script.at(200, { kind: 'policy-in-force', group: 'web', version: 3, meaning });
  expect(after(saying('six'))).toEqual(['version 3 of web says the same as version 2, which was in force']);
  expect(after(saying('eight'))).toEqual([]);
});

it('a policy may say the same again after the group was let go, or in another group', () => {
  const again = (write: (script: Script) => void, group = 'web'): readonly string[] =>
    judged((script) => {
      script.at(100, { kind: 'policy-in-force', group: 'web', version: 2, meaning: 'six' });
      write(script);
      script.at(200, { kind: 'policy-in-force', group, version: 3, meaning: 'six' });
    }, versionsDiffer);
  expect(again((script) => script.letGo(150))).toEqual([]);
  expect(again(() => undefined, 'api')).toEqual([]);
  expect(again(() => undefined)).toHaveLength(1);
});
