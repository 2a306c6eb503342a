import { describe, expect, test } from 'vitest';
import { decide } from '../../../core/decide/decide.ts';
import type { Group } from '../../../core/group/group.ts';
import { asCounted } from '../../../core/group/unfit.ts';
import { heardBefore } from '../../../core/observe/heard.ts';
import { decideInMode, type Watching } from '../../../core/observe/in-mode.ts';
import type { Heard } from '../../../core/observe/not-done.ts';
import { lackIn, observe } from '../../../core/observe/observe.ts';
import type { View } from '../../../core/view/view.ts';
import { member, members } from '../members.ts';
import { asgView as asg, group, nowMs, reservation, spotA, spotB, state, swapOf, view } from '../views.ts';

const inMode = (mode: Group['mode'], rest: Partial<Group> = {}): Group => group({ ...rest, ...(mode !== undefined && { mode }) });

const warned = (instance: string, rest: Partial<Heard> = {}): Heard => ({
  instance,
  reason: 'interruption',
  atMs: nowMs,
  deadlineMs: nowMs + 120_000,
  ...rest,
});

const watching = (rest: Partial<Watching> = {}): Watching => ({ heard: [], desired: 10, id: 'd-1', ...rest });

/** The look after this one, a tick later. */
const later = (seen: View, change: Partial<View> = {}, ms = 60_000): View => ({ ...seen, nowMs: seen.nowMs + ms, ...change });

describe('a group that acts', () => {
  test('is decided as without modes', () => {
    const short = view({ members: members(spotA, 5) });
    expect(decideInMode(short, watching()).decision).toEqual(decide(short));
  });

  test('drops what another mode stored', () => {
    const before = view({ state: state({ notDone: { missing: 2, surplus: 0 } }) });
    expect(decideInMode(before, watching()).view.state.notDone).toBeUndefined();
  });
});

describe('a group that acts, and whose size counts no instances', () => {
  const attached = group({ holding: { kind: 'attach', asg: 'web-asg' } });
  const of = (unfit: NonNullable<View['asgs'][number]['unfit']>, rest: Partial<View> = {}) => {
    const seen = view({ group: attached, members: members(spotA, 5), asgs: [asg({ held: 5, unfit })], ...rest });
    return { ...seen, group: asCounted(seen.group, seen.asgs) };
  };

  const gap = state({ asgGaps: { 'web-asg': { sinceMs: nowMs - 600_000, refused: false } } });

  test('launches and removes nothing, sets no size, and remarks the setting once', () => {
    const first = of(['weights'], { state: gap });
    expect(decide({ ...first, group: attached }).placements.length + decide(first).takeOver.length).toBeGreaterThan(0);
    const found = [{ asg: 'web-asg', found: ['weights' as const] }];
    const { decision } = decideInMode(first, watching());
    expect(decision).toMatchObject({ placements: [], takeOver: [], unplaced: 0, remarks: [{ code: 'asg-unfit', asgs: found }] });
    const second = of(['weights'], { state: { ...gap, unfit: found } });
    expect(decideInMode(second, watching()).decision.remarks).toEqual([]);
  });

  const newcomer = (instance: string) => member(instance, spotA, { admitted: false });

  test('takes in who is on the way, also beyond its size, and raises a maximum by what they count', () => {
    const seen = of(['weights'], {
      members: [...members(spotA, 5).map((one) => ({ ...one, asg: 'web-asg' })), newcomer('n-1'), newcomer('n-2')],
      asgs: [asg({ held: 5, desired: 3, max: 4, unfit: ['weights'], weights: { [spotA.instanceTypes[0] ?? '']: 3 } })],
      state: state({ desired: 3 }),
    });
    const { decision } = decideInMode(seen, watching());
    expect(decision.admissions).toEqual(['n-1', 'n-2']);
    expect(decision.raise).toMatchObject([{ asg: 'web-asg', toMax: 9 }]);
  });

  test('leaves the ends of members to its Auto Scaling group, and notes nothing as missing', () => {
    const swaps = [swapOf('spot-a#1', { reason: 'interruption', state: 'drained', drain: 'd', asg: 'web-asg' })];
    const seen = of(['weights'], { swaps, ended: ['spot-a#1'], asgs: [asg({ held: 5, unfit: ['weights'] })] });
    const { decision, view: after } = decideInMode(seen, watching());
    expect([decision.unnoticed, after.state.notDone]).toEqual([[], undefined]);
  });

  test('is observed without launches that nobody could count', () => {
    const observed = { ...attached, mode: 'observe' as const };
    const launches = (unfit: NonNullable<View['asgs'][number]['unfit']>) =>
      decideInMode({ ...of(unfit, { state: gap }), group: observed }, watching()).observed?.decision.placements.length ?? 0;
    expect(launches(['weights'])).toBe(0);
    expect(launches([])).toBeGreaterThan(0);
  });

  test('acts as before with Capacity Rebalancing or a warm pool', () => {
    const seen = of(['capacity-rebalancing', 'warm-pool']);
    expect(decideInMode(seen, watching()).decision).toEqual(decide(seen));
  });
});

