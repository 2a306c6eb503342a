import { describe, expect, test } from 'vitest';
import { announcements } from '../../core/contract.ts';
import { emptyDraft } from '../../core/decide/draft.ts';
import type { Decision } from '../../core/decision/decision.ts';
import type { DecisionRecord } from '../../core/decision/decision-record.ts';
import type { Launched } from '../../core/group-state/answers.ts';
import type { Observation } from '../../core/observe/observe.ts';
import type { Announcement } from '../../core/ports/surroundings.ts';
import type { Swap } from '../../core/swap/swap.ts';
import type { View } from '../../core/view/view.ts';
import { launchAll } from '../../functions/react/carry-out/launches.ts';
import type { ReactPorts } from '../../functions/react/ports.ts';
import { announceStarted, countGone, telling, tellNews, tellUntold } from '../../functions/react/record/announce.ts';
import { record, recordDecided, recordObserved, recordOvertaken, recordUnobserved } from '../../functions/react/record/record.ts';
import type { Round, Run } from '../../functions/react/run.ts';
import { awsError } from '../aws/fake-aws.ts';
import { member, members } from '../core/members.ts';
import { group, nowMs, reservation, spotA, spotB, state, swapOf, view } from '../core/views.ts';
import { factsOf } from './facts.ts';

const offering = { instanceType: 'm7g.large', zone: 'b', market: 'spot' } as const;
const refusal = { offering, code: 'InsufficientInstanceCapacity', message: 'no', scope: 'offering' } as const;
const launched = (instances: readonly string[], refusals: number): Launched => ({
  reservation: reservation({ id: 'r-1', replaces: ['i-1'] }),
  request: undefined,
  result: {
    kind: 'answered',
    instances: instances.map((instance) => ({ instance, offering })),
    refusals: Array.from({ length: refusals }, (_, index) => (index === 0 ? refusal : { ...refusal, offering: { ...offering, zone: `b${index}` } })),
  },
});
const failedLaunch = (kind: 'throttled' | 'ambiguous'): Launched => ({
  reservation: reservation({ id: 'r-2' }),
  request: undefined,
  result: { kind, code: 'RequestLimitExceeded' },
});
const roundOf = (decision: Partial<Decision> = {}, result: readonly Launched[] = [], rest: Partial<View> = {}): Round => {
  const { lack: _lack, ...draft } = emptyDraft;
  const look = view(rest);
  return {
    decision: { ...draft, group: 'web', desired: 10, staying: 10, ...decision },
    view: look,
    lookedAtMs: nowMs,
    sizes: [],
    launched: result,
    state: look.state,
  };
};

/** A run that stores and sends into lists. */
const runOf = () => {
  const seen = {
    owned: [] as string[],
    kept: [] as DecisionRecord[],
    told: [] as Announcement[],
    counts: [] as unknown[],
    waits: [] as unknown[],
    logs: [] as string[],
  };
  const log = (text: string): void => void seen.logs.push(text);
  const ports = {
    store: { putDecision: async (one: DecisionRecord) => void seen.kept.push(one) },
    announcer: { announce: async (events: readonly Announcement[]) => void seen.told.push(...events) },
    telemetry: {
      count: (name: string, count = 1) => void seen.counts.push([name, count]),
      duration: (name: string, ms: number) => void seen.waits.push([name, ms]),
      logger: { info: log, warn: log, error: log },
    },
    clock: { now: () => nowMs },
    seen: {
      launched: (_: string, __: string, instances: readonly { readonly instance: string }[]) =>
        seen.owned.push(...instances.map(({ instance }) => instance)),
    },
  } as unknown as ReactPorts;
  const run = { group: group(), facts: factsOf({ causes: [{ code: 'tick' }] }), ports, id: 'd-1', observedId: 'd-2', startedAtMs: nowMs - 100 };
  return { seen, run: run as unknown as Run };
};
const acted = { admitted: ['i-9'], failed: [{ instance: 'i-8', code: 'InvalidTarget', retry: 'never' }], restored: ['web-asg'] } as const;
const recorded = async (rounds: readonly Round[], fresh: readonly Swap[] = []) => {
  const { seen, run } = runOf();
  await record({ ...run, rounds, fresh, acted, drains: 2 });
  return seen;
};

