import { describe, expect, it } from 'vitest';
import { sizesAreExplained } from '../../sandbox/judge/rules/said/sizes-said.ts';
import { details } from './details.ts';
import { policy, react, type Script, twoServe } from './histories.ts';

/** What is false in the sizes of a decision of a function that wrote the size 3 at 101. It was 2. */
const said = (sizes: readonly object[], write: (script: Script) => void = (script) => script.desired(101, 3, 1, react('of-a'))) =>
  details(
    sizesAreExplained,
    (script) => {
      twoServe(script);
      script.react(100, 103, 'of-a');
      write(script);
      script.at(102, { kind: 'item-written', table: 'state', group: 'web', item: 'decision#d-1', bytes: 500, by: react('of-a') });
    },
    {
      stored: {
        ...{ states: {}, swaps: [], deadLetters: 0, staleMessages: 0 },
        decisions: [{ id: 'd-1', group: 'web', sizes, outcome: { code: 'carried-out' } }],
      },
    },
  );

const change = (from: number, to: number) => ({ code: 'alarm', alarm: 'high', from, to });

describe('a change of the size is explained', () => {
  it('holds where the decision names it', () => {
    expect(said([change(2, 3)])).toEqual([]);
    expect(said([change(2, 4), change(4, 3), { code: 'alarm-cooling', alarm: 'low', untilMs: 5 }])).toEqual([]);
    expect(said([], () => undefined)).toEqual([]);
  });
  it('breaks where no decision names it', () => {
    expect(said([])).toEqual(['the size became 3, and decision d-1 does not say so']);
    expect(said([{ code: 'alarm-cooling', alarm: 'low', untilMs: 5 }])).toEqual(['the size became 3, and decision d-1 does not say so']);
  });
  it('breaks for other sizes', () => {
    expect(said([change(2, 4)])).toEqual(['decision d-1 says that the size became 4, and it became 3']);
    expect(said([change(1, 3)])).toEqual(['decision d-1 says that the size was 1, and it was 2, 3']);
    expect(said([change(2, 5), change(4, 3)])).toEqual(['decision d-1 names changes of the size that do not follow from each other']);
  });
  it('says nothing of the size before, where the state was lost since', () => {
    const restored = (second: number) => (script: Script) => {
      script.at(second, { kind: 'step', step: 'state-restored', instances: [], groups: [], asgs: [] });
      script.desired(101, 3, 1, react('of-a'));
    };
    expect(said([change(1, 3)], restored(90))).toEqual([]);
    expect(said([change(1, 3)], restored(-1))).toHaveLength(1);
  });
  it('says nothing of a function that keeps its own size beside a restored one', () => {
    const restored = (writer: string) => (script: Script) => {
      script.desired(90, 3, 1, react('earlier'));
      script.desired(100, 3, 1, react(writer));
      script.desired(100, 2, 1, { kind: 'user' });
      script.desired(101, 3, 1, react('of-a'));
    };
    expect(said([], restored('of-a'))).toEqual([]);
    expect(said([], restored('earlier'))).toHaveLength(1);
  });
  it('says nothing of an observed group', () => {
    const observed = (script: Script): void => {
      script.policy(50, 2, { ...policy, mode: 'observe' });
      script.desired(101, 3, 2, react('of-a'));
    };
    expect(said([], observed)).toEqual([]);
  });
});
