import { describe, expect, it } from 'vitest';
import { type Breaker, type BreakerRule, breakerOver, withAnswers, withTrials } from '../../../core/breaker/breaker.ts';
import { type BreakerLook, learnBreakers } from '../../../core/breaker/learn.ts';
import { decide } from '../../../core/decide/decide.ts';
import { countOnce } from '../../../core/limits/counted-warnings.ts';
import type { Offering } from '../../../core/pool/offering.ts';
import type { Pool } from '../../../core/pool/pool.ts';
import { chooseReturns } from '../../../core/returning/rule.ts';
import { takeHeadcount } from '../../../core/view/headcount.ts';
import type { GroupState, View } from '../../../core/view/view.ts';
import { member, members } from '../members.ts';
import { group, nowMs, onDemandB, reservation, spotA, spotB, state, swapOf, view } from '../views.ts';

const minuteMs = 60_000;
const rule: BreakerRule = { interruptions: 3, withinMs: 10 * minuteMs, holdMs: 60 * minuteMs };
const guarded = group({ breaker: rule });
const warned = (count: number, offering = 'm7g.large/a/spot') => Array.from({ length: count }, (_, index) => ({ instance: `i-${index}`, offering }));

type Look = Partial<Omit<BreakerLook, 'group'>> & { readonly pools?: Readonly<Record<string, Pool>> };
const learn = (of: GroupState, { pools = guarded.pools, ...rest }: Look = {}) =>
  learnBreakers(of, { group: { breaker: rule, pools }, warned: [], fresh: rest.warned ?? [], members: [], swaps: [], nowMs, ...rest });

/** Its breaker is over for `sinceMs`. */
const openedBefore = (sinceMs: number, rest: Partial<Breaker> = {}): Breaker => ({
  openedAtMs: nowMs - rule.holdMs - sinceMs,
  untilMs: nowMs - sinceMs,
  interruptions: 3,
  ...rest,
});
const open: Breaker = { openedAtMs: nowMs - minuteMs, untilMs: nowMs + 59 * minuteMs, interruptions: 3 };
const twoFamilies = { 'spot-a': { ...spotA, instanceTypes: ['m7g.large', 'c7g.large'] }, 'spot-b': spotB, 'od-b': onDemandB };