describe('the record of a decision', () => {
  test('has what was there, what was requested, and the outcome', async () => {
    const there = [...members(spotA, 2), member('idle', spotB, { serving: false, mayServe: true }), { ...member('own', spotB), pool: undefined }];
    const claimed = swapOf('i-1', { drain: 'web-d' });
    const { drain: _drain, ...waiting } = swapOf('i-2', { reason: 'rebalance' });
    const rest = { members: there, swaps: [claimed, swapOf('i-3', { state: 'gone' })], state: state({ reservations: [reservation()] }) };
    const { kept } = await recorded([roundOf({}, [launched(['n-1'], 1), failedLaunch('ambiguous')], rest)], [claimed, waiting]);
    const [one] = kept;
    expect(one).toMatchObject({
      group: 'web',
      id: 'd-1',
      correlation: 'd-1',
      atMs: nowMs - 100,
      policyVersion: 1,
      causes: [{ code: 'tick' }],
      sizes: [],
    });
    expect(one?.view).toEqual({
      nowMs,
      desired: 10,
      members: 4,
      serving: 3,
      unread: 1,
      byPool: { 'spot-a': 2, 'spot-b': 1, unknown: 1 },
      swaps: { leaving: 1, gone: 1 },
      reservations: 1,
      stateVersion: 3,
    });
    expect(one?.outcome).toEqual({
      code: 'carried-out',
      launches: [
        {
          reservation: 'r-1',
          pool: 'spot-b',
          count: 2,
          replaces: ['i-1'],
          result: 'answered',
          instances: ['n-1'],
          refusals: [{ offering, code: 'InsufficientInstanceCapacity' }],
        },
        { reservation: 'r-2', pool: 'spot-b', count: 2, replaces: [], result: 'ambiguous', code: 'RequestLimitExceeded' },
      ],
      claimed: [
        { instance: 'i-1', reason: 'interruption', drain: 'web-d' },
        { instance: 'i-2', reason: 'rebalance' },
      ],
      drainsStarted: 2,
      admitted: ['i-9'],
      restored: ['web-asg'],
      failed: [{ instance: 'i-8', awsCode: 'InvalidTarget' }],
    });
  });

  test('has every round, and is not made where nothing was decided', async () => {
    const { kept, logs } = await recorded([roundOf({ unplaced: 1 }), roundOf()]);
    expect(kept[0]?.rounds.map(({ unplaced }) => unplaced)).toEqual([1, 0]);
    expect(logs).toEqual(['Converged a group.']);
    expect(await recorded([])).toMatchObject({ kept: [], told: [], counts: [], logs: [] });
  });

  test('of a decision that was overtaken keeps what was carried out before it', async () => {
    const { seen, run } = runOf();
    const [first, second] = [roundOf({ unplaced: 1 }), roundOf({ unplaced: 2 })];
    await recordOvertaken(run, { ...first, earlier: [] }, { by: 'another-look' } as never);
    await recordOvertaken(run, { ...second, earlier: [first] }, { by: 'another-look' } as never);
    expect(seen.kept.map(({ rounds, outcome }) => [rounds.map(({ unplaced }) => unplaced), outcome?.code])).toEqual([
      [[1], 'not-carried-out'],
      [[1], undefined],
    ]);
  });

  test('has the view and the sizes of its first round, whenever it is stored', async () => {
    const { seen, run } = runOf();
    const sizes = [{ code: 'outside', from: 3, to: 5 }] as const;
    const first = { ...roundOf({}, [launched([], 1)], { members: members(spotA, 2) }), sizes };
    const later = roundOf({}, [], { nowMs: nowMs + 4_000, members: [] });
    await recordDecided(run, { ...later, earlier: [first] });
    await recordOvertaken(run, { ...later, earlier: [first] }, { by: 'another-look' } as never);
    await record({ ...run, rounds: [first, later], fresh: [], acted, drains: 0 });
    const found = seen.kept.map(({ rounds, sizes: named, view: of }) => [rounds.length, named, of?.nowMs, of?.members]);
    expect(found).toEqual([2, 1, 2].map((rounds) => [rounds, sizes, nowMs, 2]));
  });

  test('of a decision that was overtaken leaves out what it remarks, because a later look says what is so', async () => {
    const { seen, run } = runOf();
    const remarks = [{ code: 'asg-unfit' as const, asgs: [{ asg: 'web', found: ['launch-suspended' as const] }] }];
    await recordOvertaken(run, { ...roundOf({ unplaced: 1, remarks }), earlier: [] }, { by: 'another-look' } as never);
    expect(seen.kept.flatMap(({ rounds }) => rounds)).toMatchObject([{ unplaced: 1, remarks: [] }]);
  });
});

