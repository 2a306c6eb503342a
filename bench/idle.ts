import { startSandbox } from '../sandbox/door.ts';
import { groupsOf } from './many-world.ts';
import { type HoldingName, policyOf, worldOf } from './storm-world.ts';

/** Groups of six with one target group each, and the time in which nothing happens to them. */
export type IdleTime = { readonly groups: number; readonly held: HoldingName | 'mixed'; readonly minutes: number };

type CallCount = { readonly function: string; readonly call: string; readonly count: number };

/** `billedMs`: in the world's time, in which AWS takes time to respond and code takes none. */
type RunCount = { readonly function: string; readonly count: number; readonly billedMs: number };

export type IdleRun = {
  readonly minutes: number;
  /** By function and operation, the most frequent first. */
  readonly calls: readonly CallCount[];
  readonly invocations: readonly RunCount[];
  /** Names of the metrics that functions wrote. */
  readonly metrics: readonly string[];
  /** Units of DynamoDB: one for 4 KB read consistently, half of one otherwise; one for 1 KB written. */
  readonly readUnits: number;
  readonly writeUnits: number;
};

const stepGroups = 8;
const stepMs = 8_000;
/** Until every member serves, the first tries of launches are made, and every bucket is full. */
const settleMs = 1_800_000;

const kb = (value: unknown): number => JSON.stringify(value ?? '').length / 1_024;

const nameOf = (functionName: string): string => functionName.replace(/^[^-]*-/, '');

export const playIdle = async ({ groups, held, minutes }: IdleTime): Promise<IdleRun> => {
  const placed = groupsOf({ groups, members: 6, held });
  let isIdle = false;
  let sinceMs = 0;
  const metrics = new Set<string>();
  const onMetric = (metric: string): void => {
    if (isIdle) metrics.add(metric);
  };
  const sandbox = await startSandbox({ mode: 'simulated', spec: worldOf(placed), seed: 1, onMetric });
  const { clock, world } = sandbox;
  const counts = new Map<string, CallCount>();
  const units = { read: 0, write: 0 };
  sandbox.callLog.observe(({ service, operation, invocation }, { input, output }) => {
    if (!isIdle || invocation === undefined) return;
    const [name, call] = [nameOf(invocation.functionName), `${service}:${operation}`];
    counts.set(`${name} ${call}`, { function: name, call, count: (counts.get(`${name} ${call}`)?.count ?? 0) + 1 });
    if (service !== 'dynamodb') return;
    if (/^(Get|Query)/.test(operation)) units.read += Math.ceil(kb(output) / 4) * (input.ConsistentRead === true ? 1 : 0.5);
    else units.write += Math.ceil(kb(input));
  });
  const play = async (): Promise<void> => {
    const arns = new Map(world.snapshot().targetGroups.map(({ name, arn }) => [name, arn]));
    for (let from = 0; from < placed.length; from += stepGroups) {
      for (const group of placed.slice(from, from + stepGroups)) await sandbox.putPolicy(policyOf(group, arns.get(group.name) ?? ''));
      await clock.sleep(stepMs);
    }
    await clock.sleep(settleMs);
    isIdle = true;
    sinceMs = clock.now();
    await clock.sleep(minutes * 60_000);
  };
  try {
    await sandbox.drive(play());
    const invocations = sandbox.invocations().filter(({ beganAtMs }) => beganAtMs >= sinceMs);
    return {
      minutes,
      calls: [...counts.values()].toSorted((a, b) => b.count - a.count),
      invocations: [...Map.groupBy(invocations, ({ functionName }) => nameOf(functionName))].map(([name, runs]) => ({
        function: name,
        count: runs.length,
        billedMs: runs.reduce((sum, { beganAtMs, endedAtMs }) => sum + Math.max(1, endedAtMs - beganAtMs), 0),
      })),
      metrics: [...metrics],
      readUnits: units.read,
      writeUnits: units.write,
    };
  } finally {
    await sandbox.close();
  }
};

/** An idle hour of one group. */
export const idleHour: IdleTime = { groups: 1, held: 'tag', minutes: 60 };
