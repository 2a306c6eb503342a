import { describe, expect, test } from 'vitest';
import type { Turn } from '../../core/limits/line.ts';
import type { Ask } from '../../core/limits/need.ts';
import type { Swap } from '../../core/swap/swap.ts';
import type { Member } from '../../core/view/view.ts';
import { admit, joinsAgainMs } from '../../functions/react/carry-out/admit.ts';
import type { Round, Run } from '../../functions/react/run.ts';
import { awsError } from '../aws/fake-aws.ts';
import { member } from '../core/members.ts';
import { nowMs, spotA, swapOf, view } from '../core/views.ts';

const given: Turn = { kind: 'now', instances: 0, calls: 1, sinceMs: nowMs };
const attach = { kind: 'attach', asg: 'web-asg' };

type World = {
  readonly holding?: object;
  readonly loadBalancers?: readonly string[];
  readonly turns?: readonly Turn[];
  readonly swaps?: () => Promise<readonly Swap[]>;
};

/** What joins of so many members, the turns that were requested, and when the others may join. */
const joining = async (count: number, { holding = attach, loadBalancers = [], turns = [given], swaps = async () => [] }: World = {}) => {
  const asks: Ask[] = [];
  const answers = [...turns];
  const run = {
    group: { name: 'web', holding, drain: { timeoutMs: 1, loadBalancers } },
    id: 'd-1',
    provider: { admit: async (_: unknown, done: readonly string[]) => ({ done, failed: [] }) },
    turns: {
      ask: async (ask: Ask) => {
        asks.push(ask);
        return { turn: answers.shift() ?? given, refused: [] };
      },
    },
    ports: { clock: { now: () => nowMs }, telemetry: { count: () => {} }, store: { swaps }, drains: {} },
  } as unknown as Run;
  const admissions = Array.from({ length: count }, (_, index) => `i-${index}`);
  const round = { decision: { admissions, removals: [] }, view: view(), lookedAtMs: nowMs - 700 } as unknown as Round;
  const { admitted, laterAtMs } = await admit(run, round, undefined);
  return {
    joined: admitted.length,
    laterInMs: laterAtMs && laterAtMs - nowMs,
    asks: asks.map(({ group, bucket, calls }) => [group, bucket, calls]),
    lookedAtMs: asks.map((ask) => ask.lookedAtMs),
  };
};

test('members are attached in a turn of their own, of as many calls as they need', async () => {
  expect(await joining(20)).toMatchObject({ joined: 20, laterInMs: undefined, asks: [['web autoScaling', 'autoScaling', 1]] });
  expect(await joining(41)).toMatchObject({ joined: 41, laterInMs: undefined, asks: [['web autoScaling', 'autoScaling', 3]] });
});

test('while another decision attaches them, or when the bucket is empty, they wait', async () => {
  expect(await joining(400, { turns: [{ kind: 'taken' }] })).toMatchObject({ joined: 0, laterInMs: 2_000 });
  const later: Turn = { kind: 'later', turnAtMs: nowMs + 3_500, sinceMs: nowMs, ahead: { empty: 1, smaller: 1 } };
  expect(await joining(400, { turns: [later] })).toMatchObject({ joined: 0, laterInMs: 3_500 });
});

test('the turn holds the time at which the look began, because the look does not show the members that others admitted since', async () => {
  expect((await joining(400)).lookedAtMs).toEqual([nowMs - 700]);
});

test('registrations take tokens for as many calls as they make: one for each target group and two hundred members', async () => {
  const tag = { holding: { kind: 'tag' }, loadBalancers: ['tg-1', 'tg-2'] };
  expect((await joining(201, tag)).asks).toEqual([['web targets', 'targets', 4]]);
  expect((await joining(21, { loadBalancers: ['tg-1'] })).asks).toEqual([
    ['web autoScaling', 'autoScaling', 2],
    ['web targets', 'targets', 1],
  ]);
});

test('who was claimed since the look does not join, because its drain may have taken it out of service', async () => {
  const claimed = (...instances: readonly string[]) => ({ swaps: async () => instances.map((instance) => swapOf(instance, { state: 'leaving' })) });
  expect(await joining(3, claimed('i-1'))).toMatchObject({ joined: 2 });
  expect(await joining(2, claimed('i-0', 'i-1'))).toMatchObject({ joined: 0 });
  expect(await joining(1, { swaps: async () => [swapOf('i-0', { state: 'withdrawn' })] })).toMatchObject({ joined: 1 });
});

