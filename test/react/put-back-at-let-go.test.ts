import { describe, expect, test } from 'vitest';
import { metrics } from '../../core/contract.ts';
import type { Cause } from '../../core/decision/decision-record.ts';
import { describeLagMs, leaseMs, loweredShownMs } from '../../core/times/times.ts';
import type { GroupState } from '../../core/view/view.ts';
import { letGo } from '../../functions/react/let-go/let-go.ts';
import type { ReactPorts } from '../../functions/react/ports.ts';
import { group, nowMs, state } from '../core/views.ts';
import { factsOf } from './facts.ts';

type Results = { readonly restoreMax?: string; readonly takeDown?: string; readonly resume?: string; readonly putState?: string };

/** The result of a call, or the error with which AWS refuses it. */
const answer = (result: string): string => {
  if (['AccessDenied', 'Throttling'].includes(result)) throw Object.assign(new Error(result), { name: result, $fault: 'client' });
  return result;
};

/** The state of a group after it is let go, and the calls that were made for that. */
const letGoOf = async (
  stored: GroupState | undefined,
  { restoreMax = 'done', takeDown = 'done', resume = 'done', putState = 'done' }: Results = {},
  { causes = [{ code: 'policy-change' }] as readonly Cause[], holders = {} as Readonly<Record<string, readonly string[]>> } = {},
) => {
  const calls: unknown[] = [];
  const written: GroupState[] = [];
  const logs: unknown[] = [];
  const problems: string[] = [];
  const counted: string[] = [];
  const wokenInMs: number[] = [];
  const provider = (asg: string) => ({
    restoreMax: async (raised: unknown, outside: unknown) => {
      calls.push(['restoreMax', asg, raised, outside]);
      return answer(restoreMax);
    },
    takeDown: async (added: { readonly atMs: number }) => {
      calls.push(['takeDown', asg, added.atMs]);
      return { kind: answer(takeDown) };
    },
    resume: async () => {
      calls.push(['resume', asg]);
      return answer(resume);
    },
  });
  const ports = {
    store: {
      swaps: async () => [],
      state: async (name: string) => (name === 'web' ? stored : state({ holders: holders[name] ?? [] } as Partial<GroupState>)),
      registry: async () => Object.keys(holders).map((name) => ({ group: name, asgs: ['a', 'b'], alarms: [], policyVersion: 1 })),
      lastGroup: async () => group(),
      putState: async (_: string, next: GroupState) => {
        written.push(next);
        return putState;
      },
    },
    believed: (_: string, known: GroupState) => known,
    providerFor: ({ asg }: { readonly asg: string }) => provider(asg),
    announcer: { announce: async () => {} },
    wakes: { wake: async (_: readonly string[], atMs: number) => void wokenInMs.push(atMs - nowMs) },
    clock: { now: () => nowMs },
    telemetry: {
      count: (name: string) => void counted.push(name),
      logger: {
        warn: (_: string, more: unknown) => void logs.push(more),
        error: (problem: string, more: object) => {
          problems.push(problem);
          logs.push(more);
        },
      },
    },
  } as unknown as ReactPorts;
  const result = await letGo(factsOf({ causes }), ports);
  return { result: result.kind, calls, next: written[0], logs, problems, counted, wokenInMs };
};

const raised = [
  { asg: 'a', fromMax: 4, toMax: 6 },
  { asg: 'b', fromMax: 1, toMax: 3 },
];

