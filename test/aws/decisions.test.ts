import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { largestDecisionBytes } from '../../aws/state/decision-items.ts';
import { createDecisionLog, readDecision } from '../../aws/state/decision-log.ts';
import { createStateStore } from '../../aws/state-store.ts';
import { items } from '../../core/contract.ts';
import type { Decision } from '../../core/decision/decision.ts';
import type { DecisionLog, DecisionRecord } from '../../core/decision/decision-record.ts';
import type { StateStore } from '../../core/ports/state-store.ts';
import { decisionOf } from '../core/decisions.ts';
import { firstVersion } from './samples/first-version.ts';
import { startTables } from './tables.ts';
import { throwUnreadable } from './unreadable.ts';

let tables: Awaited<ReturnType<typeof startTables>>;
let store: StateStore;
let log: DecisionLog;
const nowMs = Date.UTC(2026, 10, 20, 12);

beforeAll(async () => {
  tables = await startTables();
  store = createStateStore({ client: tables.client, groupsTable: 'groups', stateTable: 'state', now: () => nowMs, tell: throwUnreadable });
  log = createDecisionLog({ client: tables.client, table: 'state' });
});
afterAll(() => tables.stop());

const decision = (more: Partial<Decision> = {}): Decision => decisionOf({ group: 'decided', ...more });

const record = (id: string, more: Partial<DecisionRecord> = {}): DecisionRecord => ({
  group: 'decided',
  id,
  atMs: nowMs,
  policyVersion: 1,
  correlation: 'c',
  causes: [{ code: 'tick' }],
  sizes: [],
  rounds: [decision()],
  ...more,
});

const recordsOf = async (group: string, limit: number) => (await log.decisions(group, limit)).records;

