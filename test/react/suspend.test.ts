import { expect, test } from 'vitest';
import type { CapacityIn } from '../../core/ports/capacity-provider.ts';
import { attachOpen, markAnswered, suspendAll } from '../../functions/react/carry-out/suspend.ts';
import type { Round, Run } from '../../functions/react/run.ts';
import { awsError } from '../aws/fake-aws.ts';
import { group, nowMs, state } from '../core/views.ts';
import { silent } from './facts.ts';

const one = { asg: 'a', processes: ['Launch'] };
const other = { asg: 'b', processes: ['Launch', 'Terminate'] };

const runOf = (suspend: CapacityIn['suspend']): Run => ({ group: group(), provider: { suspend }, ports: { telemetry: silent } }) as unknown as Run;
const suspending = (suspend: CapacityIn['suspend'], earlier: readonly Partial<Round>[] = []) =>
  suspendAll(runOf(suspend), { suspend: [one, other] } as never, earlier as readonly Round[]);

test('what AWS suspended is told, and what it denied', async () => {
  expect(await suspending(async () => {})).toEqual({ denied: [], suspended: [one, other] });
  const denies = async ({ asg }: { asg: string }) => {
    if (asg === 'a') throw awsError('AccessDenied');
  };
  expect(await suspending(denies)).toEqual({ denied: [one], suspended: [other] });
});

test('a call without a response is told as neither', async () => {
  const busy = async () => {
    throw awsError('Throttling');
  };
  expect(await suspending(busy)).toEqual({ denied: [], suspended: [] });
});

test('what an earlier round of the run requested is not requested again, and told as suspended if AWS suspended it', async () => {
  const asked: string[] = [];
  const earlier = { decision: { suspend: [one, other] }, suspended: [other] } as unknown as Round;
  const listed = async ({ asg }: { asg: string }) => void asked.push(asg);
  expect(await suspending(listed, [earlier])).toEqual({ denied: [], suspended: [other] });
  expect(asked).toEqual([]);
});

test('the state is marked before it is written with the responses of launches, and left as it is where nothing was suspended', () => {
  const noted = state({ suspended: [{ ...one, atMs: nowMs }] });
  expect(markAnswered(noted, [{ ...one, atMs: nowMs }]).suspended).toEqual([{ ...one, atMs: nowMs, isAnswered: true }]);
  expect(markAnswered(noted, [])).toBe(noted);
});

test('members are attached between a resume of Launch and its suspension, of which the response is told', async () => {
  const note = { ...other, opensForAttach: true } as const;
  const calls: string[] = [];
  const attaching = (fails: Readonly<Record<string, string>> = {}) => {
    const call = (name: string) => async () => {
      calls.push(name);
      if (fails[name] !== undefined) throw awsError(fails[name]);
    };
    calls.length = 0;
    const run = { ...runOf(call('suspend')), provider: { suspend: call('suspend'), open: call('open') } } as unknown as Run;
    return attachOpen(run, note, async () => {
      calls.push('attach');
      return { done: ['i-1'], failed: [] };
    });
  };
  expect(await attaching()).toEqual({ done: ['i-1'], failed: [], denied: [], suspended: [note] });
  expect(calls).toEqual(['open', 'attach', 'suspend']);
  expect(await attaching({ suspend: 'Throttling' })).toMatchObject({ done: ['i-1'], denied: [], suspended: [] });
  expect(await attaching({ suspend: 'AccessDenied' })).toMatchObject({ done: ['i-1'], denied: [note], suspended: [] });
  expect(await attaching({ open: 'Throttling' })).toBeUndefined();
  expect(calls).toEqual(['open']);
});

test('processes that are suspended after an attach are not suspended before it', async () => {
  const asked: string[] = [];
  const run = runOf(async ({ asg }) => void asked.push(asg));
  const decision = { suspend: [{ ...one, opensForAttach: true }, other] } as never;
  expect(await suspendAll(run, decision, [])).toEqual({ denied: [], suspended: [other] });
  expect(asked).toEqual(['b']);
});
