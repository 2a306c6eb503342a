import { mkdtemp, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { readOpenWorld, readScenario, shippedScenarios } from '../../../sandbox/scenario/read-scenario.ts';
import { parseScenario } from '../../../sandbox/scenario/scenario-schema.ts';
import { toWorldSpec } from '../../../sandbox/scenario/to-world-spec.ts';
import { shapeProblems } from '../../../sandbox/shape.ts';
import { smallest } from './smallest.ts';

const problems = (changed: Record<string, unknown>): string => {
  try {
    parseScenario(smallest(changed));
    return 'it fits';
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error;
    return shapeProblems(error);
  }
};
const world = (changed: Record<string, unknown>) => ({ world: { ...smallest().world, ...changed } });

describe('a scenario file', () => {
  it('needs no more than a world, policies and how long it lasts', () => {
    const { mode, seed, speed, timeline, expect: expected, lasts } = parseScenario(smallest());
    expect({ mode, seed, speed, timeline, lasts }).toEqual({ mode: 'live', seed: 1, speed: 1, timeline: [], lasts: 60_000 });
    expect(expected).toMatchObject({ droppedAtMost: 0, replacedBeforeGone: true, warningsHeard: true });
  });

  it('reads steps with their times in milliseconds', () => {
    const { timeline } = parseScenario(smallest({ lasts: '2m', timeline: [{ at: '2m', interrupt: { group: 'web' } }] }));
    expect(timeline).toEqual([{ atMs: 120_000, action: { interrupt: { group: 'web', notice: 120_000, silent: false } } }]);
  });

  it('a new account has ten invocations at once, and long responses take longer', () => {
    const asked = { lambda: { concurrency: 10, pollers: 'ramp' }, timing: { latencyPerInstanceMs: { 'ec2:CreateFleet': 8 } } };
    expect(toWorldSpec(parseScenario(smallest(world(asked))).world)).toMatchObject(asked);
  });

  it.each([
    ['a name with a blank', { name: 'Two words' }, 'name: lower case letters, digits and dashes'],
    ['a duration without a unit', { lasts: '60' }, 'lasts: found "60"; a duration is a number and a unit, for example 90s, 2m or 24h'],
    ['a field that is not there', { expects: {} }, 'unknown: expects. There are: name, about, mode,'],
    [
      'a misspelt step',
      { timeline: [{ at: '1s', interupt: { group: 'web' } }] },
      'timeline[0]: unknown: interupt. There are: at, change, boots, interrupt, rebalance, advise, kill, alarm, load, event, faults, policy. Did you mean interrupt?',
    ],
    [
      'two things in one step',
      { timeline: [{ at: '1s', alarm: 'hot', kill: { group: 'web' } }] },
      'timeline[0]: expected exactly one of change, boots, interrupt, rebalance, advise, kill, alarm, load, event, faults, policy; found kill and alarm. Two things at one time are two steps.',
    ],
    ['a step that does nothing', { timeline: [{ at: '1s' }] }, 'found none'],
    ['a count below one', { timeline: [{ at: '1s', kill: { group: 'web', count: -1 } }] }, 'timeline[0].kill.count: expected number to be above 0'],
    [
      'a step after its end',
      { timeline: [{ at: '61s', kill: { group: 'web' } }] },
      'timeline[0].at: found a time after the end of the scenario, which is lasts.',
    ],
    [
      'a misspelt field of a change',
      { timeline: [{ at: '1s', change: { offerings: {}, capcity: 3 } }] },
      'timeline[0].change: unknown: capcity. There are: offerings, capacity, priceUsdPerHour, reclaim. Did you mean capacity?',
    ],
    [
      'a fault of a kind that there is not',
      { timeline: [{ at: '1s', faults: [{ on: 'event', kind: 'throttle' }] }] },
      'timeline[0].faults[0].kind: expected drop, duplicate, delay or reorder',
    ],
    [
      'a capacity in words',
      world({ offerings: [{ ...smallest().world.offerings[0], capacity: 'plenty' }] }),
      'world.offerings[0].capacity: expected number, found string, or expected "unlimited"',
    ],
    [
      'an alarm that no policy names',
      { alarms: [{ name: 'busy', targetGroup: 'web', comparison: 'above', threshold: 9 }] },
      'alarms[0].name: found busy, which is not under scaling of a policy. There are: none.',
    ],
    [
      'a load on a target group that gets no requests',
      { timeline: [{ at: '1s', load: { targetGroup: 'web', requestsPerSecond: 9 } }] },
      'timeline[0].load: found web, which is not under world.targetGroups with a load. There are: none.',
    ],
    ['a policy without its group', { policies: [{ size: 1 }] }, 'policies[0].group: expected string, found nothing'],
  ])('with %s is refused, with the path and what is allowed', (_, changed, text) => {
    expect(problems(changed)).toContain(text);
  });

  it.each([
    [
      'a subnet',
      world({ subnets: [{ id: 'subnet-z', zone: 'us-east-1z' }] }),
      'world.subnets[0].zone: found us-east-1z, which is not under world.zones. There are: us-east-1a.',
    ],
    [
      'an offering',
      world({ offerings: [{ ...smallest().world.offerings[0], zones: ['us-east-1b'] }] }),
      'world.offerings[0].zones: found us-east-1b',
    ],
    [
      'a step by group',
      { timeline: [{ at: '1s', kill: { group: 'wbe' } }] },
      'timeline[0].kill.group: found wbe, which is not under policies. There are: web.',
    ],
    ['a step by zone', { timeline: [{ at: '1s', interrupt: { group: 'web', zone: 'us-east-1c' } }] }, 'timeline[0].interrupt.zone: found us-east-1c'],
    [
      'a change',
      { timeline: [{ at: '1s', change: { offerings: { instanceType: 'm7g.lagre' } } }] },
      'timeline[0].change.offerings.instanceType: found m7g.lagre',
    ],
    [
      'an alarm',
      { timeline: [{ at: '1s', alarm: 'hot' }] },
      'timeline[0].alarm: found hot, which is not under scaling of a policy. There are: none.',
    ],
    ['an expectation', { expect: { size: { api: 2 } } }, 'expect.size: found api, which is not under policies'],
    ['a trace', { trace: { file: 'x.json', zones: { here: 'there' }, instanceType: 'm7g.large' } }, 'trace.zones: found here'],
    [
      'an Auto Scaling group',
      world({
        autoScalingGroups: [
          {
            name: 'asg',
            launchTemplate: 'wbe',
            subnets: ['subnet-a'],
            instanceTypes: ['m7g.large'],
            market: 'spot',
            min: 0,
            max: 1,
            desired: 0,
            targetGroups: ['tg'],
          },
        ],
      }),
      'world.autoScalingGroups[0].launchTemplate: found wbe, which is not under world.launchTemplates. There are: web.\nworld.autoScalingGroups[0].targetGroups: found tg, which is not under world.targetGroups. There are: none.',
    ],
  ])('with %s that names what it does not have is refused', (_, changed, text) => {
    expect(problems(changed)).toContain(text);
  });

  it('becomes a world with one entry for each type, zone and market', () => {
    const { offerings, quotas, longestPage, stalePages } = toWorldSpec(
      parseScenario(
        smallest(
          world({
            offerings: [{ instanceTypes: ['a.large', 'b.large'], zones: ['us-east-1a'], market: 'spot', capacity: 'unlimited', priceUsdPerHour: 1 }],
            quotas: { spot: 5 },
            pages: { longest: 3, lagSeconds: 2, moves: 0.1 },
          }),
        ),
      ).world,
    );
    expect([longestPage, stalePages]).toEqual([3, { lagSeconds: [2, 2], moves: 0.1 }]);
    expect(offerings.map(({ instanceType, capacity }) => [instanceType, capacity])).toEqual([
      ['a.large', null],
      ['b.large', null],
    ]);
    expect(quotas).toEqual({ spot: 5 });
  });
});

describe('reading scenarios', () => {
  it('finds every built-in one, and each fits and has the name of its file', async () => {
    const names = await shippedScenarios();
    expect(names).toEqual(
      expect.arrayContaining(['capacity-returns', 'flapping-zone', 'lost-events', 'nothing-left', 'real-day', 'refused-then-granted', 'zone-outage']),
    );
    expect(names).toHaveLength((await readdir(join(import.meta.dirname, '../../../sandbox/scenarios'))).length);
    for (const name of names) expect((await readScenario(name)).name).toBe(name);
  });

  it('finds the empty region', async () => {
    const { policies, world } = await readOpenWorld();
    expect(policies).toEqual([]);
    const sold = world.offerings.flatMap(({ instanceTypes }) => instanceTypes);
    expect(sold, 'An Auto Scaling group can launch from the template as it is.').toContain(world.launchTemplates[0]?.instanceType);
  });

  it('lists the built-in ones when a name is not one of them', async () => {
    await expect(readScenario('zone-outag')).rejects.toThrow(
      /Expected a built-in scenario or a file, found "zone-outag"\. Did you mean zone-outage\? Built-in: .*zone-outage.*\.\/zone-outag\.yaml/,
    );
  });

  it('names the file that cannot be read', async () => {
    const deep = join(await mkdtemp(join(tmpdir(), 'holdfast-')), 'deep.yaml');
    await writeFile(deep, '['.repeat(100_000) + ']'.repeat(100_000));
    await expect(readScenario(deep)).rejects.toThrow('is not YAML: its maps and lists are nested too deep.');
    await expect(readScenario('./nowhere.yaml')).rejects.toThrow(/nowhere\.yaml does not exist\. Nothing was started\.$/);
  });

  it('names the file that is not YAML', async () => {
    await expect(readScenario(join(import.meta.dirname, 'schema.test.ts'))).rejects.toThrow(/schema\.test\.ts (is not YAML|is not valid)/);
  });
});