describe('a breaker', () => {
  it('opens after so many interruptions within the time', () => {
    const { state: two, news: none } = learn(state(), { warned: warned(2) });
    expect({ breakers: two.breakers, none }).toEqual({ breakers: undefined, none: [] });
    const { state: three, news } = learn(two, { warned: warned(1), nowMs: nowMs + 9 * minuteMs });
    const untilMs = nowMs + 69 * minuteMs;
    expect(three.breakers).toEqual({ spot: { openedAtMs: nowMs + 9 * minuteMs, untilMs, interruptions: 3 } });
    expect(news).toEqual([{ code: 'breaker-opened', breaker: 'spot', why: 'interruptions', interruptions: 3, withinMs: rule.withinMs, untilMs }]);
    expect(learn(two, { warned: warned(1), nowMs: nowMs + 10 * minuteMs }).state.breakers).toBeUndefined();
  });

  // The state table was down for eight minutes, and one look then claimed what EC2 had warned about before (20160002 of outages).
  it('counts interruptions from the time that EC2 gave them, however late a look receives them', () => {
    const at = (minutes: number) => ({ instance: 'i-late', offering: 'm7g.large/a/spot', warnedAtMs: nowMs - minutes * minuteMs });
    const tallies = (...minutes: readonly number[]) => learn(state(), { warned: minutes.map(at) }).state;
    expect(tallies(9, 9, 9).breakers).toHaveProperty('spot.openedAtMs', nowMs);
    expect(tallies(11, 9, 9).interruptions).toEqual([{ family: 'm7g', atMs: nowMs - 9 * minuteMs, count: 2 }]);
    expect(tallies(11, 11, 11)).toEqual(state());
    const { state: two } = learn(state(), { warned: warned(2) });
    expect(learn(two, { warned: [at(9)] }).news).toMatchObject([{ code: 'breaker-opened', interruptions: 3 }]);
    expect(learn(two, { warned: [at(11)] }).state.interruptions).toEqual([{ family: 'm7g', atMs: nowMs, count: 2 }]);
  });

  it('is of the family that was interrupted, where the group has others', () => {
    const of = (offerings: readonly string[]) =>
      Object.keys(learn(state(), { pools: twoFamilies, warned: offerings.map((offering) => ({ instance: 'i-1', offering })) }).state.breakers ?? {});
    expect(of(['m7g.large/a/spot', 'm7g.large/a/spot', 'm7g.xlarge/a/spot'])).toEqual(['spot/m7g']);
    expect(of(['m7g.large/a/spot', 'm7g.large/a/spot', 'c7g.large/a/spot'])).toEqual(['spot']);
    expect(of(['m7g.large/a/on-demand', 'm7g.large/a/spot', 'unknown'])).toEqual([]);
  });

  it('counts nothing twice: interruptions that opened it do not open it again', () => {
    const { state: opened } = learn(state(), { warned: warned(3) });
    expect(learn(opened, { nowMs: nowMs + minuteMs }).news).toEqual([]);
    const { state: two } = learn(opened, { warned: warned(2), nowMs: nowMs + 5_000 });
    expect(two.breakers?.spot).toEqual(opened.breakers?.spot);
    expect(learn(two, { warned: warned(1), nowMs: nowMs + 9_000 }).news).toMatchObject([{ code: 'breaker-opened', interruptions: 3 }]);
  });

  // A function whose clock is ahead may count a warning, and the function that opens the breaker after it may read an earlier time (13020179).
  it('counts nothing twice where the clocks of functions differ', () => {
    const { state: one } = learn(state(), { warned: warned(1), nowMs: nowMs + 1_800 });
    const { state: opened, news } = learn(one, { warned: warned(2), nowMs });
    expect(news).toMatchObject([{ code: 'breaker-opened', interruptions: 3 }]);
    expect(learn(opened, { warned: warned(2), nowMs: nowMs + 3_000 }).news).toEqual([]);
    const { state: ahead } = learn(state(), { warned: warned(3), nowMs: nowMs + 1_800 });
    expect(learn(ahead, { warned: warned(3), nowMs }).news).toMatchObject([{ code: 'breaker-opened', interruptions: 3 }]);
  });

  it('of one family is opened by later interruptions alone, after it was open or all spot was', () => {
    const pools = twoFamilies;
    const { state: opened } = learn(state(), { pools, warned: warned(3) });
    expect(Object.keys(opened.breakers ?? {})).toEqual(['spot/m7g']);
    expect(learn(opened, { pools, nowMs: nowMs + minuteMs }).news).toEqual([]);
    const { state: all } = learn(state(), { pools, warned: [...warned(2), ...warned(1, 'c7g.large/a/spot')] });
    expect(Object.keys(all.breakers ?? {})).toEqual(['spot']);
    expect(learn(all, { pools, warned: warned(1), nowMs: nowMs + 5_000 }).news).toEqual([]);
  });

  it('is half-open when its time is over, and closes when no interruption came within the same time again', () => {
    const offering: Offering = { instanceType: 'm7g.large', zone: 'a', market: 'spot' };
    const over = (breaker: Breaker) => breakerOver([offering], { breakers: { spot: breaker }, rule }, nowMs)?.is;
    expect([over(open), over(openedBefore(0)), over(openedBefore(0, { trial: { reservation: 'r-1', atMs: nowMs } }))]).toEqual([
      'open',
      'half-open',
      'tried',
    ]);
    expect(breakerOver([{ ...offering, market: 'on-demand' }], { breakers: { spot: open }, rule }, nowMs)).toBeUndefined();
    expect(breakerOver([offering], { breakers: { 'spot/c7g': open }, rule }, nowMs)).toBeUndefined();
    const half = state({ breakers: { spot: openedBefore(rule.holdMs - 1) } });
    expect(learn(half).state.breakers).toEqual(half.breakers);
    const quiet = state({ breakers: { spot: openedBefore(rule.holdMs) } });
    expect(learn(quiet)).toEqual({ state: state(), news: [{ code: 'breaker-closed', breaker: 'spot', why: 'quiet' }] });
  });

  it('is not opened again, once it has closed, by interruptions that it counted', () => {
    const short: BreakerRule = { interruptions: 3, withinMs: 10 * minuteMs, holdMs: minuteMs };
    const look = { group: { breaker: short, pools: twoFamilies }, members: [], swaps: [], fresh: [], warned: [] };
    const mixed = [...warned(2), ...warned(2, 'c7g.large/a/spot')];
    const { state: opened } = learnBreakers(state(), { ...look, warned: mixed, fresh: mixed, nowMs });
    expect(Object.keys(opened.breakers ?? {})).toEqual(['spot']);
    const closed = learnBreakers(opened, { ...look, nowMs: nowMs + 2 * minuteMs });
    expect(closed).toEqual({ state: state(), news: [{ code: 'breaker-closed', breaker: 'spot', why: 'quiet' }] });
  });

  it('keeps, when it closes, interruptions that it has not counted', () => {
    const tallies = [
      { family: 'm7g', atMs: nowMs - minuteMs, count: 2 },
      { family: 'c7g', atMs: nowMs - 6 * minuteMs, count: 2 },
    ];
    const breakers = { 'spot/m7g': openedBefore(rule.holdMs, { openedAtMs: nowMs - 5 * minuteMs }) };
    const { state: after, news } = learn(state({ breakers, interruptions: tallies }), { pools: twoFamilies });
    expect(news).toMatchObject([
      { code: 'breaker-closed', breaker: 'spot/m7g' },
      { code: 'breaker-opened', breaker: 'spot', interruptions: 4 },
    ]);
    expect(after.interruptions).toBeUndefined();
  });

  it('stays open until its time is over when the policy has another rule', () => {
    const other = { interruptions: 9, withinMs: minuteMs, holdMs: minuteMs };
    const look = { group: { breaker: other, pools: guarded.pools }, warned: [], fresh: [], members: [], swaps: [], nowMs };
    expect(learnBreakers(state({ breakers: { spot: open } }), look)).toEqual({ state: state({ breakers: { spot: open } }), news: [] });
  });

  it('is dropped with the policy that requires it', () => {
    const of = state({ breakers: { spot: open }, interruptions: [{ family: 'm7g', atMs: nowMs, count: 1 }] });
    const look = { group: group(), warned: warned(9), fresh: warned(9), members: [], swaps: [], nowMs };
    expect(learnBreakers(of, look)).toEqual({ state: state(), news: [] });
  });
});

