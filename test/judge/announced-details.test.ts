import { describe, expect, it } from 'vitest';
import { chronicleOf } from '../../sandbox/judge/chronicle.ts';
import type { Actor } from '../../sandbox/judge/history.ts';
import { detailsAreTrue } from '../../sandbox/judge/rules/said/announced-details.ts';
import { storedSwap } from './allowance-cases.ts';
import { historyOf, react, type Script, twoServe } from './histories.ts';

const judged = (write: (script: Script) => void, swaps: readonly unknown[] = []): readonly string[] => {
  const stored = { states: {}, swaps, decisions: [], deadLetters: 0, staleMessages: 0 };
  const history = historyOf(
    (script) => {
      twoServe(script);
      write(script);
    },
    { stored },
  );
  return detailsAreTrue(chronicleOf(history)).map(({ detail }) => detail);
};

type End = {
  readonly drained?: readonly string[];
  readonly gone?: readonly string[];
  readonly fallen?: readonly string[];
  readonly counted?: number;
};

const ended = (script: Script, second: number, { drained = [], gone = [], fallen = [], counted = drained.length }: End): void =>
  script.at(second, {
    kind: 'announced',
    detailType: 'Holdfast Drain Finished',
    detail: {
      group: 'web',
      drain: 'd-1',
      part: 1,
      parts: 1,
      counts: { drained: counted, gone: gone.length },
      drained,
      gone,
      shortfalls: fallen.length === 0 ? [] : [{ code: 'still-draining', instances: fallen }],
    },
  });

/** The swap of i-1 names a drain. */
const claimed = (script: Script, second: number, drain: string, state = 'leaving'): void =>
  script.at(second, {
    ...{ kind: 'item-written', table: 'state', group: 'web', item: 'swap#i-1', bytes: 500, by: react('i-x') },
    swap: { reason: 'scale-in', state, drain },
  });

