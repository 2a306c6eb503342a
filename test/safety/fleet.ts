import { beforeAll, vi } from 'vitest';
import { assemble } from '../../assembly/assemble.ts';
import type { GroupState } from '../../core/view/view.ts';
import { toItem } from '../../sandbox/platform/tables/plain-items.ts';
import type { InstanceSnapshot } from '../../sandbox/world/world.ts';
import { openStage, type Stage } from '../sim/stage.ts';
import type { Life } from '../sim/watch.ts';
import type { HoldingKind, Setting, SettingOptions } from '../sim/worlds.ts';
import { settingOf } from '../sim/worlds.ts';

// Hours of virtual time are seconds of wall time, and more on a machine that is busy.
vi.setConfig({ testTimeout: 60_000 });
beforeAll(async () => void (await assemble()));

export type Item = Readonly<Record<string, unknown>>;
export type Table = 'groups' | 'state';

/** One group, `web`, kept by the synthesized stack in virtual time, and what an operator may do to the stack around it. */
export type Fleet = Stage & {
  readonly setting: Setting;
  /** Living members that nobody has announced to take, by id. */
  ids(): readonly string[];
  /** Members that run and are healthy wherever they are registered. */
  serving(): number;
  /** Instances of the group that were ever launched. */
  launched(): number;
  /** Most instances of the group that ever lived at the same time. */
  mostAtOnce(): number;
  put(change?: Item): Promise<void>;
  deletePolicy(): Promise<void>;
  /** EC2 takes the oldest spot members, with two minutes' notice. */
  warn(count: number): void;
  /** EC2 recommends to rebalance the oldest spot members. */
  recommend(count: number): void;
  /** A CloudWatch alarm goes off for half a minute, now or at that time. */
  alarm(name: string, atMs?: number): void;
  minutes(count: number): Promise<void>;
  until(what: string, holds: () => unknown, atMostMinutes?: number): Promise<void>;
  /** Until so many serve, nothing comes or goes, and no drain runs; two ticks later it must still be so. */
  settles(size: number, atMostMinutes?: number): Promise<void>;
  state(): Promise<GroupState | undefined>;
  swaps(): Promise<readonly Item[]>;
  /** Makes a table hold exactly these items. */
  overwrite(table: Table, items: readonly Item[]): Promise<void>;
};

const tableNames: Readonly<Record<Table, string>> = { groups: 'holdfast-groups', state: 'holdfast-state' };
const keyOf = ({ group, item }: Item) => toItem({ group, item });

const spotOf = (stage: Stage, count: number): readonly string[] =>
  stage
    .members('web', { market: 'spot' })
    .slice(0, count)
    .map(({ id }) => id);

/** How long an alarm stays in `ALARM`. */
const momentMs = 30_000;

const alarmEvent = (alarmName: string, value: 'ALARM' | 'OK', atMs: number) => ({
  source: 'aws.cloudwatch',
  'detail-type': 'CloudWatch Alarm State Change',
  time: new Date(atMs).toISOString(),
  detail: {
    alarmName,
    state: { value, timestamp: new Date(atMs).toISOString() },
    previousState: { value: value === 'OK' ? 'ALARM' : 'OK' },
    configuration: { metrics: [] },
  },
});

const operator = (stage: Stage, setting: Setting) => ({
  warn: (count: number) => void stage.sandbox.world.interrupt(spotOf(stage, count), { noticeMs: 120_000 }),
  recommend: (count: number) => void stage.sandbox.world.recommendRebalance(spotOf(stage, count)),
  put: (change: Item = {}) => stage.putPolicy({ ...setting.policy, ...change }),
  deletePolicy: async () => {
    await stage.operate('dynamodb', 'DeleteItem', { TableName: tableNames.groups, Key: toItem({ group: 'web', item: 'policy' }) });
  },
  alarm: (alarmName: string, atMs = stage.sandbox.clock.now()) => {
    stage.sandbox.putEvent(alarmEvent(alarmName, 'ALARM', atMs));
    stage.sandbox.clock.after(momentMs, () => stage.sandbox.putEvent(alarmEvent(alarmName, 'OK', atMs + momentMs)));
  },
  overwrite: async (table: Table, items: readonly Item[]) => {
    const kept = new Set(items.map((item) => JSON.stringify(keyOf(item))));
    for (const item of await stage.sandbox.items(table)) {
      if (!kept.has(JSON.stringify(keyOf(item)))) await stage.operate('dynamodb', 'DeleteItem', { TableName: tableNames[table], Key: keyOf(item) });
    }
    for (const item of items) await stage.operate('dynamodb', 'PutItem', { TableName: tableNames[table], Item: toItem(item) });
  },
});