describe('decisions', () => {
  test('come back newest first, at most as many as requested', async () => {
    for (const id of ['001', '003', '002']) await store.putDecision(record(id));
    expect((await recordsOf('decided', 2)).map(({ id }) => id)).toEqual(['003', '002']);
    const { Item } = await tables.client.send(new GetCommand({ TableName: 'state', Key: { group: 'decided', item: items.decision('001') } }));
    expect(Item).toMatchObject({ schema: 2, expiresAt: nowMs / 1000 + 14 * 24 * 3600 });
  });

  test('are written again with their outcome', async () => {
    const overtaken: Partial<DecisionRecord> = { outcome: { code: 'not-carried-out', overtaken: { by: 'state', readVersion: 7 } } };
    await store.putDecision(record('004'));
    await store.putDecision(record('004', overtaken));
    expect((await recordsOf('decided', 1))[0]).toEqual(record('004', overtaken));
  });

  const offering = 'm7g.large/eu-west-1a/spot';
  const where = { path: 'tiered[0]', pool: 'spot-a' };
  test('keep every code with its data', async () => {
    const full = record('005', {
      causes: [
        { code: 'interruption', instances: ['i-1'], count: 1 },
        { code: 'rebalance', instances: ['i-1', 'i-2'], count: 200 },
        { code: 'terminate-hook', instances: ['i-1'], count: 1 },
        { code: 'state-change', state: 'terminated', instances: ['i-1'], count: 1 },
        { code: 'launch-unsuccessful', asg: 'web-asg', awsCode: 'VcpuLimitExceeded' },
        { code: 'alarm', alarm: 'busy', atMs: nowMs },
        { code: 'policy-change' },
        { code: 'tick' },
      ],
      sizes: [
        { code: 'policy', from: 3, to: 4 },
        { code: 'caught-up', from: 4, to: 5 },
        { code: 'alarm', alarm: 'busy', atMs: nowMs, adjust: { kind: 'percent', by: 50 }, from: 4, to: 6 },
        { code: 'alarm-cooling', alarm: 'busy', untilMs: nowMs },
        { code: 'alarm-late', alarm: 'busy', atMs: 1 },
      ],
      rounds: [
        decision({
          placements: [{ pool: 'spot-a', count: 2, offerings: [{ instanceType: 'm7g.large', zone: 'eu-west-1a', market: 'spot' }] }],
          remarks: [
            {
              code: 'waits-for-turn',
              bucket: 'createFleet',
              count: 2,
              urgency: 'warned',
              size: 9,
              ahead: 3,
              aheadBy: { empty: 1, smaller: 2 },
              turnAtMs: 7,
            },
            { code: 'waits-for-turn', bucket: 'createFleet', count: 2, ahead: 0, turnAtMs: 7 },
            {
              code: 'rest-waits-for-turn',
              bucket: 'instances',
              count: 70,
              of: 100,
              urgency: 'missing',
              size: 100,
              ahead: 1,
              aheadBy: { smaller: 1 },
              turnAtMs: 7,
            },
            { code: 'detached', instances: ['i-1'], count: 1 },
            { code: 'advice-not-followed', instances: ['i-1'], count: 60 },
            { code: 'kept-by-minimum', count: 2, asgs: [{ asg: 'web-asg', min: 3 }] },
            { code: 'shares-full', count: 2 },
            { code: 'on-demand-short', owed: 3, held: 1 },
          ],
          keptByMinimum: 2,
          onDemandShort: 2,
          moves: [
            { pool: 'od-a', instances: ['i-1'], why: { code: 'on-demand-owed', owed: 3, held: 1 } },
            { pool: 'spot-b', instances: ['i-2'], why: { code: 'fewer-members', held: 1, fromHeld: 3 } },
            { pool: 'spot-b', instances: ['i-3'], why: { code: 'below-share', below: 0.5, fromAbove: 1.5 } },
          ],
          reasons: [
            {
              pool: 'spot-a',
              count: 2,
              turns: [
                { kind: 'tiered', tier: 1, of: 2 },
                { kind: 'spread', by: 'zone', name: 'eu-west-1a', held: 0 },
                { kind: 'weighted', name: 'spot-a', belowShare: 0.625 },
                { kind: 'cheapest', name: 'spot-a', priceUsdPerHour: 0.03 },
                { kind: 'cheapest', name: 'spot-b' },
              ],
              lastResort: 'interrupted',
              owed: { onDemand: 3, held: 1 },
            },
          ],
          rejected: [
            { ...where, code: 'at-cap', held: 3, cap: 3 },
            { ...where, code: 'at-maximum', held: 2, max: 2 },
            { ...where, code: 'no-offering' },
            { ...where, code: 'over-price', offering, priceUsdPerHour: 0.06, limitUsdPerHour: 0.05 },
            { ...where, code: 'refused', offering, awsCode: 'InsufficientInstanceCapacity', untilMs: nowMs },
            { ...where, code: 'interrupted', offering, untilMs: nowMs },
            { ...where, code: 'advised', offering, untilMs: nowMs },
            { ...where, code: 'at-share', offering, of: 'zone', held: 4, most: 4 },
            { ...where, code: 'more-offerings', count: 9 },
          ],
          removals: [
            { instance: 'i-1', reason: 'scale-in', why: { code: 'surplus', rank: { order: 'dearest-first', aboutUsdPerHour: 0.05 } } },
            {
              instance: 'i-2',
              reason: 'scale-in',
              why: { code: 'surplus', rank: { order: 'oldest-first', launchedAtMs: 1 }, unhealthy: true, overShare: 'zone' },
            },
            { instance: 'i-3', reason: 'scale-in', why: { code: 'surplus', rank: { order: 'same-order' } } },
            { instance: 'i-4', reason: 'unwanted', why: { code: 'stray', firstSeenAtMs: 1, sightings: 2 } },
          ],
          raise: [{ asg: 'web-asg', fromMax: 2, toMax: 4 }],
          takeOver: [{ asg: 'web-asg', desired: 2 }],
          wakeAtMs: nowMs,
        }),
      ],
      view: { nowMs, desired: 3, members: 3, serving: 2, byPool: { 'spot-a': 3 }, swaps: { leaving: 1 }, reservations: 1, stateVersion: 7 },
      outcome: {
        code: 'carried-out',
        launches: [
          { reservation: 'r1', pool: 'spot-a', count: 2, replaces: ['i-1'], result: 'answered', instances: ['i-5'], refusals: [] },
          { reservation: 'r2', pool: 'spot-a', count: 2, replaces: [], result: 'throttled', code: 'RequestLimitExceeded' },
        ],
        claimed: [{ instance: 'i-1', reason: 'interruption', drain: 'd' }],
        drainsStarted: 1,
        admitted: ['i-5'],
        failed: [{ instance: 'i-6', awsCode: 'ValidationError' }],
        restored: ['web-asg'],
        wakeAtMs: nowMs,
      },
    });
    await store.putDecision(full);
    expect((await recordsOf('decided', 1))[0]).toEqual(full);
  });

  test('keep which breaker closed: that of the spot market, or that of one of its families', async () => {
    const remarks = (['spot', 'spot/m7g'] as const).map((breaker) => ({ code: 'breaker-closed', breaker, why: 'trial' }) as const);
    const closed = record('006', { group: 'breakers', rounds: [decision({ remarks })] });
    await store.putDecision(closed);
    expect((await recordsOf('breakers', 1))[0]).toEqual(closed);
  });

  test('that are too large lose their largest part, and record that', async () => {
    const byPool = { ['v'.repeat(largestDecisionBytes)]: 1 };
    const view = { nowMs, desired: 3, members: 1, serving: 1, byPool, swaps: {}, reservations: 0 };
    await store.putDecision(record('006', { view }));
    const [stored] = await recordsOf('decided', 1);
    expect(stored?.rounds).toEqual([decision()]);
    expect(stored?.view).toBeUndefined();
    expect(stored?.trimmed).toEqual([{ part: 'view', bytes: expect.any(Number) }]);
    await store.putDecision(record('007', { rounds: [decision({ drains: ['d'.repeat(largestDecisionBytes)] })] }));
    expect((await recordsOf('decided', 1))[0]).toMatchObject({ rounds: [], trimmed: [{ part: 'rounds' }] });
  });

  test('that cannot be read are returned beside the others, with the reason', async () => {
    const put = (id: string, item: object) =>
      tables.client.send(new PutCommand({ TableName: 'state', Item: { ...item, group: 'damaged', item: items.decision(id) } }));
    await put('001', { ...record('001'), schema: 2 });
    await put('002', { ...record('002'), schema: 2, rounds: [{ ...decision(), desired: 'many' }] });
    await put('003', { ...record('003'), schema: 3 });
    await put('004', { anything: true });
    const { records, unreadable } = await log.decisions('damaged', 10);
    expect(records.map(({ id }) => id)).toEqual(['001']);
    expect(unreadable.map(({ item, problems }) => [item, problems[0]])).toEqual([
      ['decision#004', expect.stringMatching(/^id: /)],
      ['decision#003', 'schema: expected 1 or 2, found 3'],
      ['decision#002', expect.stringMatching(/^rounds\.0\.desired: /)],
    ]);
  });
});

