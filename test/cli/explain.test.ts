import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createStateStore } from '../../aws/state-store.ts';
import type { Access } from '../../cli/aws-access.ts';
import { decisionText } from '../../cli/decision-text.ts';
import { explain, explanationText } from '../../cli/explain.ts';
import type { DecisionRecord, Owner } from '../../core/ports.ts';
import type { Swap } from '../../core/swap.ts';
import { startTables } from '../aws/tables.ts';

const nowMs = Date.UTC(2026, 10, 20, 12);
const at = (seconds: number): number => nowMs + seconds * 1_000;

const launched: DecisionRecord = {
  group: 'web',
  id: '0001',
  atMs: at(0),
  policyVersion: 1,
  correlation: 'c-1',
  because: ['policy-change'],
  decision: [
    {
      reasons: [{ pool: 'spot-a', count: 2, why: 'tiered: tier 1 of 2' }],
      rejected: [],
      removals: [],
    },
    {
      reasons: [{ pool: 'od', count: 1, why: 'tiered: tier 2 of 2' }],
      rejected: [{ path: 'tiered[0]', pool: 'spot-a', why: 'm7g.large in us-east-1a was refused' }],
      unplaced: 1,
    },
  ],
  viewDigest: { desired: 4, members: 0, serving: 0 },
  outcome: {
    launches: [
      {
        reservation: 'r-1',
        pool: 'spot-a',
        count: 3,
        replaces: [],
        instances: ['i-0000000000000000a', 'i-0000000000000000b'],
        refusals: [{ offering: { instanceType: 'm7g.large', zone: 'us-east-1a', market: 'spot' }, code: 'InsufficientInstanceCapacity' }],
      },
      { reservation: 'r-2', pool: 'od', count: 1, replaces: [], trouble: 'throttled', code: 'RequestLimitExceeded' },
    ],
  },
};
const replaced: DecisionRecord = {
  group: 'web',
  id: '0002',
  atMs: at(100),
  policyVersion: 2,
  correlation: 'c-2',
  because: ['interruption'],
  decision: [
    {
      reasons: [{ pool: 'spot-a', count: 1, why: 'tiered: tier 1 of 2' }],
      rejected: [{ path: 'tiered[0]', pool: 'spot-a', why: 'm7g.large in us-east-1a was interrupted' }],
    },
  ],
  viewDigest: { desired: 2, members: 2, serving: 2 },
  outcome: {
    launches: [{ reservation: 'r-3', pool: 'spot-a', count: 1, replaces: ['i-0000000000000000a'], instances: ['i-0000000000000000c'] }],
    claimed: [{ instance: 'i-0000000000000000a', reason: 'interruption', drain: 'web-0002-d0' }],
    admitted: ['i-0000000000000000b'],
    drainsStarted: 1,
  },
};
const swap: Swap = {
  group: 'web',
  instance: 'i-0000000000000000a',
  reason: 'interruption',
  state: 'leaving',
  pool: 'spot-a',
  offering: 'm7g.large/us-east-1a/spot',
  claimedAtMs: at(101),
  warnedAtMs: at(99),
  deadlineMs: at(219),
  drain: 'web-0002-d0',
  decision: '0002',
};

let tables: Awaited<ReturnType<typeof startTables>>;
let access: Access;
const owners = new Map<string, Owner>();
beforeAll(async () => {
  tables = await startTables();
  const store = createStateStore({ client: tables.client, groupsTable: 'groups', stateTable: 'state', now: () => nowMs });
  for (const record of [launched, replaced]) await store.putDecision(record);
  await store.claim(swap);
  access = {
    store,
    owners: { ownersOf: async (ids) => new Map(ids.flatMap((id) => (owners.has(id) ? [[id, owners.get(id) as Owner] as const] : []))) },
  };
});
afterAll(() => tables.stop());

