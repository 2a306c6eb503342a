import { rename } from '../edit-steps.ts';
import type { Draw } from '../random-draw.ts';
import { randomTree } from '../random-tree.ts';
import type { Step } from '../situation.ts';
import { alarm, deletePolicy, interrupt, kill, loseZone, putPolicy, recommendRebalance } from '../steps.ts';
import { restoreState } from '../table-steps.ts';
import { asgSpec, groupIn, type HoldingKind, holdings, type Landscape, onDemandPools, plainLandscape, specOf, spotPools, zones } from '../worlds.ts';
import { type DrawnWorld, drawSome, type Profile, withSteps } from './profile.ts';
import { races } from './races.ts';
import { alarmsBy, drawHabits, drawTargetGroups, namesOf, worldOf } from './usual.ts';

type Policy = Readonly<Record<string, unknown>>;
type DrawEdit = (draw: Draw, atMs: number, policy: Policy) => Step;

const size = { min: 1, max: 10, desired: 5 };

const resize: DrawEdit = (draw, atMs, policy) => {
  const desired = draw.between(1, 9);
  return putPolicy(atMs, { ...policy, size: { ...size, desired } }, `the policy asks for ${desired}`, 'size-edited');
};

/** A pool goes, and the tree no longer names it; or a policy that lost one gets it back, when the whole is written again. */
const dropPool: DrawEdit = (draw, atMs, policy) => {
  const gone = draw.one(spotPools);
  const { [gone]: _, ...pools } = policy.pools as Record<string, unknown>;
  const capacity = { tiered: [{ spread: spotPools.filter((name) => name !== gone) }, { spread: onDemandPools }] };
  return putPolicy(atMs, { ...policy, pools, capacity }, `the policy drops the pool ${gone}`, 'pools-edited');
};

const edits: readonly DrawEdit[] = [
  resize,
  resize,
  dropPool,
  dropPool,
  (draw, atMs, policy) => putPolicy(atMs, { ...policy, tags: { run: String(draw.between(1, 99)) } }, 'the policy gets other tags', 'tags-edited'),
  (draw, atMs, policy) => putPolicy(atMs, { ...policy, capacity: randomTree(draw) }, 'the policy gets another tree', 'tree-edited'),
  (draw, atMs, policy) => {
    const swap = { order: draw.one(['launch-first', 'drain-first']), maxSurge: draw.between(1, 4) };
    return putPolicy(atMs, { ...policy, swap }, `the policy swaps ${swap.order}, ${swap.maxSurge} at once`, 'swap-edited');
  },
  (draw, atMs, policy) => {
    // Its target groups stay: without them only `ready` would tell who serves.
    const drain = { ...(policy.drain as Policy | undefined), timeout: draw.one(['10s', '3m']) };
    return putPolicy(atMs, { ...policy, drain }, 'the policy drains for another time');
  },
  (_, atMs, policy) => putPolicy(atMs, { group: policy.group, size: 'many' }, 'the policy is made invalid', 'policy-broken'),
  (_, atMs, policy) => putPolicy(atMs, policy, 'the first policy is written again', 'policy-written-again'),
  (draw, atMs, policy) => rename(atMs, policy, 'renamed', draw.between(0, 90) * 1_000, draw.one(['delete-first', 'delete-first', 'write-first'])),
];

/** The same group held in another way, or by another Auto Scaling group: its members stay where they are until they are let go. */
const moves = (landscape: Landscape, holding: HoldingKind): readonly DrawEdit[] => {
  const held = (other: HoldingKind, prefix: string): Policy =>
    groupIn(landscape, { name: 'web', holding: other, size, targetGroups: namesOf(landscape), prefix }).policy;
  return [
    (draw, atMs) => {
      const other = draw.one(holdings.filter((kind) => kind !== holding));
      return putPolicy(atMs, held(other, 'other-'), `the group is held in another way: ${other}`, 'holding-edited');
    },
    (_, atMs) => putPolicy(atMs, held(holding, 'other-'), 'the group moves to other Auto Scaling groups', 'asg-edited'),
  ];
};

