import { describe, expect, test } from 'vitest';
import { emptyBudget } from '../../core/limits/account-budget.ts';
import { commonLookAtMs } from '../../core/limits/common-looks.ts';
import type { Waiting } from '../../core/limits/need.ts';
import type { SwapState } from '../../core/swap/swap.ts';
import type { InForce } from '../../functions/react/look/in-force.ts';
import type { Facts } from '../../functions/react/messages/facts.ts';
import { createSeenMembers } from '../../functions/react/messages/seen-members.ts';
import type { ReactPorts } from '../../functions/react/ports.ts';
import { putOff } from '../../functions/react/turns/put-off.ts';
import { group, nowMs, reservation, state, swapOf } from '../core/views.ts';
import { factsOf } from './facts.ts';

const turnAtMs = nowMs + 60_000;
const need = { urgency: 'missing', size: 4 } as const;
const inLine = (name: string, rest: Partial<Waiting> = {}): Waiting => {
  return { group: name, bucket: 'createFleet', calls: 1, instances: 1, need, sinceMs: nowMs, turnAtMs, ...rest };
};

const storeOf = (waiting: readonly Waiting[]) =>
  ({ budget: async () => ({ ...emptyBudget, waiting }), putBudget: async () => 'done' }) as unknown as ReactPorts['store'];

const seen = { ...createSeenMembers(), wasNoted: (instance: string) => instance === 'i-noted' };

const isWaiting = async (facts: Facts, inForce: InForce, waiting: readonly Waiting[]): Promise<boolean> =>
  (await putOff([{ facts, inForce }], { store: storeOf(waiting), clock: { now: () => nowMs }, seen })).has('web');

/** Whether a group that waits for its turn is put off, when a member with a swap in this state ends. */
const isPutOff = async (swapState: SwapState, facts: Partial<Facts> = {}): Promise<boolean> => {
  const inForce = { group: group(), state: state(), swaps: [swapOf('i-1', { state: swapState })] } as unknown as InForce;
  return isWaiting(factsOf({ ended: ['i-1'], ...facts }), inForce, [inLine('web')]);
};

test('a look waits for the next common one where only members ended that were leaving', async () => {
  for (const swapState of ['leaving', 'draining', 'drained', 'gone'] as const) expect(await isPutOff(swapState)).toBe(true);
  expect(await isPutOff('leaving', { ended: ['i-1', 'i-2'] })).toBe(false);
  expect(await isPutOff('leaving', { isTick: true })).toBe(false);
});

test('the signals of a group far back in line wait for the tick: no look is arranged, and nothing is written', async () => {
  const arranged = async (inMs: number) => {
    const written: unknown[] = [];
    const putBudget = async (budget: unknown) => void written.push(budget);
    const store = { ...storeOf([inLine('web', { turnAtMs: nowMs + inMs })]), putBudget } as unknown as ReactPorts['store'];
    const inForce = { group: group(), state: state(), swaps: [swapOf('i-1', { state: 'leaving' })] } as unknown as InForce;
    const put = await putOff([{ facts: factsOf({ ended: ['i-1'] }), inForce }], { store, clock: { now: () => nowMs }, seen });
    return [...put, written.length];
  };
  expect(await arranged(120_000)).toEqual([['web', { lookAtMs: commonLookAtMs(nowMs) }], 1]);
  expect(await arranged(120_001)).toEqual([['web', { lookAtMs: undefined }], 0]);
});

test('the end of a member that waits to leave, or that was put back into service, causes a look at once', async () => {
  expect(await isPutOff('waiting')).toBe(false);
  expect(await isPutOff('withdrawn')).toBe(false);
});

