import { describe, expect, it } from 'vitest';
import type { Actor, SizeEvent } from '../../../sandbox/judge/history.ts';
import { startWriter, type WriterSpec } from '../../../sandbox/outside/writers.ts';
import { createRandom } from '../../../sandbox/random.ts';
import type { AutoScalingGroupSpec } from '../../../sandbox/world/spec.ts';
import { asg, createTestWorld, startMs, type TestWorld } from '../world/build.ts';

const as: Actor = { kind: 'user', as: 'scaler' };

/** Runs a writer in a world of one group for so many seconds. */
const run = async (spec: WriterSpec, seconds: number, change: Partial<AutoScalingGroupSpec> = {}): Promise<TestWorld> => {
  const world = createTestWorld({ autoScalingGroups: [asg({ desired: 3, max: 20, ...change })] });
  await world.seconds(60);
  const { clock, acting } = world;
  startWriter(
    { clock, random: createRandom(1), call: async (operation, input) => acting.as({ by: as }, () => world.autoScaling(operation, { ...input })) },
    spec,
  );
  await world.seconds(seconds);
  return world;
};

const sizesIn = ({ history }: TestWorld): readonly SizeEvent[] => history.filter((event) => event.kind === 'size-written');
const inShort = (world: TestWorld) =>
  sizesIn(world).map(({ found, size, how, atMs }) => ({ found, size, how, atSeconds: (atMs - startMs) / 1_000 - 60 }));

const wants = (value: number, atSeconds = 0) => ({ atSeconds, value });

describe('who sets sizes from outside', () => {
  it('a scaler of absolute sizes writes when a describe shows another', async () => {
    const world = await run({ kind: 'absolute', asg: 'workers', everySeconds: 10, wants: [wants(3), wants(8, 25), wants(2, 60)] }, 90);
    expect(inShort(world)).toEqual([
      { found: 3, size: 8, how: 'set', atSeconds: 30 },
      { found: 8, size: 2, how: 'set', atSeconds: 60 },
    ]);
  });

  it('a scaler of absolute sizes sets its size again when another caller changed it', async () => {
    const world = await run({ kind: 'absolute', asg: 'workers', everySeconds: 10, wants: [wants(3)] }, 15);
    world.autoScaling('SetDesiredCapacity', { AutoScalingGroupName: 'workers', DesiredCapacity: 9 });
    await world.seconds(10);
    expect(sizesIn(world).at(-1)).toMatchObject({ found: 9, size: 3, by: as });
  });

  it('a scaler of steps moves what it read, one step a period', async () => {
    const spec = { kind: 'steps', asg: 'workers', everySeconds: 10, wants: [wants(6)], step: 2, thinksSeconds: 0 } as const;
    expect(inShort(await run(spec, 30)).map(({ found, size }) => [found, size])).toEqual([
      [3, 5],
      [5, 6],
    ]);
  });

  it('a scaler of steps writes a size based on what it read before another caller wrote', async () => {
    const spec = { kind: 'steps', asg: 'workers', everySeconds: 100, wants: [wants(9)], step: 1, thinksSeconds: 20 } as const;
    const world = createTestWorld({ autoScalingGroups: [asg({ desired: 3, max: 20 })] });
    const call = async (operation: string, input: Readonly<Record<string, unknown>>) => world.autoScaling(operation, { ...input });
    startWriter({ clock: world.clock, random: () => 1, call }, spec);
    await world.seconds(5);
    world.autoScaling('SetDesiredCapacity', { AutoScalingGroupName: 'workers', DesiredCapacity: 7 });
    await world.seconds(30);
    expect(sizesIn(world).at(-1)).toMatchObject({ found: 7, size: 4 });
  });

  const buildkite = (...plan: readonly ReturnType<typeof wants>[]) => ({ kind: 'buildkite', asg: 'workers', everySeconds: 10, wants: plan }) as const;

  it('a Buildkite scaler writes until enough agents run, and each idle agent ends itself with its capacity', async () => {
    const world = await run(buildkite(wants(3), wants(5, 5), wants(4, 200)), 260);
    const sizes = inShort(world);
    expect(sizes[0]).toEqual({ found: 3, size: 5, how: 'set', atSeconds: 10 });
    // The size is written again while the new agents come.
    expect(sizes.slice(1, -1).every(({ found, size, how }) => found === 5 && size === 5 && how === 'set')).toBe(true);
    expect(sizes.length).toBeGreaterThan(2);
    expect(sizes.at(-1)).toEqual({ found: 5, size: 4, how: 'moved', atSeconds: 210 });
  });

  it('at the minimum, an idle agent of Buildkite ends itself without its capacity', async () => {
    const world = await run(buildkite(wants(3), wants(2, 5)), 16, { min: 2 });
    world.autoScaling('UpdateAutoScalingGroup', { AutoScalingGroupName: 'workers', MinSize: 3 });
    await world.seconds(10);
    expect(inShort(world)).toEqual([{ found: 3, size: 3, how: 'set', atSeconds: 20 }]);
    expect(world.history.filter((event) => event.kind === 'left')).toHaveLength(1);
  });

  it('an apply of Terraform writes the numbers of its configuration that differ, and makes no call if none does', async () => {
    const applies = [wants(5, 10), wants(5, 30)];
    const applied = async (ignoresDesired: boolean) => {
      const world = await run({ kind: 'terraform', asg: 'workers', applies, ignoresDesired }, 20);
      world.autoScaling('UpdateAutoScalingGroup', { AutoScalingGroupName: 'workers', MaxSize: 22 });
      await world.seconds(20);
      const changes = world.history.filter((event) => event.kind === 'asg-changed' && event.by.kind === 'user' && event.by.as === 'scaler');
      return changes.map((event) => event.kind === 'asg-changed' && [event.desired, event.max, (event.atMs - startMs) / 1_000 - 60]);
    };
    expect(await applied(true)).toEqual([[3, 20, 30]]);
    expect(await applied(false)).toEqual([
      [5, 20, 10],
      [5, 20, 30],
    ]);
  });

  it('target tracking follows a load that the members share: out after three minutes, in after fifteen', async () => {
    const world = await run({ kind: 'target-tracking', asg: 'workers', perInstance: 10, load: [wants(30), wants(58, 60), wants(20, 600)] }, 2_400);
    expect(inShort(world)).toEqual([
      { found: 3, size: 6, how: 'set', atSeconds: 180 },
      { found: 6, size: 2, how: 'set', atSeconds: 1_440 },
    ]);
  });

  it('target tracking does nothing while alarms are not acted on', async () => {
    const spec = { kind: 'target-tracking', asg: 'workers', perInstance: 10, load: [wants(90)] } as const;
    expect(inShort(await run(spec, 600, { suspended: ['AlarmNotification'] }))).toEqual([]);
  });

  it('a person writes once, within the bounds', async () => {
    expect(inShort(await run({ kind: 'person', asg: 'workers', wants: [wants(99, 5)] }, 60))).toEqual([
      { found: 3, size: 20, how: 'set', atSeconds: 5 },
    ]);
  });

  it('a writer that is stopped writes no more', async () => {
    const world = createTestWorld({ autoScalingGroups: [asg({ desired: 3, max: 20 })] });
    const call = async (operation: string, input: Readonly<Record<string, unknown>>) => world.autoScaling(operation, { ...input });
    const writer = startWriter({ clock: world.clock, random: () => 0, call }, { kind: 'person', asg: 'workers', wants: [wants(5, 10)] });
    writer.stop();
    await world.seconds(30);
    expect(sizesIn(world)).toEqual([]);
  });
});

