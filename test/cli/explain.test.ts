import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDecisionLog, readDecision } from '../../aws/state/decision-log.ts';
import { createStateStore } from '../../aws/state-store.ts';
import type { Access } from '../../cli/aws-access.ts';
import { decisionText } from '../../cli/decision-text.ts';
import { explain, explanationText } from '../../cli/explain.ts';
import { replacementsOf } from '../../cli/replacements.ts';
import { partIn } from '../../cli/stored-decision.ts';
import type { Decision } from '../../core/decision/decision.ts';
import type { DecisionRecord, SizeChange } from '../../core/decision/decision-record.ts';
import type { Remark } from '../../core/decision/remark.ts';
import type { Owner } from '../../core/ports/owners.ts';
import type { RegistryEntry } from '../../core/ports/state-store.ts';
import type { Swap } from '../../core/swap/swap.ts';
import { firstVersion } from '../aws/samples/first-version.ts';
import { startTables } from '../aws/tables.ts';
import { throwUnreadable } from '../aws/unreadable.ts';
import { decisionOf } from '../core/decisions.ts';

const nowMs = Date.UTC(2026, 10, 20, 12);
const at = (seconds: number): number => nowMs + seconds * 1_000;

const decision = (more: Partial<Decision>): Decision => decisionOf({ desired: 4, staying: 0, ...more });
const digest = { nowMs, byPool: {}, swaps: {}, reservations: 0 };
const offering = { instanceType: 'm7g.large', zone: 'us-east-1a', market: 'spot' } as const;
const key = 'm7g.large/us-east-1a/spot';
const tier = (n: number) => [{ kind: 'tiered', tier: n, of: 2 } as const];
const acted = { code: 'carried-out', claimed: [], drainsStarted: 0, admitted: [], failed: [], restored: [] } as const;

const launched: DecisionRecord = {
  group: 'web',
  id: '0001',
  atMs: at(0),
  policyVersion: 1,
  correlation: 'c-1',
  causes: [{ code: 'policy-change' }],
  sizes: [{ code: 'policy', from: 2, to: 4 }],
  rounds: [
    decision({ reasons: [{ pool: 'spot-a', count: 2, turns: tier(1) }] }),
    decision({
      reasons: [{ pool: 'od', count: 1, turns: tier(2) }],
      rejected: [
        { path: 'tiered[0]', pool: 'spot-a', code: 'refused', offering: key, awsCode: 'InsufficientInstanceCapacity', untilMs: at(180) },
        { path: 'tiered[0]', pool: 'spot-a', code: 'more-offerings', count: 2 },
      ],
      unplaced: 1,
    }),
  ],
  view: { ...digest, desired: 4, members: 0, serving: 0, prices: { readAtMs: at(-130), isStated: true } },
  outcome: {
    ...acted,
    launches: [
      {
        reservation: 'r-1',
        pool: 'spot-a',
        count: 3,
        replaces: [],
        result: 'answered',
        instances: ['i-0000000000000000a', 'i-0000000000000000b'],
        refusals: [{ offering, code: 'InsufficientInstanceCapacity' }],
      },
      { reservation: 'r-2', pool: 'od', count: 1, replaces: [], result: 'throttled', code: 'RequestLimitExceeded' },
    ],
  },
};
const replaced: DecisionRecord = {
  group: 'web',
  id: '0002',
  atMs: at(100),
  policyVersion: 2,
  correlation: 'c-2',
  causes: [{ code: 'interruption', instances: ['i-0000000000000000a'], count: 1 }],
  sizes: [],
  rounds: [
    decision({
      reasons: [{ pool: 'spot-a', count: 1, turns: tier(1) }],
      rejected: [{ path: 'tiered[0]', pool: 'spot-a', code: 'interrupted', offering: key, untilMs: at(280) }],
    }),
  ],
  view: { ...digest, desired: 2, members: 2, serving: 1, unread: 1 },
  outcome: {
    ...acted,
    launches: [
      {
        reservation: 'r-3',
        pool: 'spot-a',
        count: 1,
        replaces: ['i-0000000000000000a'],
        result: 'answered',
        instances: ['i-0000000000000000c'],
        refusals: [],
      },
    ],
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
  const store = createStateStore({ client: tables.client, groupsTable: 'groups', stateTable: 'state', now: () => nowMs, tell: throwUnreadable });
  for (const record of [launched, replaced]) await store.putDecision(record);
  await store.claim(swap);
  access = {
    store,
    log: createDecisionLog({ client: tables.client, table: 'state' }),
    status: async () => undefined,
    owners: { ownersOf: async (ids) => new Map(ids.flatMap((id) => (owners.has(id) ? [[id, owners.get(id) as Owner] as const] : []))) },
  };
});
afterAll(() => tables.stop());

