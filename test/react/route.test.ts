import { describe, expect, test } from 'vitest';
import { offeringKey } from '../../core/pool/offering.ts';
import type { Owner, Owners } from '../../core/ports/owners.ts';
import type { RegistryEntry, StateStore } from '../../core/ports/state-store.ts';
import type { Signal } from '../../core/signals/signal.ts';
import type { Member } from '../../core/view/view.ts';
import { isMinuteTick, route } from '../../functions/react/messages/route.ts';
import { createSeenMembers, type SeenMembers } from '../../functions/react/messages/seen-members.ts';
import { createStrangers } from '../../functions/react/messages/strangers.ts';
import { members } from '../core/members.ts';
import { onDemandB, swapOf } from '../core/views.ts';

const nowMs = Date.UTC(2026, 0, 1);
const instance = 'i-0123456789abcdef0';
const offering = { instanceType: 'm7g.large', zone: 'eu-west-1a', market: 'spot' } as const;
const member: Owner = { group: 'web', asg: 'fleet', offering, state: 'running' };

const hookOf = (asg: string): Signal => ({
  kind: 'terminate-hook',
  instance,
  hook: { asg, hook: 'drain', token: 't', expiresAtMs: nowMs },
  atMs: nowMs,
});
/** Claims are read only where two groups compete. */
const unread = { claimOf: () => Promise.reject(new Error('No claim is to be read.')) };
const of = (owners: Owners, strangers = createStrangers(), seen = createSeenMembers()) => ({ owners, strangers, seen, claims: unread });
const routed = (signal: Signal, registry: readonly RegistryEntry[] = [], owner: Owner = member, claims: Pick<StateStore, 'claimOf'> = unread) =>
  route([{ message: 'm', signal }], { ...of({ ownersOf: async () => new Map([[instance, owner]]) }), claims }, async () => registry, nowMs);
const groupsOf = async (...parameters: Parameters<typeof routed>) => (await routed(...parameters)).facts.map(({ group }) => group);
const entry = (group: string, asgs: readonly string[], former?: readonly string[]): RegistryEntry => ({
  group,
  policyVersion: 1,
  asgs,
  alarms: [],
  ...(former && { former }),
});
const warning: Signal = { kind: 'interruption', instance, action: 'terminate', atMs: nowMs };

test('a lifecycle action goes to the group of its instance', async () => {
  expect((await routed(hookOf('fleet'))).facts.map(({ group }) => group)).toEqual(['web']);
});

test('a lifecycle action of an Auto Scaling group that does not hold the instance is ignored', async () => {
  expect(await routed(hookOf('others'))).toEqual({ facts: [], strangers: 1, again: [], soon: new Map() });
});

test('of several writes of a policy that change nothing the last counts, in any order', async () => {
  const again = (writtenAtMs: number) => ({
    message: `m${writtenAtMs}`,
    signal: { kind: 'policy-change', group: 'web', atMs: nowMs, writtenAtMs } as const,
  });
  const { facts } = await route([again(2), again(7), again(5)], of({ ownersOf: async () => new Map() }), async () => [], nowMs);
  expect(facts).toMatchObject([{ group: 'web', writtenAtMs: 7 }]);
});

const changed = (state: 'running' | 'stopped' | 'shutting-down' | 'terminated', atMs: number): Signal => ({
  kind: 'state-change',
  instance,
  state,
  atMs,
});
const lagMs = 180_000;
const told = async (signal: Signal, owner: Owner) => {
  const { facts } = await route([{ message: 'm', signal }], of({ ownersOf: async () => new Map([[instance, owner]]) }), async () => [], nowMs);
  return facts.flatMap(({ ended, leaving }) => [...ended, ...leaving.map(({ reason }) => reason)]);
};

test('a change of state is believed over a describe that may lag behind it', async () => {
  expect(await told(changed('stopped', nowMs - lagMs), member)).toEqual([instance]);
});

test('an instance that began to run is recorded as one that ran, also when EC2 shows that it has ended since', async () => {
  const signal: Signal = { kind: 'state-change', instance, state: 'running', atMs: nowMs - 5_000 };
  const owners = { ownersOf: async () => new Map([[instance, { ...member, state: 'terminated' as const }]]) };
  const { facts } = await route([{ message: 'm', signal }], of(owners), async () => [], nowMs);
  expect(facts).toMatchObject([{ ran: [instance], ended: [] }]);
});

