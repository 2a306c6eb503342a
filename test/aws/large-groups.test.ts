import { describe, expect, test } from 'vitest';
import type { Asg } from '../../aws/providers/auto-scaling-groups.ts';
import { instancesOfOne } from '../../aws/providers/large-groups.ts';
import { tags } from '../../core/contract.ts';
import { describeLagMs, tickEveryMs } from '../../core/times/times.ts';
import { ec2Instance, nowMs } from './builders.ts';
import { createFakeAws } from './fake-aws.ts';

type Shown = { id: string; state: string; reservation?: string };
type Filters = readonly { readonly Name: string; readonly Values: readonly string[] }[];

/** Instances of one group, which EC2 shows by the filters that the group is read with, and how it is read. */
const groupOf = (count: number) => {
  const world = {
    nowMs: 1_000_000,
    instancesRead: 0,
    instances: Array.from({ length: count }, (_, index): Shown => ({ id: `i-${index}`, state: 'running' })),
  };
  const answer = ({ Filters: filters }: { readonly Filters: Filters }) => {
    const meets = ({ id, state, reservation = '' }: Shown): boolean =>
      filters.every(({ Name, Values }) => {
        if (Name === `tag:${tags.reservation}`) return Values.includes(reservation);
        return Name.startsWith('tag:') || Values.includes(Name === 'instance-id' ? id : state);
      });
    const Instances = world.instances.filter(meets).map(({ id, state }) => ({ InstanceId: id, State: { Name: state } }));
    world.instancesRead += Instances.length;
    return { Reservations: [{ Instances }] };
  };
  const aws = createFakeAws({ DescribeInstances: answer });
  const look = async (
    granted: readonly string[] = [],
    value = 'prod/web',
    { open = [], ended = [], isTick = false }: { open?: readonly string[]; ended?: readonly string[]; isTick?: boolean } = {},
  ) => {
    const from = aws.calls.length;
    const reading = { ec2: aws.ec2, now: () => world.nowMs, readAsgs: () => Promise.resolve([]) };
    const { tagged: found } = await instancesOfOne(reading, { value, asgs: [] }, { granted, open, ended, size: 1 }, isTick);
    const filters = aws.calls.slice(from).map(({ input }) => (input.Filters as Filters).map(({ Name }) => Name).join(' and '));
    return { states: new Map(found.map(({ InstanceId = '', State }) => [InstanceId, State?.Name])), filters };
  };
  const become = (id: string, state: string): void => {
    for (const one of world.instances) if (one.id === id) one.state = state;
  };
  return { world, look, become };
};

const whole = 'tag:holdfast:group';
const changed = 'tag:holdfast:group and instance-state-name';