describe('the events of a decision', () => {
  test('report that a pool refused and another was requested, with fifty refusals at most', async () => {
    expect((await recorded([roundOf({}, [launched([], 1)])])).told).toEqual([]);
    expect((await recorded([roundOf(), roundOf()])).told).toEqual([]);
    const { told } = await recorded([roundOf({}, [launched([], 60)]), roundOf({}, [failedLaunch('throttled')])]);
    expect(told.map(({ detailType, group: of }) => [detailType, of])).toEqual([[announcements.fallback, 'web']]);
    expect(told[0]?.detail).toMatchObject({ group: 'web', decision: 'd-1' });
    expect(told[0]?.detail.refused).toHaveLength(50);
    expect(told[0]?.detail.refused).toContainEqual({ offering, code: 'InsufficientInstanceCapacity' });
    const full = launched([], 1);
    const twice = { ...full, result: { ...full.result, refusals: [refusal, refusal] } } as Launched;
    const once = await recorded([roundOf({}, [twice]), roundOf({}, [failedLaunch('throttled')])]);
    expect(once.told[0]?.detail.refused).toEqual([{ offering, code: 'InsufficientInstanceCapacity' }]);
    expect(once.kept[0]?.outcome).toMatchObject({ launches: [{ refusals: [{ offering }] }, {}] });
  });

  test('report how many members no pool gives, by the last round', async () => {
    const { told, counts } = await recorded([roundOf({ unplaced: 1 }), roundOf({ unplaced: 3 })]);
    expect(told).toEqual([{ detailType: announcements.exhausted, group: 'web', detail: { group: 'web', decision: 'd-1', unplaced: 3 } }]);
    expect(counts).toEqual([['Unplaced', 3]]);
    expect((await recorded([roundOf({ unplaced: 3 }), roundOf()])).told).toEqual([]);
  });

  test('report no shortage that another look ended while the launches were requested', async () => {
    const short = (rest: Partial<Round>) => recorded([{ ...roundOf({ unplaced: 2 }, [launched(['n-1'], 0)]), ...rest }]);
    const covered = await short({ isCrowded: true });
    expect([covered.told, covered.counts]).toEqual([[], [['Unplaced', 0]]]);
    for (const rest of [{}, { isCrowded: true as const, state: state({ uncovered: 1 }) }]) expect((await short(rest)).told).toHaveLength(1);
  });

  test('report which swaps began, by reason, a thousand members in one event', async () => {
    const { seen, run } = runOf();
    await announceStarted(run, []);
    expect(seen.told).toEqual([]);
    const many = Array.from({ length: 1_001 }, (_, index) => swapOf(`i-${index}`));
    await announceStarted(run, [...many, swapOf('i-x', { reason: 'rebalance' })]);
    expect(
      seen.told.map(({ detailType, detail }) => [detailType, detail.reason, (detail.instances as readonly string[]).length, detail.decision]),
    ).toEqual([
      [announcements.swapStarted, 'interruption', 1_000, 'd-1'],
      [announcements.swapStarted, 'interruption', 1, 'd-1'],
      [announcements.swapStarted, 'rebalance', 1, 'd-1'],
    ]);
  });

  test('count the swaps of members that EC2 takes, once, also where their event is sent again', async () => {
    const { seen, run } = runOf();
    let tries = 0;
    const announce = async () => (tries++ === 0 ? Promise.reject(awsError('ThrottlingException', 'Later.', 400)) : undefined);
    await telling(
      { ...run, ports: { ...run.ports, announcer: { announce } } },
      [swapOf('i-1'), swapOf('i-2', { reason: 'rebalance' })],
      async () => 'work',
    );
    expect([tries, seen.counts]).toEqual([2, [['Interruptions', 1]]]);
  });

  test('report Auto Scaling groups that are gone or back, and those that are gone are counted at the tick of each minute', async () => {
    const { seen, run } = runOf();
    const goneAsgs = { a: { sinceMs: 1, isTold: true as const }, b: { sinceMs: 2 } };
    const round = roundOf({
      goneAsgs,
      remarks: [
        { code: 'asg-gone', asgs: ['a'] },
        { code: 'asg-back', asgs: ['c'] },
      ],
    });
    await tellNews(run, round.decision);
    expect(seen.told).toEqual([
      { detailType: announcements.asgGone, group: 'web', detail: { group: 'web', decision: 'd-1', asgs: ['a'] } },
      { detailType: announcements.asgBack, group: 'web', detail: { group: 'web', decision: 'd-1', asgs: ['c'] } },
    ]);
    countGone(run, [round]);
    expect(seen.counts).toEqual([]);
    countGone({ ...run, facts: { ...run.facts, isMinute: true } }, [round]);
    expect(seen.counts).toEqual([['AsgsGone', 1]]);
  });

  test('report which pools failed and which breakers opened, and count them', async () => {
    const { seen, run } = runOf();
    const failed = { code: 'boots-failed', pool: 'spot-a', count: 3 };
    const opened = { code: 'breaker-opened', breaker: 'spot' };
    const { decision } = roundOf({ remarks: [failed, opened, { code: 'deaths-bounded', count: 9 }] as never });
    await tellNews(run, decision);
    expect(seen.told).toEqual([
      { detailType: announcements.bootsFailed, group: 'web', detail: { group: 'web', decision: 'd-1', pool: 'spot-a', count: 3 } },
      { detailType: announcements.breakerOpened, group: 'web', detail: { group: 'web', decision: 'd-1', breaker: 'spot' } },
    ]);
    expect(seen.counts).toEqual([
      ['BootsFailed', 3],
      ['BreakersOpened', 1],
    ]);
    const { seen: nothing, run: quiet } = runOf();
    await tellNews(quiet, roundOf({ remarks: [{ code: 'deaths-bounded', count: 9 }] }).decision);
    expect([nothing.told, nothing.counts]).toEqual([[], []]);
  });
});