test('an old change of state loses to a describe that shows the instance alive, and only to that', async () => {
  for (const state of ['stopped', 'terminated'] as const) {
    expect(await told(changed(state, nowMs - lagMs - 1), member)).toEqual([]);
    expect(await told(changed(state, nowMs - lagMs - 1), { ...member, state: 'pending' })).toEqual([]);
    expect(await told(changed(state, nowMs - 3_600_000), { ...member, state: 'stopped' })).toEqual([instance]);
  }
});

test('a change of state from before the instance was started again is over', async () => {
  const startedAt = (launchedAtMs: number): Owner => ({ ...member, launchedAtMs });
  expect(await told(changed('stopped', nowMs - 5_000), startedAt(nowMs - 4_000))).toEqual([]);
  expect(await told(changed('stopped', nowMs - 5_000), startedAt(nowMs - 6_000))).toEqual([instance]);
  expect(await told(changed('stopped', nowMs - 5_000), { ...startedAt(nowMs - 4_000), state: 'stopped' })).toEqual([instance]);
});

test('a warning is over when the instance still runs long after its notice, and advice after an hour', async () => {
  const warning = (atMs: number): Signal => ({ kind: 'interruption', instance, action: 'terminate', atMs });
  expect(await told(warning(nowMs - 120_000 - lagMs), member)).toEqual(['interruption']);
  expect(await told(warning(nowMs - 120_001 - lagMs), member)).toEqual([]);
  expect(await told(warning(nowMs - 120_001 - lagMs), { ...member, state: 'shutting-down' })).toEqual(['interruption']);
  expect(await told({ kind: 'rebalance', instance, atMs: nowMs - 3_600_000 }, member)).toEqual(['rebalance']);
  expect(await told({ kind: 'rebalance', instance, atMs: nowMs - 3_600_001 }, member)).toEqual([]);
});

test.each([
  ['a warning', warning],
  ['a hook', hookOf('fleet')],
])('%s goes to the group that holds the Auto Scaling group of the instance now, whatever name its tag has', async (_, signal) => {
  expect(await groupsOf(signal, [entry('web', ['fleet'])])).toEqual(['web']);
  expect(await groupsOf(signal, [entry('api', ['fleet'])])).toEqual(['api']);
  expect(await groupsOf(signal, [entry('web', ['other']), entry('api', ['fleet'])])).toEqual(['api']);
});

test('an Auto Scaling group that a policy moved away from is its group’s until another names it', async () => {
  const untagged: Owner = { asg: 'fleet', offering, state: 'running' };
  expect(await groupsOf(warning, [entry('web', ['next'], ['fleet'])], untagged)).toEqual(['web']);
  expect(await groupsOf(warning, [entry('api', ['fleet']), entry('web', ['next'], ['fleet'])], untagged)).toEqual(['api']);
  expect(await groupsOf(warning, [entry('web', ['next'])], untagged)).toEqual([]);
});

test('a member of an Auto Scaling group that only earlier policies of several groups named belongs to the group that named it last', async () => {
  const untagged = { asg: 'fleet', offering, state: 'running' } as const;
  const registry = ['api', 'old', 'web'].map((group) => entry(group, ['next'], ['fleet']));
  const heldBy = (group: string) => ({ claimOf: async (asg: string) => ({ asg, group, atMs: 0, before: [] }) });
  for (const last of ['api', 'old', 'web']) expect(await groupsOf(warning, registry, untagged, heldBy(last))).toEqual([last]);
  // Without a claim of theirs, one of them gets the message.
  expect(await groupsOf(warning, registry, untagged, heldBy('gone'))).toEqual(['api']);
  expect(await groupsOf(warning, registry, untagged, { claimOf: async () => undefined })).toEqual(['api']);
});

test('an Auto Scaling group is not a group’s that was let go while a later one still has members there', async () => {
  const letGo = (group: string): RegistryEntry => ({ ...entry(group, [], ['fleet']), letGoUntilMs: nowMs + 1 });
  for (const before of ['another', 'web'])
    expect(
      await groupsOf(
        warning,
        [letGo(before), entry('api', ['next'], ['fleet'])].toSorted((a, b) => (a.group < b.group ? -1 : 1)),
      ),
    ).toEqual(['api']);
  expect(await groupsOf(warning, [letGo('api'), entry('web', ['next'])])).toEqual(['api']);
});