/** What makes an edit meet a change that is under way. */
const storms: readonly ((draw: Draw, atMs: number) => Step)[] = [
  (draw, atMs) => loseZone(atMs, draw.one(zones)),
  (draw, atMs) => interrupt(atMs, draw.between(1, 4)),
  (draw, atMs) => recommendRebalance(atMs, draw.between(1, 3)),
  (draw, atMs) => kill(atMs, draw.between(1, 2)),
  (draw, atMs) => alarm(atMs, draw.one(['high', 'low'])),
  (draw, atMs) => restoreState(atMs, draw.one([30_000, 120_000, 'empty'] as const)),
];

const deleteAndWrite = (draw: Draw, atMs: number, policy: Policy): readonly Step[] => [
  deletePolicy(atMs),
  putPolicy(atMs + draw.between(1, 120) * 1_000, policy, 'the policy is written again', 'policy-written-again'),
];

const drawEdits = (draw: Draw, policy: Policy, kinds: readonly DrawEdit[]): readonly Step[] =>
  Array.from({ length: draw.between(1, 3) }, () => draw.between(1, 90) * 1_000).flatMap((atMs) =>
    draw.chance(0.15) ? deleteAndWrite(draw, atMs, policy) : [draw.one(kinds)(draw, atMs, policy)],
  );

/** The group grows by an alarm, and then its state is as it was before: only its members show that it was told to grow. */
const growAndRestore = (draw: Draw): readonly Step[] => {
  const atMs = draw.between(1, 60) * 1_000;
  return [restoreState(atMs, draw.between(40, 120) * 1_000), alarm(atMs + draw.between(2, 20) * 1_000, 'high')];
};

/** The group grows by an alarm, and then gets another name: the new one begins at the size that its policy says. */
const growsAndIsRenamed = (draw: Draw, world: DrawnWorld, policy: Policy): DrawnWorld => {
  const atMs = draw.between(1, 60) * 1_000;
  const renamedAtMs = atMs + draw.between(60, 150) * 1_000;
  const renamed = rename(renamedAtMs, policy, 'renamed', draw.between(0, 30) * 1_000, 'delete-first');
  // Members of the old name are warned when it is gone.
  const warned = interrupt(renamedAtMs + draw.between(90, 150) * 1_000, 2, 120_000, 'renamed');
  return withSteps({ ...world, steps: [] }, [alarm(atMs, 'high'), renamed, warned]);
};

const drawMore = (draw: Draw, world: DrawnWorld, policy: Policy): DrawnWorld => {
  if (draw.chance(0.25)) return withSteps(world, growAndRestore(draw));
  if (draw.chance(0.2)) return growsAndIsRenamed(draw, world, policy);
  return draw.chance(0.4) ? draw.one(races)(draw, world, policy) : world;
};

export const edited: Profile = {
  about: 'one group whose policy is renamed, deleted, written again, moved and changed in every field, in calm and in storms',
  weight: 8,
  draw: (draw) => {
    const landscape = { ...plainLandscape, spot: draw.between(2, 5), targetGroups: drawTargetGroups(draw) };
    const holding = draw.one(holdings);
    const drawn = draw.chance(0.5) ? { capacity: randomTree(draw) } : {};
    const policy = { ...drawn, ...alarmsBy('+1', '-1'), ...drawHabits(draw) };
    const options = { name: 'web', size, targetGroups: namesOf(landscape), asg: { min: draw.one([0, 0, 2]) } };
    const placed = groupIn(landscape, { ...options, holding, policy });
    // What a move may lead to stands there from the start, empty.
    const others = holdings.flatMap((kind) => groupIn(landscape, { ...options, holding: kind, prefix: 'other-' }).asgs);
    const empty = others.map((asg) => asgSpec(asg.name, asg.market, asg.subnets, { targetGroups: namesOf(landscape) }));
    const kinds = [...edits, ...moves(landscape, holding)];
    const steps = [...drawEdits(draw, placed.policy, kinds), ...(draw.chance(0.6) ? drawSome(draw, storms, { least: 1, most: 2 }) : [])];
    const world = worldOf(draw, { landscape, placed, size, steps, faults: 0.4, restWithinMs: 900_000 });
    return { ...drawMore(draw, world, placed.policy), spec: specOf(landscape, [...placed.asgs, ...empty]) };
  },
};