describe('a group that is let go', () => {
  test('puts the maximum sizes back that it raised', async () => {
    const { calls, next, logs } = await letGoOf(state({ raised }));
    expect(calls).toEqual(raised.map((one) => ['restoreMax', one.asg, one, undefined]));
    expect([next?.raised, logs]).toEqual([raised.map((one) => ({ ...one, putBackAtMs: nowMs })), []]);
  });

  test('tries again later where a maximum cannot be put back, and logs that every fifteen minutes', async () => {
    const first = await letGoOf(state({ raised }), { restoreMax: 'not-yet' });
    expect([first.next?.raised, first.next?.wakeAtMs, first.logs]).toEqual([raised, nowMs + 900_000, [{ group: 'web', raised }]]);
    const again = await letGoOf(state({ raised, wakeAtMs: nowMs + 1 }), { restoreMax: 'not-yet' });
    expect([again.next?.wakeAtMs, again.logs]).toEqual([nowMs + 1, []]);
  });

  test('logs as a problem that AWS does not let it put a maximum back', async () => {
    const { problems, next } = await letGoOf(state({ raised: raised.slice(0, 1) }), { restoreMax: 'AccessDenied' });
    expect([problems, next?.raised]).toEqual([['A maximum could not be put back.'], raised.slice(0, 1)]);
  });

  test('keeps the note of a maximum that an earlier decision may still raise', async () => {
    const young = { ...raised[0], asg: 'a', fromMax: 4, toMax: 6, atMs: nowMs - leaseMs + 1 };
    const { next, logs } = await letGoOf(state({ raised: [young] }));
    expect([next?.raised, logs]).toEqual([[young], []]);
    const old = { ...young, atMs: nowMs - leaseMs };
    expect((await letGoOf(state({ raised: [old] }))).next?.raised).toEqual([{ ...old, putBackAtMs: nowMs }]);
  });

  test('keeps the note of a maximum that was put back while a describe may show it as raised, because the policy may return', async () => {
    const put = (agoMs: number) => ({ asg: 'a', fromMax: 4, toMax: 6, putBackAtMs: nowMs - agoMs });
    const { calls, next, logs } = await letGoOf(state({ raised: [put(loweredShownMs), put(loweredShownMs - 1)] }));
    expect([calls, next?.raised, logs]).toEqual([[], [put(loweredShownMs - 1)], []]);
    expect((await letGoOf(state({ raised }), { restoreMax: 'changed-by-others' })).next?.raised).toEqual([]);
  });

  test('keeps the note of processes that an earlier decision may still suspend', async () => {
    const at = (agoMs: number) => [{ asg: 'a', processes: ['Launch'], atMs: nowMs - agoMs }];
    const [young, old] = [await letGoOf(state({ suspended: at(54_999) })), await letGoOf(state({ suspended: at(55_000) }))];
    const resumed = (agoMs: number) => at(agoMs).map((one) => ({ ...one, resumedAtMs: nowMs }));
    expect([young.calls, young.next?.suspended]).toEqual([[['resume', 'a']], resumed(54_999)]);
    expect([old.calls, old.next?.suspended]).toEqual([[['resume', 'a']], resumed(55_000)]);
    // A look at the end of this time: what a later one finds suspended, the owner has suspended.
    expect([young.wokenInMs, old.wokenInMs]).toEqual([[1], []]);
    // This function may suspend them after they were resumed, and no look of the group shows that.
    const again = await letGoOf(state({ suspended: [{ ...at(54_999)[0], resumedAtMs: nowMs - 1 }] as GroupState['suspended'] }));
    expect([again.calls, again.next?.suspended]).toEqual([[['resume', 'a']], resumed(54_999)]);
  });

  test('resumes no process that was resumed for good, and keeps the note while a describe may be older, because the policy may return', async () => {
    const resumed = (agoMs: number) => ({ asg: 'a', processes: ['Launch'], atMs: nowMs - 300_000, resumedAtMs: nowMs - agoMs });
    const kept = await letGoOf(state({ suspended: [resumed(loweredShownMs - 1)] }));
    expect([kept.calls, kept.next?.suspended]).toEqual([[], [resumed(loweredShownMs - 1)]]);
    const over = await letGoOf(state({ suspended: [resumed(loweredShownMs)] }));
    expect([over.calls, over.next?.suspended]).toEqual([[], undefined]);
  });

  test('leaves suspended processes to the group that holds its Auto Scaling group now', async () => {
    const suspended = ['a', 'b'].map((asg) => ({ asg, processes: ['Launch'] }));
    const { calls, next } = await letGoOf(state({ suspended }), { resume: 'Throttling' }, { holders: { other: ['a'] } });
    expect([calls, next?.suspended]).toEqual([[['resume', 'b']], suspended.slice(1)]);
  });

  test('leaves a maximum to the group that holds its Auto Scaling group now', async () => {
    const { next } = await letGoOf(state({ raised }), { restoreMax: 'not-yet' }, { holders: { other: ['a'] } });
    expect(next?.raised.map(({ asg }) => asg)).toEqual(['b']);
  });

  test('leaves what attaching added to the group that holds its Auto Scaling group now, and its maximum', async () => {
    const added = ['a', 'b'].map((asg) => ({ asg, from: 2, instances: ['i-1'], atMs: nowMs - 1_000 }));
    const { calls, next } = await letGoOf(state({ added, raised }), { takeDown: 'refused' }, { holders: { other: ['a'] } });
    expect(calls).toEqual([['takeDown', 'b', nowMs - 1_000]]);
    expect(next).toMatchObject({ added: added.slice(1), raised: raised.slice(1) });
  });

  test('takes off what attaching added, and resumes what it suspended', async () => {
    const note = (asg: string, agoMs: number) => ({ asg, from: 2, instances: ['i-1'], atMs: nowMs - agoMs });
    const added = [note('a', 1_000), { ...note('b', 2_000), takenDownAtMs: nowMs - loweredShownMs }];
    const suspended = [{ asg: 'a', processes: ['Launch'] }];
    const done = await letGoOf(state({ added, suspended }));
    expect(done.calls).toEqual([
      ['takeDown', 'a', nowMs - 1_000],
      ['resume', 'a'],
    ]);
    expect(done.next?.added).toEqual([{ ...note('a', 1_000), takenDownAtMs: nowMs }]);
    expect(done.next?.suspended).toEqual([{ ...suspended[0], resumedAtMs: nowMs }]);
    const notYet = await letGoOf(state({ added: [note('a', 1_000), note('b', describeLagMs)] }), { takeDown: 'not-yet' });
    expect(notYet.next?.added).toEqual([note('a', 1_000)]);
  });

  test('keeps the note of a lowered size while a describe may still show the one before, because the policy may return', async () => {
    const lowered = (agoMs: number) => ({ asg: 'a', from: 2, instances: ['i-1'], atMs: nowMs - 60_000, takenDownAtMs: nowMs - agoMs });
    const { calls, next } = await letGoOf(state({ added: [lowered(loweredShownMs), lowered(loweredShownMs - 1)] }));
    expect([calls, next?.added]).toEqual([[], [lowered(loweredShownMs - 1)]]);
    for (const takeDown of ['unseen', 'changed-by-others']) {
      const one = { asg: 'a', from: 2, instances: ['i-1'], atMs: nowMs - 1_000 };
      const left = await letGoOf(state({ added: [one] }), { takeDown });
      expect(left.next?.added).toEqual(takeDown === 'unseen' ? [{ ...one, takenDownAtMs: nowMs }] : undefined);
    }
  });

  test('puts a maximum back after what attaching added was taken off, and not before that', async () => {
    const added = [{ asg: 'a', from: 4, instances: ['i-1'], atMs: nowMs - 1_000 }];
    const done = await letGoOf(state({ raised, added }));
    expect(done.calls.map((call) => (call as readonly unknown[]).slice(0, 2))).toEqual([
      ['takeDown', 'a'],
      ['restoreMax', 'a'],
      ['restoreMax', 'b'],
    ]);
    const unseen = await letGoOf(state({ raised, added }), { takeDown: 'not-yet' });
    expect(unseen.calls.map((call) => (call as readonly unknown[]).slice(0, 2))).toEqual([
      ['takeDown', 'a'],
      ['restoreMax', 'b'],
    ]);
    expect(unseen.next).toMatchObject({ added, raised: [raised[0], { ...raised[1], putBackAtMs: nowMs }] });
  });

  test('goes on with the rest where AWS refuses to put something back, and keeps the notes of that', async () => {
    const added = [{ asg: 'a', from: 2, instances: ['i-1'], atMs: nowMs - describeLagMs }];
    const suspended = [
      { asg: 'a', processes: ['Launch'] },
      { asg: 'b', processes: ['Launch'] },
    ];
    const stored = state({ raised, added, suspended });
    const refused = (code: string) => letGoOf(stored, { restoreMax: code, takeDown: code, resume: code });
    const denied = await refused('AccessDenied');
    expect(denied.calls).toHaveLength(4);
    expect([denied.result, denied.next]).toMatchObject(['let-go', { raised, added, suspended }]);
    expect(denied.counted).toEqual(Array.from({ length: 4 }, () => metrics.actionsFailed));
    const throttled = await refused('Throttling');
    expect([throttled.next, throttled.counted]).toMatchObject([{ raised, added, suspended }, []]);
    expect((await letGoOf(stored, { resume: 'AccessDenied' })).next).toMatchObject({
      raised: raised.map((one) => ({ ...one, putBackAtMs: nowMs })),
      suspended,
    });
  });

  test('is done without a state item, and contended where others write it', async () => {
    expect(await letGoOf(undefined)).toMatchObject({ result: 'let-go', calls: [], next: undefined });
    expect((await letGoOf(state(), { putState: 'conflict' })).result).toBe('contended');
  });

  test('is written by a tick among other causes, and by ticks alone only where something changed', async () => {
    const settled = state({ version: 7, policySize: '' });
    const causes = (...codes: readonly string[]) => codes.map((code) => ({ code }) as Cause);
    expect((await letGoOf(settled, {}, { causes: causes('tick', 'tick') })).next).toBeUndefined();
    expect((await letGoOf(settled, {}, { causes: causes('tick', 'policy-change') })).next?.version).toBe(8);
    expect((await letGoOf({ ...settled, raised }, {}, { causes: causes('tick') })).next?.raised).toHaveLength(2);
  });
});