test('the stop of a drain is a fact of the drain’s group', async () => {
  const stopped: Signal = { kind: 'drain-stopped', group: 'web', drain: 'web-hook-1', atMs: nowMs };
  expect((await routed(stopped)).facts).toMatchObject([{ group: 'web', stoppedDrains: ['web-hook-1'], isTick: false, messages: ['m'] }]);
});

test('a wake is news, the tick of the minute is not', () => {
  const tick = (isScheduled: boolean): Signal => ({ kind: 'tick', groups: ['web'], atMs: nowMs, isScheduled });
  expect([tick(true), tick(false), warning].map(isMinuteTick)).toEqual([true, false, false]);
});

test('the facts tell a wake from the tick of the minute', async () => {
  const told = async (isScheduled: boolean) => {
    const { facts } = await routed({ kind: 'tick', groups: ['web'], atMs: nowMs, isScheduled });
    return facts.map(({ isTick, isMinute, isWoken }) => [isTick, isMinute, isWoken]);
  };
  expect([await told(true), await told(false)]).toEqual([[[true, true, undefined]], [[true, undefined, true]]]);
});

test('a tick or a wake is not delivered again, for the next tick follows; any other signal is', async () => {
  const tick = (isScheduled: boolean): Signal => ({ kind: 'tick', groups: ['web'], atMs: nowMs, isScheduled });
  const messagesOf = async (signal: Signal) => (await routed(signal)).facts.flatMap(({ messages }) => messages);
  expect(await messagesOf(tick(true))).toEqual([]);
  expect(await messagesOf(tick(false))).toEqual([]);
  expect(await messagesOf(warning)).toEqual(['m']);
});

describe('strangers', () => {
  const ended = changed('terminated', nowMs);
  const old = { offering, state: 'running', launchedAtMs: nowMs - 2 * lagMs };

  /** Routes signals one after the other, and returns how often owners were looked up. */
  const looked = async (signals: readonly (Signal & { readonly at?: number })[], owner: Owner, registry: readonly RegistryEntry[] = []) => {
    const strangers = createStrangers();
    let looks = 0;
    const ownersOf = async () => {
      looks += 1;
      return new Map([[instance, owner]]);
    };
    const counts: number[] = [];
    for (const { at = nowMs, ...signal } of signals) {
      const read = await route([{ message: 'm', signal: signal as Signal }], of({ ownersOf }, strangers), async () => registry, at);
      counts.push(read.strangers);
    }
    return { looks, counts };
  };

  test('are looked up once, whatever further changes of their state come', async () => {
    expect(await looked([ended, ended, ended], old)).toEqual({ looks: 1, counts: [1, 1, 1] });
    expect(await looked([ended, ended], { ...old, asg: 'theirs', launchedAtMs: nowMs })).toMatchObject({ looks: 1 });
    expect(await looked([ended, ended], { ...old, state: 'terminated', launchedAtMs: nowMs })).toMatchObject({ looks: 1 });
  });

  test('are looked up for a warning, after an hour, after a policy was written, and while their tags may be missing', async () => {
    expect(await looked([ended, warning], old)).toMatchObject({ looks: 2 });
    expect(await looked([ended, { ...ended, at: nowMs + 3_600_000 }], old)).toMatchObject({ looks: 2 });
    expect(await looked([ended, { kind: 'policy-change', group: 'web', atMs: nowMs }, ended], old)).toMatchObject({ looks: 2 });
    expect(await looked([ended, ended], { ...old, launchedAtMs: nowMs - lagMs })).toMatchObject({ looks: 2 });
  });

  test('are no members', async () => {
    expect(await looked([ended, ended], member)).toEqual({ looks: 2, counts: [0, 0] });
    expect(await looked([ended, ended], { ...old, asg: 'fleet' }, [entry('web', ['fleet'])])).toEqual({ looks: 2, counts: [0, 0] });
  });
});