describe('a decision in words', () => {
  it('shows its causes, what it saw, what it chose and why, and the response of EC2', async () => {
    const { records } = await access.log.decisions('web', 10);
    expect(decisionText(records.find(({ id }) => id === '0001') ?? launched)).toBe(`2026-11-20 12:00:00 UTC  web  decision 0001  policy version 1
  because of: the policy was written
  desired 2 → 4 by the policy
  view: desired 4, 0 members, 0 serving
  prices: spot read at 2026-11-20 11:57:50 UTC, 2 min 10 s before; on demand as policy version 1 states them
  2 from spot-a: tiered: tier 1 of 2
  decided again after refusals:
  1 from od: tiered: tier 2 of 2
  passed over spot-a (tiered[0]): m7g.large in us-east-1a was refused (InsufficientInstanceCapacity) and rests until 2026-11-20 12:03:00 UTC; and 2 more
  1 could not be placed anywhere
  requested 3 from spot-a: launched 2 (i-0000000000000000a, i-0000000000000000b)
    refused: m7g.large us-east-1a spot, InsufficientInstanceCapacity
  requested 1 from od: throttled (RequestLimitExceeded)`);
  });

  it('does not list a pool as passed over when the decision launched from it', () => {
    expect(decisionText(replaced)).toContain('  within spot-a (tiered[0]): m7g.large in us-east-1a was interrupted and comes last in its tier until');
  });

  it('shows which members left, were put into service and drained', () => {
    const text = decisionText(replaced);
    for (const line of [
      'leaves: i-0000000000000000a (interruption), drain web-0002-d0',
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
      causes: [],
      sizes: [],
      rounds: [],
      trimmed: [{ part: 'rounds', bytes: 400_000 }, { part: 'outcome' }],
    });
    expect(text).toBe(
      '2026-11-20 12:00:00 UTC  web  decision 0003  policy version 1\n  because of: a planned look\n  too large to be stored (400000 bytes): the reasons\n  too large to be stored: the outcome',
    );
  });

  it('that was overtaken is not shown as carried out', () => {
    const text = decisionText({ ...replaced, outcome: { code: 'not-carried-out', overtaken: { by: 'state', readVersion: 7 } } });
    expect(text).toContain("  not carried out: another write came after version 7 of the group's state, and the group was looked at again");
    const claims = { by: 'claims', instances: ['i-1', 'i-2'], count: 2 } as const;
    expect(decisionText({ ...replaced, outcome: { code: 'not-carried-out', overtaken: claims } })).toContain(
      'not carried out: 2 more members were reported to leave (i-1, i-2)',
    );
    expect(decisionText({ ...replaced, outcome: { code: 'not-carried-out', overtaken: { by: 'policy', policyVersion: 3 } } })).toContain(
      'not carried out: policy version 3 came into force',
    );
    const { outcome: _none, ...open } = replaced;
    expect(decisionText(open)).toContain('  no outcome is stored yet: it is being carried out, or');
  });

  it('that was only observed shows what it would have added and saved', () => {
    const [adds, ends, now] = [
      { usdPerHour: 0.1304, priced: 4, of: 4 },
      { usdPerHour: 0, priced: 0, of: 0 },
      { usdPerHour: 0.0816, priced: 1, of: 2 },
    ];
    const text = decisionText({ ...launched, outcome: { code: 'observed', leaves: [], adds, ends, now } });
    expect(text).toContain('\n  would have added 0.1304 USD per hour (4 of 4 at known prices), and saved nothing\n');
    expect(text).toContain('\n  the members cost 0.0816 USD per hour (1 of 2 at known prices)');
  });

  it('says where the reason is when an Auto Scaling group could not launch for a reason that Holdfast does not know', () => {
    const because = (awsCode: string) => decisionText({ ...launched, causes: [{ code: 'launch-unsuccessful', asg: 'web-asg', awsCode }] });
    expect(because('unknown')).toContain(
      'web-asg could not launch by itself (no refusal for lack of capacity: its scaling activities have the reason)',
    );
    expect(because('VcpuLimitExceeded')).toContain('web-asg could not launch by itself (VcpuLimitExceeded)');
  });

  it('names what changed the size, or why it stayed', () => {
    const adjust = { kind: 'percent', by: 50 } as const;
    const sizes: readonly (readonly [SizeChange, string])[] = [
      [{ code: 'alarm', alarm: 'busy', atMs: at(0), adjust, from: 4, to: 6 }, 'desired 4 → 6 by +50 % of alarm busy'],
      [{ code: 'alarm', alarm: 'busy', atMs: at(0), adjust, from: 6, to: 6 }, 'desired stays 6, the bound of the policy: alarm busy, +50 %'],
      [{ code: 'alarm-cooling', alarm: 'busy', untilMs: at(60) }, 'alarm busy did not act: its cooldown lasts until 2026-11-20 12:01:00 UTC'],
      [
        { code: 'alarm-late', alarm: 'busy', atMs: at(0) },
        'alarm busy did not act: it went off at 2026-11-20 12:00:00 UTC, more than an hour before',
      ],
      [{ code: 'caught-up', from: 4, to: 7 }, 'desired 4 → 7: the stored state was older than the members'],
    ];
    for (const [change, text] of sizes) expect(decisionText({ ...launched, sizes: [change] })).toContain(`  ${text}\n`);
  });

  it('shows what it found and did not change', () => {
    const some = { instances: ['i-0000000000000000e'], count: 3 };
    const round = decision({
      remarks: [
        { code: 'detached', ...some },
        { code: 'advice-not-followed', ...some },
        { code: 'kept-by-minimum', count: 2, asgs: [{ asg: 'web-asg', min: 4 }] },
      ],
    });
    const text = decisionText({ ...launched, rounds: [round] });
    for (const line of [
      'lets go of members that a user took out: i-0000000000000000e and 2 more',
      'keeps members that EC2 advises to replace (rebalance.act is false): i-0000000000000000e and 2 more',
      'keeps 2 above the desired size because of minimum sizes: web-asg (4)',
    ])
      expect(text).toContain(`  ${line}\n`);
  });

  it('shows its changes of Auto Scaling groups', () => {
    const round = decision({
      raise: [{ asg: 'web-asg', fromMax: 4, toMax: 6 }],
      restore: [{ asg: 'api-asg', fromMax: 3, toMax: 5 }],
      lower: [{ asg: 'job-asg', fromMax: 3, toMax: 4, earlier: [5] }],
      takeOver: [{ asg: 'web-asg', desired: 2 }],
      unnoticed: ['i-0000000000000000e'],
      suspend: [{ asg: 'ci-asg', processes: ['Launch', 'ReplaceUnhealthy'] }],
      resume: [{ asg: 'old-asg', processes: ['AZRebalance'] }],
      takeDown: [{ asg: 'ci-asg', from: 4, instances: ['i-0000000000000000a'], atMs: 0 }],
      leftToGroups: ['i-0000000000000000f'],
    });
    const text = decisionText({ ...launched, rounds: [round] });
    for (const line of [
      'raises the maximum size of web-asg to 6',
      'puts back the maximum size of api-asg to 3',
      'lowers the maximum size of job-asg to 4',
      'launches in place of web-asg: lowers its desired capacity to 2',
      'suspends processes of ci-asg: Launch, ReplaceUnhealthy',
      'resumes processes of old-asg: AZRebalance',
      'lowers the desired capacity of ci-asg to 4 again, because attaching raised it: i-0000000000000000a',
      'leaves to their Auto Scaling group, because nothing else replaces them now: i-0000000000000000f',
      'terminates through their Auto Scaling group: i-0000000000000000e',
    ])
      expect(text).toContain(`  ${line}\n`);
  });

  it('of the first version is shown as it was stored', () => {
    const [stored] = firstVersion.decisions.flatMap((item) => {
      const read = readDecision(item);
      return read.kind === 'read' && item.decision.some(({ removals }) => removals.length > 0) ? [{ item, text: decisionText(read.record) }] : [];
    });
    expect(stored?.text).toContain(stored?.item.decision[0]?.removals[0]?.why);
    expect(stored?.text).toContain(`because of: ${stored?.item.because.join(', ')}`);
  });

  it('names a member that it removes once, with the reason and the drain', () => {
    const why = { code: 'surplus', rank: { order: 'oldest-first', launchedAtMs: at(-60) }, unhealthy: true } as const;
    const round = decision({ removals: [{ instance: 'i-0000000000000000a', reason: 'scale-in', why }] });
    const outcome = { ...acted, launches: [], claimed: [{ instance: 'i-0000000000000000a', reason: 'scale-in', drain: 'd-9' } as const] };
    const text = decisionText({ ...launched, rounds: [round], outcome });
    expect(text.match(/i-0000000000000000a/g)).toHaveLength(1);
    expect(text).toContain(
      '  removes i-0000000000000000a (scale-in, drain d-9): above the desired size; unhealthy; oldest first: launched 2026-11-20 11:59:00 UTC',
    );
  });

  it('is listed newest first', async () => {
    expect((await access.log.decisions('web', 10)).records.map(({ id }) => id)).toEqual(['0002', '0001']);
  });
});