describe('a decision in words', () => {
  it('says what led to it, what it saw, what it chose and why, what EC2 said', async () => {
    const records = await access.store.decisions('web', 10);
    expect(decisionText(records.find(({ id }) => id === '0001') ?? launched)).toBe(`2026-11-20 12:00:00 UTC  web  decision 0001  policy version 1
  because of: policy-change
  saw: desired 4, 0 members, 0 serving
  2 from spot-a: tiered: tier 1 of 2
  decided again after refusals:
  1 from od: tiered: tier 2 of 2
  passed over spot-a (tiered[0]): m7g.large in us-east-1a was refused
  1 could not be placed anywhere
  asked spot-a for 3: got 2 (i-0000000000000000a, i-0000000000000000b)
    refused: m7g.large us-east-1a spot, InsufficientInstanceCapacity
  asked od for 1: throttled (RequestLimitExceeded)`);
  });

  it('does not say of a pool that it was passed over when it was launched from all the same', () => {
    expect(decisionText(replaced)).toContain('  within spot-a (tiered[0]): m7g.large in us-east-1a was interrupted');
  });

  it('says what it let go, put into service and drained', () => {
    const text = decisionText(replaced);
    for (const line of [
      'lets go i-0000000000000000a (interruption), drain web-0002-d0',
      'in place of i-0000000000000000a',
      'put into service: i-0000000000000000b',
      'drains started: 1',
    ])
      expect(text).toContain(line);
  });

  it('of which only the head was kept is still a text', () => {
    const text = decisionText({
      group: 'web',
      id: '0003',
      atMs: nowMs,
      policyVersion: 1,
      correlation: 'c',
      because: [],
      decision: undefined,
      viewDigest: undefined,
    });
    expect(text).toBe('2026-11-20 12:00:00 UTC  web  decision 0003  policy version 1\n  because of: the minute tick');
  });

  it('is listed newest first', async () => {
    expect((await access.store.decisions('web', 10)).map(({ id }) => id)).toEqual(['0002', '0001']);
  });
});

describe('explaining an instance', () => {
  it('that left tells its swap in order, and the decisions that launched it and let it go', async () => {
    const explanation = await explain(swap.instance, access);
    expect(explanation.decisions.map(({ part, record }) => [part, record.id])).toEqual([
      ['launched', '0001'],
      ['let go', '0002'],
    ]);
    expect(explanationText(explanation)).toContain(`i-0000000000000000a, group web
It left because of: interruption. State: leaving. It came from pool spot-a (m7g.large/us-east-1a/spot).
  2026-11-20 12:01:39 UTC  warned
  2026-11-20 12:01:41 UTC  claimed
  2026-11-20 12:03:39 UTC  deadline: gone by then, whatever happens

The decision by which it was launched:
2026-11-20 12:00:00 UTC  web  decision 0001`);
  });

  it('puts the deadline after an early end, and says what fell short', () => {
    const text = explanationText({
      instance: swap.instance,
      group: 'web',
      swap: { ...swap, goneAtMs: at(120), shortfall: { code: 'not-released', awsCode: 'AccessDenied' } },
      decisions: [],
    });
    expect(text.indexOf('gone\n')).toBeLessThan(text.indexOf('deadline'));
    expect(text).toContain('What fell short: could not be taken out of service (AccessDenied): work on it is cut when it goes');
  });

  it('that is a member finds its group by its tag', async () => {
    owners.set('i-0000000000000000c', {
      group: 'web',
      offering: { instanceType: 'm7g.large', zone: 'us-east-1a', market: 'spot' },
      state: 'running',
    });
    const text = explanationText(await explain('i-0000000000000000c', access));
    expect(text).toContain('It is a member; nothing has asked it to leave.');
    expect(text).toContain('The decision by which it was launched:\n2026-11-20 12:01:40 UTC  web  decision 0002');
  });

  it('whose launch was never written down is found by the reservation it is tagged with', async () => {
    owners.set('i-0000000000000000d', {
      group: 'web',
      reservation: '0001-r0-1',
      offering: { instanceType: 'm7g.large', zone: 'us-east-1a', market: 'spot' },
      state: 'running',
    });
    const { decisions } = await explain('i-0000000000000000d', access);
    expect(decisions.map(({ part, record }) => [part, record.id])).toEqual([['launched', '0001']]);
  });

  it('of which nothing is stored says so, and what to try', async () => {
    expect(explanationText(await explain('i-0000000000000000f', access))).toMatch(
      /^Nothing is stored about i-0000000000000000f\. .*holdfast decisions GROUP\.$/,
    );
  });
});