const isUp = ({ state, targets, takenAtMs }: InstanceSnapshot): boolean =>
  state === 'running' &&
  takenAtMs === undefined &&
  Object.values(targets).length > 0 &&
  Object.values(targets).every((health) => health === 'healthy');

const mostAtOnce = (lives: Iterable<Life>): number => {
  const changes = [...lives].flatMap(({ launchedAtMs, goneAtMs = Number.POSITIVE_INFINITY }) => [
    [launchedAtMs, 1] as const,
    [goneAtMs, -1] as const,
  ]);
  let [alive, most] = [0, 0];
  for (const [, change] of changes.sort(([a], [b]) => a - b)) {
    alive += change;
    most = Math.max(most, alive);
  }
  return most;
};

const observer = (stage: Stage) => {
  const lives = () => [...stage.watched.lives.values()].filter(({ group }) => group === 'web');
  const own = () => stage.sandbox.world.snapshot().instances.filter(({ id }) => stage.groupOf(id) === 'web');
  const items = async () => (await stage.sandbox.items('state')).filter(({ group }) => group === 'web');
  return {
    own,
    ids: () => stage.members('web').map(({ id }) => id),
    serving: () => own().filter(isUp).length,
    launched: () => lives().length,
    mostAtOnce: () => mostAtOnce(lives()),
    state: async () => (await items()).find(({ item }) => item === 'state')?.state as GroupState | undefined,
    swaps: async () => (await items()).filter(({ claimedAtMs }) => claimedAtMs !== undefined),
  };
};

const lookEveryMs = 2_500;

const timekeeper = ({ sandbox }: Stage, see: ReturnType<typeof observer>) => {
  const { clock } = sandbox;
  const minutes = (count: number): Promise<void> => clock.sleep(count * 60_000);
  const until: Fleet['until'] = async (what, holds, atMostMinutes = 15) => {
    const untilMs = clock.now() + atMostMinutes * 60_000;
    while (!(await holds())) {
      if (clock.now() >= untilMs) throw new Error(`${atMostMinutes} minutes were not enough until ${what}. ${await described()}`);
      await clock.sleep(lookEveryMs);
    }
  };
  const described = async (): Promise<string> => {
    const instances = see.own().filter(({ state }) => state !== 'terminated');
    return JSON.stringify({ state: await see.state(), swaps: (await see.swaps()).filter(({ state }) => state !== 'gone'), instances }).slice(
      0,
      6_000,
    );
  };
  const isStill = (size: number): boolean =>
    see.serving() === size &&
    see.own().filter(({ state }) => state !== 'terminated' && state !== 'stopped').length === size &&
    sandbox.executions().every(({ status }) => status !== 'RUNNING');
  const settles: Fleet['settles'] = async (size, atMostMinutes) => {
    await until(`${size} members serve and all is still`, () => isStill(size), atMostMinutes);
    await clock.sleep(125_000);
    if (!isStill(size)) throw new Error(`${size} members served, but not for long. ${await described()}`);
  };
  return { minutes, until, settles };
};

/** Brings a group up, lets a script act on it, and takes everything down again. */
export const withFleet = async (
  { holding, seed = 1, ...options }: SettingOptions & { readonly holding: HoldingKind; readonly seed?: number },
  script: (fleet: Fleet) => Promise<void>,
): Promise<void> => {
  // Members that an Auto Scaling group launched on demand would move back to spot, and these tests count launches.
  const { spec, policy } = settingOf(holding, options);
  const setting = { spec, policy: { return: false, ...policy } };
  const size = typeof options.size === 'object' ? options.size.desired : (options.size ?? 6);
  const situation = {
    name: 'safety',
    seed,
    spec: setting.spec,
    policies: [setting.policy],
    asked: { web: { size } },
    steps: [],
    calmAtMs: 0,
    restWithinMs: 0,
  };
  const stage = await openStage(situation);
  const see = observer(stage);
  const fleet: Fleet = { ...stage, setting, ...see, ...operator(stage, setting), ...timekeeper(stage, see) };
  const play = async (): Promise<void> => {
    await fleet.put();
    await fleet.settles(size);
    await script(fleet);
  };
  try {
    await stage.sandbox.drive(play());
  } finally {
    await stage.sandbox.close();
  }
};