describe('the time from a warning to the request for its replacement', () => {
  const warned = (agoMs: number, rest: Partial<Swap> = {}) => swapOf(`i-${agoMs}`, { warnedAtMs: nowMs - agoMs, ...rest });

  test('is that of the oldest warning of EC2, until the last request', async () => {
    const { waits } = await recorded(
      [roundOf({}, [launched(['n-1'], 0)]), roundOf()],
      [warned(500), warned(900), warned(5_000, { reason: 'rebalance' })],
    );
    expect(waits).toEqual([['ReplacementRequestedMs', 900]]);
    const { warnedAtMs: _unknown, ...claimed } = warned(0, { claimedAtMs: nowMs - 300 });
    expect((await recorded([roundOf({}, [launched(['n-1'], 0)])], [claimed])).waits).toEqual([['ReplacementRequestedMs', 300]]);
  });

  test('is not measured without a request or a warning', async () => {
    expect((await recorded([roundOf()], [warned(500)])).waits).toEqual([]);
    expect((await recorded([roundOf({}, [launched(['n-1'], 0)])], [warned(500, { reason: 'rebalance' })])).waits).toEqual([]);
  });
});

describe('launches', () => {
  test('are counted by their outcome, and one that cannot be made has a result too', async () => {
    const { seen, run } = runOf();
    const orders = ['r-1', 'r-2', 'r-3', 'r-4'].map((id) => ({
      reservation: reservation({ id }),
      request: id === 'r-2' ? undefined : ({ id } as never),
    }));
    const asked: unknown[] = [];
    const launch = async (all: readonly unknown[]) => {
      asked.push(...all);
      return [launched(['n-1', 'n-2'], 3).result, { kind: 'throttled', code: 'RequestLimitExceeded' }];
    };
    const results = await launchAll(orders, { ...run, provider: { launch } } as unknown as Run);
    expect(results.map(({ reservation: { id }, result }) => [id, result.kind])).toEqual([
      ['r-1', 'answered'],
      ['r-2', 'invalid'],
      ['r-3', 'throttled'],
      ['r-4', 'ambiguous'],
    ]);
    expect(asked).toMatchObject([{ isRepeat: false }, { isRepeat: false }, { isRepeat: false }]);
    expect(seen.counts).toEqual([
      ['Launched', 2],
      ['Refused', 3],
      ['ActionsFailed', 1],
      ['Throttled', 1],
    ]);
    expect(seen.owned).toEqual(['n-1', 'n-2']);
    expect(seen.logs).toEqual(['EC2 refused a launch request as invalid. The next choice of the policy is tried.']);
  });
});