test('where little of Auto Scaling’s bucket is left, the ends of leaving members are looked at every five seconds', async () => {
  const inAsgs = group({ holding: { kind: 'launch-instances' } });
  const lookAtMs = async (tokens: number, facts: Partial<Facts> = {}, { of = inAsgs, left = ['i-1'] } = {}) => {
    const levels = { autoScaling: { tokens, atMs: nowMs } };
    const store = { budget: async () => ({ ...emptyBudget, levels }), putBudget: async () => 'done' } as unknown as ReactPorts['store'];
    const swaps = left.map((instance) => swapOf(instance, { state: 'drained' }));
    const inForce = { group: of, state: state(), swaps } as unknown as InForce;
    const put = await putOff([{ facts: factsOf({ ended: ['i-1'], ...facts }), inForce }], { store, clock: { now: () => nowMs }, seen });
    return put.get('web')?.lookAtMs;
  };
  const [lowMs, halfMs] = [await lookAtMs(9), await lookAtMs(10)];
  expect([(lowMs ?? 0) > nowMs, (lowMs ?? 0) <= nowMs + 5_000, (lowMs ?? 1) % 5_000, halfMs]).toEqual([true, true, 0, undefined]);
  // Its looks take no token of that bucket, or tell more than that members ended that were leaving.
  expect(await lookAtMs(0, {}, { of: group() })).toBe(undefined);
  expect(await lookAtMs(0, {}, { left: [] })).toBe(undefined);
  for (const more of [{ ended: [] }, { isTick: true }, { refusedAsgs: ['asg-1'] }, { ran: ['i-2'] }]) expect(await lookAtMs(0, more)).toBe(undefined);
});

describe('instances that begin to run', () => {
  const inAsgs = group({ holding: { kind: 'launch-instances' } });
  const refilled = { ran: ['i-1'], ranInAsg: ['i-1'] };
  const of = (rest: Partial<InForce>) => ({ group: inAsgs, state: state(), swaps: [], ...rest }) as unknown as InForce;
  const waits = (rest: Partial<InForce> = {}, facts: Partial<Facts> = refilled, waiting: readonly Waiting[] = []) =>
    isWaiting(factsOf(facts), of(rest), waiting);

  test('wait for the common look where their Auto Scaling group launched them', async () => {
    expect(await waits()).toBe(true);
    expect(await waits({}, { ran: ['i-1'] })).toBe(false);
    expect(await waits({}, { ran: ['i-1', 'i-2'], ranInAsg: ['i-1'] })).toBe(false);
    expect(await waits({ group: group({ holding: { kind: 'tag' } }) })).toBe(false);
  });

  test('are looked at together with everything else that a signal reports', async () => {
    for (const more of [{ isTick: true }, { ended: ['i-2'] }, { refusedAsgs: ['asg-1'] }])
      expect(await waits({}, { ...refilled, ...more })).toBe(false);
  });

  test('are looked at where Holdfast may have launched them, or has to register them, or where a member waits for them', async () => {
    expect(await waits({ state: state({ newcomers: { 'i-1': { pool: 'spot-b', atMs: nowMs } } }) })).toBe(false);
    expect(await waits({ state: state({ reservations: [reservation()] }) })).toBe(false);
    expect(await waits({ state: undefined })).toBe(false);
    expect(await waits({ group: { ...inAsgs, drain: { ...inAsgs.drain, loadBalancers: ['arn:1'] } } })).toBe(false);
    expect(await waits({ swaps: [swapOf('i-9', { state: 'waiting' })] })).toBe(false);
  });

  test('wait in a shortage that lasts, where Holdfast joins them', async () => {
    const attached = group({ holding: { kind: 'attach', asg: 'asg-1' } });
    const ran = { ran: ['i-1'] };
    expect(await waits({ group: attached }, ran, [inLine('other', { sinceMs: nowMs - 60_000 })])).toBe(true);
    expect(await waits({ group: attached }, ran, [])).toBe(false);
    expect(await waits({ group: attached }, ran, [inLine('other')])).toBe(false);
    expect(await waits({ group: attached }, ran, [inLine('other', { sinceMs: nowMs - 60_000, instances: 0 })])).toBe(false);
    expect(await waits({ group: attached }, ran, [inLine('other', { sinceMs: nowMs - 60_000, turnAtMs: nowMs + 1 })])).toBe(false);
    // Of these, a note must say that they were in service before they end. Only new members can have that note.
    const lasts = [inLine('other', { sinceMs: nowMs - 60_000 })];
    expect(await waits({}, ran, lasts)).toBe(false);
    const own = { state: state({ newcomers: { 'i-1': { pool: 'spot-b', atMs: nowMs } } }) };
    expect([await waits(own, ran, lasts), await waits(own, ran, [])]).toEqual([true, false]);
    expect(await waits(own, { ran: ['i-1', 'i-2'] }, lasts)).toBe(false);
    // A look has shown that it came up, before the signal of its start.
    expect([await waits(own, { ran: ['i-1', 'i-noted'] }, lasts), await waits({}, { ran: ['i-noted'] }, lasts)]).toEqual([true, true]);
  });

  test('have one look arranged for all of a group by an environment, until that look is due', async () => {
    let now = nowMs;
    const ports = { store: storeOf([]), clock: { now: () => now }, seen };
    const arrangedAt = async () => (await putOff([{ facts: factsOf(refilled), inForce: of({}) }], ports)).get('web')?.lookAtMs;
    const first = await arrangedAt();
    expect((first ?? 0) % 20_000).toBe(0);
    expect(await arrangedAt()).toBe(undefined);
    now = first ?? 0;
    expect(await arrangedAt()).toBe((first ?? 0) + 20_000);
  });
});