describe('explaining an instance', () => {
  it('that left prints its swap in order, and the decisions that launched it and chose it to leave', async () => {
    const explanation = await explain(swap.instance, access);
    expect(explanation.decisions.map(({ part, record }) => [part, record.id])).toEqual([
      ['launched', '0001'],
      ['let go', '0002'],
    ]);
    expect(explanationText(explanation)).toContain(`i-0000000000000000a, group web
Reason to leave: interruption. State: leaving. Pool: spot-a (m7g.large/us-east-1a/spot).
  2026-11-20 12:01:39 UTC  warned
  2026-11-20 12:01:41 UTC  claimed
  2026-11-20 12:03:39 UTC  deadline: gone by this time
Launched in its place:
  i-0000000000000000c: launched 2026-11-20 12:01:40 UTC, not found serving yet

The decision by which it was launched:
2026-11-20 12:00:00 UTC  web  decision 0001`);
  });

  it('that ended without a warning names the decision that followed', () => {
    const instance = 'i-0000000000000000d';
    const record: DecisionRecord = { ...replaced, causes: [{ code: 'state-change', state: 'terminated', instances: [instance], count: 1 }] };
    expect(partIn(record, instance)).toBe('ended');
    expect(partIn({ ...record, causes: [{ code: 'state-change', state: 'running', instances: [instance], count: 1 }] }, instance)).toBeUndefined();
    const text = explanationText({ instance, decisions: [{ part: 'ended', record }], replacements: [], unreadable: [] });
    expect(text).toContain('It has ended and has no swap: Holdfast received no warning about it, or the state table was restored');
    expect(text).toContain('EC2 said that it had ended, and this decision followed:');
  });
  it('says of how many members its look had not read the health', () => {
    expect(decisionText(replaced)).toContain('view: desired 2, 2 members, 1 serving, health of 1 not read yet');
  });
  it('whose end no event reported names the decision that found it ended', () => {
    const instance = 'i-0000000000000000d';
    const view = { ...digest, desired: 2, members: 1, serving: 1, ended: [instance] };
    const record: DecisionRecord = { ...replaced, causes: [], view };
    expect(partIn(record, instance)).toBe('ended');
    expect(decisionText(record)).toContain(`EC2 shows as ended, without a swap and without a signal in this look: ${instance}`);
    const [launch] = record.outcome?.code === 'carried-out' ? record.outcome.launches : [];
    if (launch === undefined) throw new Error('The decision launches nothing.');
    const launches = [{ ...launch, replaces: [] }];
    const found = replacementsOf(instance, [{ ...record, outcome: { ...acted, launches } }]);
    expect(found).toEqual([{ instance: 'i-0000000000000000c', launchedAtMs: record.atMs, forTheGroup: true }]);
  });
  it('that ended without a decision about it shows what EC2 returns for it', () => {
    const ended = { instance: 'i-0000000000000000c', decisions: [{ part: 'launched', record: replaced }], replacements: [], unreadable: [] };
    expect(explanationText({ ...ended, state: 'terminated' })).toContain('EC2 shows it as terminated. No swap or decision is stored');
    expect(explanationText({ ...ended, state: 'shutting-down' })).toContain('EC2 shows it as shutting-down. No swap or decision is stored');
    const unseen = explanationText(ended);
    expect(unseen).toContain(
      'EC2 does not show it: it ended a while ago, or it was launched seconds ago, and signals about it wait until EC2 shows it.',
    );
    expect(unseen).toContain('If it has ended, Holdfast received no signal about it, or the state table was restored');
    expect(explanationText({ ...ended, state: 'running' })).toContain('EC2 shows it as running. It has no swap: no decision says that it leaves.');
  });
  it('that a remark of a decision is about names that decision: put back, ended before it served, given up, detached', () => {
    const instances = ['i-0000000000000000d'];
    const part = (remark: Remark) => partIn({ ...replaced, rounds: [decision({ remarks: [remark] })] }, instances[0] ?? '');
    expect(part({ code: 'put-back', instances, count: 1 })).toBe('put back into service');
    const rest = { pool: 'spot-a', untilMs: at(60), instances, count: 1 };
    expect(part({ code: 'boots-failed', awsCode: 'Client.InternalError', awsMessage: '', ...rest })).toBe('found to have ended before it served');
    expect(part({ code: 'given-up', why: 'pending', ...rest })).toBe('given up, because it never served');
    expect(part({ code: 'serves', instances, count: 1 })).toBeUndefined();
  });
  it('whose drain another execution took over is not shown under that one from its beginning', () => {
    const times = { drainStartedAtMs: at(110), drainOrderedAtMs: at(150) };
    const text = (more: Partial<Swap>) =>
      explanationText({ instance: swap.instance, swap: { ...swap, ...more }, decisions: [], replacements: [], unreadable: [] });
    expect(text(times)).toContain('12:01:50 UTC  drain began\n  2026-11-20 12:02:30 UTC  another execution took its drain over (web-0002-d0)');
    expect(text({ ...times, drainOrderedAtMs: at(105) })).toContain('12:01:50 UTC  drain began (execution web-0002-d0)');
  });
  it('that EC2 announced to take and did not take is shown in service again', () => {
    const deadlineMs = swap.claimedAtMs + 120_000;
    const spared = { ...swap, reason: 'interruption', state: 'withdrawn', deadlineMs, withdrawnAtMs: deadlineMs + 301_000 } as const;
    const text = (rest: Partial<Swap> = {}) =>
      explanationText({ instance: swap.instance, swap: { ...spared, ...rest }, decisions: [], replacements: [], unreadable: [] });
    expect(text({ shortfall: undefined })).toContain('EC2 announced that it would take this instance, and did not, or');
    expect(text({ shortfall: { code: 'let-go' } })).not.toContain('in service again');
    expect(text({ withdrawnAtMs: deadlineMs })).not.toContain('in service again');
  });
  it('that stays shows what was withdrawn', () => {
    const withdrawn = { ...swap, reason: 'moved', state: 'withdrawn', withdrawnAtMs: swap.claimedAtMs + 1_000 } as const;
    const text = explanationText({ instance: swap.instance, swap: withdrawn, decisions: [], replacements: [], unreadable: [] });
    expect(text).toContain('Reason to leave: moved. State: withdrawn, so it stays.');
    expect(text).toContain('2026-11-20 12:01:42 UTC  withdrawn');
    expect(text).not.toContain('Holdfast launched nothing in its place');
  });

  it('puts the deadline after an early end, and shows the shortfall', () => {
    const text = explanationText({
      instance: swap.instance,
      group: 'web',
      swap: { ...swap, goneAtMs: at(120), shortfall: { code: 'not-released', awsCode: 'AccessDenied' } },
      decisions: [],
      replacements: [],
      unreadable: [],
    });
    expect(text.indexOf('gone\n')).toBeLessThan(text.indexOf('deadline'));
    expect(text).toContain('Shortfall: could not be taken out of service (AccessDenied): its work is cut when it ends');
  });

  it('shows an instance as drained when it had drained, and otherwise its drain as given up', () => {
    const text = (shortfall: Partial<Swap>) =>
      explanationText({
        instance: swap.instance,
        swap: { ...swap, drainedAtMs: at(60), ...shortfall },
        decisions: [],
        replacements: [],
        unreadable: [],
      });
    expect(text({})).toContain('2026-11-20 12:01:00 UTC  drained\n');
    expect(text({ shortfall: { code: 'not-ended', awsCode: 'OperationNotPermitted' } })).toContain('2026-11-20 12:01:00 UTC  drained\n');
    expect(text({ shortfall: { code: 'not-seen' } })).toContain('2026-11-20 12:01:00 UTC  drain given up\n');
  });

  it('of a pool that its policy had dropped names the pool by the tag of the instance', async () => {
    const dropped = { ...swap, pool: 'unknown' };
    const poolOf = async (pool?: string) => {
      const owner = { group: 'web', offering, state: 'terminated', ...(pool && { pool }) };
      const found = { ownersOf: async () => new Map([[swap.instance, owner]]) };
      const { swap: shown } = await explain(swap.instance, { ...access, owners: found, store: { ...access.store, swapOf: async () => dropped } });
      return shown?.pool;
    };
    expect([await poolOf('spot-z'), await poolOf()]).toEqual(['spot-z', 'unknown']);
  });

  it('of an instance that no describe of its group showed any more names the offering that EC2 still shows', async () => {
    const offeringOf = async (shown: boolean) => {
      const owner = { group: 'web', state: 'terminated', ...(shown && { offering }) };
      const found = { ownersOf: async () => new Map([[swap.instance, owner]]) };
      const unseen = { ...access.store, swapOf: async () => ({ ...swap, offering: 'unknown' }) };
      return (await explain(swap.instance, { ...access, owners: found, store: unseen })).swap?.offering;
    };
    expect([await offeringOf(true), await offeringOf(false)]).toEqual(['m7g.large/us-east-1a/spot', 'unknown']);
  });

  it('that is a member finds its group by its tag', async () => {
    owners.set('i-0000000000000000c', {
      group: 'web',
      offering: { instanceType: 'm7g.large', zone: 'us-east-1a', market: 'spot' },
      state: 'running',
    });
    const text = explanationText(await explain('i-0000000000000000c', access));
    expect(text).toContain('It has no swap: no decision says that it leaves.');
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

  it('in an Auto Scaling group that no policy names any more is looked for in every group', async () => {
    owners.set('i-0000000000000000c', { asg: 'earlier-asg', offering, state: 'running' });
    const registry = async () => [{ group: 'web', policyVersion: 1, asgs: ['web-asg'], alarms: [] }];
    const { group, decisions } = await explain('i-0000000000000000c', { ...access, store: { ...access.store, registry } });
    expect([group, decisions.map(({ part }) => part)]).toEqual(['web', ['launched']]);
  });

  it('whose Auto Scaling group another group held before is looked for there too', async () => {
    const entry = { policyVersion: 1, asgs: [], alarms: [] };
    const registry = async () => [
      { ...entry, group: 'api', asgs: ['web-asg'] },
      { ...entry, group: 'web', former: ['web-asg'] },
    ];
    const swapOf = async () => ({ ...swap, instance: 'i-0000000000000000c', group: 'api', asg: 'web-asg' });
    const { group, decisions } = await explain('i-0000000000000000c', { ...access, store: { ...access.store, registry, swapOf } });
    expect([group, decisions.map(({ part, record }) => [part, record.group])]).toEqual(['api', [['launched', 'web']]]);
    owners.set('i-0000000000000000c', { asg: 'web-asg', group: 'web', offering, state: 'running' });
    const alive = await explain('i-0000000000000000c', { ...access, store: { ...access.store, registry } });
    expect([alive.group, alive.decisions.length]).toEqual(['api', 1]);
    const before = async () => ({ ...(await swapOf()), group: 'web', state: 'withdrawn' as const });
    const stays = await explain('i-0000000000000000c', { ...access, store: { ...access.store, registry, swapOf: before } });
    expect(stays.group).toBe('api');
  });

  it('whose Auto Scaling group no policy names any more is a member of the group that named it last', async () => {
    const instance = 'i-0000000000000000c';
    owners.set(instance, { asg: 'web-asg', group: 'web', offering, state: 'running' });
    const entry = { policyVersion: 1, asgs: [], alarms: [], former: ['web-asg'] };
    const groupBy = async (registry: readonly RegistryEntry[], claimedBy: string) => {
      const claimOf = async () => ({ asg: 'web-asg', group: claimedBy, atMs: 0, before: [] });
      return (await explain(instance, { ...access, store: { ...access.store, registry: async () => registry, claimOf } })).group;
    };
    const api = { ...entry, group: 'api' };
    const web = { ...entry, group: 'web' };
    expect(await groupBy([api], 'api')).toBe('api');
    expect(await groupBy([web, api], 'api')).toBe('api');
    // A group that was let go leaves its members to their owners.
    expect(await groupBy([{ ...api, letGoUntilMs: 1 }], 'api')).toBe('web');
  });

  it('without stored items gets a message with the next step, which does not assume that the only group is its group', async () => {
    const registry = async () => [{ group: 'web', policyVersion: 1, asgs: [], alarms: [] }];
    expect(explanationText(await explain('i-0000000000000000f', { ...access, store: { ...access.store, registry } }))).toMatch(
      /^Nothing is stored about i-0000000000000000f\. .*holdfast decisions GROUP\.$/,
    );
  });
});
