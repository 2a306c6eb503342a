import { describe, expect, it } from 'vitest';
import { whoServesIsTold } from '../../sandbox/judge/rules/said/told-serving.ts';
import { details, throttled } from './details.ts';
import { policy, react, type Script, twoServe } from './histories.ts';

/** EC2 gives i-3 to a function at 102. It serves from 120 on. A decision remarks that these members serve. */
const told = (serving: readonly string[], { injected = false, write = (_: Script): void => undefined, changes = {} } = {}) =>
  details(
    whoServesIsTold,
    (script) => {
      twoServe(script);
      script.react(100, 104, 'of-3', [], injected);
      script.launch(102, 'i-3', { by: react('of-3') });
      script.serves(120, 'i-3');
      write(script);
    },
    {
      stored: {
        ...{ states: {}, swaps: [], deadLetters: 0, staleMessages: 0 },
        decisions: [{ id: 'd-1', group: 'web', rounds: [{ remarks: [{ code: 'serves', instances: serving }] }] }],
      },
      ...changes,
    },
  );

describe('who comes to serve is told', () => {
  it('holds where a decision says so', () => {
    expect(told(['i-3'])).toEqual([]);
  });
  it('breaks where none does', () => {
    expect(told([])).toEqual(['i-3 has come to serve, and no decision says so']);
    expect(told(['i-1'])).toEqual(['i-3 has come to serve, and no decision says so']);
  });
  it('says nothing of a member that leaves, that stops serving, or that a function launched which a fault met', () => {
    expect(told([], { write: (script) => script.claim(200, 'i-3', 'of-4') })).toEqual([]);
    expect(told([], { write: (script) => script.takeOut(200, 'i-3') })).toEqual([]);
    expect(told([], { injected: true })).toEqual([]);
  });
  it('says nothing where a restored table lost a decision of that time, and breaks where it lost an earlier or a later one', () => {
    const decides = (second: number) => (script: Script) => {
      script.at(second, { kind: 'item-written', table: 'state', group: 'web', item: 'decision#d-2', bytes: 500, by: react('of-5') });
      script.at(400, { kind: 'step', step: 'state-restored', instances: [], groups: [], asgs: [], copiedAtMs: 100_000 });
    };
    expect(told([], { write: decides(130) })).toEqual([]);
    expect(told([], { write: decides(119) })).toHaveLength(1);
    expect(told([], { write: decides(271) })).toHaveLength(1);
  });
  it('says nothing where looks are hindered, the policy changes, or the run ends first', () => {
    expect(told([], { changes: throttled('DescribeTargetHealth') })).toEqual([]);
    expect(told([], { write: (script) => script.policy(150, 2, { ...policy, maxSurge: 2 }) })).toEqual([]);
    expect(told([], { changes: { endedAtMs: 200_000 } })).toEqual([]);
  });
});
