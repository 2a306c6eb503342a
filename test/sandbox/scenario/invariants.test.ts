import { describe, expect, it } from 'vitest';
import { checkInvariants, type Evidence } from '../../../sandbox/scenario/invariants.ts';
import type { GroupRow, InterruptionRow } from '../../../sandbox/scenario/report.ts';
import { parseScenario } from '../../../sandbox/scenario/scenario-schema.ts';
import { toWorldSpec } from '../../../sandbox/scenario/to-world-spec.ts';
import { smallest } from './smallest.ts';

const scenario = parseScenario(smallest());
const asg = { name: 'web-asg', min: 0, max: 3, desired: 2, suspended: ['AZRebalance'] };
const spec: Evidence['spec'] = {
  ...toWorldSpec(scenario.world),
  autoScalingGroups: [{ ...asg, launchTemplate: 'web', subnets: ['subnet-a'], instanceTypes: ['m7g.large'], market: 'spot' }],
};
const group: GroupRow = { group: 'web', desired: 2, serving: 2, lowestServing: 2, byPool: {}, availabilityPercent: 100, servingOverTime: [] };
const row: InterruptionRow = {
  instance: 'i-old',
  group: 'web',
  zone: 'us-east-1a',
  replacement: 'i-new',
  warnedAtMs: 0,
  replacementServingAtMs: 50,
  drainedAtMs: 80,
  goneAtMs: 120,
};
const instance = {
  id: 'i-new',
  instanceType: 'm7g.large',
  zone: 'us-east-1a',
  subnet: 'subnet-a',
  market: 'spot',
  state: 'running',
  launchedAtMs: 0,
  targets: {},
  inFlight: 0,
  tags: {},
} as const;
const snapshot: Evidence['snapshot'] = {
  nowMs: 0,
  instances: [instance],
  offerings: [],
  targetGroups: [],
  autoScalingGroups: [{ ...asg, instances: [] }],
};
const swap = {
  group: 'web',
  instance: 'i-old',
  reason: 'interruption',
  state: 'gone',
  pool: 'a',
  offering: 'o',
  claimedAtMs: 0,
  decision: 'd',
} as const;
const state = { reservations: [], raised: [] } as unknown as Evidence['states'] extends ReadonlyMap<string, infer State> ? State : never;

const sound: Evidence = {
  expect: {
    ...scenario.expect,
    endsWith: { web: { spot: 1, 'on-demand': 0 } },
    lowestServing: { web: 2 },
    changesAtMost: 0,
    costPercentAtMost: 50,
    availabilityPercentAtLeast: 99,
  },
  spec,
  snapshot,
  groups: [group],
  spares: new Map(),
  interruptions: [row],
  states: new Map([['web', state]]),
  swaps: [swap],
  groupOf: () => 'web',
  strangersLost: [],
  requests: { served: 100, dropped: 0 },
  unfinishedDrains: [],
  failedDrains: [],
  deadLetters: 0,
  deniedCalls: [],
  changes: [],
  costPercent: 40,
};
const broken = (changed: Partial<Evidence>) => checkInvariants({ ...sound, ...changed }).filter(({ ok }) => !ok);
const withAsg = (changed: object): Partial<Evidence> => ({ snapshot: { ...snapshot, autoScalingGroups: [{ ...asg, instances: [], ...changed }] } });

