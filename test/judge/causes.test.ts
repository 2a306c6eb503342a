import { describe, expect, it } from 'vitest';
import { causesAreTrue } from '../../sandbox/judge/rules/said/causes.ts';
import type { Told } from '../../sandbox/judge/world/message.ts';
import { details } from './details.ts';
import { react, type Script, twoServe } from './histories.ts';

/** What is false in the causes of a decision of a function that received these messages at 100 and stored it at 102. */
const caused = (
  causes: readonly object[],
  told: readonly Told[],
  { injected = false, write = (_: Script): void => undefined, again = [] as readonly string[] } = {},
) =>
  details(
    causesAreTrue,
    (script) => {
      twoServe(script);
      write(script);
      script.react(100, 103, 'of-a', told, injected, again);
      script.at(102, { kind: 'item-written', table: 'state', group: 'web', item: 'decision#d-1', bytes: 500, by: react('of-a') });
    },
    {
      stored: {
        ...{ states: {}, swaps: [], deadLetters: 0, staleMessages: 0 },
        decisions: [{ id: 'd-1', group: 'web', causes }],
      },
    },
  );

const warned = (instance: string): Told => ({ about: 'warning', instance });
const of = (code: string, ...instances: readonly string[]) => ({ code, instances, count: instances.length });

describe('a decision names what led to it', () => {
  it('holds for the messages of its function', () => {
    expect(caused([of('interruption', 'i-1', 'i-2')], [warned('i-1'), warned('i-2')])).toEqual([]);
    expect(caused([of('rebalance', 'i-1')], [{ about: 'advice', instance: 'i-1' }])).toEqual([]);
    expect(caused([of('terminate-hook', 'i-1')], [{ about: 'hook', instance: 'i-1' }])).toEqual([]);
    expect(caused([{ ...of('state-change', 'i-1'), state: 'stopping' }], [{ about: 'state', instance: 'i-1', state: 'stopping' }])).toEqual([]);
    expect(caused([of('scheduled-change', 'i-1')], [warned('i-1')])).toEqual([]);
  });
  it('breaks where a message about a member is missing', () => {
    expect(caused([of('interruption', 'i-1')], [warned('i-1'), warned('i-2')])).toEqual(['decision d-1 does not name the interruption of i-2']);
    expect(caused([{ code: 'tick' }], [{ about: 'state', instance: 'i-1', state: 'stopping' }])).toEqual([
      'decision d-1 does not name the state-change of i-1',
    ]);
  });
  it('breaks where it names what no message told', () => {
    expect(caused([of('interruption', 'i-2')], [{ about: 'advice', instance: 'i-2' }])).toEqual([
      'decision d-1 names interruption of i-2, which no message told',
      'decision d-1 does not name the rebalance of i-2',
    ]);
  });
  it('breaks where it counts others than it names', () => {
    expect(caused([{ ...of('interruption', 'i-1'), count: 2 }], [warned('i-1')])).toEqual(['decision d-1 counts 2 interruption and names 1']);
  });
  it('does not ask for members that describes need not show, that have ended, or for a function that a fault met', () => {
    const launched = (script: Script): void => script.launch(99, 'i-3');
    expect(caused([], [warned('i-3')], { write: launched })).toEqual([]);
    const ended = (script: Script): void => script.end(90, 'i-1');
    expect(caused([], [warned('i-1')], { write: ended })).toEqual([]);
    expect(caused([], [warned('i-1')], { injected: true })).toEqual([]);
  });
  it('does not ask for messages that come again because AWS refused to show their instances', () => {
    const called = (operation: string, outcome: string) =>
      ({
        ...{ kind: 'called' as const, invocation: 'of-a', function: 'react', operation, outcome, applied: outcome === 'ok', isMutating: false },
        ...{ askedAtMs: 100_000, service: operation === 'GetItem' ? 'dynamodb' : 'ec2', ...(outcome !== 'ok' && { trouble: 'bucket' as const }) },
      }) as const;
    const looked =
      (...outcomes: readonly string[]) =>
      (script: Script): void =>
        script.at(101, ...outcomes.map((outcome) => called('DescribeInstances', outcome)), called('GetItem', 'ok'));
    const refused = 'RequestLimitExceeded';
    expect(caused([], [warned('i-1')], { write: looked('ok', refused), again: ['of-a-0'] })).toEqual([]);
    // A message that does not come again, or whose instance AWS has shown after all, is named.
    expect(caused([], [warned('i-1')], { write: looked('ok', refused) })).toHaveLength(1);
    expect(caused([], [warned('i-1')], { write: looked(refused, 'ok'), again: ['of-a-0'] })).toHaveLength(1);
    expect(caused([], [warned('i-1')], { write: looked(), again: ['of-a-0'] })).toHaveLength(1);
  });
});
