import { describe, expect, it, test } from 'vitest';
import { asksAgain, asksAgainAtMs, sortLate } from '../../core/drain/late.ts';
import type { Denial, Denials } from '../../core/pool-memory/denials.ts';
import { poolsBelow } from '../../core/selector/selector.ts';
import { isNeeded, wasLeftAlone } from '../../core/swap/let-go.ts';
import type { Swap } from '../../core/swap/swap.ts';
import { beginDrain } from '../../functions/begin-drain/begin-drain.ts';
import { endDrain } from '../../functions/end-drain/end-drain.ts';
import { execute } from './execution.ts';
import { createFleet, group, member, noonMs, order, swap } from './fleet.ts';

const inMs = (seconds: number) => noonMs + seconds * 1_000;

describe('a member that was chosen to leave is compared with the others again', () => {
  const hook = { asg: 'web', hook: 'drain', token: 't', expiresAtMs: inMs(600) };
  it.each<readonly [string, Partial<Swap>, number, boolean]>([
    ['when its drain begins late', { reason: 'scale-in' }, 6, true],
    ['unless its drain begins in the time that a start may take', { reason: 'scale-in' }, 5, false],
    ['when it waited long and was chosen late', { reason: 'rebalance', chosenAtMs: inMs(60) }, 66, true],
    ['unless it was chosen a moment ago, however long it waited', { reason: 'rebalance', chosenAtMs: inMs(60) }, 65, false],
    ['when it was chosen in the future, by another clock', { reason: 'rebalance', chosenAtMs: inMs(60) }, 54, true],
    ['unless that clock is hardly ahead', { reason: 'rebalance', chosenAtMs: inMs(60) }, 55, false],
    ['also when another drain took over', { reason: 'moved', chosenAtMs: inMs(60), drainOrderedAtMs: inMs(600) }, 601, true],
    ['unless EC2 takes it', { reason: 'interruption', deadlineMs: inMs(120) }, 60, false],
    ['unless its Auto Scaling group waits for us', { reason: 'hook', hooks: [hook] }, 60, false],
    ['unless EC2 takes it, however far its deadline is', { reason: 'interruption', deadlineMs: inMs(3_600) }, 60, false],
    ['unless its Auto Scaling group ends it', { reason: 'hook' }, 60, false],
    ['unless a hook of its Auto Scaling group waits, whatever it leaves for', { reason: 'scale-in', hooks: [hook] }, 60, false],
    ['unless its Auto Scaling group was told to end it', { reason: 'scale-in', releaseAskedAtMs: noonMs }, 60, false],
    ['unless its drain has begun', { reason: 'scale-in', state: 'draining' }, 60, false],
    ['also when AWS is to retire it', { reason: 'maintenance' }, 3_600, true],
    ['also when EC2 has not taken it ten seconds after its deadline', { reason: 'interruption', deadlineMs: inMs(120) }, 130, true],
    ['unless EC2 may still take it', { reason: 'interruption', deadlineMs: inMs(120) }, 129, false],
    ['unless its drain has begun, after its deadline too', { reason: 'interruption', deadlineMs: inMs(120), state: 'draining' }, 130, false],
    ['unless its Auto Scaling group ends it, after its deadline too', { reason: 'hook', deadlineMs: inMs(120) }, 130, false],
    ['unless a hook waits after its deadline', { reason: 'interruption', deadlineMs: inMs(120), hooks: [hook] }, 130, false],
    ['also when EC2 warned about it and did not take it', { reason: 'unwanted', deadlineMs: inMs(120) }, 700, true],
  ])('%s', (_, changes, seconds, expected) => {
    expect(asksAgain(swap('i-1', changes), inMs(seconds))).toBe(expected);
  });
});