describe('the invariants of a scenario', () => {
  it('hold for sound evidence, and each reports what it saw', () => {
    const invariants = checkInvariants(sound);
    expect(invariants.filter(({ ok, detail }) => !ok || detail === '')).toEqual([]);
    expect(new Set(invariants.map(({ name }) => name)).size).toBe(invariants.length);
  });

  it('hold with the spares of a policy', () => {
    expect(broken({ groups: [{ ...group, serving: 3 }], spares: new Map([['web', 1]]) })).toEqual([]);
  });

  const size = 'every group ends at its desired size, all of it serving';
  const replaced = 'every replacement serves before its predecessor is gone';
  const drained = 'every leaving instance is drained before it is gone, or Holdfast said why not';
  const left = 'nothing is left behind: no orphan, no open reservation, no raised maximum, no suspended process';
  const worth = 'availability and cost stay within what the scenario demands';
  const cases: readonly (readonly [string, Partial<Evidence>, string, string])[] = [
    ['a member is missing', { groups: [{ ...group, serving: 1 }] }, size, 'web: 1 serve, desired is 2, expected 2'],
    ['there is one more than the size', { groups: [{ ...group, serving: 3 }] }, size, 'web: 3 serve, desired is 2, expected 2'],
    [
      'there are more than spares',
      { groups: [{ ...group, serving: 4 }], spares: new Map([['web', 1]]) },
      size,
      'web: 4 serve, desired is 2, expected 2',
    ],
    ['the desired size is not the expected one', { expect: { ...sound.expect, size: { web: 3 } } }, size, 'web: 2 serve, desired is 2, expected 3'],
    ['a replacement comes late', { interruptions: [{ ...row, replacementServingAtMs: 130 }] }, replaced, 'i-old (replacement i-new)'],
    [
      'there is no replacement',
      { interruptions: [{ instance: 'i-old', group: 'web', zone: 'a', warnedAtMs: 0, drainedAtMs: 80, goneAtMs: 120 }] },
      replaced,
      'i-old (replacement none)',
    ],
    ['an instance goes undrained', { interruptions: [{ ...row, drainedAtMs: 130 }] }, drained, 'i-old'],
    ['a request is dropped', { requests: { served: 99, dropped: 1 } }, 'no more requests are dropped than allowed', '1 dropped of 100, 0 allowed'],
    ['capacity falls', { groups: [{ ...group, lowestServing: 1 }] }, 'capacity never falls below what the scenario demands', 'web fell to 1'],
    ['what should be gone runs', { swaps: [{ ...swap, instance: 'i-new', state: 'drained' }] }, left, 'i-new should be gone'],
    [
      'a reservation is open',
      { states: new Map([['web', { ...state, reservations: [{ id: 'r-1' }] } as never]]) },
      left,
      'web: reservation r-1 is open',
    ],
    [
      'a raise is recorded',
      { states: new Map([['web', { ...state, raised: [{ asg: 'web-asg', fromMax: 3, toMax: 4 }] }]]) },
      left,
      'web: maximum of web-asg is still raised',
    ],
    ['a maximum is raised', withAsg({ max: 4 }), left, 'web-asg: min 0, max 4, were 0, 3'],
    ['a process is resumed', withAsg({ suspended: [] }), left, 'web-asg: suspended processes changed'],
    [
      'something is changed where nothing may be',
      { changes: ['react: ec2:CreateFleet'] },
      'no more is changed outside of Holdfast than the scenario allows',
      'react: ec2:CreateFleet',
    ],
    ['a drain still runs', { unfinishedDrains: ['web-d0'] }, 'every drain comes to its end', 'web-d0 still runs'],
    ['a drain failed', { failedDrains: ['web-d0 (FAILED)'] }, 'every drain comes to its end', 'web-d0 (FAILED) failed'],
    ['a stranger was ended', { strangersLost: ['i-else'] }, 'instances that are not ours are untouched', 'i-else'],
    ['a message was given up', { deadLetters: 2 }, 'no message is lost to the dead-letter queue', '2 messages'],
    [
      'a call was denied',
      { deniedCalls: ['react: ec2:RunInstances'] },
      'every call is one that the function’s role allows',
      'react: ec2:RunInstances',
    ],
    [
      'the market is another',
      { groupOf: () => 'api' },
      'every group ends on the markets and in the zones that the scenario demands',
      'web: 0 spot, expected 1',
    ],
    ['it was short too often', { groups: [{ ...group, availabilityPercent: 98.5 }] }, worth, 'web: 98.50 % available'],
    ['it cost too much', { costPercent: 60 }, worth, 'cost is 60.0 % of on-demand'],
  ];
  it.each(cases)('break one and no other when %s', (_, changed, name, detail) => {
    expect(broken(changed)).toEqual([{ name, ok: false, detail }]);
  });

  it('accept a shortfall that Holdfast reported', () => {
    expect(broken({ interruptions: [{ ...row, drainedAtMs: 130, shortfall: { code: 'ended-before-drain' } }] })).toEqual([]);
  });

  it('expect no drain and no early replacement if no function receives the warning', () => {
    const unheard = { ...sound.expect, warningsHeard: false, replacedBeforeGone: false };
    expect(broken({ expect: unheard, interruptions: [{ ...row, drainedAtMs: 130, replacementServingAtMs: 200 }] })).toEqual([]);
  });

  it('name the first five of many', () => {
    const strangersLost = ['i-1', 'i-2', 'i-3', 'i-4', 'i-5', 'i-6', 'i-7'];
    expect(broken({ strangersLost })[0]?.detail).toBe('i-1; i-2; i-3; i-4; i-5; and 2 more');
  });
});
