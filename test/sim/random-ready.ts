import type { DrawnWorld } from './profiles/profile.ts';
import type { Draw } from './random-draw.ts';

type Document = Readonly<Record<string, unknown>>;

/** A share of all worlds. */
const share = 0.2;
/** What the slowest of these takes longer than health checks alone. */
const readyWithinMs = 240_000;

const afterSeconds = new Map([
  ['20s', 20],
  ['45s', 45],
  ['2m', 120],
]);

const drawReady = (draw: Draw): Document =>
  draw.one<() => Document>([
    () => ({ after: draw.one([...afterSeconds.keys()]) }),
    () => ({ checks: 'ec2' }),
    () => ({ after: '30s', checks: 'ec2', within: '6m' }),
  ])();

const edits = new Set(['policy-written-again', 'group-renamed']);
const isEdit = (kind: string): boolean => kind.endsWith('-edited') || edits.has(kind);
/** Only a target group knows of software that does not answer. */
const needsTargets = new Set(['boot-broken', 'serving-broken']);

/** Where nothing else tells who serves, users choose the time that their slowest start takes (docs/policy.md, ready). */
const slowestStart = ({ spec: { timing } }: DrawnWorld, ready: Document): Document => {
  const slowest = Math.ceil((timing?.pendingSeconds?.[1] ?? 0) + (timing?.bootSeconds?.[1] ?? 0));
  const isTooShort = ready.checks === undefined && (afterSeconds.get(String(ready.after)) ?? slowest) < slowest;
  return isTooShort ? { ...ready, after: `${slowest}s` } : ready;
};

/** Nobody checks the health of these members: only `ready` tells who serves. */
const withoutTargets = (world: DrawnWorld): DrawnWorld => ({
  ...world,
  spec: { ...world.spec, autoScalingGroups: world.spec.autoScalingGroups.map((asg) => ({ ...asg, targetGroups: [] })) },
  policies: world.policies.map((policy) => {
    const drain = policy.drain as Document | undefined;
    return { ...policy, drain: { ...drain, ...(Array.isArray(drain?.loadBalancers) && { loadBalancers: [] }) } };
  }),
});

/**
 * The world where policies say when a member serves, in some of them without a load balancer. An edit by the script drops `ready` again, so only worlds
 * without one lose their target groups.
 */
export const withReady = (world: DrawnWorld, draw: Draw): DrawnWorld => {
  if (!draw.chance(share)) return world;
  const ready = drawReady(draw);
  const isBare = draw.chance(0.4) && !world.steps.some(({ kind }) => isEdit(kind) || needsTargets.has(kind));
  const told = {
    ...world,
    policies: world.policies.map((policy) => ({ ...policy, ready: isBare ? slowestStart(world, ready) : ready })),
    restWithinMs: world.restWithinMs + readyWithinMs,
  };
  return isBare ? withoutTargets(told) : told;
};