describe('decisions that the first version stored', () => {
  test.each(firstVersion.decisions.map((item) => [item.item, item] as const))('%s is read', (_name, item) => {
    const read = readDecision(item);
    if (read.kind === 'unreadable') throw new Error(read.unreadable.problems.join('; '));
    const { record: found } = read;
    expect(found).toMatchObject({ group: item.group, id: item.id, atMs: item.atMs, policyVersion: item.policyVersion });
    expect(found.causes).toEqual(item.because.map((text) => ({ code: 'prose', text })));
    expect(found.rounds.flatMap(({ reasons }) => reasons.map(({ prose }) => prose))).toEqual(
      item.decision.flatMap(({ reasons }) => reasons.map(({ why }) => why)),
    );
    expect(found.rounds.flatMap(({ removals }) => removals.map(({ why }) => why))).toEqual(
      item.decision.flatMap(({ removals }) => removals.map(({ why }) => ({ code: 'prose', text: why }))),
    );
    expect(found.view?.desired).toBe(item.viewDigest.desired);
    expect(found.outcome?.code).toBe(item.outcome === undefined ? undefined : 'carried-out');
  });

  test('without a part that was too large are read as trimmed', () => {
    const [first] = firstVersion.decisions;
    const read = readDecision({ ...first, decision: { trimmed: '360000 bytes were left out: a stored decision may have 350000' } });
    expect(read).toMatchObject({ kind: 'read', record: { rounds: [], trimmed: [{ part: 'rounds' }] } });
  });

  test('with a launch that was throttled are read with its code', () => {
    const launches = [{ reservation: 'r', pool: 'od', count: 1, replaces: [], trouble: 'throttled', code: 'RequestLimitExceeded' }];
    const outcome = { launches, claimed: [], drainsStarted: 0, admitted: [], failed: [{ instance: 'i-1', code: 'X', retry: 'later' }], restored: [] };
    expect(readDecision({ ...firstVersion.decisions[0], outcome })).toMatchObject({
      kind: 'read',
      record: {
        outcome: { launches: [{ reservation: 'r', result: 'throttled', code: 'RequestLimitExceeded' }], failed: [{ instance: 'i-1', awsCode: 'X' }] },
      },
    });
  });
});
