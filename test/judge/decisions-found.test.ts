import { describe, expect, it } from 'vitest';
import { decisionsAreFound } from '../../sandbox/judge/rules/said/decisions-found.ts';
import { details } from './details.ts';
import { react, type Script, twoServe } from './histories.ts';

const swap = { group: 'web', instance: 'i-1', reason: 'interruption', state: 'gone', claimedAtMs: 101_000, decision: 'd-1' };
const claimed = (script: Script, instance: string): void =>
  script.at(101, {
    ...{ kind: 'item-written', table: 'state', group: 'web', item: `swap#${instance}`, bytes: 500, by: react('of-a') },
    swap: { reason: 'interruption', state: 'leaving' },
  });

/** A function claims i-1 at 101, launches at 102 and stores decision d-1 at 103. */
const found = (
  {
    launches = [],
    rounds = [],
    swaps = [] as readonly object[],
    others = [] as readonly object[],
  }: { launches?: readonly object[]; rounds?: readonly object[]; swaps?: readonly object[]; others?: readonly object[] },
  { injected = false, write = (script: Script): void => claimed(script, 'i-1') } = {},
) =>
  details(
    decisionsAreFound,
    (script) => {
      twoServe(script);
      script.react(100, 104, 'of-a', [], injected);
      write(script);
      script.launch(102, 'i-3', { by: react('of-a') });
      script.at(103, { kind: 'item-written', table: 'state', group: 'web', item: 'decision#d-1', bytes: 500, by: react('of-a') });
    },
    {
      stored: {
        ...{ states: {}, deadLetters: 0, staleMessages: 0, swaps },
        decisions: [...others, { id: 'd-1', group: 'web', rounds, outcome: { code: 'carried-out', launches } }],
      },
    },
  );
const launch = (...replaces: readonly string[]) => ({ pool: 'spot-a', instances: ['i-3'], replaces });

