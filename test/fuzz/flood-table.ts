import { ApiError } from '../../sandbox/api.ts';
import { createDraw } from './draw.ts';
import { goodPolicy, type House, openHouse } from './house.ts';
import { listen } from './listen.ts';
import { type PolicyItem, policyItem } from './policy-items.ts';

export type FloodedTable = {
  readonly written: number;
  /** Writes that the table itself did not take, as DynamoDB would not. */
  readonly refused: number;
  readonly byKind: Readonly<Record<string, number>>;
  readonly statuses: Readonly<Record<string, number>>;
  /** Groups whose last write nobody answered with a status, or rejected without a reason. */
  readonly unanswered: readonly string[];
  readonly before: readonly string[];
  readonly after: readonly string[];
  readonly inForceBefore: Readonly<Record<string, number>>;
  readonly inForceAfter: Readonly<Record<string, number>>;
  readonly failures: readonly string[];
  /** Messages on any queue at the end, dead letters among them. */
  readonly left: number;
  readonly deadLetters: number;
  /** Whether anything reached the prototype that all objects share. */
  readonly polluted: boolean;
  readonly logged: string;
};

/** Groups are let go again after so many writes: a thousand accepted groups would be a thousand ticks a minute. */
const chunk = 200;

type Write = { readonly operation: 'PutItem' | 'DeleteItem'; readonly input: Readonly<Record<string, unknown>> };

/** Whether the table took them, one by one. */
const writeAll = ({ sandbox }: House, writes: readonly Write[]): Promise<readonly boolean[]> => {
  const write = async ({ operation, input }: Write): Promise<boolean> => {
    try {
      const TableName = 'holdfast-groups';
      await sandbox.cloud.call({ service: 'dynamodb', operation, input: { TableName, ...input }, caller: { kind: 'operator' } });
      return true;
    } catch (error) {
      if (error instanceof ApiError) return false;
      throw error;
    }
  };
  return sandbox.drive(Promise.all(writes.map(write)));
};

type Status = { readonly group: string; readonly status: string; readonly problems: readonly unknown[] };

const statusesOf = async ({ sandbox }: House): Promise<readonly Status[]> =>
  (await sandbox.items('groups')).filter(({ item }) => item === 'status') as unknown as readonly Status[];

const count = (into: Record<string, number>, what: string): void => {
  into[what] = (into[what] ?? 0) + 1;
};

type Tally = { refused: number; readonly byKind: Record<string, number>; readonly statuses: Record<string, number>; readonly unanswered: string[] };

const judge = async (house: House, written: readonly PolicyItem[], tally: Tally): Promise<void> => {
  const statuses = new Map((await statusesOf(house)).map((status) => [status.group, status]));
  for (const { group, kind } of written) {
    const status = statuses.get(group);
    count(tally.statuses, status?.status ?? 'none');
    const isAnswered = status?.status === 'accepted' || (status?.status === 'rejected' && status.problems.length > 0);
    if (!isAnswered) tally.unanswered.push(`${kind}: ${group.slice(0, 80)} ${status?.status}`);
  }
};

/** Writes, waits, looks for the answers, and lets go of every group but the good ones. */
const playChunk = async (house: House, items: readonly PolicyItem[], tally: Tally): Promise<void> => {
  for (const { kind } of items) count(tally.byKind, kind);
  const taken = await writeAll(
    house,
    items.map(({ Item }) => ({ operation: 'PutItem', input: { Item } })),
  );
  const written = items.filter((_, index) => taken[index]);
  tally.refused += items.length - written.length;
  await house.pass(60);
  await judge(house, written, tally);
  const groups = [...new Set(written.map(({ group }) => group))].filter((group) => group !== goodPolicy.group);
  await writeAll(
    house,
    groups.map((group) => ({ operation: 'DeleteItem', input: { Key: { group: { S: group }, item: { S: 'policy' } } } })),
  );
  await house.pass(60);
};

const flood = async (total: number, seed: number): Promise<Omit<FloodedTable, 'logged'>> => {
  const house = await openHouse(seed);
  try {
    const draw = createDraw(seed, 'policies');
    const tally: Tally = { refused: 0, byKind: {}, statuses: {}, unanswered: [] };
    const before = house.fleet();
    const inForceBefore = await house.inForce();
    const targetGroup = house.sandbox.world.snapshot().targetGroups[0]?.arn ?? 'none';
    for (let done = 0; done < total; done += chunk) {
      const items = Array.from({ length: Math.min(chunk, total - done) }, (_, index) => policyItem(done + index, goodPolicy, targetGroup, draw));
      await playChunk(house, items, tally);
    }
    await house.pass(600);
    return {
      ...tally,
      written: total - tally.refused,
      before,
      after: house.fleet(),
      inForceBefore,
      inForceAfter: await house.inForce(),
      failures: house.failures(),
      left: house.sandbox.platform.queues.flatMap((queue) => queue.messages()).length,
      deadLetters: house.sandbox.deadLetters(),
      polluted: 'polluted' in {},
    };
  } finally {
    await house.sandbox.close();
  }
};

/** Writes so many policy items of every kind into the groups table, and tells what became of them and of the groups that were there. */
export const floodTable = async (total: number, seed: number): Promise<FloodedTable> => {
  const { result, logged } = await listen(() => flood(total, seed));
  return { ...result, logged };
};
