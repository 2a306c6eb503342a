import { describe, expect, it } from 'vitest';
import { outcomesAreWhole } from '../../sandbox/judge/rules/said/outcomes-whole.ts';
import { details } from './details.ts';
import { policy, react, type Script, twoServe } from './histories.ts';

type Options = { readonly injected?: boolean; readonly id?: string; readonly code?: string };

/** What a decision leaves out that was stored at 102, by an invocation that began at 100. */
const unsaid = (
  outcome: object,
  write: (script: Script) => void = () => undefined,
  { injected = false, id = 'd-1', code = 'carried-out' }: Options = {},
): readonly string[] =>
  details(
    outcomesAreWhole,
    (script) => {
      script.policy(0, 1);
      twoServe(script);
      script.react(100, 103, 'of-a', [], injected);
      write(script);
      script.at(102, { kind: 'item-written', table: 'state', group: 'web', item: 'decision#d-1', bytes: 500, by: react('of-a') });
    },
    {
      stored: {
        ...{ states: {}, swaps: [], deadLetters: 0, staleMessages: 0 },
        decisions: [{ id, group: 'web', outcome: { code, launches: [], claimed: [], admitted: [], failed: [], drainsStarted: 0, ...outcome } }],
      },
    },
  );

const call = (script: Script, operation: string, outcome: string, more: object): void =>
  script.at(101, {
    ...{ kind: 'called', invocation: 'of-a', function: 'react', service: 'any', operation, askedAtMs: 101_000 },
    ...{ outcome, applied: outcome === 'ok', isMutating: true, ...more },
  });

const launched = (...instances: readonly string[]) => ({ launches: [{ pool: 'spot-a', instances }] });

describe('a decision names all that was done', () => {
  it('members that it claimed, by their first swap', () => {
    const claims = (script: Script): void => script.claim(101, 'i-1', 'of-a');
    expect(unsaid({ claimed: [{ instance: 'i-1' }] }, claims)).toEqual([]);
    expect(unsaid({}, claims)).toEqual(['decision d-1 does not say that it claimed i-1']);
    expect(unsaid({}, (script) => script.claim(101, 'i-1', 'of-b'))).toEqual([]);
    const again = (script: Script): void => {
      script.claim(50, 'i-1', 'of-b');
      claims(script);
    };
    expect(unsaid({}, again)).toEqual([]);
  });
  it('instances that it launched', () => {
    const launches = (script: Script): void => script.launch(101, 'i-9', { by: react('of-a') });
    expect(unsaid(launched('i-9'), launches)).toEqual([]);
    expect(unsaid({}, launches)).toEqual(['decision d-1 does not say that it launched i-9']);
  });
  it('no instance that it launched for another group, which takes this name later (24311032)', () => {
    const inPools = (asg: string) => ({ ...policy, capacity: 'spot-a', pools: { 'spot-a': { market: 'spot', asg } } });
    const launchedFor = (first: string) => (script: Script) => {
      script.policy(1, 2, inPools('other-asg'), first);
      script.launch(101, 'i-9', { by: react('of-a'), asg: 'other-asg', tags: { 'holdfast:group': `test/${first}` } });
      script.letGo(110, first);
      script.policy(111, 3, inPools('other-asg'));
    };
    expect(unsaid({}, launchedFor('other'))).toEqual([]);
    expect(unsaid({}, launchedFor('web'))).toEqual(['decision d-1 does not say that it launched i-9']);
  });
  it('offerings without capacity, unless a part of the launch failed', () => {
    const refused = (script: Script): void => script.refuseCapacity(101, 'of-a');
    const offering = { instanceType: 't', zone: 'z-a', market: 'spot' };
    expect(unsaid({ launches: [{ pool: 'spot-a', instances: [], refusals: [{ offering, code: 'any' }] }] }, refused)).toEqual([]);
    expect(unsaid({}, refused)).toEqual(['decision d-1 does not say that EC2 refused t/z-a/spot']);
    const failed = (script: Script): void => {
      call(script, 'CreateFleet', 'InternalFailure', { launch: { group: 'web', count: 1 } });
      refused(script);
    };
    expect(unsaid({}, failed)).toEqual([]);
  });
  it('members that its calls could not put into service, also where a fault met these calls', () => {
    const joins = (outcome: string) => (script: Script) => call(script, 'RegisterTargets', outcome, { putsIn: ['i-2'] });
    const text = 'decision d-1 does not say that i-2 could not join';
    expect(unsaid({}, joins('Throttling'))).toEqual([text]);
    expect(unsaid({}, joins('Throttling'), { injected: true })).toEqual([text]);
    expect(unsaid({ failed: [{ instance: 'i-2', awsCode: 'Throttling' }] }, joins('Throttling'))).toEqual([]);
    // The call was repeated, or the member is put back that leaves.
    expect(
      unsaid({}, (script) => {
        joins('Throttling')(script);
        joins('ok')(script);
      }),
    ).toEqual([]);
    expect(
      unsaid({}, (script) => {
        script.claim(50, 'i-2', 'of-b');
        joins('Throttling')(script);
      }),
    ).toEqual([]);
  });
  it('says nothing of a function that met a fault otherwise, or of decisions that were not carried out', () => {
    const launches = (script: Script): void => script.launch(101, 'i-9', { by: react('of-a') });
    expect(unsaid({}, launches, { injected: true })).toEqual([]);
    expect(unsaid({}, launches, { code: 'not-carried-out' })).toEqual([]);
    expect(unsaid({}, launches, { id: 'd-2' })).toEqual([]);
  });
});