describe('a paused group', () => {
  const paused = (rest: Partial<View>) => decideInMode(view({ group: inMode('pause'), ...rest }), watching());

  test('launches nothing, and remarks once how many are missing', () => {
    const first = paused({ members: members(spotA, 5) });
    expect(first.decision).toMatchObject({ placements: [], unplaced: 0, remarks: [{ code: 'paused', missing: 5, surplus: 0 }] });
    expect([first.decision.reasons, first.decision.rejected]).toEqual([[], []]);
    const second = decideInMode(later(first.view), watching());
    expect(second.decision.remarks).toEqual([]);
    const worse = decideInMode(later(second.view, { members: members(spotA, 4) }), watching());
    expect(worse.decision.remarks).toEqual([{ code: 'paused', missing: 6, surplus: 0 }]);
  });

  test('removes no member, and reports that in a remark', () => {
    const { decision } = paused({ state: state({ desired: 8 }) });
    expect(decision).toMatchObject({ removals: [], remarks: [{ code: 'paused', missing: 0, surplus: 2 }] });
  });

  test('replaces no member that EC2 advises to replace', () => {
    const waits = swapOf('spot-a#1', { reason: 'rebalance', state: 'waiting' });
    const spare = [...members(spotA, 6), ...members(spotB, 5)];
    expect(paused({ members: spare, swaps: [waits] }).decision.drains).toEqual([]);
    expect(decide(view({ members: spare, swaps: [waits] })).drains).toEqual(['spot-a#1']);
  });

  test('takes no Auto Scaling group over', () => {
    const attached = { holding: { kind: 'attach', asg: 'web-asg' } } as const;
    const gap = { asgGaps: { 'web-asg': { sinceMs: nowMs - 600_000, refused: false } } };
    const short = { members: members(spotA, 9), asgs: [asg({ held: 9 })], state: state(gap) };
    expect(decide(view({ group: group(attached), ...short })).takeOver).toHaveLength(1);
    expect(paused({ group: inMode('pause', attached), ...short }).decision.takeOver).toEqual([]);
  });

  test('raises no maximum where Auto Scaling groups would launch', () => {
    const pools = { 'spot-a': { ...spotA, asg: 'web-asg' } };
    const own = { holding: { kind: 'launch-instances' }, pools, capacity: { kind: 'pool', pool: 'spot-a' } } as const;
    const full = { members: members(spotA, 5, { asg: 'web-asg' }), asgs: [asg({ desired: 5, held: 5, max: 5 })] };
    expect(decide(view({ group: group(own), ...full })).raise).toEqual([{ asg: 'web-asg', fromMax: 5, toMax: 10 }]);
    expect(paused({ group: inMode('pause', own), ...full }).decision.raise).toEqual([]);
  });

  test('puts into service what was launched before', () => {
    const joining = member('new-1', spotA, { admitted: false, serving: false });
    const { decision } = paused({ members: [...members(spotA, 4), ...members(spotB, 5), joining] });
    expect(decision.admissions).toEqual(['new-1']);
  });

  test('keeps what AWS announced for later until it is over, and acts on it afterwards', () => {
    const told: Heard = { instance: 'spot-a#1', reason: 'maintenance', atMs: nowMs, untilMs: nowMs + 7_200_000 };
    const pausedGroup = { group: inMode('pause'), members: [...members(spotA, 5), ...members(spotB, 5)] };
    const first = decideInMode(view(pausedGroup), watching({ heard: [told, { instance: 'spot-a#2', reason: 'rebalance', atMs: nowMs }] }));
    const second = decideInMode(later(first.view, {}, 3_600_000), watching());
    expect(Object.keys(second.view.state.notDone?.heard ?? {})).toEqual(['spot-a#1']);
    expect(heardBefore(second.view.state, nowMs + 3_700_000)).toMatchObject([told]);
    expect(decideInMode(later(second.view, {}, 3_600_000), watching()).view.state.notDone).toBeUndefined();
  });

  test('counts what was launched and is not shown yet', () => {
    const { decision } = paused({
      members: [...members(spotA, 4), ...members(spotB, 4)],
      state: state({ reservations: [reservation()] }),
    });
    expect(decision.remarks).toEqual([]);
  });
});

