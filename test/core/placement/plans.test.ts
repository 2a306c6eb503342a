import { describe, expect, it } from 'vitest';
import { decide } from '../../../core/decide/decide.ts';
import type { Decision } from '../../../core/decision/decision.ts';
import { planPlacements } from '../../../core/placement/plan-placements.ts';
import { members } from '../members.ts';
import { onDemandIn, spotIn } from '../returning/returning-views.ts';
import { cheapest, input, poolsOf, refusedOfferings, spread, tiered } from '../selector/tree-builders.ts';
import { asgView, group, nowMs, state, view } from '../views.ts';

const minute = 60_000;
const [spotA, spotB] = [spotIn('a'), spotIn('b')];
const [onDemandA, onDemandB] = [onDemandIn('a'), onDemandIn('b')];
const counts = ({ placements }: Pick<Decision, 'placements'>) => placements.map(({ pool, count }) => [pool, count]);
const breaker = { interruptions: 5, withinMs: 10 * minute, holdMs: 60 * minute };
const opened = (untilMs: number) => ({ spot: { openedAtMs: nowMs - 60 * minute, untilMs, interruptions: 5 } });

describe('a plan', () => {
  it('stores the choices of cheapest nodes that the tree still has, and no others', () => {
    const prices = { 'm7g.large/a/spot': 0.05, 'm7g.large/b/spot': 0.06 };
    const plan = planPlacements(input(cheapest('spot-a', 'spot-b'), [spotA, spotB], { prices, cheapest: { 'tiered.0.cheapest': 'spot-b' } }));
    expect(plan.cheapest).toStrictEqual({ cheapest: 'spot-a' });
    const none = planPlacements(input(tiered(cheapest('spot-a'), cheapest('spot-b')), [spotA, spotB], { count: 0 }));
    expect(none.cheapest).toStrictEqual({});
  });

  it('passes over what an open breaker covers, and tests a half-open one with one launch', () => {
    const plan = (untilMs: number) =>
      planPlacements(input(tiered('spot-a', 'od-b'), [spotA, onDemandB], { count: 3, breaking: { breakers: opened(untilMs), rule: breaker } }));
    expect(counts(plan(nowMs + minute))).toEqual([['od-b', 3]]);
    const half = plan(nowMs - minute);
    expect(half.placements.map(({ pool, count, trial }) => [pool, count, trial])).toEqual([
      ['spot-a', 1, true],
      ['od-b', 2, undefined],
    ]);
  });

  it('leaves the breakers that it was given as they are, so that the next plan may test them too', () => {
    const breaking = { breakers: opened(nowMs - minute), rule: breaker };
    const half = input(tiered('spot-a', 'od-b'), [spotA, onDemandB], { count: 1, breaking });
    expect([counts(planPlacements(half)), counts(planPlacements(half))]).toEqual([[['spot-a', 1]], [['spot-a', 1]]]);
    expect(Object.keys(breaking)).toEqual(['breakers', 'rule']);
  });

  it('says that shares are full only where a share alone leaves members without a place', () => {
    const offering = { instanceType: 'm7g.large', zone: 'a', market: 'spot' } as const;
    const shared = { maxShare: { zone: 50 }, size: 4, held: [{ offering, count: 2 }] };
    const full = (count: number, rest: Partial<Parameters<typeof input>[2]> = {}, pools = [spotA, spotB]) =>
      planPlacements(input(tiered(...pools.map(({ name }) => name)), pools, { count, shared, ...rest })).areSharesFull;
    expect([full(2), full(3)]).toEqual([undefined, true]);
    expect(full(1, { memory: refusedOfferings('m7g.large/b/spot') })).toBe(true);
    expect(full(1, {}, [{ ...spotA, cap: 0 }])).toBeUndefined();
  });
});

describe('beside the members that are owed on demand', () => {
  it('the others keep within the shares', () => {
    const look = view({
      group: group({
        capacity: tiered(spread('pool', 'spot-a', 'spot-b'), 'od-a'),
        pools: poolsOf(spotA, spotB, onDemandA),
        onDemand: { floor: 2, percent: 0 },
        maxShare: { zone: 50 },
      }),
      state: state({ desired: 4 }),
      members: [],
    });
    expect(counts(decide(look))).toEqual([
      ['od-a', 2],
      ['spot-b', 2],
    ]);
  });

  it('nothing is owed any more once they are there', () => {
    const look = view({
      group: group({ capacity: tiered('spot-a', 'od-b'), pools: poolsOf(spotA, onDemandB), onDemand: { floor: 2, percent: 0 } }),
      state: state({ desired: 4 }),
      members: members(onDemandB, 2),
    });
    const { placements, reasons, rejected } = decide(look);
    expect(counts({ placements })).toEqual([['spot-a', 2]]);
    expect([reasons.map(({ owed }) => owed), rejected]).toEqual([[undefined], []]);
  });
});