test('an alarm goes to every group that names it, and to no other', async () => {
  const alarmed = (alarm: string): Signal => ({ kind: 'alarm', alarm, state: 'ALARM', atMs: nowMs });
  const registry = [
    { ...entry('web', []), alarms: ['busy', 'idle'] },
    { ...entry('api', []), alarms: ['busy'] },
  ];
  expect(await groupsOf(alarmed('busy'), registry)).toEqual(['web', 'api']);
  expect(await groupsOf(alarmed('idle'), registry)).toEqual(['web']);
  expect(await routed(alarmed('other'), registry)).toEqual({ facts: [], strangers: 1, again: [], soon: new Map() });
});

test('a signal about an instance without an Auto Scaling group or a tag of ours belongs to no group', async () => {
  const nobodys: Owner = { offering, state: 'running' };
  expect(await routed(warning, [entry('web', ['fleet'])], nobodys)).toEqual({ facts: [], strangers: 1, again: [], soon: new Map() });
  expect(await groupsOf(warning, [], { ...nobodys, group: 'web' })).toEqual(['web']);
  expect(await groupsOf(warning, [entry('web', ['fleet'])], { ...nobodys, asg: 'fleet' })).toEqual(['web']);
});

test('a warning about an instance that no describe shows yet comes again for two minutes; an end of one does not', async () => {
  const unseen = (signal: Signal) => route([{ message: 'm', signal }], of({ ownersOf: async () => new Map() }), async () => [], nowMs);
  expect(await unseen({ ...warning, atMs: nowMs - 119_999 })).toEqual({
    facts: [],
    strangers: 0,
    again: ['m'],
    soon: new Map([['m', nowMs + 60_000]]),
  });
  // EC2 shows an instance within seconds, so the message need not wait as long as others.
  const inMs = async (ageMs: number) => Number((await unseen({ ...warning, atMs: nowMs - ageMs })).soon.get('m')) - nowMs;
  expect([await inMs(1_000), await inMs(10_000)]).toEqual([3_000, 5_000]);
  expect(await unseen({ ...warning, atMs: nowMs - 120_000 })).toEqual({ facts: [], strangers: 1, again: [], soon: new Map() });
  expect(await unseen(changed('terminated', nowMs))).toEqual({ facts: [], strangers: 1, again: [], soon: new Map() });
  const foreign = await routed(warning, [], { offering, state: 'running' });
  expect(foreign.again).toEqual([]);
});

test('the registry is read only where a signal does not name its group, and owners only of instances', async () => {
  const read: string[] = [];
  const asked = async (...signals: readonly Signal[]) => {
    read.length = 0;
    const owners: Owners = {
      ownersOf: async (instances) => {
        read.push(`owners of ${instances.join(' ')}`);
        return new Map();
      },
    };
    const readRegistry = async () => {
      read.push('registry');
      return [];
    };
    await route(
      signals.map((signal) => ({ message: 'm', signal })),
      of(owners),
      readRegistry,
      nowMs,
    );
    return read.toSorted();
  };
  const ticked: Signal = { kind: 'tick', groups: ['web'], atMs: nowMs, isScheduled: true };
  expect(await asked(ticked)).toEqual([]);
  expect(await asked(ticked, warning, warning)).toEqual([`owners of ${instance}`, 'registry']);
  expect(await asked({ kind: 'alarm', alarm: 'busy', state: 'ALARM', atMs: nowMs })).toEqual(['registry']);
});

test('changes of state of a known stranger are passed over, until a policy is written that may hold it', async () => {
  const strangers = createStrangers();
  const asked: string[] = [];
  const owners: Owners = {
    ownersOf: async (instances) => {
      asked.push(...instances);
      return new Map(instances.map((id) => [id, { offering, state: 'terminated' }]));
    },
  };
  const hear = (...signals: readonly Signal[]) =>
    route(
      signals.map((signal, index) => ({ message: `m-${index}`, signal })),
      of(owners, strangers),
      async () => [],
      nowMs,
    );
  const ends = changed('terminated', nowMs);
  expect((await hear(ends)).strangers).toBe(1);
  expect((await hear(ends)).strangers).toBe(1);
  expect(asked).toEqual([instance]);
  await hear(warning);
  expect(asked).toEqual([instance, instance]);
  const ticked: Signal = { kind: 'tick', groups: ['web'], atMs: nowMs, isScheduled: true };
  await hear(ends, ticked);
  expect(asked).toHaveLength(2);
  await hear(ends, { kind: 'policy-change', group: 'web', atMs: nowMs }, ticked);
  expect(asked).toHaveLength(3);
});