test('all join while the claims cannot be read', async () => {
  const throttled = () => Promise.reject(awsError('ThrottlingException', 'Rate exceeded', 400));
  expect(await joining(2, { swaps: throttled })).toMatchObject({ joined: 2 });
});

describe('members that could not join', () => {
  /** Tries at these seconds, each of these members: how many calls were made at each, and when the next try is due. */
  const tries = async (...all: readonly (readonly [second: number, instances: readonly string[], works?: boolean])[]) => triesOf([], ...all);

  /** The same in a group of these members. */
  const triesOf = async (
    members: readonly Member[],
    ...all: readonly (readonly [second: number, instances: readonly string[], works?: boolean])[]
  ) => {
    const made: unknown[] = [];
    const drains = {};
    for (const [second, admissions, works] of all) {
      const now = () => nowMs + 1_000 * second;
      const calls: string[] = [];
      const run = {
        group: { name: 'web', holding: attach, drain: { timeoutMs: 1, loadBalancers: [] } },
        provider: {
          admit: async (_: unknown, of: readonly string[]) => {
            calls.push(...of);
            return works
              ? { done: of, failed: [] }
              : { done: [], failed: of.map((instance) => ({ instance, code: 'ServiceUnavailable', retry: 'later' })) };
          },
        },
        turns: { ask: async () => ({ turn: given, refused: [] }) },
        groupsAtOnce: 1,
        ports: { clock: { now }, telemetry: { count: () => {} }, store: { swaps: async () => [] }, drains },
      } as unknown as Run;
      const round = { decision: { admissions, removals: [] }, view: view({ members }), lookedAtMs: now() } as unknown as Round;
      const { laterAtMs, ...admissionsOf } = await admit(run, round, undefined);
      joinsAgainMs(run, round, admissionsOf);
      made.push(laterAtMs === undefined ? calls.length : { dueS: (laterAtMs - nowMs) / 1_000 });
    }
    return made;
  };

  test('are tried again after a quarter of the time for which nobody could join, whatever looks come before that', async () => {
    expect(await tries([0, ['i-1']], [1, ['i-1']], [2, ['i-1']], [3, ['i-1']])).toEqual([1, { dueS: 2 }, 1, { dueS: 4 }]);
    expect(await tries([0, ['i-1']], [40, ['i-1']], [45, ['i-1']], [50, ['i-1']])).toEqual([1, 1, { dueS: 50 }, 1]);
  });

  test('are tried again after half of that time once it is a minute', async () => {
    expect(await tries([0, ['i-1']], [70, ['i-1']], [90, ['i-1']], [105, ['i-1']])).toEqual([1, 1, { dueS: 105 }, 1]);
  });

  test('get no other look than the last try arranged for members of their age, whatever looks come before that', async () => {
    const old = member('i-1', spotA, { launchedAtMs: nowMs - 40_000 });
    expect(await triesOf([old], [0, ['i-1']], [1, ['i-1']], [3, ['i-1']])).toEqual([1, { dueS: 10 }, 1]);
  });

  test('are left to the tick where the next try would come late', async () => {
    expect(await tries([0, ['i-1']], [100, ['i-1']], [170, ['i-1']], [171, ['i-1']], [215, ['i-1']])).toEqual([1, 1, 1, 0, 1]);
  });

  test('are tried at once together with another one, and after one has joined', async () => {
    expect(await tries([0, ['i-1']], [50, ['i-1']], [51, ['i-1', 'i-2']], [52, ['i-2']])).toEqual([1, 1, 2, { dueS: 63.75 }]);
    expect(await tries([0, ['i-1']], [50, ['i-1']], [63, ['i-1'], true], [64, ['i-1']])).toEqual([1, 1, 1, 1]);
  });

  test('are tried at once where the clock was set back', async () => {
    expect(await tries([0, ['i-1']], [100, ['i-1']], [50, ['i-1']])).toEqual([1, 1, 1]);
  });
});
