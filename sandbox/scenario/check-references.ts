import type { z } from 'zod';
import type { WorldSection } from './world-schema.ts';

type Document = { readonly group?: unknown; readonly scaling?: unknown };

/** The parts of a scenario in which names are checked. */
type Named = {
  readonly world: WorldSection;
  readonly policies: readonly Document[];
  readonly writers: readonly { readonly asg: string }[];
  readonly alarms: readonly { readonly name: string; readonly targetGroup: string }[];
  readonly timeline: readonly { readonly atMs: number; readonly action: Readonly<Record<string, unknown>> }[];
  readonly lasts: number;
  readonly expect: Readonly<Record<string, unknown>>;
  readonly trace?: { readonly zones: Readonly<Record<string, string>>; readonly instanceType: string } | undefined;
};
type Path = readonly (string | number)[];
type Reference = { readonly path: Path; readonly name: string | undefined; readonly among: readonly string[]; readonly where: string };

const inWorld = ({ zones, subnets, offerings, launchTemplates, autoScalingGroups, targetGroups }: WorldSection): readonly Reference[] => {
  const to = (path: Path, names: readonly string[], among: readonly string[], where: string): readonly Reference[] =>
    names.map((name) => ({ path, name, among, where }));
  const templates = launchTemplates.map(({ name }) => name);
  const subnetIds = subnets.map(({ id }) => id);
  const targets = targetGroups.map(({ name }) => name);
  const asgPath = (index: number, field: string): Path => ['world', 'autoScalingGroups', index, field];
  return [
    ...subnets.flatMap(({ zone }, index) => to(['world', 'subnets', index, 'zone'], [zone], zones, 'world.zones')),
    ...offerings.flatMap((offering, index) => to(['world', 'offerings', index, 'zones'], offering.zones, zones, 'world.zones')),
    ...autoScalingGroups.flatMap((asg, index) => [
      ...to(asgPath(index, 'launchTemplate'), [asg.launchTemplate], templates, 'world.launchTemplates'),
      ...to(asgPath(index, 'subnets'), asg.subnets, subnetIds, 'world.subnets'),
      ...to(asgPath(index, 'weights'), Object.keys(asg.weights ?? {}), asg.instanceTypes, `world.autoScalingGroups[${index}].instanceTypes`),
      ...to(asgPath(index, 'targetGroups'), asg.targetGroups ?? [], targets, 'world.targetGroups'),
    ]),
  ];
};

/** Alarms that a policy of the scenario names, of the beginning or written later. A policy may be one that is refused. */
const alarmsIn = ({ timeline, policies }: Named): readonly string[] => {
  const documents = [...policies, ...timeline.flatMap(({ action }) => ('policy' in action ? [action.policy as Document] : []))];
  return documents.flatMap(({ scaling }) =>
    (Array.isArray(scaling) ? scaling : []).flatMap((row: { readonly alarm?: unknown } | null) =>
      typeof row?.alarm === 'string' ? [row.alarm] : [],
    ),
  );
};

const inAlarms = (scenario: Named): readonly Reference[] => {
  const among = alarmsIn(scenario);
  const where = 'scaling of a policy';
  const ofSteps = scenario.timeline.flatMap(({ action }, index): readonly Reference[] =>
    'alarm' in action ? [{ path: ['timeline', index, 'alarm'], name: (action.alarm as { readonly name: string }).name, among, where }] : [],
  );
  return [...ofSteps, ...scenario.alarms.map(({ name }, index) => ({ path: ['alarms', index, 'name'], name, among, where }))];
};

/** Target groups whose load changes, or is looked at. One without requests has no load. */
const inLoads = ({ alarms, timeline, world }: Named): readonly Reference[] => {
  const among = world.targetGroups.flatMap(({ name, load }) => (load === undefined ? [] : [name]));
  const where = 'world.targetGroups with a load';
  const ofSteps = timeline.flatMap(({ action }, index): readonly Reference[] =>
    'load' in action
      ? [{ path: ['timeline', index, 'load'], name: (action.load as { readonly targetGroup: string }).targetGroup, among, where }]
      : [],
  );
  return [...ofSteps, ...alarms.map(({ targetGroup: name }, index) => ({ path: ['alarms', index, 'targetGroup'], name, among, where }))];
};