test('in a storm over many groups, the tick leaves those that wait to their turn or to the next common look, while Auto Scaling’s bucket is short', async () => {
  const names = ['a', 'b', 'c', 'd'];
  const left = async ({ tokens = 9, inMs = 10_000, of = names, warnedAtMs = nowMs - 5_000, facts = {} as Partial<Facts> } = {}) => {
    const levels = { autoScaling: { tokens, atMs: nowMs } };
    const waiting = names.map((name) => inLine(name, { turnAtMs: nowMs + inMs }));
    const swaps = [swapOf('i-1', { warnedAtMs, claimedAtMs: warnedAtMs })];
    let reads = 0;
    const budget = async () => {
      reads += 1;
      return { ...emptyBudget, levels, waiting };
    };
    const store = { budget, putBudget: async () => 'done' } as unknown as ReactPorts['store'];
    const batch = of.map((name) => ({
      facts: { ...factsOf({ isTick: true, isMinute: true, ...facts }), group: name },
      inForce: { group: group({ name }), state: state(), swaps } as unknown as InForce,
    }));
    const put = await putOff(batch, { store, clock: { now: () => nowMs }, seen });
    return { left: [...put], reads };
  };
  expect((await left()).left).toEqual(names.map((name) => [name, { lookAtMs: undefined }]));
  const lookAtMs = commonLookAtMs(nowMs);
  // Nothing looks at a group far back in line if the tick does not, so its look is arranged too.
  expect((await left({ inMs: 4_000_000 })).left).toEqual(names.map((name) => [name, { lookAtMs }]));
  expect((await left({ inMs: lookAtMs - nowMs })).left).toEqual(names.map((name) => [name, { lookAtMs: undefined }]));
  expect((await left({ inMs: lookAtMs - nowMs + 1 })).left).toEqual(names.map((name) => [name, { lookAtMs }]));
  for (const kept of [{ inMs: 0 }, { tokens: 10 }]) expect(await left(kept)).toEqual({ left: [], reads: 1 });
  // No budget is read for a tick without a storm, and a group of which more came is looked at.
  const unread = [{ of: names.slice(1) }, { warnedAtMs: nowMs - 200_000 }, { facts: { isWoken: true } }, { facts: { messages: ['m-1'] } }];
  for (const kept of unread) expect(await left(kept)).toEqual({ left: [], reads: 0 });
});