describe('the end of a drain on the bus', () => {
  it('reports no running instance as gone', () => {
    const gone = (second: number) =>
      judged((script) => {
        script.end(second, 'i-1');
        ended(script, 110, { gone: ['i-1'] });
      });
    expect(gone(100)).toEqual([]);
    expect(gone(120)).toEqual(['the event says that i-1 is gone, and it runs']);
  });

  it('reports no instance as drained that ended at work, unless it names a shortfall', () => {
    const drained = (fallen: readonly string[], isOut: boolean) =>
      judged((script) => {
        if (isOut) script.takeOut(90, 'i-1');
        else script.at(100, { kind: 'out-of-service', instance: 'i-1', targetGroup: 'web', why: 'ending', by: { kind: 'ec2' } });
        script.end(100, 'i-1');
        ended(script, 110, { drained: ['i-1'], fallen });
      });
    expect(drained([], true)).toEqual([]);
    expect(drained(['i-1'], false)).toEqual([]);
    expect(drained([], false)).toEqual(['the event says that i-1 has drained, and it still had work when it ended']);
  });

  it('may report an instance as drained that ended at work, if the step that recorded so could not know its end', () => {
    const drained = (recordedS: number, drain = 'd-1', heardS?: number) =>
      judged((script) => {
        script.at(100, { kind: 'out-of-service', instance: 'i-1', targetGroup: 'web', why: 'ending', by: { kind: 'ec2' } });
        script.end(100, 'i-1');
        claimed(script, recordedS, drain, 'drained');
        if (heardS !== undefined) script.react(heardS, heardS + 0.5, 'i-hear', [{ about: 'state', instance: 'i-1', state: 'shutting-down' }]);
        ended(script, 110, { drained: ['i-1'] });
      });
    const untrue = ['the event says that i-1 has drained, and it still had work when it ended'];
    // Describes lag by a second in this history.
    expect(drained(100.9)).toEqual([]);
    expect(drained(101)).toEqual(untrue);
    expect(drained(100.9, 'd-2')).toEqual(untrue);
    expect(drained(110.1)).toEqual(untrue);
    expect([drained(100.9, 'd-1', 109), drained(100.9, 'd-1', 111)]).toEqual([untrue, []]);
  });

  it('reports an instance as drained that was stopped at work, and drained once it ran again', () => {
    const drained = (
      againAt: number | undefined,
      state: 'stopped' | 'terminated' = 'stopped',
      named: readonly (readonly [number, string])[] = [[106, 'd-1']],
    ) =>
      judged((script) => {
        script.at(100, { kind: 'out-of-service', instance: 'i-1', targetGroup: 'web', why: 'ending', by: { kind: 'ec2' } });
        script.at(100, { kind: 'ending', instance: 'i-1', by: { kind: 'ec2' } });
        script.at(101, { kind: 'ended', instance: 'i-1', state });
        if (againAt !== undefined) script.at(againAt, { kind: 'running', instance: 'i-1' });
        for (const [second, drain] of named) claimed(script, second, drain);
        ended(script, 110, { drained: ['i-1'] });
      });
    const untrue = ['the event says that i-1 has drained, and it still had work when it ended'];
    expect(drained(105)).toEqual([]);
    expect(drained(undefined)).toEqual(untrue);
    expect(drained(111)).toEqual(untrue);
    expect(drained(105, 'terminated')).toEqual(untrue);
    expect(drained(105, 'stopped', [[99, 'd-1']])).toEqual(untrue);
    // A swap that is written again orders no other drain, and another drain is not this one.
    expect(
      drained(105, 'stopped', [
        [99, 'd-1'],
        [106, 'd-1'],
      ]),
    ).toEqual(untrue);
    expect(
      drained(105, 'stopped', [
        [99, 'd-1'],
        [106, 'd-2'],
      ]),
    ).toEqual(untrue);
    expect(drained(105, 'stopped', [[103, 'd-1']])).toEqual([]);
    expect(
      drained(105, 'stopped', [
        [99, 'd-0'],
        [106, 'd-1'],
      ]),
    ).toEqual([]);
  });

  it('does not report an instance as drained that ran again, served, and ended at work once more', () => {
    const drained = (why: 'ending' | 'deregistered', by: Actor) =>
      judged((script) => {
        script.at(100, { kind: 'out-of-service', instance: 'i-1', targetGroup: 'web', why: 'ending', by: { kind: 'ec2' } });
        script.at(100, { kind: 'ending', instance: 'i-1', by: { kind: 'ec2' } });
        script.at(101, { kind: 'ended', instance: 'i-1', state: 'stopped' });
        script.at(105, { kind: 'running', instance: 'i-1' });
        script.serves(105, 'i-1');
        claimed(script, 106, 'd-1');
        script.at(108, { kind: 'out-of-service', instance: 'i-1', targetGroup: 'web', why, by });
        ended(script, 110, { drained: ['i-1'] });
      });
    const untrue = ['the event says that i-1 has drained, and it still had work when it ended'];
    expect(drained('ending', { kind: 'ec2' })).toEqual(untrue);
    expect(drained('deregistered', react('i-drain'))).toEqual([]);
    // It was stopped at work for the second time, and drained after its third start.
    const thrice = (why: 'ending' | 'deregistered', by: Actor) =>
      judged((script) => {
        for (const second of [100, 103]) {
          script.at(second, { kind: 'out-of-service', instance: 'i-1', targetGroup: 'web', why: 'ending', by: { kind: 'ec2' } });
          script.at(second, { kind: 'ending', instance: 'i-1', by: { kind: 'ec2' } });
          script.at(second, { kind: 'ended', instance: 'i-1', state: 'stopped' });
          script.at(second + 1, { kind: 'running', instance: 'i-1' });
          script.serves(second + 1, 'i-1');
        }
        claimed(script, 106, 'd-1');
        script.at(108, { kind: 'out-of-service', instance: 'i-1', targetGroup: 'web', why, by });
        ended(script, 110, { drained: ['i-1'] });
      });
    expect(thrice('ending', { kind: 'ec2' })).toEqual(untrue);
    expect(thrice('deregistered', react('i-drain'))).toEqual([]);
  });

  it('has the shortfall that a swap ends with, for members that it names', () => {
    const swap = { ...storedSwap, instance: 'i-1', group: 'web', shortfall: { code: 'still-draining', cutAtMs: 1, by: 'ec2' } };
    expect(judged((script) => ended(script, 110, { drained: ['i-1'], fallen: ['i-1'] }), [swap])).toEqual([]);
    expect(judged((script) => ended(script, 110, { drained: ['i-1'] }), [swap])).toEqual([
      'the end of the drain of i-1 was sent without its shortfall',
    ]);
    // A group that was renamed has a swap of its own for the same instance, and its drain told what became of that one.
    expect(judged((script) => ended(script, 110, { drained: ['i-1'] }), [{ ...swap, group: 'renamed' }])).toEqual([]);
    // A drain that ends after the same instance was claimed again is that of the later swap.
    const claimedAgain = (claimedAtMs: number) => {
      const { shortfall: _, ...later } = { ...swap, claimedAtMs };
      return judged((script) => ended(script, 110, { drained: ['i-1'] }), [{ ...swap, claimedAtMs: 1 }, later]);
    };
    expect(claimedAgain(2)).toEqual([]);
    expect(claimedAgain(Number.MAX_SAFE_INTEGER)).toEqual(['the end of the drain of i-1 was sent without its shortfall']);
    // So is one that the later swap names, where the clock that claimed it was ahead.
    const namedBy = (earlier: string, later: string) => {
      const { shortfall: _, ...again } = { ...swap, drain: later, claimedAtMs: Number.MAX_SAFE_INTEGER };
      return judged((script) => ended(script, 110, { drained: ['i-1'] }), [{ ...swap, drain: earlier, claimedAtMs: 1 }, again]);
    };
    expect(namedBy('d-0', 'd-1')).toEqual([]);
    expect(namedBy('d-1', 'd-2')).toEqual(['the end of the drain of i-1 was sent without its shortfall']);
    expect(judged((script) => ended(script, 110, { drained: ['i-1'], fallen: ['i-1', 'i-2'] }))).toEqual([
      'the event has a shortfall of i-2, and the drain does not name i-2',
    ]);
  });

  it('counts the members that it names', () => {
    expect(judged((script) => ended(script, 110, { drained: ['i-1'], counted: 2 }))).toEqual([
      'the end of drain d-1 was sent with counts that are not those of its members',
    ]);
  });
});

it('the start of a swap on the bus has the reason that its claim has', () => {
  const started = (reason: string) =>
    judged((script) => {
      script.claim(100, 'i-1', 'i-a');
      script.at(101, { kind: 'announced', detailType: 'Holdfast Swap Started', detail: { group: 'web', reason, instances: ['i-1'] } });
    });
  expect(started('scale-in')).toEqual([]);
  expect(started('rebalance')).toEqual(['the swap of i-1 was sent as rebalance, and it is scale-in']);
});

it('a fallback on the bus follows the refusals that it names', () => {
  const fellBack = (code: string) =>
    judged((script) => {
      script.refuseCapacity(100, 'i-a');
      const refused = [{ offering: { instanceType: 't', zone: 'z-a', market: 'spot' }, code }];
      script.at(102, { kind: 'announced', detailType: 'Holdfast Fallback', detail: { group: 'web', refused } });
    });
  expect(fellBack('InsufficientInstanceCapacity')).toEqual([]);
  expect(fellBack('Unsupported')).toEqual(['a fallback was sent after t/z-a/spot Unsupported, which did not happen']);
});