describe('beside the maximum sizes of Auto Scaling groups', () => {
  const pools = [
    { ...spotA, asg: 'a' },
    { ...onDemandB, asg: 'b' },
  ];
  const lacking = (desired: number, caps: readonly (number | undefined)[], rest: Parameters<typeof state>[0] = {}) =>
    decide(
      view({
        group: group({
          capacity: tiered('spot-a', 'od-b'),
          pools: poolsOf(...pools.map((pool, index) => ({ ...pool, ...(caps[index] !== undefined && { cap: caps[index] }) }))),
          holding: { kind: 'launch-instances' },
          breaker,
        }),
        state: state({ desired, ...rest }),
        members: [],
        asgs: ['a', 'b'].map((name) => asgView({ name, max: 2, desired: 0, held: 0 })),
      }),
    );

  it('a smaller cap of the policy holds, and is the reason that is given', () => {
    const decision = lacking(3, [1, undefined]);
    expect(counts(decision)).toEqual([
      ['spot-a', 1],
      ['od-b', 2],
    ]);
    expect(decision.rejected).toMatchObject([{ pool: 'spot-a', code: 'at-cap', cap: 1 }]);
    expect(counts(lacking(3, [5, undefined]))).toEqual([
      ['spot-a', 2],
      ['od-b', 1],
    ]);
  });

  it('each launch has its reason, within the maximum and beyond it', () => {
    const decision = lacking(5, []);
    expect(decision.reasons.map(({ pool, count }) => [pool, count])).toEqual([
      ['spot-a', 2],
      ['od-b', 2],
      ['spot-a', 1],
    ]);
    expect(decision.raise).toEqual([{ asg: 'a', fromMax: 2, toMax: 3 }]);
  });

  it('a half-open breaker is tested once, and not once more beyond the maximum', () => {
    const half = { breakers: opened(nowMs - minute) };
    const decision = lacking(5, [], half);
    expect(decision.placements.map(({ pool, count, trial }) => [pool, count, trial])).toEqual([
      ['spot-a', 1, true],
      ['od-b', 4, undefined],
    ]);
  });
});

describe('missing spares', () => {
  it('name what stands against spot, and nothing of pools on demand', () => {
    const memory = refusedOfferings('m7g.large/a/spot', 'm7g.large/b/on-demand');
    const look = view({
      group: group({ spare: 1, capacity: tiered('spot-a', 'od-b'), pools: poolsOf(spotA, onDemandB) }),
      state: state({ desired: 2, memory }),
      members: members(spotA, 2),
    });
    expect(decide(look).rejected.map(({ pool, code }) => [pool, code])).toEqual([['spot-a', 'refused']]);
  });

  it('wait while a launch for a member of the size tests a half-open breaker', () => {
    const missing = (desired: number) =>
      decide(
        view({
          group: group({ spare: 1, breaker, capacity: tiered('spot-a', 'od-b'), pools: poolsOf(spotA, onDemandB) }),
          state: state({ desired, breakers: opened(nowMs - minute) }),
          members: members(spotA, 2),
        }),
      );
    const trial = [{ pool: 'spot-a', count: 1, trial: true }];
    expect(missing(2)).toMatchObject({ placements: trial, spares: { placed: 1, missing: 0 } });
    expect(missing(3)).toMatchObject({ placements: trial, spares: { placed: 0, missing: 1 } });
  });

  it('do not hide why pools were passed over for members of the size', () => {
    const memory = refusedOfferings('m7g.large/a/spot');
    const look = view({
      group: group({ spare: 1, capacity: tiered('spot-a', 'od-b'), pools: poolsOf(spotA, onDemandB) }),
      state: state({ desired: 2, memory }),
      members: members(spotA, 1),
    });
    const { placements, rejected } = decide(look);
    expect(counts({ placements })).toEqual([['od-b', 1]]);
    expect(rejected.filter(({ pool }) => pool === 'spot-a').length).toBeGreaterThan(0);
  });
});

describe('offerings of one launch', () => {
  it('are in the same shares, where several kinds of shares are limited', () => {
    const wide = { ...spotA, instanceTypes: ['m7g.large', 'm6g.large'], subnets: [...spotA.subnets, ...spotB.subnets] };
    const of = (maxShare: object) =>
      planPlacements(input(tiered('spot-a'), [wide], { shared: { maxShare, size: 4, held: [] } })).placements.flatMap(({ offerings }) =>
        offerings.map(({ instanceType, zone }) => `${instanceType}/${zone}`),
      );
    expect(of({ zone: 50 })).toEqual(['m7g.large/a', 'm6g.large/a']);
    expect(of({ instanceType: 50 })).toEqual(['m7g.large/a', 'm7g.large/b']);
    expect(of({ zone: 50, instanceType: 50 })).toEqual(['m7g.large/a']);
  });

  it('say which share is full', () => {
    const offering = { instanceType: 'm7g.large', zone: 'a', market: 'spot' } as const;
    const against = (maxShare: object) => {
      const plan = planPlacements(input(tiered('spot-a'), [spotA], { shared: { maxShare, size: 4, held: [{ offering, count: 2 }] } }));
      return JSON.stringify(plan.rejected);
    };
    expect(against({ offering: 50 })).toContain('"of":"offering"');
    expect(against({ zone: 50 })).toContain('"of":"zone"');
    expect(against({ instanceType: 50 })).toContain('"of":"instance-type"');
  });
});