describe('an attached group that does not act', () => {
  const attached = { holding: { kind: 'attach', asg: 'web-asg' } } as const;
  const outside = { ...attached, size: { from: 'asg', min: 0, max: 20, desired: 10 } } as const;
  const inside = members(spotA, 8, { asg: 'web-asg' });
  const joining = member('new-1', spotB, { admitted: false, serving: false });
  const full = asg({ max: 8, desired: 8, held: 8, holds: inside.map(({ instance }) => instance) });
  const asgs = [asg({ name: 'other', desired: 3 }), full];
  const look = (mode: Group['mode'], rest: Partial<Group>, seen: Partial<View> = {}) =>
    decideInMode(view({ group: inMode(mode, rest), members: [...inside, joining], asgs, ...seen }), watching()).decision;

  test('raises a maximum for members that join now, where it is paused, and not for launches', () => {
    expect(look(undefined, attached).raise).toMatchObject([{ toMax: 10 }]);
    expect(look('pause', attached)).toMatchObject({ admissions: ['new-1'], raise: [{ asg: 'web-asg', fromMax: 8, toMax: 9 }] });
    expect(look('observe', attached)).toMatchObject({ admissions: [], raise: [] });
  });

  test('suspends processes while members join, where it is paused, and resumes those that it suspended before', () => {
    const seen = { state: state({ suspended: [{ asg: 'former', processes: ['Launch'] }] }) };
    expect(look('pause', outside, seen)).toMatchObject({ suspend: [{ asg: 'web-asg' }], resume: [{ asg: 'former' }] });
    expect(look('pause', outside, { members: inside })).toMatchObject({ suspend: [], resume: [] });
    expect(look('observe', outside, seen)).toMatchObject({ suspend: [], resume: [{ asg: 'former' }] });
    expect(look('observe', outside)).toMatchObject({ suspend: [], resume: [] });
  });

  test('takes out of its Auto Scaling group what EC2 or a deadline takes, where it is paused', () => {
    const soft = swapOf('spot-a#2', { asg: 'web-asg', reason: 'scale-in', state: 'drained', deadlineMs: undefined });
    const seen = { members: inside, swaps: [swapOf('spot-a#1', { asg: 'web-asg', state: 'drained' }), soft] };
    expect(look(undefined, attached, seen).unnoticed).toEqual(['spot-a#1', 'spot-a#2']);
    expect(look('pause', attached, seen).unnoticed).toEqual(['spot-a#1']);
    expect(look('observe', attached, seen).unnoticed).toEqual([]);
  });

  test('has members ended before EC2 takes them that its Auto Scaling group did not let go, where it is paused', () => {
    const warnedOf = (state: 'draining' | 'waiting') => [swapOf('spot-a#1', { asg: 'web-asg', state, drainStartedAtMs: nowMs - 30_000 })];
    const endedOf = (state: 'draining' | 'waiting') => look('pause', attached, { members: inside, swaps: warnedOf(state) }).unnoticed;
    expect([endedOf('draining'), endedOf('waiting')]).toEqual([['spot-a#1'], []]);
  });
});