describe('who is replaced is said, and by which decision', () => {
  it('holds where the decision is stored, and names whom it replaces', () => {
    expect(found({ swaps: [swap], launches: [launch('i-1')] })).toEqual([]);
  });
  it('breaks where a swap names a decision that is not stored', () => {
    const wrong = ['the swap of i-1 names decision d-9, which is not stored'];
    expect(found({ swaps: [{ ...swap, decision: 'd-9' }], launches: [launch('i-1')] })).toEqual(wrong);
    expect(found({ swaps: [{ ...swap, decision: 'd-9' }], launches: [launch('i-1')] }, { injected: true })).toEqual([]);
    // Its function waited for its turn, and another one decided.
    const elsewhere = (script: Script): void =>
      script.at(90, {
        ...{ kind: 'item-written', table: 'state', group: 'web', item: 'swap#i-1', bytes: 500, by: react('of-b') },
        swap: { reason: 'rebalance', state: 'waiting' },
      });
    expect(found({ swaps: [{ ...swap, decision: 'd-9' }] }, { write: elsewhere })).toEqual([]);
    // A function that decided claimed it for its decision. Later one that decided nothing, or one that decided too, wrote another decision into it.
    const claimedAgain =
      (by: string) =>
      (script: Script): void => {
        for (const [second, decision, invocation] of [
          [101, 'd-1', 'of-a'],
          [103, 'd-9', by],
        ] as const)
          script.at(second, {
            ...{ kind: 'item-written', table: 'state', group: 'web', item: 'swap#i-1', bytes: 500, by: react(invocation) },
            swap: { reason: 'rebalance', state: 'leaving', facts: { offering: 'x', hooks: [], decision } },
          });
      };
    expect(found({ swaps: [{ ...swap, decision: 'd-9' }] }, { write: claimedAgain('of-b') })).toEqual([]);
    expect(found({ swaps: [{ ...swap, decision: 'd-9' }] }, { write: claimedAgain('of-a') })).toEqual(wrong);
  });
  it('holds where a restored table has the swap and is older than its decision', () => {
    const restored =
      (copiedS: number, atS: number) =>
      (script: Script): void => {
        const by = react('of-a');
        script.at(101, {
          ...{ kind: 'item-written', table: 'state', group: 'web', item: 'swap#i-1', bytes: 500, by },
          swap: { reason: 'rebalance', state: 'leaving', facts: { offering: 'x', hooks: [], decision: 'd-9' } },
        });
        for (const second of [102, 106])
          script.at(second, { kind: 'item-written', table: 'state', group: 'web', item: 'decision#d-9', bytes: 500, by });
        script.at(atS, { kind: 'step', step: 'state-restored', instances: [], groups: [], asgs: [], copiedAtMs: 1_000 * copiedS });
      };
    const at = (copiedS: number, atS: number) => found({ swaps: [{ ...swap, decision: 'd-9' }] }, { write: restored(copiedS, atS) });
    expect(at(101.5, 110)).toEqual([]);
    // It has the decision as it was first stored, or nothing was lost of it.
    expect(at(104, 110)).toHaveLength(1);
    expect(at(90, 101.8)).toHaveLength(1);
  });
  it('breaks where a launch is in place of a member that stays', () => {
    expect(found({ launches: [launch('i-2')] })).toEqual(['decision d-1 launches in place of i-2, which does not leave']);
    expect(found({ launches: [launch('i-2')], rounds: [{ placements: [{ pool: 'spot-a', moves: ['i-2'] }] }] })).toEqual([]);
    // It repeats the request of an earlier decision, which moves that member.
    const other = (id: string) => ({
      id,
      group: 'web',
      rounds: [{ placements: [{ pool: 'spot-a', moves: ['i-2'] }] }],
      outcome: { code: 'unknown' },
    });
    expect(found({ launches: [launch('i-2')], others: [other('d-0')] })).toEqual([]);
    expect(found({ launches: [launch('i-2')], others: [other('d-2')] })).toHaveLength(1);
  });
  it('breaks where two launches are in place of one member, and both of them live', () => {
    const second = (script: Script): void => {
      for (const instance of ['i-1', 'i-2']) claimed(script, instance);
      script.launch(102, 'i-4', { by: react('of-a') });
    };
    const two = (...replaces: readonly string[]) => [launch('i-1', 'i-2'), { pool: 'spot-b', instances: ['i-4'], replaces }];
    expect(found({ launches: two('i-1', 'i-2') }, { write: second })).toEqual(['decision d-1 launches in place of i-1 twice']);
    expect(found({ launches: two('i-2') }, { write: second })).toEqual([]);
    // The second launch makes up for an instance of the first that has ended.
    const ended = (script: Script): void => {
      second(script);
      script.end(102.5, 'i-3');
    };
    expect(found({ launches: two('i-1') }, { write: ended })).toEqual([]);
  });
  it('breaks where a launch is for nobody while EC2 takes a member', () => {
    expect(found({ launches: [launch()] })).toEqual(['decision d-1 launches 1 while 1 leave, and names 0 of them']);
    expect(found({ launches: [launch()] }, { write: () => undefined })).toEqual([]);
    expect(found({ launches: [launch()] }, { injected: true })).toEqual([]);
    // EC2 had taken it before, and its warning came late.
    const ended = (script: Script): void => {
      claimed(script, 'i-1');
      script.end(90, 'i-1');
    };
    expect(found({ launches: [launch()] }, { write: ended })).toEqual([]);
    // Another decision launched in its place before, and the size grew by that.
    const named = (id: string, atS: number, group = 'web') =>
      found(
        { launches: [launch()], others: [{ id, group, rounds: [], outcome: { code: 'carried-out', launches: [launch('i-1')] } }] },
        {
          write: (script) => {
            claimed(script, 'i-1');
            script.at(atS, { kind: 'item-written', table: 'state', group, item: `decision#${id}`, bytes: 500, by: react('of-b') });
          },
        },
      ).filter((detail) => detail.startsWith('decision d-1'));
    expect(named('d-0', 80)).toEqual([]);
    expect(named('d-2', 110)).toHaveLength(1);
    expect(named('d-0', 80, 'api')).toHaveLength(1);
  });
  it('leaves out a member that a later decision named, only where that launched before the last launch of this one', () => {
    const named = (launchedS: number, of: { id: string; group: string } = { id: 'd-2', group: 'web' }) =>
      found(
        {
          launches: [launch()],
          others: [{ ...of, rounds: [], outcome: { code: 'carried-out', launches: [{ pool: 'spot-a', instances: ['i-4'], replaces: ['i-1'] }] } }],
        },
        {
          write: (script) => {
            claimed(script, 'i-1');
            script.launch(launchedS, 'i-4', { by: react('of-b') });
            script.at(105, { kind: 'item-written', table: 'state', group: of.group, item: `decision#${of.id}`, bytes: 500, by: react('of-b') });
          },
        },
      ).filter((detail) => detail.startsWith('decision d-1'));
    expect(named(101.5)).toEqual([]);
    expect(named(102.5)).toHaveLength(1);
    expect(named(101.5, { id: 'd-2', group: 'api' })).toHaveLength(1);
  });
});