test('the record of a decision has the age of the prices it compared, and the ends that no earlier one has', async () => {
  const viewOf = async (rest: Partial<View>) => (await recorded([roundOf({}, [], rest)])).kept[0]?.view;
  expect(await viewOf({})).not.toHaveProperty('prices');
  expect(await viewOf({})).not.toHaveProperty('ended');
  const usdPerHour = { 'm7g.large/a/spot': 0.03 };
  expect(await viewOf({ state: state({ prices: { atMs: nowMs - 60_000, usdPerHour } }) })).toMatchObject({ prices: expect.anything() });
});

test('an observed decision that another look overtook is stored as not carried out, under its own id', async () => {
  const { seen, run } = runOf();
  const { decision, view: look } = roundOf();
  const remarks = [{ code: 'asg-unfit', asgs: [{ asg: 'web', found: ['launch-suspended'] }] }];
  const told = { ...decision, unplaced: 3, remarks };
  const observed = { decision: told, outcome: { code: 'observed', leaves: [] }, isNews: true } as unknown as Observation;
  const decided = { view: look, decision, sizes: [], earlier: [], observed };
  await recordObserved(run, decided, observed);
  await recordUnobserved(run, decided, observed, { by: 'state', readVersion: 5 });
  expect(seen.kept.map(({ id, rounds, outcome }) => [id, rounds[0]?.unplaced, rounds[0]?.remarks, outcome])).toEqual([
    ['d-2', 3, remarks, { code: 'observed', leaves: [] }],
    ['d-2', 3, [], { code: 'not-carried-out', overtaken: { by: 'state', readVersion: 5 } }],
  ]);
});

test('the members that nothing gives are counted by the last round', async () => {
  const { counts } = await recorded([roundOf({ unplaced: 5 }), roundOf({ unplaced: 4 }), roundOf({ unplaced: 2 })]);
  expect(counts).toContainEqual(['Unplaced', 2]);
});

