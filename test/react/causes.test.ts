import { expect, test } from 'vitest';
import type { Signal } from '../../core/signals/signal.ts';
import { createCauses } from '../../functions/react/messages/causes.ts';

const causesOf = (signals: readonly Signal[]) => {
  const causes = createCauses();
  for (const signal of signals) causes.add(signal);
  return causes.all();
};

const warning = (instance: string): Signal => ({ kind: 'interruption', instance, action: 'terminate', atMs: 1 });

test('signals of one kind are one cause, with every instance once', () => {
  const tick: Signal = { kind: 'tick', groups: ['web'], atMs: 1, isScheduled: true };
  expect(causesOf([warning('i-1'), warning('i-2'), warning('i-1'), tick])).toEqual([
    { code: 'interruption', instances: ['i-1', 'i-2'], count: 2 },
    { code: 'tick' },
  ]);
});

test('changes of state differ by the state, alarms and refusals by their names', () => {
  const change = (instance: string, state: 'stopped' | 'terminated'): Signal => ({ kind: 'state-change', instance, state, atMs: 1 });
  expect(
    causesOf([
      change('i-1', 'stopped'),
      change('i-2', 'terminated'),
      { kind: 'alarm', alarm: 'busy', state: 'ALARM', atMs: 7 },
      { kind: 'alarm', alarm: 'idle', state: 'ALARM', atMs: 8 },
      { kind: 'launch-unsuccessful', asg: 'web-asg', code: 'VcpuLimitExceeded', atMs: 9 },
    ]),
  ).toEqual([
    { code: 'state-change', state: 'stopped', instances: ['i-1'], count: 1 },
    { code: 'state-change', state: 'terminated', instances: ['i-2'], count: 1 },
    { code: 'alarm', alarm: 'busy', atMs: 7 },
    { code: 'alarm', alarm: 'idle', atMs: 8 },
    { code: 'launch-unsuccessful', asg: 'web-asg', awsCode: 'VcpuLimitExceeded' },
  ]);
});

test('a storm is counted in full and named in part', () => {
  const [cause] = causesOf(Array.from({ length: 1_000 }, (_, index) => warning(`i-${index}`)));
  expect(cause).toMatchObject({ code: 'interruption', count: 1_000 });
  expect(cause !== undefined && 'instances' in cause && cause.instances.length).toBe(50);
});

test('ends without a warning are all named, because they have no swap', () => {
  const ended = (index: number): Signal => ({ kind: 'state-change', instance: `i-${index}`, state: 'terminated', atMs: 0 });
  const [cause] = causesOf(Array.from({ length: 1_000 }, (_, index) => ended(index)));
  expect(cause !== undefined && 'instances' in cause && cause.instances.length).toBe(1_000);
});