describe('a warning', () => {
  it('is counted once, whichever functions receive it', () => {
    const first = countOnce(state(), warned(2));
    expect(first).toEqual({ state: state({ counted: ['i-0', 'i-1'] }), fresh: warned(2) });
    const of = { ...first.state, warnings: [{ atMs: nowMs, count: 2 }] };
    expect(countOnce(of, warned(3)).fresh).toEqual(warned(3).slice(2));
    expect(countOnce(of, []).state).toEqual(of);
    expect(countOnce(first.state, []).state).toEqual(state());
    // Who opened a breaker is not among the interruptions any more, and still counts once.
    const opened = { ...first.state, breakers: { spot: open } };
    expect(countOnce(opened, []).state).toEqual(opened);
  });
});

describe('interruptions', () => {
  const partMs = rule.withinMs / 30;
  const from = Math.ceil(nowMs / partMs) * partMs;
  const told = (of: GroupState, atMs: number, ...offerings: readonly string[]) =>
    learn(of, { pools: twoFamilies, warned: offerings.map((offering, index) => ({ instance: `i-${index}`, offering })), nowMs: atMs }).state;
  const [m7g, c7g] = ['m7g.large/a/spot', 'c7g.large/a/spot'];

  it('of one family and one part of the time are counted together, at the time of the last', () => {
    const one = told(state(), from, m7g);
    expect(told(one, from + partMs - 1, m7g).interruptions).toEqual([{ family: 'm7g', atMs: from + partMs - 1, count: 2 }]);
    expect(told(one, from + partMs, m7g).interruptions).toHaveLength(2);
    expect(told(one, from, c7g).interruptions).toEqual([
      { family: 'm7g', atMs: from, count: 1 },
      { family: 'c7g', atMs: from, count: 1 },
    ]);
  });

  it('are counted together after a breaker has opened too, so that a storm leaves no long list', () => {
    const opened = state({ breakers: { spot: { ...open, openedAtMs: from - 1, untilMs: from + rule.holdMs } } });
    expect(told(told(opened, from, m7g), from + 1, m7g).interruptions).toEqual([{ family: 'm7g', atMs: from + 1, count: 2 }]);
  });

  it('are dropped once all of them are old, or when others come', () => {
    const old = state({ interruptions: [{ family: 'm7g', atMs: from - rule.withinMs, count: 1 }] });
    expect(told(old, from).interruptions).toBeUndefined();
    const both = state({ interruptions: [...(old.interruptions ?? []), { family: 'm7g', atMs: from - 1, count: 1 }] });
    expect(told(both, from).interruptions).toEqual(both.interruptions);
    expect(told(both, from, c7g).interruptions?.map(({ family }) => family)).toEqual(['m7g', 'c7g']);
  });

  it('are remembered up to a bound', () => {
    const interruptions = Array.from({ length: 300 }, (_, index) => ({ family: `x${index}`, atMs: from - 1, count: 1 }));
    const fresh = [{ instance: 'i-0', offering: m7g }];
    const look = {
      group: { breaker: { ...rule, interruptions: 400 }, pools: twoFamilies },
      warned: fresh,
      fresh,
      members: [],
      swaps: [],
      nowMs: from,
    };
    const after300 = learnBreakers(state({ interruptions }), look).state.interruptions ?? [];
    expect([after300.length, after300[0]?.family, after300.at(-1)?.family]).toEqual([300, 'x1', 'm7g']);
  });

  it('of the only spot family are of all spot, whatever is on demand', () => {
    const pools = { 'spot-a': spotA, 'od-b': { ...onDemandB, instanceTypes: ['c7g.large'] } };
    expect(Object.keys(learn(state(), { pools, warned: warned(3) }).state.breakers ?? {})).toEqual(['spot']);
  });

  it('of a family that the policy does not name any more leave the family that it names', () => {
    const pools = { 'spot-a': spotA };
    expect(Object.keys(learn(state(), { pools, warned: warned(3, 'm6g.large/a/spot') }).state.breakers ?? {})).toEqual(['spot/m6g']);
    const both = [...warned(2, 'm6g.large/a/spot'), ...warned(1)];
    expect(Object.keys(learn(state(), { pools, warned: both }).state.breakers ?? {})).toEqual(['spot']);
  });
});

