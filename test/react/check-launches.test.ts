import { expect, test } from 'vitest';
import { metrics } from '../../core/contract.ts';
import type { Cause } from '../../core/decision/decision-record.ts';
import type { Group } from '../../core/group/group.ts';
import { type LaunchCheck, mostTrials, type Trial, trialsOf, untriedCheck, untriedIn } from '../../core/launch/launch-checks.ts';
import type { CapacityIn } from '../../core/ports/capacity-provider.ts';
import type { StateStore } from '../../core/ports/state-store.ts';
import type { GroupState } from '../../core/view/view.ts';
import { checkLaunches } from '../../functions/react/check-launches.ts';
import { noticingRestored } from '../../functions/react/look/restored-states.ts';
import type { Run } from '../../functions/react/run.ts';
import { awsError } from '../aws/fake-aws.ts';
import { group, nowMs, state } from '../core/views.ts';
import { factsOf, silent } from './facts.ts';

const policyChange: Cause = { code: 'policy-change' };
const tick: Cause = { code: 'tick' };

type World = {
  readonly found?: (trial: Trial) => LaunchCheck | undefined;
  readonly turn?: 'now' | 'later';
  readonly mode?: 'act' | 'observe' | 'pause';
  /** How long the invocation has run already. */
  readonly ranMs?: number;
  /** How long a dry run takes. */
  readonly trialMs?: number;
  readonly of?: Group;
  /** Whether a member was warned. */
  readonly isWarned?: boolean;
  /** Looks at the same moment. */
  readonly looks?: number;
  /** What others wrote since this look read the state item. */
  readonly now?: Partial<GroupState>;
  /** How many writes the state item lacks, because a user restored it since this environment read it. */
  readonly lacksWrites?: number;
  /** What another environment changed when it found the item restored. */
  readonly renewed?: Partial<GroupState>;
  /** How many writes of the state item are lost to writes of others. */
  readonly lostRaces?: number;
};

/** Checks the launches of a group, and returns what was tried and stored. */
const checked = async (causes: readonly Cause[], stored: Partial<GroupState> = {}, world: World = {}) => {
  const { found, turn = 'now', mode = 'act', ranMs = 0, trialMs = 0, of = group(), isWarned = false } = world;
  const { looks = 1, now = {}, lostRaces = 0, lacksWrites = 0, renewed = {} } = world;
  let clockMs = nowMs;
  const tried: Trial[] = [];
  const put: (readonly LaunchCheck[])[] = [];
  let dueAtMs: number | undefined;
  const { checksDueAtMs: _, ...untried } = state({ checksOf: of.policyVersion });
  let kept: GroupState = { ...untried, ...stored, ...now };
  let conflicts = lostRaces;
  const provider: Partial<CapacityIn> = {
    tryLaunch: async (_, trial) => {
      tried.push(trial);
      await Promise.resolve();
      clockMs += trialMs;
      return found?.(trial);
    },
  };
  const store: Partial<StateStore> = {
    state: async () => kept,
    putState: async (_, next) => {
      conflicts -= 1;
      if (conflicts >= 0 || next.version !== kept.version + 1) return 'conflict';
      kept = next;
      dueAtMs = next.checksDueAtMs;
      return 'done';
    },
    putChecks: async (_group, _version, checks) => void put.push(checks),
  };
  const { store: noticing, believed } = noticingRestored(store as StateStore, silent, () => clockMs);
  await noticing.state(of.name);
  kept = { ...kept, version: kept.version - lacksWrites, ...renewed };
  const run = {
    group: { ...of, mode },
    provider,
    facts: factsOf({ causes, ...(isWarned && { leaving: [{ instance: 'i-1', reason: 'interruption', atMs: nowMs }] }) }),
    id: 'd-1',
    beganAtMs: nowMs - ranMs,
    turns: { done: () => {}, ask: async () => ({ turn: { kind: turn }, refused: [] }) },
    ports: { store: noticing, believed, clock: { now: () => clockMs }, telemetry: silent },
  };
  const seen = { checksOf: of.policyVersion, ...stored };
  await Promise.all(Array.from({ length: looks }, () => checkLaunches(run as unknown as Run, seen)));
  return { tried, put, dueAtMs, isRestored: believed(of.name, kept) !== kept, raised: kept.raised };
};

