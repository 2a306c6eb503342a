import { startSandbox } from '../sandbox/door.ts';
import { groupsOf } from './many-world.ts';
import { type HoldingName, policyOf, worldOf } from './storm-world.ts';

/** Groups of six with one target group each, and the time in which nothing happens to them. */
export type IdleTime = { readonly groups: number; readonly held: HoldingName | 'mixed'; readonly minutes: number };

export type IdleFigures = { readonly function: string; readonly call: string; readonly count: number };

const stepGroups = 8;
const stepMs = 8_000;
/** Until every member serves, the first tries of launches are made, and every bucket is full. */
const settleMs = 1_800_000;

/** Calls by function and operation, as functions make them, the most frequent first. */
export const playIdle = async ({ groups, held, minutes }: IdleTime): Promise<readonly IdleFigures[]> => {
  const placed = groupsOf({ groups, members: 6, held });
  const sandbox = await startSandbox({ mode: 'simulated', spec: worldOf(placed), seed: 1 });
  const { clock, world } = sandbox;
  const counts = new Map<string, IdleFigures>();
  let isIdle = false;
  sandbox.callLog.observe(({ service, operation, invocation }) => {
    if (!isIdle || invocation === undefined) return;
    const [name, call] = [invocation.functionName.replace(/^[^-]*-/, ''), `${service}:${operation}`];
    const before = counts.get(`${name} ${call}`);
    counts.set(`${name} ${call}`, { function: name, call, count: (before?.count ?? 0) + 1 });
  });
  const play = async (): Promise<void> => {
    const arns = new Map(world.snapshot().targetGroups.map(({ name, arn }) => [name, arn]));
    for (let from = 0; from < placed.length; from += stepGroups) {
      for (const group of placed.slice(from, from + stepGroups)) await sandbox.putPolicy(policyOf(group, arns.get(group.name) ?? ''));
      await clock.sleep(stepMs);
    }
    await clock.sleep(settleMs);
    isIdle = true;
    await clock.sleep(minutes * 60_000);
  };
  try {
    await sandbox.drive(play());
  } finally {
    await sandbox.close();
  }
  return [...counts.values()].toSorted((a, b) => b.count - a.count);
};

/** What an idle hour of one group costs. */
export const benchIdle = (): Promise<readonly IdleFigures[]> => playIdle({ groups: 1, held: 'tag', minutes: 60 });