describe('sizes from outside in the history', () => {
  it('a size that is named, also where it stays, and the members that it covers', async () => {
    const world = await run({ kind: 'person', asg: 'workers', wants: [] }, 0);
    world.autoScaling('SetDesiredCapacity', { AutoScalingGroupName: 'workers', DesiredCapacity: 3 });
    const covers = world.group().instances.map(({ id }) => id);
    expect(covers).toHaveLength(3);
    expect(sizesIn(world)).toMatchObject([{ asg: 'workers', found: 3, size: 3, how: 'set', covers }]);
  });

  it('a size that moves with members who are taken', async () => {
    const world = await run({ kind: 'person', asg: 'workers', wants: [] }, 0);
    const [InstanceId] = world.inService();
    world.autoScaling('TerminateInstanceInAutoScalingGroup', { InstanceId, ShouldDecrementDesiredCapacity: true });
    expect(sizesIn(world)).toMatchObject([{ found: 3, size: 2, how: 'moved' }]);
  });

  it('nothing of what Holdfast does itself, and nothing of what is refused', async () => {
    const world = await run({ kind: 'person', asg: 'workers', wants: [] }, 0);
    const input = { AutoScalingGroupName: 'workers', DesiredCapacity: 5 };
    world.acting.as({ by: { kind: 'function', function: 'react', invocation: 'one' } }, () => world.autoScaling('SetDesiredCapacity', { ...input }));
    expect(world.refusal(() => world.autoScaling('SetDesiredCapacity', { ...input, DesiredCapacity: 50 })).code).toBe('ValidationError');
    expect(sizesIn(world)).toEqual([]);
  });
});
