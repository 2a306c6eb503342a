import { expect, it } from 'vitest';
import { judge } from '../../sandbox/judge/judge.ts';
import { servesAgain } from '../../sandbox/judge/rules/launches/serving.ts';
import { details } from './details.ts';
import { historyOf, policy, react, type Script, twoServe, user } from './histories.ts';

type Write = (script: Script) => void;

/** A target group finds one of two members unhealthy at second 100, something happens, and another instance serves. */
const found = (servesAt: number, happens: Write, why: 'unhealthy' | 'deregistered' = 'unhealthy'): readonly string[] =>
  details(servesAgain, (script) => {
    twoServe(script);
    script.at(100, { kind: 'out-of-service', instance: 'i-1', targetGroup: 'web', why, by: why === 'unhealthy' ? { kind: 'script' } : user });
    happens(script);
    script.launch(servesAt - 30, 'i-3');
    script.serves(servesAt, 'i-3');
  });

const taken =
  (second: number): Write =>
  (script) => {
    script.warn(second, 'i-1');
    script.end(second + 120, 'i-1');
  };

it('an unhealthy member that EC2 takes is replaced in time from its warning on', () => {
  expect(found(330, taken(200))).toEqual([]);
  expect(found(390, taken(200))).toEqual(['1 serve, expected 2, 190 s after i-1 was warned']);
});

it('an unhealthy member that ends is replaced in time from its end on', () => {
  expect(found(330, (script) => script.end(200, 'i-1'))).toEqual([]);
  expect(found(390, (script) => script.end(200, 'i-1'))).toEqual(['1 serve, expected 2, 190 s after i-1 ended']);
});

it('the time does not begin anew when it lives, when Holdfast ends it, or when it was warned before', () => {
  expect(found(330, () => undefined)).toHaveLength(1);
  expect(found(330, (script) => script.end(200, 'i-1', react('i-a')))).toHaveLength(1);
  expect(found(330, taken(99))).toEqual(['1 serve, expected 2, 231 s after i-1 was warned']);
});

it('nor for a member that others took out of service', () => {
  expect(found(330, taken(200), 'deregistered')).toHaveLength(1);
});

/**
 * A target group finds i-1 unhealthy at second 100, and i-2 ends at second 110 and is replaced by second 200. EC2 advised to leave i-1, which Holdfast takes
 * out of service at second 250. Its replacement serves later.
 */
const drained = (servesAt: number, order: 'drain-first' | 'launch-first' = 'drain-first', replacedAt = 200): readonly string[] =>
  details(servesAgain, (script) => {
    twoServe(script);
    script.policy(10, 2, { ...policy, swap: { order, maxSurge: 1 } });
    script.desired(11, 2, 2);
    script.at(100, { kind: 'out-of-service', instance: 'i-1', targetGroup: 'web', why: 'unhealthy', by: { kind: 'script' } });
    script.advise(105, 'i-1');
    script.claim(106, 'i-1', 'i-a', 'waiting');
    script.end(110, 'i-2');
    script.launch(replacedAt - 30, 'i-3');
    script.serves(replacedAt, 'i-3');
    script.at(250, { kind: 'in-service', instance: 'i-1', targetGroup: 'web' });
    script.takeOut(250, 'i-1');
    script.end(275, 'i-1', react('drain'));
    script.launch(servesAt - 30, 'i-4');
    script.serves(servesAt, 'i-4');
  });

it('an unhealthy member that the policy drains first is replaced in time from the end of its drain on', () => {
  expect(drained(300)).toEqual([]);
  expect(drained(480)).toEqual(['1 serve, expected 2, 210 s after i-1 had drained']);
});

it('the time does not begin anew with launch-first, or while a lost member is missing', () => {
  expect(drained(300, 'launch-first')).toHaveLength(1);
  expect(drained(490, 'drain-first', 460)).not.toEqual([]);
});

it('a member that serves again does not count as the replacement of one that was lost', () => {
  const found = details(servesAgain, (script) => {
    twoServe(script);
    script.at(100, { kind: 'out-of-service', instance: 'i-1', targetGroup: 'web', why: 'unhealthy', by: { kind: 'script' } });
    script.end(110, 'i-2');
    script.at(160, { kind: 'in-service', instance: 'i-1', targetGroup: 'web' });
    script.launch(300, 'i-3');
    script.serves(330, 'i-3');
  });
  expect(found).toEqual(['1 serve, expected 2, 220 s after i-2 stopped serving']);
});

/** Something befalls one of five members at second 200. Two others, which EC2 advised to leave, drain first from second 250 on. How many serve too late. */
const late = (happens: Write): number | undefined => {
  const write: Write = (script) => {
    twoServe(script);
    for (const instance of ['i-3', 'i-4', 'i-5']) script.member(instance);
    script.policy(10, 2, { ...policy, swap: { order: 'drain-first', maxSurge: 3 } });
    script.desired(11, 5, 2);
    happens(script);
    for (const instance of ['i-2', 'i-3']) {
      script.advise(240, instance);
      script.claim(241, instance, 'i-a', 'waiting');
      script.takeOut(250, instance);
      script.end(251, instance, react('drain'));
    }
    for (const [index, instance] of ['i-6', 'i-7'].entries()) {
      script.launch(350 + index, instance);
      script.serves(384 + index, instance);
    }
  };
  return judge(historyOf(write), { rules: [servesAgain], allowances: [] }).broken[0]?.members;
};

it('members that the policy drains first have their own time beside one that fails and lives, and none beside one that is lost', () => {
  expect(
    late((script) => script.at(200, { kind: 'out-of-service', instance: 'i-1', targetGroup: 'web', why: 'unhealthy', by: { kind: 'script' } })),
  ).toBe(1);
  expect(late((script) => script.end(200, 'i-1'))).toBe(3);
});