describe('a paused group that waits', () => {
  const pausedGroup = { group: inMode('pause') };
  const wakeOf = (rest: Partial<View>) => decideInMode(view({ ...pausedGroup, ...rest }), watching()).decision.wakeAtMs;

  test('is looked at again for what was launched before, and for nothing else', () => {
    const open = reservation({ placement: { ...reservation().placement, count: 1 } });
    const nine = [...members(spotA, 4), ...members(spotB, 5)];
    expect(wakeOf({ members: nine, state: state({ reservations: [open] }) })).toBe(open.leaseUntilMs);
    const tried = { state: state({ throttle: { untilMs: nowMs + 5_000, streak: 1 } }), members: nine };
    expect(decide(view(tried)).wakeAtMs).toBeDefined();
    expect(wakeOf(tried)).toBeUndefined();
    const joins = member('new-1', spotA, { admitted: false, serving: false, state: 'pending' });
    expect(wakeOf({ ...tried, members: [...nine.slice(1), joins] })).toBe(decide(view({ ...tried, members: [...nine.slice(1), joins] })).wakeAtMs);
  });

  test('says what it found, but nothing about launches', () => {
    const dying = { members: members(spotA, 4), state: state({ deaths: [{ atMs: nowMs - 1, count: 100 }] }) };
    const news = { detached: ['i-1'], adviceNotFollowed: [] };
    expect(decide(view({ ...dying, news })).remarks?.map(({ code }) => code)).toEqual(['deaths-bounded', 'detached']);
    const { remarks = [] } = decideInMode(view({ ...pausedGroup, ...dying, news }), watching()).decision;
    expect(remarks.map(({ code }) => code)).toEqual(['detached', 'paused']);
  });

  test('notes what is too much beside what is missing', () => {
    const { view: after } = decideInMode(view({ ...pausedGroup, state: state({ desired: 8 }) }), watching());
    expect(after.state.notDone).toEqual({ missing: 0, surplus: 2 });
  });
});