describe('a large group that was read whole a moment ago', () => {
  test('is not read as a whole again, and shows members that shut down or stopped since, and those whose end was reported', async () => {
    const { world, look, become } = groupOf(1_000);
    expect((await look()).filters).toEqual([whole]);
    become('i-7', 'shutting-down');
    become('i-8', 'stopping');
    become('i-9', 'terminated');
    world.nowMs += 20_000;
    const { states, filters } = await look([], 'prod/web', { ended: ['i-9', 'i-elsewhere'] });
    expect(filters.toSorted()).toEqual(['instance-id', changed]);
    const shown = ['i-6', 'i-7', 'i-8', 'i-9'].map((id) => states.get(id));
    expect([states.size, ...shown]).toEqual([1_000, 'running', 'shutting-down', 'stopping', 'terminated']);
    const after = await look([], 'prod/web', { ended: ['i-9', 'i-elsewhere'] });
    expect([after.filters, after.states.get('i-9')]).toEqual([[changed], 'terminated']);
  });

  test('does not read again those that ended before, and no older describe revives one', async () => {
    const { world, look, become } = groupOf(2_000);
    for (let index = 0; index < 1_000; index += 1) become(`i-${index}`, 'terminated');
    await look();
    world.instancesRead = 0;
    const { states } = await look();
    expect([world.instancesRead, states.size, states.get('i-7')]).toEqual([0, 2_000, 'terminated']);
    become('i-7', 'pending');
    expect((await look()).states.get('i-7')).toBe('terminated');
  });

  test('shows a member that ended without a report at the next tick', async () => {
    const { look, become } = groupOf(1_000);
    await look();
    become('i-7', 'terminated');
    expect((await look()).states.get('i-7')).toBe('running');
    const { states, filters } = await look([], 'prod/web', { isTick: true });
    expect([filters, states.get('i-7')]).toEqual([[whole], 'terminated']);
  });

  test('shows what became of instances that were stopped: one that runs again, and one that ended', async () => {
    const { look, become } = groupOf(1_000);
    for (const id of ['i-1', 'i-2', 'i-3']) become(id, 'stopped');
    await look();
    become('i-1', 'running');
    become('i-2', 'terminated');
    const { states, filters } = await look();
    expect([filters, states.get('i-1'), states.get('i-2'), states.get('i-3')]).toEqual([
      [changed, 'instance-id'],
      'running',
      'terminated',
      'stopped',
    ]);
  });

  test('shows members that were launched since: while they are pending, and when they run after a grant or an earlier look', async () => {
    const { world, look, become } = groupOf(1_000);
    await look();
    world.instances.push({ id: 'i-granted', state: 'running' }, { id: 'i-seen', state: 'pending' });
    const first = await look(['i-granted', 'i-5']);
    expect(first.filters.toSorted()).toEqual(['instance-id', changed]);
    expect([first.states.get('i-granted'), first.states.get('i-seen'), first.states.size]).toEqual(['running', 'pending', 1_002]);
    become('i-seen', 'running');
    const second = await look(['i-granted']);
    expect([second.states.get('i-seen'), second.states.get('i-granted'), second.states.size]).toEqual(['running', 'running', 1_002]);
    expect((await look(['i-granted'])).filters).toEqual([changed]);
  });

  test('shows members of a launch whose response is not stored yet: those that run, and those that ended', async () => {
    const { world, look } = groupOf(1_000);
    await look();
    world.instances.push({ id: 'i-new', state: 'running', reservation: 'r-1' }, { id: 'i-other', state: 'running', reservation: 'r-2' });
    world.instances.push({ id: 'i-dead', state: 'terminated', reservation: 'r-1' });
    const { filters, states } = await look([], 'prod/web', { open: ['r-1'] });
    expect(filters.toSorted()).toEqual([changed, 'tag:holdfast:reservation and instance-state-name']);
    expect([states.get('i-new'), states.get('i-dead'), states.has('i-other'), states.size]).toEqual(['running', 'terminated', false, 1_002]);
  });

  test('no longer shows an instance that EC2 no longer describes', async () => {
    const { world, look, become } = groupOf(1_001);
    become('i-3', 'terminated');
    await look();
    world.instances = world.instances.filter(({ id }) => id !== 'i-3');
    expect((await look([], 'prod/web', { isTick: true })).states.has('i-3')).toBe(false);
  });

  test('is read whole again after 75 s, however often it is looked at meanwhile', async () => {
    const { world, look } = groupOf(1_000);
    await look();
    world.nowMs += 74_000;
    expect((await look()).filters).toEqual([changed]);
    world.nowMs += 1_000;
    expect((await look()).filters).toEqual([whole]);
  });

  test('is kept until the tick after the next has read it, so that signals do not wait for a whole read', async () => {
    const { world, look } = groupOf(1_000);
    await look([], 'prod/web', { isTick: true });
    world.nowMs += tickEveryMs + 10_000;
    expect((await look()).filters).toEqual([changed]);
  });

  test('is kept beside another large group, however often both are looked at', async () => {
    const { look } = groupOf(8_000);
    const both = async () => [...(await look()).filters, ...(await look([], 'prod/api')).filters];
    expect(await both()).toEqual([whole, whole]);
    expect([await both(), await both()]).toEqual([
      [changed, changed],
      [changed, changed],
    ]);
  });

  test('is forgotten for others when the environment keeps 50,000 instances: the one that was looked at longest ago first', async () => {
    const { look } = groupOf(20_000);
    for (const name of ['one', 'two', 'one', 'three']) await look([], name);
    const again = async (name: string) => (await look([], name)).filters;
    expect([await again('one'), await again('three'), await again('two')]).toEqual([[changed], [changed], [whole]]);
  });

  test('is read whole where so many were launched that looking them up takes more calls', async () => {
    const filtersAfter = async (size: number, launched: number) => {
      const { look } = groupOf(size);
      await look();
      return (await look(Array.from({ length: launched }, (_, index) => `i-new-${index}`))).filters;
    };
    expect(await filtersAfter(1_000, 401)).toEqual([whole]);
    expect(await filtersAfter(10_000, 2_001)).toEqual([whole]);
    expect((await filtersAfter(10_000, 2_000)).toSorted()).toEqual([...Array.from({ length: 10 }, () => 'instance-id'), changed]);
  });
});

