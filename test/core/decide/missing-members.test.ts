import { describe, expect, it } from 'vitest';
import { missingMembers } from '../../../core/decide/missing-members.ts';
import type { Group } from '../../../core/group/group.ts';
import type { Placement } from '../../../core/placement/placement.ts';
import { neverServedCode } from '../../../core/pool-memory/boot-memory.ts';
import type { Swap } from '../../../core/swap/swap.ts';
import type { Member, View } from '../../../core/view/view.ts';
import { member, members } from '../members.ts';
import { asgView, group, nowMs, reservation, spotA, spotB, state, swapOf } from '../views.ts';
import { proposed } from './situations.ts';

const of = (rest: Partial<View>) => proposed(missingMembers, rest);
const countIn = (placements: readonly Placement[] = []): number => placements.reduce((sum, { count }) => sum + count, 0);
const eight = [...members(spotA, 4), ...members(spotB, 4)];
const refused = { kind: 'refused' as const, code: 'InsufficientInstanceCapacity', atMs: nowMs, coolingUntilMs: nowMs + 600_000, streak: 1 };
const offerings = ['m7g.large/a/spot', 'm7g.large/b/spot', 'm7g.large/b/on-demand'];
const nothingGives = Object.fromEntries(offerings.map((key) => [key, refused]));
const waits = (instance: string, rest: Partial<Swap> = {}): Swap => {
  const { deadlineMs: _deadline, drain: _drain, ...swap } = swapOf(instance, { reason: 'rebalance', state: 'waiting', ...rest });
  return swap;
};

type Stuck = Partial<Member> & { readonly surge: number; readonly order: Group['swap']['order']; readonly reason: Swap['reason'] };