describe('members whose drain begins late', () => {
  const sorted = (late: readonly Swap[], serving: readonly string[], desired: number, order: 'launch-first' | 'drain-first' = 'launch-first') => {
    const members = [...serving.map((instance) => member(instance)), member('i-idle', { serving: false })];
    const holdings = { members, asgs: [], aside: [], ended: [], stopped: [] };
    const parts = sortLate(late, { group: group({ swap: { order, maxSurge: 1 } }), holdings, swaps: late, desired });
    return Object.entries(parts).flatMap(([part, list]) => list.map(({ instance }) => `${instance} ${part}`));
  };
  const surplus = ['i-1', 'i-2', 'i-3'].map((instance) => swap(instance, { reason: 'scale-in' }));
  const atRisk = swap('i-4', { reason: 'rebalance' });

  it('go while enough others serve', () => {
    expect(sorted([...surplus, atRisk], ['i-1', 'i-2', 'i-3', 'i-4', 'i-5', 'i-6'], 2)).toEqual(['i-1 goes', 'i-2 goes', 'i-3 goes', 'i-4 goes']);
  });
  it('stay as far as they are needed, where nothing replaces them', () => {
    expect(sorted(surplus, ['i-1', 'i-2', 'i-3', 'i-5'], 3)).toEqual(['i-3 goes', 'i-1 stays', 'i-2 stays']);
  });
  it('wait for their replacement where there is one, and no longer than for those that stay', () => {
    expect(sorted([atRisk], ['i-4', 'i-5'], 2)).toEqual(['i-4 waits']);
    expect(sorted([...surplus, atRisk], ['i-1', 'i-4', 'i-5'], 2)).toEqual(['i-2 goes', 'i-3 goes', 'i-4 goes', 'i-1 stays']);
  });
  it('wait, with drain-first too, while the last launch in a pool of the tree was denied', () => {
    const members = ['i-4', 'i-5'].map((instance) => member(instance));
    const holdings = { members, asgs: [], aside: [], ended: [], stopped: [] };
    const guarded = group({ swap: { order: 'drain-first', maxSurge: 1 } });
    const [pool = ''] = poolsBelow(guarded.capacity);
    const denied: Denial = { code: 'UnauthorizedOperation', message: '', atMs: noonMs, untilMs: noonMs };
    const waits = (denials?: Denials) => sortLate([atRisk], { group: guarded, holdings, swaps: [atRisk], desired: 2, denials }).waits.length;
    expect([waits(), waits({ [pool]: denied }), waits({ 'another pool': denied })]).toEqual([0, 1, 0]);
  });
  it('wait when it depends on members whose health could not be read, and stay when these would not be enough', () => {
    const unread = ['i-5', 'i-6'].map((instance) => member(instance, { serving: false, mayServe: true }));
    const members = [...['i-1', 'i-2', 'i-3', 'i-4'].map((instance) => member(instance)), ...unread];
    const holdings = { members, asgs: [], aside: [], ended: [], stopped: [] };
    const all = [...surplus, atRisk];
    const partsAt = (desired: number) => sortLate(all, { group: group({}), holdings, swaps: all, desired });
    const idsAt = (desired: number) =>
      Object.fromEntries(Object.entries(partsAt(desired)).map(([part, list]) => [part, list.map(({ instance }) => instance)]));
    expect(idsAt(0)).toEqual({ goes: ['i-1', 'i-2', 'i-3', 'i-4'], waits: [], stays: [] });
    expect(idsAt(2)).toEqual({ goes: ['i-3', 'i-4'], waits: ['i-1', 'i-2'], stays: [] });
    expect(idsAt(4)).toEqual({ goes: [], waits: ['i-3', 'i-4'], stays: ['i-1', 'i-2'] });
  });
  it('stay where they are needed and their own health could not be read', () => {
    const members = [member('i-1', { serving: false, mayServe: true }), member('i-5')];
    const holdings = { members, asgs: [], aside: [], ended: [], stopped: [] };
    const late = surplus.slice(0, 1);
    expect(sortLate(late, { group: group({}), holdings, swaps: late, desired: 2 })).toEqual({ goes: [], waits: [], stays: late });
  });
  it('are compared again after as long as the one that was chosen last has waited', () => {
    const waits = [swap('i-1', { chosenAtMs: noonMs }), swap('i-2', { chosenAtMs: inMs(60) })];
    expect(asksAgainAtMs(waits, inMs(100))).toBe(inMs(140));
  });
  it('leave the group short by what drain-first allows, where they are replaced', () => {
    expect(sorted([atRisk], ['i-4', 'i-5'], 2, 'drain-first')).toEqual(['i-4 goes']);
    expect(sorted([atRisk], ['i-4', 'i-5'], 3, 'drain-first')).toEqual(['i-4 waits']);
    expect(sorted(surplus.slice(0, 1), ['i-1', 'i-5'], 2, 'drain-first')).toEqual(['i-1 stays']);
  });
  it('go where they do no work', () => {
    expect(sorted([swap('i-idle', { reason: 'scale-in' }), swap('i-gone', { reason: 'rebalance' })], ['i-5'], 4)).toEqual([
      'i-idle goes',
      'i-gone goes',
    ]);
  });
});