test('a group that one page shows is read whole each time', async () => {
  const { look } = groupOf(999);
  await look();
  expect((await look()).filters).toEqual([whole]);
});

/** Instances by id, the tags that EC2 shows of them, and who is in the Auto Scaling group. */
const asgOf = (count: number, more: { readonly joins?: string } = { joins: 'web' }) => {
  const ids = Array.from({ length: count }, (_, index) => `i-${index}`);
  const world = {
    nowMs,
    instancesRead: 0,
    tags: new Map<string, Readonly<Record<string, string>>>(ids.map((id) => [id, { 'aws:autoscaling:groupName': 'web' }])),
    inside: new Set(ids),
  };
  const answer = ({ Filters: filters }: { readonly Filters: Filters }) => {
    const meets = (id: string): boolean =>
      filters.every(({ Name, Values }) => {
        if (Name === 'instance-id') return Values.includes(id);
        return Name === 'instance-state-name' ? Values.includes('running') : Values.includes(world.tags.get(id)?.[Name.slice('tag:'.length)] ?? '');
      });
    const Instances = [...world.tags.keys()].filter(meets).map((id) => ec2Instance(id, world.tags.get(id)));
    world.instancesRead += Instances.length;
    return { Reservations: [{ Instances }] };
  };
  const aws = createFakeAws({ DescribeInstances: answer });
  const readAsgs = () =>
    Promise.resolve([{ name: 'web', standings: new Map([...world.inside].map((id) => [id, { asg: 'web' }])) }] as unknown as readonly Asg[]);
  const look = async () => {
    const from = aws.calls.length;
    const reading = { ec2: aws.ec2, now: () => world.nowMs, readAsgs };
    const { grouped } = await instancesOfOne(reading, { value: 'prod/web', asgs: ['web'], ...more }, { granted: [], open: [], ended: [], size: 1 });
    const filters = aws.calls.slice(from).map(({ input }) => input.Filters as Filters);
    const read = filters.flat().filter(({ Name }) => Name === 'instance-id');
    return {
      calls: aws.calls.length - from,
      wholes: filters.filter((some) => some.length === 1 && some[0]?.Name.startsWith('tag:')).length,
      byId: read.flatMap(({ Values }) => Values),
      tags: new Map(grouped.map(({ InstanceId = '', Tags = [] }) => [InstanceId, Tags.map(({ Key }) => Key)])),
    };
  };
  return { world, look };
};

