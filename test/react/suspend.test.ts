import { expect, test } from 'vitest';
import type { CapacityIn } from '../../core/ports/capacity-provider.ts';
import { markAnswered, suspendAll } from '../../functions/react/carry-out/suspend.ts';
import type { Round, Run } from '../../functions/react/run.ts';
import { awsError } from '../aws/fake-aws.ts';
import { group, nowMs, state, view } from '../core/views.ts';
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

test('what an earlier round of the run asked for is not asked for again, and told as suspended if AWS suspended it', async () => {
  const asked: string[] = [];
  const earlier = { decision: { suspend: [one, other] }, suspended: [other] } as unknown as Round;
  const listed = async ({ asg }: { asg: string }) => void asked.push(asg);
  expect(await suspending(listed, [earlier])).toEqual({ denied: [], suspended: [other] });
  expect(asked).toEqual([]);
});

test('the state is marked before it is written with the responses of launches, and left as it is where nothing was suspended', () => {
  const noted = state({ suspended: [{ ...one, atMs: nowMs }] });
  expect(markAnswered(view(), noted, [one]).suspended).toEqual([{ ...one, atMs: nowMs, isAnswered: true }]);
  const before = view({ state: state({ suspended: [{ ...one, atMs: nowMs - 10_000 }] }) });
  expect(markAnswered(before, noted, [one])).toEqual(noted);
  expect(markAnswered(view(), noted, [])).toBe(noted);
});