describe('an observed group', () => {
  const observed = inMode('observe');
  const look = (rest: Partial<View>, heard: readonly Heard[] = []) => {
    const seen = view({ group: observed, ...rest });
    return decideInMode(seen, watching({ heard, desired: seen.state.desired }));
  };

  test('does nothing, and records what it would do', () => {
    const { decision, observed: found } = look({}, [warned('spot-a#1')]);
    expect(decision).toMatchObject({ placements: [], removals: [], drains: [], admissions: [], raise: [], takeOver: [], unnoticed: [] });
    expect(found).toMatchObject({
      isNews: true,
      decision: { placements: [{ count: 1 }] },
      outcome: { code: 'observed', leaves: [{ instance: 'spot-a#1', reason: 'interruption' }] },
    });
  });

  test('remembers at the next look which members leave, and does not report it again', () => {
    const first = look({}, [warned('spot-a#1')]);
    const second = decideInMode(later(first.view), watching());
    expect(second.observed).toMatchObject({ isNews: false, decision: { placements: [{ count: 1 }] } });
  });

  test('remembers when it first received a signal, also if the signal comes again', () => {
    const advised: Heard = { instance: 'spot-a#1', reason: 'rebalance', atMs: nowMs };
    const first = look({}, [advised]);
    const second = decideInMode(later(first.view), watching({ heard: [{ ...advised, atMs: nowMs + 1 }] }));
    expect(second.view.state.notDone?.heard).toEqual({ 'spot-a#1': { reason: 'rebalance', atMs: nowMs + 1, heardAtMs: nowMs } });
  });

  test('records a second warning of another member', () => {
    const first = look({}, [warned('spot-a#1')]);
    const second = decideInMode(later(first.view), watching({ heard: [warned('spot-b#1')] }));
    expect(second.observed).toMatchObject({ isNews: true, decision: { placements: [{ count: 1 }, { count: 1 }] } });
  });

  test('believes nothing of an earlier observed launch', () => {
    const first = look({ members: [...members(spotA, 4), ...members(spotB, 5)] });
    expect(first.observed).toMatchObject({ isNews: true, decision: { placements: [{ count: 1 }] } });
    expect(first.view.state.reservations).toEqual([]);
    const second = decideInMode(later(first.view), watching());
    expect(second.observed).toMatchObject({ isNews: false, decision: { placements: [{ count: 1 }] } });
  });

  test('reports which instances came without Holdfast, and their cost', () => {
    const prices = { atMs: nowMs, usdPerHour: { 'm7g.large/a/spot': 0.03, 'm7g.large/b/spot': 0.04 } } as const;
    const first = look({ members: [...members(spotA, 4), ...members(spotB, 5)], state: state({ prices }) });
    expect(first.observed?.outcome.adds).toEqual({ usdPerHour: 0.03, priced: 1, of: 1 });
    const came = member('came-1', spotB, { launchedAtMs: nowMs + 30_000 });
    const second = decideInMode(later(first.view, { members: [...first.view.members, came] }), watching());
    expect(second.decision.remarks).toEqual([
      {
        code: 'came-by-itself',
        decision: 'd-1',
        afterMs: 60_000,
        instances: ['came-1'],
        count: 1,
        cost: { usdPerHour: 0.04, priced: 1, of: 1 },
        wouldCost: { usdPerHour: 0.03, priced: 1, of: 1 },
      },
    ]);
    const third = decideInMode(later(second.view), watching());
    expect(third.decision.remarks).toEqual([]);
  });

  test('records again what is missing when it is missing again', () => {
    const nine = [...members(spotA, 4), ...members(spotB, 5)];
    const first = look({ members: nine });
    const full = decideInMode(later(first.view, { members: [...nine, member('came-1', spotA)] }), watching());
    expect(decideInMode(later(full.view, { members: nine }), watching()).observed?.isNews).toBe(true);
  });

  test('records the change of an alarm once, and keeps nothing of it', () => {
    const first = decideInMode(view({ group: observed }), watching({ desired: 12 }));
    expect(first.observed).toMatchObject({ isNews: true, decision: { desired: 12, placements: [{ count: 1 }, { count: 1 }] } });
    expect(first.view.state.desired).toBe(10);
    expect(decideInMode(later(first.view), watching()).observed?.isNews).toBe(false);
  });

  test('drops a warning that did not come true', () => {
    const first = look({}, [warned('spot-a#1')]);
    const over = decideInMode(later(first.view, {}, 400_000), watching());
    expect(over.observed).toMatchObject({ isNews: false, decision: { placements: [] } });
    expect(over.view.state.notDone?.heard).toBeUndefined();
  });

  test('names members above the desired size once', () => {
    const first = look({ state: state({ desired: 9 }) });
    expect(first.observed?.decision.removals).toHaveLength(1);
    expect(first.observed?.isNews).toBe(true);
    expect(decideInMode(later(first.view), watching({ desired: 9 })).observed?.isNews).toBe(false);
  });

  test('remembers at most three hundred members that leave', () => {
    const many = members(spotA, 500);
    const { view: after } = look(
      { members: many },
      many.map(({ instance }) => warned(instance)),
    );
    expect(Object.keys(after.state.notDone?.heard ?? {})).toHaveLength(300);
  });
});

describe('members that would move to a better place', () => {
  const placement = { pool: 'spot-a', count: 1, offerings: [{ instanceType: 'm7g.large', zone: 'a', market: 'spot' }] } as const;
  const moving = (seen: View) => ({ ...decide(seen), placements: [{ ...placement, moves: ['spot-b#1'] }] });
  const look = (seen: View) => observe({ view: seen, heard: [], desired: 10, id: 'd-1', decide: moving });

  test('are not missing', () => {
    expect(lackIn(moving(view()))).toEqual({ missing: 0, surplus: 0 });
  });

  test('are said once, with what they cost now', () => {
    const prices = { atMs: nowMs, usdPerHour: { 'm7g.large/a/spot': 0.03, 'm7g.large/b/spot': 0.04 } } as const;
    const seen = view({ group: inMode('observe'), state: state({ prices }) });
    const first = look(seen);
    expect(first).toMatchObject({ isNews: true, notDone: { missing: 0, moved: ['spot-b#1'] } });
    expect(first.outcome).toMatchObject({ adds: { usdPerHour: 0.03 }, ends: { usdPerHour: 0.04 } });
    expect(look(later({ ...seen, state: { ...seen.state, notDone: first.notDone } })).isNews).toBe(false);
  });
});
