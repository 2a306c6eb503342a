import { describe, expect, it } from 'vitest';
import { reasonsFit } from '../../sandbox/judge/rules/said/reasons-fit.ts';
import { details } from './details.ts';
import { policy, react, type Script } from './histories.ts';

type Json = Readonly<Record<string, unknown>>;

/** The policy that the decision names. Its size is 2 at first. */
const strict = {
  ...policy,
  size: { min: 1, max: 12, desired: 10 },
  onDemand: { floor: 1, percent: '20%' },
  maxShare: { zone: '40%' },
  spare: 1,
  breaker: { interruptions: 3, within: '10m', hold: '5m' },
  launches: { atMost: '200%', within: '5m' },
  removal: { order: 'oldest-first' },
  swap: { maxSurge: 2 },
  return: { atMost: '10%' },
  scaling: [
    {
      alarm: 'high',
      steps: [
        { above: 0, adjust: '+1' },
        { above: 30, adjust: '+20%' },
      ],
    },
  ],
  schedule: [{ at: '0 8 * * *', size: 4 }],
};

/** What does not fit in a decision of 100 for ten members, with this round. */
const said = (round: Json, record: Json = {}, write: (script: Script) => void = () => undefined): readonly string[] =>
  details(
    reasonsFit,
    (script) => {
      script.policy(0, 1, policy);
      script.desired(0, 2);
      script.policy(50, 2, strict);
      write(script);
      script.at(102, { kind: 'item-written', table: 'state', group: 'web', item: 'decision#d-1', bytes: 500, by: react('of-a') });
    },
    {
      stored: {
        ...{ states: {}, swaps: [], deadLetters: 0, staleMessages: 0 },
        decisions: [
          {
            ...{ id: 'd-1', group: 'web', atMs: 100_000, policyVersion: 2, view: { nowMs: 100_000, serving: 10, swaps: {} }, sizes: [] },
            ...{ rounds: [{ desired: 10, staying: 10, ...round }], ...record },
          },
        ],
      },
    },
  );

const fits = (round: Json, record: Json = {}): boolean => said(round, record).length === 0;
const rejects = (against: Json): boolean => fits({ rejected: [{ pool: 'spot-a', offering: 't/z-a/spot', ...against }] });
const remarks = (remark: Json): boolean => fits({ remarks: [remark] });
const moves = (why: Json, instances: readonly string[] = ['i-1']): boolean => fits({ moves: [{ pool: 'spot-a', instances, why }] });

describe('what a decision says against a pool', () => {
  it('names a share that the policy makes of the size, and that is full', () => {
    const atShare = (change: Json) => rejects({ code: 'at-share', of: 'zone', held: 4, most: 4, ...change });
    expect([atShare({}), atShare({ held: 5 })]).toEqual([true, true]);
    expect([atShare({ held: 3 }), atShare({ most: 3 }), atShare({ of: 'instance-type' })]).toEqual([false, false, false]);
    expect(said({ rejected: [{ pool: 'spot-a', code: 'at-share', of: 'zone', held: 3, most: 4 }] })).toEqual([
      'decision d-1 says spot-a at-share, which does not fit its policy',
    ]);
  });

  it('names a maximum that is reached', () => {
    expect([rejects({ code: 'at-maximum', held: 2, max: 2 }), rejects({ code: 'at-maximum', held: 1, max: 2 })]).toEqual([true, false]);
  });

  it('names a breaker over the offering that is open after the look', () => {
    const over = (change: Json) => rejects({ code: 'breaker', breaker: 'spot/t', is: 'open', untilMs: 100_001, ...change });
    expect([over({}), over({ breaker: 'spot' }), over({ is: 'half-open', untilMs: 90_000 })]).toEqual([true, true, true]);
    expect([over({ breaker: 'spot/u' }), over({ untilMs: 100_000 }), over({ offering: 't/z-a/on-demand' })]).toEqual([false, false, false]);
  });

  it('names a rest that lasts', () => {
    const codes = ['refused', 'interrupted', 'advised', 'boots-failed', 'denied'];
    expect(codes.map((code) => rejects({ code, untilMs: 100_001 }))).toEqual(codes.map(() => true));
    expect(codes.map((code) => rejects({ code, untilMs: 99_000 }))).toEqual(codes.map(() => false));
  });

  it('is read by the policy that the decision names, where that one acts', () => {
    const wrong = { rejected: [{ pool: 'spot-a', code: 'at-maximum', held: 1, max: 2 }] };
    expect(said(wrong, {}, (script) => script.policy(60, 3, { ...strict, mode: 'pause' }))).toHaveLength(1);
    expect(said(wrong, { policyVersion: 3 }, (script) => script.policy(60, 3, { ...strict, mode: 'pause' }))).toEqual([]);
  });
});

