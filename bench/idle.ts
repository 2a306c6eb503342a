import { assemble } from '../assembly/assemble.ts';
import { openStage } from '../test/sim/stage.ts';
import { settingOf } from '../test/sim/worlds.ts';

export type IdleFigures = { readonly call: string; readonly count: number };

/** What an hour costs in which nothing happens to one group: calls by operation, as functions make them. */
const idleHour = async (): Promise<ReadonlyMap<string, number>> => {
  const { spec, policy } = settingOf('tag');
  const situation = { name: 'idle', seed: 1, spec, policies: [policy], asked: { web: { size: 6 } }, steps: [], calmAtMs: 0, restWithinMs: 0 };
  const stage = await openStage(situation);
  const { sandbox } = stage;
  const counts = new Map<string, number>();
  let isIdle = false;
  sandbox.callLog.observe(({ service, operation, invocation }) => {
    if (isIdle && invocation !== undefined) counts.set(`${service}:${operation}`, (counts.get(`${service}:${operation}`) ?? 0) + 1);
  });
  const play = async (): Promise<void> => {
    await stage.putPolicy(policy);
    await sandbox.clock.sleep(1_800_000);
    isIdle = true;
    await sandbox.clock.sleep(3_600_000);
  };
  try {
    await sandbox.drive(play());
  } finally {
    await sandbox.close();
  }
  return counts;
};

/** What an idle hour of one group costs in calls, the most frequent first. */
export const benchIdle = async (): Promise<readonly IdleFigures[]> => {
  await assemble();
  return [...(await idleHour())].map(([call, count]) => ({ call, count })).sort((a, b) => b.count - a.count);
};