test('launches are tried when the policy was written, and when a day has passed', async () => {
  const trials = trialsOf(group());
  const written = await checked([policyChange]);
  expect(written).toMatchObject({ tried: trials, put: [[]], dueAtMs: nowMs + 86_400_000 });
  expect((await checked([tick], { checksDueAtMs: nowMs })).tried).toEqual(trials);
  expect((await checked([tick], { checksDueAtMs: nowMs + 1 })).tried).toEqual([]);
});

test('launches that were never tried for the policy in force are tried by any look', async () => {
  const trials = trialsOf(group());
  expect((await checked([tick])).tried).toEqual(trials);
  const later = { ...group(), policyVersion: 8 };
  expect((await checked([tick], { checksDueAtMs: nowMs + 1, checksOf: 7 }, { of: later })).tried).toEqual(trials);
  expect((await checked([tick], { checksDueAtMs: nowMs + 1, checksOf: 8 }, { of: later })).tried).toEqual([]);
});

test('looks at one moment try the launches once', async () => {
  const trials = trialsOf(group());
  expect((await checked([policyChange], { checksDueAtMs: nowMs + 1 }, { looks: 3 })).tried).toEqual(trials);
  expect((await checked([tick], { checksDueAtMs: nowMs }, { looks: 3 })).tried).toEqual(trials);
});

test('a look tries nothing while another one tries the same version, and leaves a later version to its own look', async () => {
  const others = { checksDueAtMs: nowMs + 3_600_000 };
  expect((await checked([policyChange], {}, { now: others })).tried).toEqual([]);
  const older = { ...others, checksOf: group().policyVersion - 1 };
  expect((await checked([policyChange], {}, { now: older })).tried).toEqual(trialsOf(group()));
  expect((await checked([policyChange], {}, { now: { policyVersion: group().policyVersion + 1 } })).tried).toEqual([]);
});

test('the next time is written although others write the state item too', async () => {
  expect(await checked([policyChange], {}, { lostRaces: 3 })).toMatchObject({ put: [[]], dueAtMs: nowMs + 86_400_000 });
  expect(await checked([policyChange], {}, { lostRaces: 100 })).toMatchObject({ tried: [], put: [], dueAtMs: undefined });
});

test('a restore of the state table shows after a look that tries launches, whatever number of writes was lost', async () => {
  expect(await checked([policyChange], {}, { lacksWrites: 1 })).toEqual({ tried: [], put: [], dueAtMs: undefined, isRestored: true, raised: [] });
  expect((await checked([policyChange], {}, { lacksWrites: 3 })).isRestored).toBe(true);
  expect((await checked([policyChange])).isRestored).toBe(false);
});

test('launches are tried where another environment found the restore, and what is written has the raises that the item lacks', async () => {
  const raised = [{ asg: 'web-asg', fromMax: 5, toMax: 7 }];
  const after = await checked([policyChange], { raised }, { renewed: { raised: [], renewedAtMs: nowMs } });
  expect(after).toMatchObject({ tried: trialsOf(group()), raised, isRestored: false });
});

test('launches of a policy that is written while a member is warned are tried soon', async () => {
  const unchanged = await checked([policyChange], { checksDueAtMs: nowMs + 1 }, { isWarned: true });
  expect(unchanged).toMatchObject({ tried: [], put: [], dueAtMs: nowMs });
});

test('a check without a response of AWS is made again within an hour', async () => {
  const { put, dueAtMs } = await checked([policyChange], {}, { found: (trial) => untriedCheck(trial, 'RequestLimitExceeded') });
  expect(put[0]?.[0]).toMatchObject({ code: 'not-tried', awsCode: 'RequestLimitExceeded' });
  expect(dueAtMs).toBe(nowMs + 3_600_000);
});

test('launches that matter go first, and a group that does not act is not tried', async () => {
  expect(await checked([policyChange], {}, { turn: 'later' })).toMatchObject({ tried: [], put: [], dueAtMs: nowMs });
  expect((await checked([policyChange], {}, { mode: 'observe' })).tried).toEqual([]);
  expect((await checked([policyChange], {}, { mode: 'pause' })).tried).toEqual([]);
  expect((await checked([policyChange, tick], { checksDueAtMs: nowMs }, { isWarned: true })).tried).toEqual([]);
});