describe('missing members', () => {
  it('are as many as the group lacks, and negative where it has more', () => {
    expect([of({}).lack, of({ members: eight }).lack, of({ members: eight, state: state({ desired: 6 }) }).lack]).toEqual([0, 2, -2]);
    expect(countIn(of({ members: eight }).placements)).toBe(2);
  });

  it('are launched ahead for members at risk, as far as the surge goes, and for members that never served besides', () => {
    const ten = [...members(spotA, 5), ...members(spotB, 5)];
    const risky = ['spot-a#1', 'spot-a#2', 'spot-a#3'].map((id) => waits(id));
    const idle = ['spot-b#1', 'spot-b#2', 'spot-b#3'].map((id) => waits(id, { reason: 'never-served' }));
    const lack = (...swaps: readonly Swap[]) => of({ members: ten, swaps }).lack;
    expect([lack(), lack(...risky.slice(0, 1)), lack(...risky), lack(...idle), lack(...risky, ...idle)]).toEqual([0, 1, 2, 2, 4]);
  });

  it('are launched in place of protected members that never served, while others wait and as far as the surge goes', () => {
    const serving = [...members(spotA, 5), ...members(spotB, 4)];
    const since = { why: 'target-health' as const, sinceMs: nowMs - 1_200_000 };
    const lack = (wait: number, { surge = 2, order = 'launch-first', reason = 'rebalance', ...rest }: Partial<Stuck> = {}) =>
      of({
        group: group({ swap: { order, maxSurge: surge } }),
        members: [...serving, member('mute', spotB, { serving: false, protected: true, ...rest })],
        state: state({ desired: 10, unserved: { mute: since } }),
        swaps: ['spot-a#1', 'spot-a#2'].slice(0, wait).map((id) => waits(id, { reason })),
      }).lack;
    expect([lack(0), lack(1), lack(2), lack(1, { surge: 1 })]).toEqual([0, 2, 2, 1]);
    // It may leave, serves, is new, or the others need no replacement that serves.
    expect([lack(1, { protected: false }), lack(1, { serving: true }), lack(1, { launchedAtMs: nowMs - 60_000 })]).toEqual([1, 1, 1]);
    expect([lack(1, { order: 'drain-first' }), lack(1, { reason: 'never-served' })]).toEqual([0, 1]);
  });

  it('are not launched ahead for a member that was given up and may serve by now, because its health cannot be read', () => {
    const [first, ...others] = members(spotA, 5);
    const ten = (rest: Partial<Member>) => [{ ...(first as Member), serving: false, ...rest }, ...others, ...members(spotB, 5)];
    const lack = (reason: Swap['reason'], rest: Partial<Member>) => of({ members: ten(rest), swaps: [waits('spot-a#1', { reason })] }).lack;
    expect([lack('never-served', {}), lack('never-served', { mayServe: true }), lack('rebalance', { mayServe: true })]).toEqual([1, 0, 1]);
  });

  it('are one in all with drain-first while launches are denied, whoever waits, and none otherwise', () => {
    const ten = [...members(spotA, 5), ...members(spotB, 5)];
    const denial = { code: 'UnauthorizedOperation', message: '', atMs: nowMs - 600_000, untilMs: nowMs - 300_000 };
    const denials = Object.fromEntries(['spot-a', 'spot-b', 'od-b'].map((pool) => [pool, denial]));
    const idle = ['spot-b#1', 'spot-b#2'].map((id) => waits(id, { reason: 'never-served' }));
    const drainFirst = { group: group({ swap: { order: 'drain-first', maxSurge: 2 } }), members: ten };
    const lack = (swaps: readonly Swap[], rest: Partial<View> = { state: state({ denials }) }) => of({ ...drainFirst, ...rest, swaps }).lack;
    expect([lack([]), lack(idle), lack([waits('spot-a#1'), ...idle]), lack(idle, {})]).toEqual([0, 1, 1, 0]);
  });

  it('are launched ahead for members that another decision chose to begin, as for those that wait', () => {
    const [waiting, chosen] = [waits('spot-a#1'), waits('spot-a#2', { state: 'leaving' })];
    const found = of({ members: [...members(spotA, 5), ...members(spotB, 5)], swaps: [waiting, chosen] });
    expect([found.lack, countIn(found.placements)]).toEqual([2, 2]);
  });

  it('are looked for again soon where another decision has chosen a member, and a member at risk needs a replacement', () => {
    const swaps = [waits('spot-a#1'), waits('spot-b#1', { state: 'leaving', reason: 'scale-in' })];
    expect(of({ members: [...members(spotA, 5), ...members(spotB, 5)], swaps }).wakeAtMs).toBe(nowMs + 5_000);
  });

  it('are placed beside launches in flight', () => {
    const found = of({ members: [...members(spotA, 5), ...members(spotB, 3)], state: state({ desired: 12, reservations: [reservation()] }) });
    expect(found.placements?.map(({ pool, count }) => [pool, count])).toEqual([
      ['spot-a', 1],
      ['spot-b', 1],
    ]);
  });

  it('are placed beside launches in flight that a describe shows without tags, each counted once', () => {
    const inAsg = group({ pools: { ...group().pools, 'spot-b': { ...spotB, asg: 'b-asg' } } });
    const untagged = members(spotB, 2, { asg: 'b-asg', launchedAtMs: nowMs });
    const old = members(spotB, 2, { asg: 'b-asg' }).map((one) => ({ ...one, instance: `${one.instance}-old` }));
    const found = (shown: readonly Member[]) =>
      of({
        group: inAsg,
        members: [...members(spotA, 5), ...old, ...shown],
        asgs: [asgView({ name: 'b-asg', desired: 4, held: 4, holds: [...old, ...shown].map(({ instance }) => instance) })],
        state: state({ desired: 12, reservations: [reservation()] }),
      }).placements?.map(({ pool, count }) => [pool, count]);
    expect(found(untagged)).toEqual([['spot-b', 1]]);
    // With their tags, they are known not to be in flight any more, and one more is missing for each.
    expect(found(untagged.map((one) => ({ ...one, reservation: 'r-1' })))).toEqual([
      ['spot-b', 2],
      ['spot-a', 1],
    ]);
  });

  it('that no pool can give are not placed, and count as uncovered', () => {
    const none = of({ members: eight, state: state({ memory: nothingGives }) });
    expect(none).toMatchObject({ placements: [], unplaced: 2, uncovered: 2 });
    expect(of({ members: eight })).not.toHaveProperty('uncovered');
  });

  it('are requested once more when everything was refused for a minute, from the pool whose last request is the oldest', () => {
    const atMs = nowMs - 60_000;
    const long = Object.fromEntries(offerings.map((key, index) => [key, { ...refused, atMs: atMs - index }]));
    const { placements, unplaced } = of({ members: eight, state: state({ memory: long }) });
    expect(placements?.map(({ pool, count }) => [pool, count])).toEqual([['od-b', 1]]);
    expect(unplaced).toBe(1);
  });

  it('are requested once more with the replacements of members at risk, which no breaker covers', () => {
    const breaker = { interruptions: 3, withinMs: 600_000, holdMs: 3_600_000 };
    const long = Object.fromEntries(offerings.map((key, index) => [key, { ...refused, atMs: nowMs - 60_000 - index }]));
    const asked = (rest: Partial<View>) => of({ swaps: [waits('spot-b#1')], state: state({ memory: long }), ...rest });
    const nine = [...members(spotA, 4), ...members(spotB, 5)];
    expect(asked({ members: nine })).toMatchObject({ placements: [{ pool: 'od-b', count: 1 }], unplaced: 1 });
    expect(asked({ group: group({ breaker }) })).toMatchObject({ placements: [{ pool: 'od-b', count: 1 }], unplaced: 0 });
  });

  it('are not requested from refused pools, or from pools whose members never served, while another pool gives one of them', () => {
    const long = { ...refused, atMs: nowMs - 60_000 };
    const memory = { 'm7g.large/b/spot': long, 'm7g.large/b/on-demand': long };
    const pools = { ...group().pools, 'spot-a': { ...spotA, cap: 5 } };
    const neverServed = { code: neverServedCode, message: '', atMs: nowMs, restsUntilMs: nowMs + 600_000, streak: 1, template: 'web' };
    const onSpotA = { placements: [{ pool: 'spot-a', count: 1 }], unplaced: 1 };
    expect(of({ group: group({ pools }), members: eight, state: state({ memory }) })).toMatchObject(onSpotA);
    const failedBoots = { 'spot-b': neverServed, 'od-b': neverServed };
    expect(of({ group: group({ pools }), members: eight, state: state({ failedBoots }) })).toMatchObject(onSpotA);
  });

  it('are requested from a pool whose members never served although its breaker is open, where nothing else gives', () => {
    const only = { kind: 'pool', pool: 'spot-a' } as const;
    const breaker = { interruptions: 3, withinMs: 600_000, holdMs: 3_600_000 };
    const neverServed = { code: neverServedCode, message: '', atMs: nowMs, restsUntilMs: nowMs + 600_000, streak: 1, template: 'web' };
    const breakers = { spot: { openedAtMs: nowMs - 1_000, untilMs: nowMs + 60_000, interruptions: 3 } };
    const asked = (rest: Partial<View>) =>
      of({ group: group({ breaker, capacity: only }), members: eight, state: state({ breakers, failedBoots: { 'spot-a': neverServed } }), ...rest });
    expect(asked({})).toMatchObject({ placements: [{ pool: 'spot-a', count: 2 }], unplaced: 0 });
    expect(asked({}).remarks).toMatchObject([{ code: 'breaker-overridden', count: 2 }]);
    // A member at risk is none that the group lacks.
    const ten = [...members(spotA, 5), ...members(spotB, 5)];
    expect(asked({ members: ten, swaps: [waits('spot-b#1')] })).toMatchObject({ placements: [] });
  });

  it('that the policy’s limit holds back are reported, with no ends where none are known', () => {
    const launches = { atMost: { kind: 'count', by: 1 }, withinMs: 600_000 } as const;
    expect(of({ group: group({ launches }), members: eight }).remarks).toMatchObject([{ code: 'launches-bounded', count: 1, ends: [] }]);
  });

  it('that the policy’s limit holds back are looked at again when it allows the next launch', () => {
    const limited = group({ launches: { atMost: { kind: 'count', by: 4 }, withinMs: 600_000 } });
    const launched = (count: number) => state({ launches: [{ atMs: nowMs - 590_000, count, desired: 10 }] });
    expect(of({ group: limited, members: eight, state: launched(4) }).wakeAtMs).toBe(nowMs + 10_000);
    expect(of({ group: limited, members: eight, state: launched(2) }).wakeAtMs).toBeUndefined();
  });

  it('are placed beside what Auto Scaling groups launch by themselves, seen by EC2 or not', () => {
    const [inA, inB] = [
      { ...spotA, asg: 'in-a' },
      { ...spotB, asg: 'in-b' },
    ];
    const launched = group({ pools: { ...group().pools, 'spot-a': inA, 'spot-b': inB } });
    const nine = [...members(inA, 5, { asg: 'in-a' }), ...members(inB, 4, { asg: 'in-b' })];
    const places = (desired: number, held: number, holds: readonly string[]) =>
      of({
        group: launched,
        members: nine,
        state: state({ desired: 12 }),
        asgs: [asgView({ name: 'in-a', desired: 5, held: 5 }), asgView({ name: 'in-b', desired, held, holds })],
      }).placements?.map(({ pool, count }) => [pool, count]);
    // One of both is about to come into the second group.
    expect(places(5, 4, [])).toEqual([
      ['spot-a', 1],
      ['spot-b', 1],
    ]);
    expect(places(5, 5, ['i-unseen'])).toEqual(places(5, 4, []));
    // None is: the second group gets two of three.
    expect(places(4, 4, [])).toEqual([
      ['spot-b', 2],
      ['spot-a', 1],
    ]);
  });

  it('are not launched once ten instances for each have ended before service, and a remark reports it', () => {
    const { placements, unplaced, remarks } = of({ members: eight, state: state({ deaths: [{ atMs: nowMs, count: 19 }] }) });
    expect(countIn(placements)).toBe(1);
    expect(unplaced).toBe(1);
    expect(remarks).toEqual([{ code: 'deaths-bounded', count: 1 }]);
  });

  it('that the bucket of the account leaves out are not placed', () => {
    expect(countIn(of({ members: eight, mayLaunch: 1 }).placements)).toBe(1);
    expect(of({ members: eight, mayLaunch: 0 }).placements).toEqual([]);
  });
});