/** A drain that begins after this time, in a group that wants two. */
const fleetLate = (swaps: readonly Swap[], others: readonly string[], seconds = 60) => {
  const fleet = createFleet(swaps);
  fleet.desired = 2;
  fleet.members = [...swaps.map(({ instance }) => member(instance)), ...others.map((instance) => member(instance))];
  fleet.nowMs = inMs(seconds);
  return fleet;
};

test('a surplus member that is needed when its drain begins stays, and its swap records why; the rest of its batch leaves', async () => {
  const fleet = fleetLate([swap('i-1', { reason: 'scale-in' }), swap('i-2', { reason: 'scale-in' })], ['i-3']);
  await execute(fleet, order());
  expect([...fleet.releasedAtMs.keys()]).toEqual(['i-2']);
  expect([...fleet.ended]).toEqual(['i-2']);
  expect(fleet.stateOf('i-1')).toMatchObject({ state: 'leaving', shortfall: { code: 'needed', serving: 1, desired: 2 } });
  expect(wasLeftAlone(fleet.stateOf('i-1'))).toBe(true);
  expect(JSON.stringify(fleet.told)).toContain('it stays: when its drain could begin, 1 others served, and the group wants 2');
});

test('a drain that begins at once looks at nothing first', async () => {
  const fleet = fleetLate([swap('i-1', { reason: 'scale-in' })], [], 4);
  await beginDrain(fleet.ports, order());
  expect(fleet.calls).not.toContain('describe');
  expect([...fleet.releasedAtMs.keys()]).toEqual(['i-1']);
});

test('a member that is replaced serves until enough others do', async () => {
  const fleet = fleetLate([swap('i-1', { reason: 'rebalance' })], ['i-3']);
  const { step } = await beginDrain(fleet.ports, order());
  expect(step).toMatchObject({ next: 'begin' });
  expect(fleet.releasedAtMs.size).toBe(0);
  fleet.members.push(member('i-4'));
  await execute(fleet, order());
  expect([...fleet.ended]).toEqual(['i-1']);
});

test('a member that EC2 has not taken in time serves on until enough others do, or until it is put back', async () => {
  const late = () => fleetLate([swap('i-1', { reason: 'interruption', deadlineMs: inMs(120) })], ['i-3'], 250);
  const fleet = late();
  expect(await beginDrain(fleet.ports, order())).toMatchObject({ step: { next: 'begin' }, begun: 0 });
  fleet.members.push(member('i-4'));
  await execute(fleet, order());
  expect([...fleet.releasedAtMs.keys()]).toEqual(['i-1']);
  const back = late();
  await beginDrain(back.ports, order());
  back.swaps.delete('i-1');
  await execute(back, order());
  expect(back.releasedAtMs.size).toBe(0);
});

test('a look that AWS refuses takes no member out of service', async () => {
  const fleet = fleetLate([swap('i-1', { reason: 'scale-in' })], []);
  const { describe: look } = fleet.provider;
  const refused = Object.assign(new Error('no token'), { name: 'Throttling', $fault: 'client' });
  Object.assign(fleet.provider, { describe: () => Promise.reject(refused) });
  expect((await beginDrain(fleet.ports, order())).step).toMatchObject({ next: 'begin' });
  expect(fleet.releasedAtMs.size).toBe(0);
  Object.assign(fleet.provider, { describe: look });
  expect((await beginDrain(fleet.ports, order())).step).toEqual({ next: 'end' });
  expect(isNeeded(fleet.stateOf('i-1'))).toBe(true);
});