test('a check that AWS throttles fails nothing, is counted and logged; a bug of ours is thrown', async () => {
  const failing = async (error: Error) => {
    const logged: unknown[] = [];
    const counted: string[] = [];
    const warn = (text: string, more: unknown): void => void logged.push([text, more]);
    const telemetry = { ...silent, count: (name: string) => void counted.push(name), logger: { ...silent.logger, warn } };
    const { checksDueAtMs: _, ...untried } = state();
    const kept = { state: async () => untried, putState: async () => 'done' };
    const run = {
      group: group(),
      provider: { tryLaunch: async () => undefined },
      facts: factsOf({ causes: [policyChange] }),
      beganAtMs: nowMs,
      turns: { done: () => {}, ask: async () => ({ turn: { kind: 'now' }, refused: [] }) },
      ports: {
        store: { ...kept, putChecks: async () => Promise.reject(error) },
        believed: (_: string, read: GroupState) => read,
        clock: { now: () => nowMs },
        telemetry,
      },
    };
    await checkLaunches(run as unknown as Run, {});
    return { logged, counted };
  };
  const error = awsError('ThrottlingException');
  expect(await failing(error)).toEqual({
    logged: [['Launches could not be tried.', { group: 'web', error }]],
    counted: [metrics.readsMissed],
  });
  await expect(failing(new TypeError('undefined is not a function'))).rejects.toThrow('undefined is not a function');
});

test('a look that was slow leaves the dry runs to the next one', async () => {
  const unchanged = { checksDueAtMs: nowMs + 1 };
  expect(await checked([policyChange], unchanged, { ranMs: 5_001 })).toMatchObject({ tried: [], put: [], dueAtMs: nowMs });
  expect((await checked([tick], { checksDueAtMs: nowMs }, { ranMs: 5_000 })).tried).toEqual(trialsOf(group()));
});

test('what is due already is not written again by a look that was slow', async () => {
  const late = await checked([tick], { checksDueAtMs: nowMs }, { ranMs: 5_001 });
  expect(late).toMatchObject({ tried: [], put: [], dueAtMs: undefined });
});

test('no dry run begins when a quarter of the invocation is over, and the rest is tried within an hour', async () => {
  const of = group();
  const [pool] = Object.values(of.pools);
  if (pool === undefined) throw new Error('a group has pools');
  const subnets = Array.from({ length: 8 }, (_, index) => ({ id: `subnet-${index}`, zone: 'a' }));
  const world = { of: { ...of, pools: { a: { ...pool, name: 'a', subnets } } }, trialMs: 2_000 };
  const { tried, put, dueAtMs } = await checked([policyChange], {}, world);
  const left = 8 - tried.length;
  expect(left).toBeGreaterThan(0);
  expect(put[0]?.map(({ code }) => code)).toEqual(Array.from({ length: left }, () => 'not-tried'));
  expect(put[0]?.[0]?.message).toContain('(no time was left)');
  expect(dueAtMs).toBe(nowMs + tried.length * 2_000 + 3_600_000);
});

test('one launch is tried for each template, market and subnet, and no more than a few', () => {
  const of = group();
  const [pool] = Object.values(of.pools);
  if (pool === undefined) throw new Error('a group has pools');
  const twice = { ...of, pools: { a: { ...pool, name: 'a' }, b: { ...pool, name: 'b' } } };
  expect(trialsOf(twice).map(({ pools }) => pools)).toEqual(pool.subnets.map(() => ['a', 'b']));
  const subnets = Array.from({ length: mostTrials + 2 }, (_, index) => ({ id: `subnet-${index}`, zone: 'a' }));
  const many = { ...of, pools: { a: { ...pool, name: 'a', subnets }, b: { ...pool, name: 'b', asg: 'web-b' } } };
  expect(untriedIn(many).map(({ code, pools }) => [code, pools])).toEqual([
    ['no-dry-run', ['b']],
    ['over-budget', ['a']],
  ]);
});