describe('launches beside the tree', () => {
  it('are on demand, and as many as are owed and missing', () => {
    const owed = (change: Json, count = 1) => fits({ reasons: [{ pool: 'od-b', count, owed: { onDemand: 2, held: 1, ...change } }] });
    expect([owed({}), owed({ held: 0 }, 2)]).toEqual([true, true]);
    expect([owed({ onDemand: 1, held: 0 }), owed({ held: 2 }), owed({}, 2)]).toEqual([false, false, false]);
    expect(fits({ reasons: [{ pool: 'spot-a', count: 1, owed: { onDemand: 2, held: 1 } }] })).toBe(false);
  });

  it('are spares on spot, as many as the policy wants', () => {
    const spare = (pool: string, count = 1) => fits({ reasons: [{ pool, count, spare: true }] });
    expect([spare('spot-a'), spare('spot-a', 2), spare('od-b')]).toEqual([true, false, false]);
  });
});

describe('moves', () => {
  it('have a reason of the policy reference', () => {
    expect([moves({ code: 'earlier-tier', tier: 1, from: 2 }), moves({ code: 'earlier-tier', tier: 2, from: 2 })]).toEqual([true, false]);
    expect([0.095, 0.096].map((usdPerHour) => moves({ code: 'cheaper', usdPerHour, fromUsdPerHour: 0.1 }))).toEqual([true, false]);
    expect([2, 1].map((apart) => moves({ code: 'fewer-members', held: 1, fromHeld: 1 + apart }))).toEqual([true, false]);
    expect([1, 0.9].map((fromAbove) => moves({ code: 'below-share', below: 0.1, fromAbove }))).toEqual([true, false]);
    expect([1, 2].map((held) => moves({ code: 'on-demand-owed', owed: 2, held }))).toEqual([true, false]);
  });

  it('are no more at once than the surge and the budget allow', () => {
    const owed = { code: 'on-demand-owed', owed: 2, held: 0 };
    expect([moves(owed, ['i-1', 'i-2']), moves(owed, ['i-1', 'i-2', 'i-3'])]).toEqual([true, false]);
    expect(moves({ code: 'earlier-tier', tier: 1, from: 2 }, ['i-1', 'i-2'])).toBe(false);
  });

  it('begin while as many serve as are desired, and nobody begins to leave', () => {
    const begin = (why: Json, view: Json) => fits({ moves: [{ pool: 'spot-a', instances: ['i-1'], why }] }, { view: { nowMs: 100_000, ...view } });
    const earlier = { code: 'earlier-tier', tier: 1, from: 2 };
    expect([begin(earlier, { serving: 10, swaps: { draining: 1, gone: 1 } }), begin(earlier, { serving: 9, swaps: {} })]).toEqual([true, false]);
    expect([{ waiting: 1 }, { leaving: 1 }].map((swaps) => begin(earlier, { serving: 10, swaps }))).toEqual([false, false]);
    expect(begin({ code: 'on-demand-owed', owed: 2, held: 1 }, { serving: 9, swaps: { waiting: 1 } })).toBe(true);
  });

  it('have a launch for each member', () => {
    const launch = (count: number) => fits({ placements: [{ pool: 'spot-a', count, moves: ['i-1'] }] });
    expect([launch(1), launch(2)]).toEqual([true, false]);
  });
});