test('members that are all compared again take one turn at the budget of the account, which pays for their release too', async () => {
  const turnsOf = async (swaps: readonly Swap[]) => {
    const fleet = fleetLate(swaps, ['i-3', 'i-4']);
    fleet.group = group({ holding: { kind: 'attach', asg: 'web-asg' } });
    let turns = 0;
    fleet.ports.store.putBudget = async () => {
      turns += 1;
      return 'done';
    };
    await beginDrain(fleet.ports, order());
    return [turns, fleet.releasedAtMs.size];
  };
  const surplus = swap('i-1', { reason: 'scale-in', asg: 'web-asg' });
  expect(await turnsOf([surplus])).toEqual([1, 1]);
  // The turn of the look is for the members that are compared, so the others take their own.
  const hook = { hooks: [{ asg: 'web-asg', hook: 'drain', token: 't', expiresAtMs: inMs(600) }] };
  expect(await turnsOf([surplus, swap('i-2', { reason: 'rebalance', asg: 'web-asg', ...hook })])).toEqual([2, 2]);
});

test('while the health of the others cannot be read, a surplus member neither leaves nor is recorded as needed', async () => {
  const fleet = fleetLate([swap('i-1', { reason: 'scale-in' })], []);
  fleet.members.push(...['i-3', 'i-4'].map((instance) => member(instance, { serving: false, mayServe: true })));
  expect((await beginDrain(fleet.ports, order())).step).toMatchObject({ next: 'begin' });
  expect([fleet.releasedAtMs.size, fleet.stateOf('i-1').shortfall]).toEqual([0, undefined]);
  fleet.members = ['i-1', 'i-3', 'i-4'].map((instance) => member(instance));
  await execute(fleet, order());
  expect([...fleet.ended]).toEqual(['i-1']);
});

test('the end of a drain that could not begin also checks first which members are needed', async () => {
  const held = { asg: 'web-asg' };
  const fleet = fleetLate([swap('i-1', { reason: 'scale-in', ...held }), swap('i-2', { reason: 'rebalance', ...held })], []);
  const { step } = await endDrain(fleet.ports, order(), { Error: 'States.TaskFailed' });
  expect(fleet.releasedAtMs.size + fleet.ended.size).toBe(0);
  expect([step.next, isNeeded(fleet.stateOf('i-1')), fleet.stateOf('i-2').state]).toEqual(['begin', true, 'leaving']);
});

test('a drain whose time is up while the health of the others cannot be read goes on until it can, and then sends its event', async () => {
  const fleet = fleetLate([swap('i-1', { reason: 'rebalance', asg: 'web-asg' })], []);
  const { describe: look } = fleet.provider;
  const refused = Object.assign(new Error('no token'), { name: 'Throttling', $fault: 'client' });
  Object.assign(fleet.provider, { describe: () => Promise.reject(refused) });
  const { step } = await endDrain(fleet.ports, order());
  expect([step.next, fleet.stateOf('i-1').state, fleet.releasedAtMs.size, fleet.told]).toEqual(['begin', 'leaving', 0, []]);
  Object.assign(fleet.provider, { describe: look });
  fleet.members = ['i-1', 'i-3', 'i-4'].map((instance) => member(instance));
  await execute(fleet, order());
  expect(fleet.told.map(({ detail }) => detail.drained)).toEqual([['i-1']]);
});

test('a warning for a member that stays takes it out of service, and nothing falls short', async () => {
  const needed = { code: 'needed', serving: 1, desired: 2 } as const;
  const fleet = fleetLate([swap('i-1', { reason: 'interruption', deadlineMs: inMs(120), shortfall: needed })], ['i-3', 'i-4']);
  await execute(fleet, order());
  expect([...fleet.releasedAtMs.keys()]).toEqual(['i-1']);
  expect(fleet.stateOf('i-1').shortfall).toBeUndefined();
});