describe('a large group in an Auto Scaling group that was read whole a moment ago', () => {
  test('is not read whole again', async () => {
    const { world, look } = asgOf(1_000);
    await look();
    world.nowMs += 20_000;
    const { calls, byId, tags } = await look();
    expect([calls, byId, tags.size]).toEqual([2, [], 1_000]);
  });

  test('shows members that its own Auto Scaling group launched and that joined since', async () => {
    const { world, look } = asgOf(1_000);
    await look();
    world.tags.set('i-refilled', { 'aws:autoscaling:groupName': 'web' });
    world.inside.add('i-refilled');
    const { byId, tags } = await look();
    expect([byId, tags.has('i-refilled')]).toEqual([['i-refilled'], true]);
  });

  test('reads again an instance that its user detached, and one that Holdfast attached', async () => {
    const { world, look } = asgOf(1_000);
    world.tags.set('i-new', { 'holdfast:group': 'prod/web' });
    await look();
    world.inside.delete('i-7');
    world.tags.set('i-7', {});
    world.inside.add('i-new');
    world.tags.set('i-new', { 'holdfast:group': 'prod/web', 'holdfast:joined': 'web 1', 'aws:autoscaling:groupName': 'web' });
    const { byId, tags } = await look();
    expect(byId.toSorted()).toEqual(['i-7', 'i-new']);
    expect([tags.get('i-7'), tags.get('i-new')?.length]).toEqual([[], 3]);
    expect((await look()).byId).toEqual([]);
  });

  test('reads an attached member again that would be tagged as joined again, until it carries that tag', async () => {
    const { world, look } = asgOf(1_000);
    world.tags.set('i-3', { 'holdfast:group': 'prod/web', 'aws:autoscaling:groupName': 'web' });
    world.nowMs = nowMs + describeLagMs - 10_000;
    await look();
    world.nowMs += 10_000;
    expect((await look()).byId).toEqual([]);
    world.nowMs += 1;
    expect((await look()).byId).toEqual(['i-3']);
    world.tags.set('i-3', { 'holdfast:group': 'prod/web', 'holdfast:joined': 'web 1', 'aws:autoscaling:groupName': 'web' });
    await look();
    expect((await look()).byId).toEqual([]);
  });

  test('reads no launched member again where Holdfast attaches none', async () => {
    const { world, look } = asgOf(1_000, {});
    world.tags.set('i-3', { 'holdfast:group': 'prod/web', 'aws:autoscaling:groupName': 'web' });
    await look();
    expect((await look()).byId).toEqual([]);
  });

  test('is not read whole again while a thousand members join, and none of them has the tag of its attach yet', async () => {
    const { world, look } = asgOf(4_000);
    const joining = Array.from({ length: 1_000 }, (_, index) => `i-new-${index}`);
    for (const id of joining) world.tags.set(id, { 'holdfast:group': 'prod/web' });
    await look();
    for (const id of joining) {
      world.inside.add(id);
      world.tags.set(id, { 'holdfast:group': 'prod/web', 'aws:autoscaling:groupName': 'web' });
    }
    const { byId, wholes, tags } = await look();
    expect([byId.length, wholes, tags.size]).toEqual([1_000, 0, 5_000]);
    expect((await look()).byId).toEqual([]);
  });
});

describe('the looks after a warning of one member of 10,000 read no instance but its replacement', () => {
  test('by tag', async () => {
    const { world, look, become } = groupOf(10_000);
    await look();
    expect(world.instancesRead).toBe(10_000);
    world.nowMs += 20_000;
    world.instancesRead = 0;
    expect((await look()).states.size).toBe(10_000);
    expect(world.instancesRead).toBe(0);
    world.instances.push({ id: 'i-new', state: 'pending' });
    become('i-7', 'shutting-down');
    expect((await look(['i-new'])).states.size).toBe(10_001);
    expect(world.instancesRead).toBeLessThanOrEqual(3);
  });

  test('in an Auto Scaling group that members are attached to', async () => {
    const { world, look } = asgOf(10_000);
    await look();
    expect(world.instancesRead).toBe(10_000);
    world.nowMs += 20_000;
    world.instancesRead = 0;
    expect((await look()).tags.size).toBe(10_000);
    expect(world.instancesRead).toBe(0);
    world.tags.set('i-new', { 'holdfast:group': 'prod/web', 'holdfast:joined': 'web 1', 'aws:autoscaling:groupName': 'web' });
    world.inside.add('i-new');
    expect((await look()).tags.size).toBe(10_001);
    expect(world.instancesRead).toBe(1);
  });
});
