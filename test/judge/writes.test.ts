import { describe, expect, it } from 'vitest';
import { drainsWriteTheirOwn, nothingUnreadIsReplaced, requestsAreStoredFirst } from '../../sandbox/judge/rules/memory/writes.ts';
import { createUnreadWrites } from '../../sandbox/judge/said/unread-writes.ts';
import { details } from './details.ts';
import { react } from './histories.ts';

const keys = (item: string) => ({ group: { S: 'web' }, item: { S: item } });
const versioned = (item: string, version: number) => ({ ...keys(item), version: { N: String(version) } });
const state = (version: number) => versioned('state', version);

describe('nothing is replaced unread', () => {
  const lost = (read: readonly object[], before: object | undefined, after: object | undefined) => {
    const writes = createUnreadWrites();
    writes.read('i-1', 'state', read as never);
    return writes.wrote('i-1', { table: 'state', before, after } as never).map(({ item, attribute }) => `${item} ${attribute}`);
  };
  it('holds for a writer that has read what it replaces, and for an item that is new', () => {
    expect(lost([state(4)], state(4), state(5))).toEqual([]);
    expect(lost([], undefined, state(1))).toEqual([]);
  });
  it('breaks for a writer that read something older, or nothing', () => {
    expect(lost([state(3)], state(4), state(5))).toEqual(['state version']);
    expect(lost([], state(4), state(5))).toEqual(['state version']);
    // Both writers read version 3.
    const held = (text: string) => ({ ...state(4), state: { S: text } });
    expect(lost([state(3)], held('a'), held('b'))).toEqual(['state version']);
    expect(lost([state(3)], held('a'), held('a'))).toEqual([]);
    expect(lost([versioned('budget', 3)], versioned('budget', 4), versioned('budget', 5))).toEqual(['budget version']);
    const claim = (stamp: string) => ({ ...keys('holder#web-asg'), stamp: { S: stamp } });
    expect(lost([], claim('a@1'), claim('b@2'))).toEqual(['holder#web-asg stamp']);
  });
  it('breaks for hooks and deadlines of a swap, also of one that is removed', () => {
    const swap = (more: object) => ({ ...keys('swap#i-9'), ...more });
    const [one, two] = [{ hooks: { L: [{ S: 'a' }] } }, { hooks: { L: [{ S: 'a' }, { S: 'b' }] } }];
    expect(lost([swap(one)], swap(two), swap(one))).toEqual(['swap#i-9 hooks']);
    expect(lost([swap(two)], swap(two), swap(one))).toEqual([]);
    expect(lost([swap({})], swap({ deadlineMs: { N: '9' } }), undefined)).toEqual(['swap#i-9 deadlineMs']);
    // Other fields are not guarded, and a write that changes nothing replaces nothing.
    expect(lost([swap({})], swap({ busyUntilMs: { N: '9' } }), swap({}))).toEqual([]);
  });
  it('knows what an invocation wrote itself, also right after its end, and nothing that others read', () => {
    const writes = createUnreadWrites();
    const write = (by: string, from: number) => writes.wrote(by, { table: 'state', before: state(from), after: state(from + 1) } as never).length;
    writes.read('i-1', 'state', [state(1)] as never);
    expect(write('i-1', 1)).toBe(0);
    expect(write('i-1', 2)).toBe(0);
    expect(write('i-2', 3)).toBe(1);
    // A call that was under way when it died.
    writes.ended('i-1');
    expect(write('i-1', 3)).toBe(0);
    expect(write('i-1', 8)).toBe(1);
    for (let index = 0; index < 100; index += 1) writes.ended(`later-${index}`);
    expect(write('i-1', 3)).toBe(1);
  });
  it('is a finding of the judge', () => {
    const found = details(nothingUnreadIsReplaced, (script) =>
      script.at(10, { kind: 'overwrote', group: 'account', item: 'budget', attribute: 'version', by: react('i-1') }),
    );
    expect(found).toEqual(['react replaced version of budget, which it had not read']);
  });
});

describe('a drain writes the swaps that name it, and no others', () => {
  const written = (named: string | undefined, byDrain = true) =>
    details(drainsWriteTheirOwn, (script) => {
      script.at(5, { kind: 'invocation-began', invocation: 'i-1', function: 'check-drain', ...(byDrain && { drain: 'd-1' }) });
      script.at(10, {
        ...{ kind: 'item-written', table: 'state', group: 'web', item: 'swap#i-9', bytes: 500, by: react('i-1') },
        swap: { reason: 'interruption', state: 'draining', ...(named !== undefined && { drain: named }) },
      });
    });
  it('holds for its own swaps, and for other functions', () => {
    expect(written('d-1')).toEqual([]);
    expect(written('d-2', false)).toEqual([]);
  });
  it('breaks for a swap that another drain took over', () => {
    expect(written('d-2')).toEqual(['a step of d-1 wrote the swap of i-9, which names d-2']);
    expect(written(undefined)).toHaveLength(1);
  });
});

describe('a request is stored before it is made', () => {
  const found = (storedSecond: number | undefined, askedSecond = 12, invocation = 'i-1', restoredSecond?: number) =>
    details(requestsAreStoredFirst, (script) => {
      script.policy(0, 1);
      const item = { kind: 'item-written', table: 'state', group: 'web', item: 'request#r-1', bytes: 500, by: react('i-1') } as const;
      const store = (second = storedSecond) => second && script.at(second, { ...item, request: { pool: 'a', count: 1 } });
      if ((storedSecond ?? 0) <= 10) store();
      script.desired(10, 2, 1, react('i-1'), 'r-1');
      if ((storedSecond ?? 0) > 10) store();
      script.at(14, {
        ...{ kind: 'called', invocation, function: 'react', service: 'ec2', operation: 'CreateFleet', askedAtMs: 1_000 * askedSecond },
        ...{ outcome: 'ok', applied: true, isMutating: true, launch: { group: 'web', count: 1 } },
      });
      if (restoredSecond !== undefined) store(restoredSecond);
    });
  it('breaks where the state names a reservation whose request comes later, or never', () => {
    const finding = ['the state names reservation r-1, and its request is not stored yet'];
    expect(found(11)).toEqual(finding);
    expect(found(undefined)).toEqual(finding);
    expect(found(undefined, 12, 'i-1', 60)).toEqual(finding);
  });
  it('holds where it is stored, and where the function launches nothing after that', () => {
    expect(found(10)).toEqual([]);
    // A restored state table writes it again.
    expect(found(10, 12, 'i-1', 60)).toEqual([]);
    expect(found(undefined, 9)).toEqual([]);
    expect(found(undefined, 12, 'i-2')).toEqual([]);
  });
});