describe('the trial launch of a breaker', () => {
  const tried = (rest: Partial<NonNullable<Breaker['trial']>> = {}) =>
    state({ breakers: { spot: openedBefore(minuteMs, { trial: { reservation: 'r-1', atMs: nowMs - minuteMs, instance: 'i-0', ...rest } }) } });
  const lives = (ageMs: number) => [member('i-0', spotA, { launchedAtMs: nowMs - ageMs })];

  it('closes the breaker when it has lived for the time of the rule', () => {
    expect(learn(tried(), { members: lives(9 * minuteMs) })).toEqual({ state: tried(), news: [] });
    expect(learn(tried(), { members: lives(10 * minuteMs) })).toEqual({
      state: state(),
      news: [{ code: 'breaker-closed', breaker: 'spot', why: 'trial' }],
    });
  });

  it('opens it again when it is interrupted, with a warning or without', () => {
    const again = { spot: { openedAtMs: nowMs, untilMs: nowMs + rule.holdMs, interruptions: 1 } };
    const told = learn(tried(), { members: lives(minuteMs), warned: warned(1) });
    expect(told.state.breakers).toEqual(again);
    expect(told.news).toMatchObject([{ code: 'breaker-opened', why: 'trial' }]);
    const ending = {
      code: 'Server.SpotInstanceTermination',
      message: '',
      offering: { instanceType: 'm7g.large', zone: 'a', market: 'spot' as const },
    };
    expect(learn(tried(), { endings: { 'i-0': ending } }).state.breakers).toEqual(again);
  });

  it('makes room for another where it ended by itself, left, or never came', () => {
    const none = { spot: openedBefore(minuteMs) };
    const ending = { code: 'Client.InternalError', message: '', offering: { instanceType: 'm7g.large', zone: 'a', market: 'spot' as const } };
    expect(learn(tried(), { endings: { 'i-0': ending } }).state.breakers).toEqual(none);
    expect(learn(tried(), { members: lives(minuteMs), swaps: [swapOf('i-0', { reason: 'scale-in' })] }).state.breakers).toEqual(none);
    const { breakers } = state({ breakers: { spot: openedBefore(minuteMs, { trial: { reservation: 'r-1', atMs: nowMs - minuteMs } }) } });
    expect(learn(state({ breakers })).state.breakers).toEqual(none);
    expect(learn(state({ breakers, reservations: [reservation()] })).state.breakers).toEqual(breakers);
  });

  it('is found by its reservation, while its instance is not known', () => {
    const unnamed = { breakers: { spot: openedBefore(minuteMs, { trial: { reservation: 'r-1', atMs: nowMs - minuteMs } }) } };
    const came = (ageMs: number, id: string) => [
      member('i-other', spotA, { reservation: 'r-9' }),
      member('i-5', spotA, { reservation: id, launchedAtMs: nowMs - ageMs }),
    ];
    expect(learn(state(unnamed), { members: came(minuteMs, 'r-1') }).state.breakers).toEqual(unnamed.breakers);
    expect(learn(state(unnamed), { members: came(10 * minuteMs, 'r-1') }).state.breakers).toBeUndefined();
    expect(learn(state(unnamed), { members: came(minuteMs, 'r-2') }).state.breakers).toEqual({ spot: openedBefore(minuteMs) });
    const others = [reservation({ id: 'r-2' }), reservation({ leaseUntilMs: nowMs - 1, forgetAtMs: nowMs - 1 })];
    expect(learn(state({ ...unnamed, reservations: others })).state.breakers).toEqual({ spot: openedBefore(minuteMs) });
  });

  it('is waited for while describes do not show it, for the time of the rule', () => {
    expect(learn(tried()).state.breakers).toEqual(tried().breakers);
    expect(learn(tried({ atMs: nowMs - 10 * minuteMs + 1 })).state.breakers?.spot?.trial).toBeDefined();
    expect(learn(tried({ atMs: nowMs - 10 * minuteMs })).state.breakers).toEqual({ spot: openedBefore(minuteMs) });
  });

  it('does not depend on the ends of other launches', () => {
    const seen = {
      members: lives(minuteMs),
      swaps: [swapOf('i-7', { reason: 'scale-in' }), swapOf('i-0', { reason: 'rebalance', state: 'waiting' })],
    };
    expect(learn(tried(), seen).state.breakers).toEqual(tried().breakers);
    expect(learn(tried(), { members: lives(minuteMs), warned: [{ instance: 'i-7', offering: 'm7g.large/a/spot' }] }).state.breakers).toEqual(
      tried().breakers,
    );
  });

  it('is stored with its reservation, and with its instance once EC2 has responded', () => {
    const half = { spot: openedBefore(minuteMs), 'spot/c7g': openedBefore(minuteMs) };
    const placement = { ...reservation().placement, trial: true as const };
    const { breakers } = withTrials({ breakers: half }, [reservation({ placement })], nowMs);
    expect(breakers).toEqual({ ...half, spot: { ...half.spot, trial: { reservation: 'r-1', atMs: nowMs } } });
    const offering: Offering = { instanceType: 'm7g.large', zone: 'b', market: 'spot' };
    const asked = new Set(['r-1']);
    const granted = [{ reservation: 'r-1', instance: 'i-0', offering }];
    expect(withAnswers(breakers, { asked, stays: asked, granted })?.spot?.trial?.instance).toBe('i-0');
    expect(withAnswers(breakers, { asked, stays: new Set(), granted: [] })).toEqual(half);
    expect(withAnswers(breakers, { asked, stays: asked, granted: [] })).toEqual(breakers);
    expect(withTrials({ breakers: half }, [reservation()], nowMs)).toEqual({});
  });
});