const inSteps = ({ timeline, policies, world }: Named): readonly Reference[] => {
  const groups = policies.map(({ group }) => String(group));
  const types = world.offerings.flatMap(({ instanceTypes }) => instanceTypes);
  const templates = world.launchTemplates.map(({ name }) => name);
  const asgs = world.autoScalingGroups.map(({ name }) => name);
  return timeline.flatMap(({ action }, index) =>
    Object.entries(action).flatMap(([kind, given]): readonly Reference[] => {
      const path: Path = ['timeline', index, kind];
      if (kind === 'interrupt' || kind === 'rebalance' || kind === 'advise' || kind === 'kill') {
        const { group, zone } = given as { readonly group: string; readonly zone?: string };
        return [
          { path: [...path, 'group'], name: group, among: groups, where: 'policies' },
          { path: [...path, 'zone'], name: zone, among: world.zones, where: 'world.zones' },
        ];
      }
      const filter = kind === 'change' ? 'offerings' : kind === 'boots' ? 'launches' : undefined;
      if (filter === undefined) return [];
      const { zone, instanceType, template, asg } = (given as Readonly<Record<string, Readonly<Record<string, string | undefined>>>>)[filter] ?? {};
      return [
        { path: [...path, filter, 'zone'], name: zone, among: world.zones, where: 'world.zones' },
        { path: [...path, filter, 'instanceType'], name: instanceType, among: types, where: 'world.offerings' },
        { path: [...path, filter, 'template'], name: template, among: templates, where: 'world.launchTemplates' },
        { path: [...path, filter, 'asg'], name: asg, among: asgs, where: 'world.autoScalingGroups' },
      ];
    }),
  );
};

const inWriters = ({ writers, world }: Named): readonly Reference[] =>
  writers.map(({ asg }, index) => ({
    path: ['writers', index, 'asg'],
    name: asg,
    among: world.autoScalingGroups.map(({ name }) => name),
    where: 'world.autoScalingGroups',
  }));

const perGroup = ['size', 'lowestServing', 'endsWith'] as const;

const inExpectations = ({ expect, policies, world }: Named): readonly Reference[] => {
  const groups = policies.map(({ group }) => String(group));
  const ofGroups = perGroup.flatMap((field) =>
    Object.keys((expect[field] as object | undefined) ?? {}).map((name) => ({
      ...{ path: ['expect', field], name, where: 'policies' },
      among: field === 'lowestServing' ? [...groups, '*'] : groups,
    })),
  );
  const places = Object.entries(expect.endsWith ?? {}).flatMap(([group, wanted]) =>
    Object.keys(wanted).map((name) => ({
      ...{ path: ['expect', 'endsWith', group], name, where: 'markets and world.zones' },
      among: ['spot', 'on-demand', ...world.zones],
    })),
  );
  return [...ofGroups, ...places];
};

const inTrace = ({ trace, world }: Named): readonly Reference[] => {
  if (trace === undefined) return [];
  const types = world.offerings.filter(({ market }) => market === 'spot').flatMap(({ instanceTypes }) => instanceTypes);
  return [
    ...Object.keys(trace.zones).map((name) => ({ path: ['trace', 'zones'], name, among: world.zones, where: 'world.zones' })),
    { path: ['trace', 'instanceType'], name: trace.instanceType, among: types, where: 'world.offerings on spot' },
  ];
};

/** Every name in a scenario must refer to something that it defines. A step with a misspelt name would do nothing. */
export const checkReferences = (read: Named, context: z.RefinementCtx): void => {
  // A step with a fault of its own is reported elsewhere.
  const scenario = { ...read, timeline: read.timeline.filter((step) => step?.action !== undefined) };
  const all = [
    inWorld(scenario.world),
    inSteps(scenario),
    inAlarms(scenario),
    inLoads(scenario),
    inWriters(scenario),
    inExpectations(scenario),
    inTrace(scenario),
  ].flat();
  for (const { path, name, among, where } of all) {
    if (name === undefined || among.includes(name)) continue;
    const known = [...new Set(among)].join(', ') || 'none';
    context.addIssue({ code: 'custom', path: [...path], message: `found ${name}, which is not under ${where}. There are: ${known}.` });
  }
  read.timeline.forEach((step, index) => {
    if (step?.atMs > read.lasts)
      context.addIssue({ code: 'custom', path: ['timeline', index, 'at'], message: 'found a time after the end of the scenario, which is lasts.' });
  });
};
