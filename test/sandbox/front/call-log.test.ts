import { expect, test } from 'vitest';
import { createCallLog, isMutating } from '../../../sandbox/call-log.ts';

const call = (operation: string, role?: string) => ({
  service: 'ec2',
  operation,
  caller: role === undefined ? { kind: 'operator' as const } : { kind: 'role' as const, name: role },
});

test.each(['DescribeInstances', 'GetItem', 'ListExecutions', 'Query', 'Scan', 'BatchGetItem', 'ReceiveMessage'])(
  '%s changes nothing',
  (operation) => {
    expect(isMutating(operation)).toBe(false);
  },
);

test.each(['CreateFleet', 'PutItem', 'BatchWriteItem', 'RegisterTargets', 'SendMessage', 'StartExecution'])('%s changes something', (operation) => {
  expect(isMutating(operation)).toBe(true);
});

test('the ring keeps the newest, the counts keep all', () => {
  let nowMs = 0;
  const log = createCallLog({ clock: { now: () => nowMs }, realNow: () => 99, capacity: 3 });
  for (const operation of ['A', 'B', 'C', 'D']) {
    const end = log.begin(call(operation));
    nowMs += 10;
    end({ outcome: 'ok', applied: true });
  }
  expect(log.calls().map(({ operation }) => operation)).toEqual(['B', 'C', 'D']);
  expect(log.calls()[0]).toEqual({
    service: 'ec2',
    operation: 'B',
    caller: 'operator',
    outcome: 'ok',
    applied: true,
    atMs: 10,
    realMs: 99,
    durationMs: 10,
  });
  expect(log.counts()).toEqual({ 'ec2:A': 1, 'ec2:B': 1, 'ec2:C': 1, 'ec2:D': 1 });
});

test('calls are found by what they were, by caller, outcome and time', () => {
  const log = createCallLog({ clock: { now: () => 5 } });
  log.begin(call('CreateFleet', 'react'))({ outcome: 'RequestLimitExceeded', applied: false });
  log.begin(call('DescribeInstances', 'react'))({ outcome: 'ok', applied: true });
  log.begin(call('DescribeInstances'));
  expect(log.calls({ caller: 'react' })).toHaveLength(2);
  expect(log.calls({ mutating: true })).toMatchObject([{ outcome: 'RequestLimitExceeded' }]);
  expect(log.calls({ outcome: 'ok', sinceMs: 5 })).toHaveLength(1);
  expect(log.calls({ sinceMs: 6 })).toEqual([]);
  expect(log.calls({ caller: 'operator' })[0]?.outcome).toBeUndefined();
});
