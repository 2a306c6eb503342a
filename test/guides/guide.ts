import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import type { WriterSpec } from '../../sandbox/outside/writers.ts';
import type { AutoScalingGroupSpec, WorldSpec } from '../../sandbox/world/spec.ts';
import { setBy } from '../sim/outside-steps.ts';
import { type Outcome, play } from '../sim/play.ts';
import type { Situation, Step } from '../sim/situation.ts';
import { deletePolicy, loseZone, putPolicy, setSpot } from '../sim/steps.ts';
import { usualTiming } from '../sim/worlds.ts';

type Pool = { readonly market: string; readonly subnets: readonly string[] };
type Policy = {
  readonly group: string;
  readonly asg: string;
  readonly size: { readonly min: number; readonly max: number };
  readonly defaults: { readonly launchTemplate: string; readonly instanceTypes: readonly string[] };
  readonly pools: Readonly<Record<string, Pool>>;
};

/** The first YAML block of a guide: the policy that it tells its reader to write. */
const policyOf = async (guide: string): Promise<Policy> => {
  const page = await readFile(new URL(`../../docs/guides/${guide}.md`, import.meta.url), 'utf8');
  const [, text] = /```yaml\n(.*?)```/s.exec(page) ?? [];
  if (text === undefined) throw new Error(`docs/guides/${guide}.md shows no policy.`);
  return parse(text) as Policy;
};

const zones = ['eu-west-1a', 'eu-west-1b', 'eu-west-1c'];
const zoneOf = (subnet: string): string => `eu-west-1${subnet.at(-1)}`;
const second = 1_000;

/** When each part of a guide's story begins, in seconds since the world began. */
export const story = {
  policy: 60,
  grows: 180,
  spotIsOut: 420,
  spotIsBack: 900,
  shrinks: 2_100,
  growsAgain: 3_600,
  letGo: 4_500,
  ends: 4_620,
} as const;

/** What the group of a guide has that the policy does not say. */
export type Existing = Partial<AutoScalingGroupSpec>;

const worldOf = ({ asg, size, defaults, pools }: Policy, existing: Existing, isServed: boolean): WorldSpec => {
  const subnets = [...new Set(Object.values(pools).flatMap((pool) => pool.subnets))];
  const [instanceType = ''] = defaults.instanceTypes;
  return {
    zones,
    subnets: subnets.map((id) => ({ id, zone: zoneOf(id) })),
    offerings: zones.flatMap((zone) => [
      { instanceType, zone, market: 'spot' as const, capacity: 4, priceUsdPerHour: 0.03 },
      { instanceType, zone, market: 'on-demand' as const, capacity: null, priceUsdPerHour: 0.08 },
    ]),
    launchTemplates: [{ name: defaults.launchTemplate }],
    targetGroups: isServed ? [{ name: 'web', deregistrationDelaySeconds: 20, healthCheckIntervalSeconds: 10, healthyThreshold: 2 }] : [],
    timing: usualTiming,
    autoScalingGroups: [
      {
        name: asg,
        launchTemplate: defaults.launchTemplate,
        subnets,
        instanceTypes: [instanceType],
        market: 'spot',
        min: size.min,
        max: size.max,
        desired: 2,
        ...(isServed && { targetGroups: ['web'] }),
        ...existing,
      },
    ],
  };
};

export type Guide = {
  readonly guide: string;
  /** Who sets the size from the beginning on. */
  readonly scaler: (asg: string) => WriterSpec;
  readonly existing?: Existing;
  readonly isServed?: boolean;
  /** More that happens. */
  readonly also?: (policy: Policy) => readonly Step[];
};

/**
 * The story of every guide: a group on spot that somebody else sizes gets the policy of the page. It grows, loses its spot capacity, which comes back
 * later; it shrinks, grows again, and is let go.
 */
const situationOf = ({ guide, scaler, existing = {}, isServed = false, also = () => [] }: Guide, policy: Policy): Situation => {
  const { asg, group, defaults } = policy;
  const [type] = defaults.instanceTypes;
  return {
    name: `guide ${guide}`,
    seed: 1,
    spec: worldOf(policy, existing, isServed),
    policies: [],
    asked: {},
    steps: [
      setBy(0, scaler(asg), story.ends * second),
      putPolicy(story.policy * second, policy),
      ...zones.map((zone) => loseZone(story.spotIsOut * second, zone, type)),
      setSpot(story.spotIsBack * second, zones, 6),
      deletePolicy(story.letGo * second, group),
      ...also(policy),
    ],
    calmAtMs: story.ends * second,
    restWithinMs: 600 * second,
  };
};

/** What a guide's story comes to. */
export type Told = Pick<Outcome, 'violations'> & {
  /** Desired capacity and members in service of the group at a second of the story, by market. */
  readonly at: (seconds: number) => { readonly desired: number; readonly spot: number; readonly onDemand: number };
  /** The numbers that the group ends with. */
  readonly ends: { readonly min: number; readonly max: number; readonly suspended: readonly string[] };
  /** Instances that its lifecycle policy retains at the end. */
  readonly retained: readonly string[];
  readonly warnings: readonly string[];
};

type Seen = ReturnType<Told['at']>;

export const playGuide = async (guide: Guide): Promise<Told> => {
  const policy = await policyOf(guide.guide);
  const seen = new Map<number, Seen>();
  let ends: Told['ends'] = { min: -1, max: -1, suspended: [] };
  let warnings: readonly string[] = [];
  let retained: readonly string[] = [];
  const look: Step[] = Object.entries(story)
    .filter(([part]) => part !== 'policy')
    .map(([, seconds]) => ({
      kind: 'size-set-outside',
      atMs: seconds * second - 1,
      what: 'somebody looks',
      happen: async ({ sandbox }) => {
        const snapshot = sandbox.world.snapshot();
        const found = snapshot.autoScalingGroups.find(({ name }) => name === policy.asg);
        const members = (found?.instances ?? []).filter(({ lifecycleState }) => lifecycleState === 'InService').map(({ id }) => id);
        const marketOf = (market: string): number => snapshot.instances.filter(({ id, market: of }) => members.includes(id) && of === market).length;
        seen.set(seconds, { desired: found?.desired ?? -1, spot: marketOf('spot'), onDemand: marketOf('on-demand') });
        retained = (found?.instances ?? []).filter(({ lifecycleState }) => lifecycleState === 'Terminating:Retained').map(({ id }) => id);
        ends = { min: found?.min ?? -1, max: found?.max ?? -1, suspended: found?.suspended ?? [] };
        if (seconds !== story.grows) return;
        const items = (await sandbox.items('groups')) as readonly {
          readonly item?: string;
          readonly warnings?: readonly { readonly message: string }[];
        }[];
        warnings = items.filter(({ item }) => item === 'status').flatMap((item) => (item.warnings ?? []).map(({ message }) => message));
      },
    }));
  const { violations } = await play(situationOf({ ...guide, also: (of) => [...(guide.also?.(of) ?? []), ...look] }, policy));
  const at: Told['at'] = (seconds) => {
    const found = seen.get(seconds);
    if (found === undefined) throw new Error(`Nobody looked at ${seconds} s.`);
    return found;
  };
  return { violations, at, ends, retained, warnings };
};
