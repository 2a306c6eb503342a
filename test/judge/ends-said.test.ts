import { expect, it } from 'vitest';
import { endsAreTrue } from '../../sandbox/judge/rules/said/ends-said.ts';
import { details } from './details.ts';
import { react, twoServe } from './histories.ts';

const judged = (told: readonly string[], endedAtS: number, refused?: { readonly again: readonly string[] }): readonly string[] =>
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
        false,
        refused?.again,
      );
      const call = { kind: 'called', invocation: 'look', function: 'react', askedAtMs: 100_000, isMutating: false } as const;
      const lookUp = {
        ...call,
        service: 'ec2',
        operation: 'DescribeInstances',
        outcome: 'RequestLimitExceeded',
        trouble: 'bucket',
        applied: false,
      } as const;
      if (refused !== undefined) script.at(100.5, lookUp, { ...call, service: 'dynamodb', operation: 'GetItem', outcome: 'ok', applied: true });
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
  expect(judged(['terminated'], 90, { again: [] })).toHaveLength(1);
  expect(judged(['terminated'], 90, { again: ['look-0'] })).toEqual([]);
  expect(judged([], 200)).toEqual(['decision d1 says that i-1 has ended']);
});

it('a message that comes again because AWS refused to show the groups does not count, and one beside a refused read of one group does', () => {
  const refusedIn = (partitions: readonly string[], last: string): readonly string[] =>
    details(
      endsAreTrue,
      (script) => {
        twoServe(script);
        script.end(90, 'i-1', { kind: 'ec2' });
        script.react(100, 101, 'look', [{ about: 'state', instance: 'i-1', state: 'terminated' }], false, ['look-0']);
        const call = { kind: 'called', invocation: 'look', function: 'react', askedAtMs: 100_000, isMutating: false } as const;
        const query = { ...call, service: 'dynamodb', operation: 'Query', trouble: 'fault', applied: false } as const;
        const tries = partitions.map((partition) => ({ ...query, partition, outcome: 'InternalServerError' }));
        const { trouble: _, ...went } = query;
        const end = last === 'ok' ? { ...went, outcome: last } : { ...query, outcome: last };
        script.at(100.5, ...tries, { ...end, partition: '@registry' }, { ...went, partition: 'web', outcome: 'ok', applied: true });
        script.at(101, { kind: 'item-written', table: 'state', group: 'web', item: 'decision#d1', bytes: 1, by: react('look') });
      },
      {
        stored: { states: {}, swaps: [], decisions: [{ group: 'web', id: 'd1', view: { ended: ['i-1'] } }], deadLetters: 0, staleMessages: 0 },
      },
    );
  expect(refusedIn(['@registry'], 'ThrottlingException')).toEqual([]);
  expect(refusedIn(['@registry'], 'ok')).toHaveLength(1);
  expect(refusedIn(['web'], 'ThrottlingException')).toHaveLength(1);
});

it('a message that came before every describe had to show its instance does not count, and a later one does', () => {
  const launched = (second: number): readonly string[] =>
    details(
      endsAreTrue,
      (script) => {
        twoServe(script);
        script.launch(second, 'i-3');
        script.end(99, 'i-3', { kind: 'ec2' });
        script.react(100, 101, 'look', [{ about: 'state', instance: 'i-3', state: 'terminated' }]);
        script.at(101, { kind: 'item-written', table: 'state', group: 'web', item: 'decision#d1', bytes: 1, by: react('look') });
      },
      {
        stored: { states: {}, swaps: [], decisions: [{ group: 'web', id: 'd1', view: { ended: ['i-3'] } }], deadLetters: 0, staleMessages: 0 },
      },
    );
  expect(launched(97.5)).toEqual([]);
  expect(launched(96.5)).toEqual(['decision d1 says that no signal reported the end of i-3, and its function received one']);
});

it('an instance that a warm pool had stopped counts as ended for as long as a late describe may show that', () => {
  const drawn = (second: number): readonly string[] =>
    details(
      endsAreTrue,
      (script) => {
        twoServe(script);
        script.launch(60, 'i-3', { by: { kind: 'asg', asg: 'web-asg', why: 'size' } });
        script.at(70, { kind: 'ending', instance: 'i-3', by: { kind: 'ec2' } }, { kind: 'ended', instance: 'i-3', state: 'stopped' });
        script.at(second, { kind: 'joined', instance: 'i-3', asg: 'web-asg', by: { kind: 'ec2' } });
        script.react(100, 101, 'look');
        script.at(101, { kind: 'item-written', table: 'state', group: 'web', item: 'decision#d1', bytes: 1, by: react('look') });
      },
      {
        stored: { states: {}, swaps: [], decisions: [{ group: 'web', id: 'd1', view: { ended: ['i-3'] } }], deadLetters: 0, staleMessages: 0 },
      },
    );
  expect(drawn(99.5)).toEqual([]);
  expect(drawn(98.5)).toEqual(['decision d1 says that i-3 has ended']);
});
