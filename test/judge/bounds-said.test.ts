import { describe, expect, it } from 'vitest';
import type { History } from '../../sandbox/judge/history.ts';
import { boundsAreTrue } from '../../sandbox/judge/rules/bounds-said.ts';
import { details, throttled } from './details.ts';
import { policy, react, type Script, twoServe } from './histories.ts';

type Round = { readonly remarks?: readonly object[]; readonly rejected?: readonly object[] };

/** What is false in a decision whose function looked at 100. */
const said = (
  round: Round,
  write: (script: Script) => void = () => undefined,
  changes: Partial<History> = {},
  outcome = 'carried-out',
): readonly string[] =>
  details(
    boundsAreTrue,
    (script) => {
      twoServe(script);
      write(script);
      script.at(102, { kind: 'item-written', table: 'state', group: 'web', item: 'decision#d-1', bytes: 500, by: react('of-a') });
    },
    {
      stored: {
        ...{ states: {}, swaps: [], deadLetters: 0, staleMessages: 0 },
        decisions: [{ id: 'd-1', group: 'web', atMs: 100_000, view: { nowMs: 100_000 }, outcome: { code: outcome }, rounds: [round] }],
      },
      ...changes,
    },
  );

const dies = (script: Script, instance: string): void => {
  script.launch(80, instance, { by: react('of-0') });
  script.at(82, { kind: 'ending', instance, by: { kind: 'script' }, code: 'Client.InternalError' });
};

describe('what holds launches back is true', () => {
  it('is the limit of launches, once the group has launched as many', () => {
    const bounded = { remarks: [{ code: 'launches-bounded', count: 1 }] };
    const within = (atMost: number) => (script: Script) => script.policy(0, 1, { ...policy, launches: { atMost, within: '10m' } });
    expect(said(bounded, within(2))).toEqual([]);
    expect(said(bounded, within(20))).toEqual(['decision d-1 says that its launches are at their limit']);
  });
  it('is ten instances that ended early for each missing member', () => {
    const bounded = { remarks: [{ code: 'deaths-bounded', count: 1 }] };
    const died = (count: number) => (script: Script) => {
      script.desired(50, 3);
      for (let index = 0; index < count; index += 1) dies(script, `i-dead-${index}`);
    };
    expect(said(bounded, died(10))).toEqual([]);
    expect(said(bounded, died(9))).toEqual(['decision d-1 says that too many instances ended early']);
  });
  it('is a rest of a pool whose instances ended', () => {
    const rests = (untilSecond: number) => ({
      rejected: [{ code: 'boots-failed', pool: 'spot-a', awsCode: 'Client.InternalError', untilMs: 1_000 * untilSecond }],
    });
    const one = (script: Script) => dies(script, 'i-dead');
    const text = ['decision d-1 says that spot-a rests after failed boots, and it does not, or not for so long'];
    expect(said(rests(150), one)).toEqual([]);
    // A function that looked before the policy was written still knows the rest.
    const rewritten = (script: Script) => {
      one(script);
      script.policy(101, 2);
    };
    expect(said(rests(150), rewritten)).toEqual([]);
    expect(said(rests(900), one)).toEqual(text);
    expect(said(rests(150))).toEqual(text);
  });
  it('is a breaker that an event said to be open until then', () => {
    const open = { rejected: [{ code: 'breaker', pool: 'spot-a', breaker: 'spot', is: 'open', untilMs: 400_000 }] };
    const told = (untilMs: number) => (script: Script) =>
      script.at(99, { kind: 'announced', detailType: 'Holdfast Breaker Opened', detail: { group: 'web', breaker: 'spot', untilMs } });
    const text = ['decision d-1 says that the breaker of spot is open, which no event told'];
    expect(said(open, told(400_000))).toEqual([]);
    expect(said(open, told(300_000))).toEqual(text);
    expect(said(open)).toEqual(text);
    expect(said(open, undefined, {}, 'not-carried-out')).toEqual([]);
    expect(said({ rejected: [{ ...open.rejected[0], is: 'half-open' }] })).toEqual([]);
    expect(said(open, undefined, throttled('PutEvents'))).toEqual([]);
    expect(said(open, undefined, throttled('DescribeInstances'))).toEqual(text);
  });
  it('says nothing once the state of the group was lost', () => {
    const lost = (script: Script) => script.at(90, { kind: 'step', step: 'state-restored', instances: [], groups: [], asgs: [] });
    expect(said({ remarks: [{ code: 'deaths-bounded', count: 1 }] }, lost)).toEqual([]);
  });
});
