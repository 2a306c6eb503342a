import { describe, expect, it } from 'vitest';
import { outcomesAreTrue } from '../../sandbox/judge/rules/said/outcomes-said.ts';
import { details } from './details.ts';
import { policy, react, type Script, twoServe } from './histories.ts';

const start = (script: Script): void =>
  script.at(101, {
    ...{ kind: 'called', invocation: 'of-a', function: 'react', service: 'states', operation: 'StartExecution', askedAtMs: 101_000 },
    ...{ outcome: 'ok', applied: true, isMutating: true },
  });

/** What is false in a decision that was stored at 102, by an invocation that began at 100. */
const said = (outcome: object, write: (script: Script) => void = () => undefined, more: object = {}): readonly string[] =>
  details(
    outcomesAreTrue,
    (script) => {
      twoServe(script);
      script.react(100, 103, 'of-a');
      write(script);
      script.at(102, { kind: 'item-written', table: 'state', group: 'web', item: 'decision#d-1', bytes: 500, by: react('of-a') });
    },
    {
      stored: {
        ...{ states: {}, swaps: [], deadLetters: 0, staleMessages: 0 },
        decisions: [
          {
            id: 'd-1',
            group: 'web',
            outcome: { code: 'carried-out', launches: [], claimed: [], admitted: [], drainsStarted: 0, ...outcome },
            ...more,
          },
        ],
      },
    },
  );

const attached = { ...policy, asg: 'web-asg' };
const joins =
  (by = 'of-a') =>
  (script: Script): void => {
    script.policy(0, 1, attached);
    script.at(101, { kind: 'joined', instance: 'i-1', asg: 'web-asg', by: react(by) });
  };

describe('what a decision says was done is true', () => {
  it('of launches: a function launched them, from the pool that the decision names', () => {
    const launched = (pool: string, ...instances: readonly string[]) => ({ launches: [{ pool, instances }] });
    const write = (script: Script): void => script.launch(101, 'i-9', { pool: 'spot-b', by: react('of-a') });
    expect(said(launched('spot-b', 'i-9'), write)).toEqual([]);
    expect(said(launched('spot-a', 'i-9'), write)).toEqual(['decision d-1 says that it launched i-9 from spot-a']);
    expect(said(launched('spot-a', 'i-none'), write)).toEqual(['decision d-1 says that it launched i-none from spot-a']);
  });
  it('of claims: the same invocation wrote their swaps', () => {
    const claimed = { claimed: [{ instance: 'i-1', reason: 'interruption' }] };
    expect(said(claimed, (script) => script.claim(101, 'i-1', 'of-a'))).toEqual([]);
    expect(said(claimed, (script) => script.claim(101, 'i-1', 'of-b'))).toEqual(['decision d-1 says that it claimed i-1']);
  });
  it('of members that joined: they are in the Auto Scaling group, and all of them are named', () => {
    const text = 'decision d-1 does not say that i-1 joined';
    expect(said({ admitted: ['i-1'] }, joins())).toEqual([]);
    expect(said({ admitted: ['i-1', 'i-2'] }, joins())).toEqual(['decision d-1 says that i-2 joined']);
    expect(said({}, joins())).toEqual([text]);
    expect(said({}, joins('of-b'))).toEqual([]);
    expect(said({ launches: [{ pool: 'spot-a', instances: ['i-1'] }] }, joins())).toEqual([]);
    // Another function may have attached it.
    expect(said({ admitted: ['i-1'] }, joins('of-b'))).toEqual([]);
    // Members of a group without an Auto Scaling group join target groups alone.
    expect(said({ admitted: ['i-2'] })).toEqual([]);
  });
  it('of drains: the invocation requested as many', () => {
    expect(said({ drainsStarted: 1 }, start)).toEqual([]);
    expect(said({ drainsStarted: 1 })).toEqual(['decision d-1 says that it started 1 drains']);
  });
  it('says nothing of decisions that were not carried out, or whose outcome was left out', () => {
    expect(said({ code: 'not-carried-out', drainsStarted: 1 })).toEqual([]);
    expect(said({ drainsStarted: 1 }, undefined, { trimmed: ['outcome'] })).toEqual([]);
  });
  it('says nothing of a member whose function met a fault', () => {
    const broken = (script: Script): void => {
      joins('of-b')(script);
      script.react(100, 103, 'of-b', [], true);
      script.at(102, { kind: 'item-written', table: 'state', group: 'web', item: 'decision#d-1', bytes: 500, by: react('of-b') });
    };
    expect(said({}, broken)).toEqual([]);
  });
});