describe('events of claims that the bus does not take', () => {
  const throttled = awsError('ThrottlingException', 'Slow down.', 400);
  const silentBus = Object.assign(new Error('No response.'), { name: 'TimeoutError' });
  /** What was sent, and the result of the work, while the bus fails so many times. */
  const told = async (failures: readonly Error[], work: () => Promise<string> = async () => 'done') => {
    const left = [...failures];
    const seen: string[] = [];
    const { run } = runOf();
    const announce = async () => {
      const failure = left.shift();
      seen.push(failure === undefined ? 'sent' : failure.name);
      if (failure !== undefined) throw failure;
    };
    const ports = { ...run.ports, announcer: { announce } };
    const working = async () => {
      await new Promise((resolve) => setTimeout(resolve, 0));
      seen.push('work');
      return work();
    };
    const result = await telling({ ...run, ports }, [swapOf('i-1')], working).catch((error: Error) => error.message);
    return [seen, result];
  };

  test('for a moment are sent again after the work, once', async () => {
    expect(await told([])).toEqual([['sent', 'work'], 'done']);
    expect(await told([throttled])).toEqual([['ThrottlingException', 'work', 'sent'], 'done']);
    const thrice = [throttled, throttled, throttled];
    expect(await told(thrice)).toEqual([['ThrottlingException', 'work', 'ThrottlingException'], 'Slow down.']);
    expect(await told([awsError('InternalException', 'No.', 500)])).toEqual([['InternalException', 'work', 'sent'], 'done']);
    for (const code of ['ECONNRESET', 'ECONNREFUSED', 'EPIPE'])
      expect(await told([Object.assign(new Error('The connection broke.'), { code })])).toEqual([['Error', 'work', 'sent'], 'done']);
  });

  test('are sent again where the work fails too', async () => {
    const fails = async () => Promise.reject(new Error('The work failed.'));
    expect(await told([throttled], fails)).toEqual([['ThrottlingException', 'work', 'sent'], 'The work failed.']);
  });

  test('because it does not respond, or for good, are not sent again', async () => {
    expect(await told([silentBus])).toEqual([['TimeoutError', 'work'], 'No response.']);
    const unreachable = Object.assign(new Error('No route.'), { code: 'ETIMEDOUT' });
    expect(await told([unreachable])).toEqual([['Error', 'work'], 'No route.']);
    const denied = awsError('AccessDeniedException', 'Never.', 400);
    expect(await told([denied])).toEqual([['AccessDeniedException', 'work'], 'Never.']);
  });
});

test('events of a look that the bus refused for the moment are sent once more after the work', async () => {
  const { seen, run } = runOf();
  const round = roundOf({ remarks: [{ code: 'breaker-opened', breaker: 'spot' } as never] });
  const refusing = (error: Error) => ({ ...run, ports: { ...run.ports, announcer: { announce: () => Promise.reject(error) } } });
  const after = async (error: Error) => ({ ...round, told: await tellNews(refusing(error), round.decision) });
  const throttled = await after(awsError('ThrottlingException', 'Slow down.', 400));
  await tellUntold(run, [{ ...round, told: {} }, round]);
  expect(seen.told).toEqual([]);
  await tellUntold(run, [throttled]);
  expect(seen.told).toHaveLength(1);
  await expect(tellUntold(refusing(new Error('Still no.')), [throttled])).rejects.toThrow('Still no.');
  const denied = await after(awsError('AccessDeniedException', 'Never.', 400));
  await expect(tellUntold(run, [denied])).rejects.toThrow('Never.');
  expect([seen.told.length, seen.counts]).toEqual([
    1,
    [
      ['BreakersOpened', 1],
      ['BreakersOpened', 1],
    ],
  ]);
});

test('events are sent only when there is something to report', async () => {
  const sent: number[] = [];
  const { run } = runOf();
  const ports = { ...run.ports, announcer: { announce: async (events: readonly Announcement[]) => void sent.push(events.length) } };
  await record({ ...run, ports, rounds: [roundOf()], fresh: [], acted, drains: 0 });
  await announceStarted({ ...run, ports }, []);
  expect(sent).toEqual([]);
  await record({ ...run, ports, rounds: [roundOf({ unplaced: 2 })], fresh: [], acted, drains: 0 });
  expect(sent).toEqual([1]);
});