describe('a group with a breaker', () => {
  const placed = (of: Partial<View>) => {
    const { placements, unplaced, reasons, remarks, rejected } = decide(view({ group: guarded, ...of }));
    const counts = Object.fromEntries(placements.map(({ pool, count }) => [pool, count]));
    return {
      counts,
      unplaced,
      resorts: reasons.map(({ lastResort }) => lastResort),
      trials: placements.map(({ trial }) => trial),
      remarks,
      rejected,
    };
  };
  const seven = [...members(spotA, 4), ...members(spotB, 3)];

  it('launches in the next tier while it is open, and records why', () => {
    const { counts, rejected } = placed({ members: seven, state: state({ breakers: { spot: open } }) });
    expect(counts).toEqual({ 'od-b': 3 });
    expect(rejected).toMatchObject([
      { pool: 'spot-a', code: 'breaker', breaker: 'spot', is: 'open', untilMs: open.untilMs },
      { pool: 'spot-b', code: 'breaker' },
    ]);
  });

  it('launches one below a half-open breaker, and the others in the next tier', () => {
    const { counts, trials, resorts } = placed({ members: seven, state: state({ breakers: { spot: openedBefore(0) } }) });
    expect(counts).toEqual({ 'spot-b': 1, 'od-b': 2 });
    expect({ trials, resorts }).toEqual({ trials: [true, undefined], resorts: ['trial', undefined] });
    const tried = openedBefore(0, { trial: { reservation: 'r-0', atMs: nowMs } });
    expect(placed({ members: seven, state: state({ breakers: { spot: tried } }) }).counts).toEqual({ 'od-b': 3 });
  });

  it('uses other families of the tier before a half-open one', () => {
    const mixed = { ...guarded, pools: twoFamilies };
    const { counts, trials } = placed({ group: mixed, members: seven, state: state({ breakers: { 'spot/m7g': openedBefore(0) } }) });
    expect({ counts, trials }).toEqual({ counts: { 'spot-a': 3 }, trials: [undefined] });
  });

  it('passes over an Auto Scaling group that may launch of the family, and none that may not', () => {
    const { launchTemplate: _template, ...held } = twoFamilies['spot-a'];
    const pools = { ...twoFamilies, 'spot-a': { ...held, asg: 'web-a' }, 'spot-b': { ...spotB, instanceTypes: ['c7g.large'] } };
    const placedIn = (breaker: Breaker) =>
      placed({ group: { ...guarded, pools }, members: seven, state: state({ breakers: { 'spot/m7g': breaker } }) });
    expect(placedIn(open)).toMatchObject({ counts: { 'spot-b': 3 }, rejected: [{ pool: 'spot-a', code: 'breaker' }, { pool: 'spot-a' }] });
    expect(placedIn(openedBefore(0)).counts).toEqual({ 'spot-b': 3 });
  });

  it('is not kept short by an open breaker: when no other offering is left, it launches anyway and reports that', () => {
    const refused = { kind: 'refused' as const, code: 'InsufficientInstanceCapacity', atMs: nowMs, coolingUntilMs: nowMs + minuteMs, streak: 1 };
    const memory = { 'm7g.large/b/on-demand': refused };
    const short = placed({ members: seven, state: state({ breakers: { spot: open }, memory }) });
    expect(short).toMatchObject({ unplaced: 0, counts: { 'spot-b': 2, 'spot-a': 1 }, resorts: ['breaker', 'breaker'] });
    expect(short.remarks).toEqual([{ code: 'breaker-overridden', count: 3 }]);
  });

  it('waits with what can wait: a replacement ahead of its time overrides nothing', () => {
    const memory = {
      'm7g.large/b/on-demand': { kind: 'refused' as const, code: 'X', atMs: nowMs, coolingUntilMs: nowMs + minuteMs, streak: 1 },
    };
    const swaps = [swapOf('spot-a#1', { state: 'waiting', reason: 'rebalance' })];
    const { counts, unplaced } = placed({ swaps, state: state({ breakers: { spot: open }, memory }) });
    expect({ counts, unplaced }).toEqual({ counts: {}, unplaced: 1 });
  });

  it('moves no member back while one is open, and one at a time while it is half-open', () => {
    const returning = { afterMs: minuteMs, everyMs: 5 * minuteMs, atMost: { kind: 'count' as const, by: 5 }, timezone: 'UTC' };
    const returned = (breaker: Breaker) => {
      const of = view({
        group: { ...guarded, returning },
        members: [...members(spotA, 5), ...members(onDemandB, 5)],
        state: state({ breakers: { spot: breaker } }),
      });
      return chooseReturns(of, takeHeadcount(of), 5);
    };
    expect(returned(openedBefore(0)).plan.placements).toMatchObject([{ pool: 'spot-b', count: 1, trial: true }]);
    const kept = returned(open);
    expect(kept.plan.placements).toEqual([]);
    expect(kept.notMoved).toMatchObject({ code: 'resting' });
  });
});