describe('missing spares', () => {
  const spared = group({ spare: 2 });
  const ten = [...members(spotA, 5), ...members(spotB, 5)];
  it('are requested on spot once the group has its size, and count apart', () => {
    const found = of({ group: spared, members: ten });
    expect(found).toMatchObject({ lack: 0, unplaced: 0, spares: { placed: 2, missing: 0 } });
    expect(countIn(found.placements)).toBe(2);
  });
  it('are requested with the missing members, and not while some of those find no place', () => {
    expect(of({ group: spared, members: eight })).toMatchObject({ lack: 2, spares: { placed: 2, missing: 0 } });
    const short = of({ group: spared, members: eight, state: state({ memory: nothingGives }) });
    expect(short).toMatchObject({ lack: 2, unplaced: 2, spares: { placed: 0, missing: 2 }, placements: [] });
  });
  it('come after the missing members where the account may launch few', () => {
    expect(of({ group: spared, members: eight, mayLaunch: 3 })).toMatchObject({ unplaced: 0, spares: { placed: 1, missing: 1 } });
  });
  it('that spot does not give are missing, and no member on demand comes for them', () => {
    const { 'm7g.large/b/on-demand': _gives, ...spotRefused } = nothingGives;
    const found = of({ group: spared, members: ten, state: state({ memory: spotRefused }) });
    expect(found).toMatchObject({ placements: [], unplaced: 0, spares: { placed: 0, missing: 2 } });
  });
  it('are not missed where the group has them', () => {
    expect(of({ group: spared, members: [...members(spotA, 6), ...members(spotB, 6)] })).not.toHaveProperty('spares');
    expect(of({ group: spared, members: [...members(spotA, 6), ...members(spotB, 5)] })).toMatchObject({
      lack: 0,
      spares: { placed: 1, missing: 0 },
    });
  });
});
