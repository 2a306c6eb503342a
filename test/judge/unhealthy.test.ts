import { expect, it } from 'vitest';
import { servesAgain } from '../../sandbox/judge/rules/serving.ts';
import { details } from './details.ts';
import { react, type Script, twoServe, user } from './histories.ts';

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
