import { expect, it } from 'vitest';
import { endsAreTrue } from '../../sandbox/judge/rules/said/ends-said.ts';
import { details } from './details.ts';
import { react, twoServe } from './histories.ts';

const judged = (told: readonly string[], endedAtS: number): readonly string[] =>
  details(
    endsAreTrue,
    (script) => {
      twoServe(script);
      script.end(endedAtS, 'i-1', { kind: 'ec2' });
      script.react(
        100,
        101,
        'look',
        told.map((state) => ({ about: 'state', instance: 'i-1', state })),
      );
      script.at(101, { kind: 'item-written', table: 'state', group: 'web', item: 'decision#d1', bytes: 1, by: react('look') });
    },
    {
      stored: { states: {}, swaps: [], decisions: [{ group: 'web', id: 'd1', view: { ended: ['i-1'] } }], deadLetters: 0, staleMessages: 0 },
    },
  );

it('an end without a signal is one that the world knows, and that no message of the look told', () => {
  expect(judged([], 90)).toEqual([]);
  expect(judged(['running'], 90)).toEqual([]);
  expect(judged(['terminated'], 90)).toEqual(['decision d1 says that no signal reported the end of i-1, and its function received one']);
  expect(judged([], 200)).toEqual(['decision d1 says that i-1 has ended']);
});