describe('members that a look has shown, or that were launched', () => {
  const [one] = members(onDemandB, 1).map((found) => ({ ...found, instance }));
  const ends = changed('terminated', nowMs);

  /** Whether owners were looked up for signals that come after a look at group `web`, and which groups got them. */
  const heard = async (signals: readonly Signal[], { inMs = 0, seen = createSeenMembers() } = {}) => {
    const asked: string[] = [];
    const ownersOf = async (instances: readonly string[]) => {
      asked.push(...instances);
      return new Map(instances.map((id) => [id, { ...member, group: 'other', asg: undefined } as unknown as Owner]));
    };
    seen.note('web', one === undefined ? [] : [one], nowMs);
    const received = signals.map((signal, index) => ({ message: `m-${index}`, signal }));
    const { facts } = await route(received, of({ ownersOf }, createStrangers(), seen), async () => [], nowMs + inMs);
    return [asked, facts.map(({ group, ended }) => [group, ended])];
  };

  test('are not looked up when they end for good', async () => {
    expect(await heard([ends])).toEqual([[], [['web', [instance]]]]);
    expect(await heard([changed('shutting-down', nowMs), ends])).toEqual([[], [['web', [instance, instance]]]]);
  });

  test('are not looked up when they begin to run, whether an Auto Scaling group or Holdfast launched them', async () => {
    const launchedAtMs = nowMs - 8_000;
    const inAsg = (asg?: string) => (seen: SeenMembers) =>
      seen.note('web', [{ ...one, launchedAtMs, ...(asg !== undefined && { asg }) } as Member], nowMs);
    const granted = (seen: SeenMembers) => seen.launched('web', 'spot', [{ instance, offering }], launchedAtMs);
    const inState = (seen: SeenMembers) => seen.noted('web', { [instance]: { pool: 'spot', atMs: launchedAtMs } });
    const runs = async (atMs: number, noted: (seen: SeenMembers) => void) => {
      const seen = createSeenMembers();
      noted(seen);
      const asked: string[] = [];
      const ownersOf = async (ids: readonly string[]) => {
        asked.push(...ids);
        return new Map([[instance, { ...member, group: 'other', asg: undefined } as unknown as Owner]]);
      };
      const received = [{ message: 'm-1', signal: changed('running', atMs) }];
      const { facts } = await route(received, of({ ownersOf }, createStrangers(), seen), async () => [], nowMs);
      return [asked, facts.map(({ group, ran, ranInAsg }) => [group, ran, ranInAsg])];
    };
    expect(await runs(nowMs, inAsg('asg-1'))).toEqual([[], [['web', [instance], [instance]]]]);
    for (const noted of [inAsg(), granted, inState]) expect(await runs(nowMs, noted)).toEqual([[], [['web', [instance], []]]]);
    // An event from before the launch is about an earlier start.
    for (const noted of [inAsg('asg-1'), granted, inState]) expect((await runs(launchedAtMs - 1, noted))[0]).toEqual([instance]);
  });

  test('are known in full where EC2 warns of them before a describe shows them', async () => {
    const pool = 'spot';
    const granted = (seen: SeenMembers) => seen.launched('web', pool, [{ instance, offering }], nowMs - 8_000);
    const inState = (seen: SeenMembers) => seen.noted('web', { [instance]: { pool, offering: offeringKey(offering), atMs: nowMs - 8_000 } });
    const inLook = (seen: SeenMembers) => seen.note('web', [{ ...one, pool, offering, launchedAtMs: nowMs - 8_000 } as Member], nowMs);
    for (const noted of [granted, inState, inLook]) {
      const seen = createSeenMembers();
      noted(seen);
      const received = [changed('running', nowMs), warning].map((signal, index) => ({ message: `m-${index}`, signal }));
      const { facts } = await route(received, of({ ownersOf: async () => new Map() }, createStrangers(), seen), async () => [], nowMs);
      expect(facts).toMatchObject([{ leaving: [{ instance, reason: 'interruption', owner: { group: 'web', pool, offering } }] }]);
    }
  });

  test('are looked up for every other signal, and after three minutes', async () => {
    const looked = [[instance], [['other', [instance]]]];
    expect(await heard([changed('stopped', nowMs)])).toEqual(looked);
    expect((await heard([ends, warning]))[0]).toEqual([instance]);
    expect((await heard([ends], { inMs: 179_999 }))[0]).toEqual([]);
    expect(await heard([ends], { inMs: 180_000 })).toEqual(looked);
  });

  test('are known by their swaps too, which any environment may have written', async () => {
    const swap = swapOf('i-left', { pool: 'spot', state: 'drained', offering: offeringKey(offering) });
    const endOf = (id: string) => ({ ...ends, instance: id }) as Signal;
    const ownerOf = (seen: SeenMembers, id: string, inMs = 0) => seen.ownerOf({ ...endOf(id), atMs: nowMs + inMs } as Signal, nowMs + inMs);
    const seen = createSeenMembers();
    seen.leaving('web', [swap, swapOf('i-held', { asg: 'asg-1' }), swapOf('i-stays', { state: 'withdrawn' })], nowMs);
    expect(ownerOf(seen, 'i-left')).toMatchObject({ group: 'web', pool: 'spot', offering, state: 'shutting-down' });
    expect(ownerOf(seen, 'i-held')).toMatchObject({ group: 'web', asg: 'asg-1' });
    expect(ownerOf(seen, 'i-stays')).toBe(undefined);
    expect(await heard([endOf('i-left')], { seen })).toEqual([[], [['web', ['i-left']]]]);
    // The next read of the swaps keeps it known. It says nothing of a member that a look has shown in another group.
    seen.note('api', [{ ...one, instance: 'i-moved' } as Member], nowMs);
    seen.leaving('web', [swap, swapOf('i-moved')], nowMs + 170_000);
    expect([ownerOf(seen, 'i-left', 200_000)?.group, ownerOf(seen, 'i-held', 200_000)]).toEqual(['web', undefined]);
    expect([ownerOf(seen, 'i-moved', 1)?.group, ownerOf(seen, 'i-moved', 200_000)]).toEqual(['api', undefined]);
  });

  test('are looked up when the event is old, because an old event is not believed of a member that lives', async () => {
    expect(await heard([changed('terminated', nowMs - 180_001)])).toEqual([[instance], [['other', []]]]);
    expect((await heard([changed('terminated', nowMs - 180_000)]))[0]).toEqual([]);
  });

  test('are dropped when a policy is written, and when there are too many', async () => {
    expect((await heard([ends, { kind: 'policy-change', group: 'web', atMs: nowMs }]))[0]).toEqual([instance]);
    const seen = createSeenMembers();
    const many = Array.from({ length: 20_000 }, (_, index) => ({ ...one, instance: `i-${index}` }) as Member);
    seen.note('web', many, nowMs);
    const ownerOf = (id: string) => seen.ownerOf({ ...ends, instance: id } as Signal, nowMs)?.group;
    expect(ownerOf('i-0')).toBe('web');
    // What state items note takes the place of nobody.
    seen.noted('api', { 'i-0': { pool: 'spot', atMs: nowMs }, 'i-more': { pool: 'spot', atMs: nowMs } });
    expect([ownerOf('i-0'), ownerOf('i-more')]).toEqual(['web', undefined]);
    seen.note('api', [{ ...one, instance: 'i-new' } as Member], nowMs);
    expect([ownerOf('i-0'), ownerOf('i-new')]).toEqual([undefined, 'api']);
  });
});

test('twenty thousand strangers are remembered for an hour each, and dropped together', () => {
  const strangers = createStrangers();
  strangers.add('i-0', nowMs);
  expect([strangers.has('i-0', nowMs + 3_599_999), strangers.has('i-0', nowMs + 3_600_000), strangers.has('i-1', nowMs)]).toEqual([
    true,
    false,
    false,
  ]);
  for (let count = 1; count < 20_000; count += 1) strangers.add(`i-${count}`, nowMs);
  expect(strangers.has('i-0', nowMs)).toBe(true);
  strangers.add('i-one-more', nowMs);
  expect([strangers.has('i-0', nowMs), strangers.has('i-one-more', nowMs)]).toEqual([false, true]);
});