describe('who leaves as a surplus', () => {
  const leaves = (staying: number, why: Json = {}) =>
    fits({ staying, removals: [{ instance: 'i-1', why: { code: 'surplus', rank: { order: 'oldest-first' }, ...why } }] });
  it('leaves by the order of the policy, and for a share that it limits', () => {
    expect([leaves(11), leaves(11, { overShare: 'zone' })]).toEqual([true, true]);
    expect([leaves(11, { rank: { order: 'newest-first' } }), leaves(11, { overShare: 'offering' })]).toEqual([false, false]);
  });
  it('leaves one after the other in this order, of those that serve', () => {
    const leaving = (seconds: readonly number[], order = 'oldest-first', write: (script: Script) => void = () => undefined) => {
      const removals = seconds.map((second, index) => ({
        instance: `i-${index + 1}`,
        why: { code: 'surplus', rank: { order, launchedAtMs: second } },
      }));
      return said({ staying: 12, removals }, { policyVersion: 3 }, (script) => {
        for (const instance of ['i-1', 'i-2']) script.member(instance, { by: react('of-0') });
        script.policy(51, 3, { ...strict, removal: { order } });
        write(script);
      });
    };
    expect([leaving([1, 2]), leaving([2, 2]), leaving([2, 1], 'newest-first')]).toEqual([[], [], []]);
    expect([leaving([2, 1]), leaving([1, 2], 'newest-first')].map(({ length }) => length)).toEqual([1, 1]);
    expect(leaving([2, 1], 'oldest-first', (script) => script.takeOut(60, 'i-1'))).toEqual([]);
  });
  it('is above the size', () => {
    expect(leaves(10)).toBe(false);
  });
});

describe('remarks and sizes', () => {
  it('name the limit of launches that the policy makes of the size', () => {
    const bounded = (change: Json) => remarks({ code: 'launches-bounded', count: 1, atMost: 20, withinMs: 300_000, ...change });
    expect([bounded({}), bounded({ atMost: 21 })]).toEqual([true, true]);
    expect([bounded({ atMost: 19 }), bounded({ withinMs: 600_000 }), bounded({ count: 0 })]).toEqual([false, false, false]);
  });

  it('name a breaker that opens by its rule', () => {
    const opened = (change: Json) =>
      remarks({ code: 'breaker-opened', why: 'interruptions', interruptions: 3, withinMs: 600_000, untilMs: 400_000, ...change });
    expect([opened({}), opened({ why: 'trial', interruptions: 1 }), opened({ untilMs: 395_000 })]).toEqual([true, true, true]);
    expect([opened({ interruptions: 2 }), opened({ withinMs: 1 }), opened({ untilMs: 700_000 })]).toEqual([false, false, false]);
  });

  it('name a rest of ten minutes at least for a pool whose members never served', () => {
    const given = (minutes: number) => remarks({ code: 'given-up', pool: 'spot-a', instances: [], count: 0, untilMs: 100_000 + minutes * 60_000 });
    expect([given(10), given(240), given(9), given(250)]).toEqual([true, true, false, false]);
  });

  it('name what is owed on demand', () => {
    const short = (owed: number, held: number) => remarks({ code: 'on-demand-short', owed, held });
    expect([short(2, 1), short(3, 1), short(2, 2)]).toEqual([true, false, false]);
  });

  it('name the size that an alarm or a schedule makes', () => {
    const alarm = (to: number, fromThreshold?: number) => fits({}, { sizes: [{ code: 'alarm', alarm: 'high', fromThreshold, from: 10, to }] });
    expect([alarm(11), alarm(11, 29), alarm(12, 30)]).toEqual([true, true, true]);
    expect([alarm(12), alarm(11, 30)]).toEqual([false, false]);
    const schedule = (to: number) => fits({}, { sizes: [{ code: 'schedule', at: '0 8 * * *', timezone: 'UTC', to }] });
    expect([schedule(4), schedule(5)]).toEqual([true, false]);
  });
});
