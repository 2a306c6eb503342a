import type { Draw } from '../random-draw.ts';
import { randomTree } from '../random-tree.ts';
import type { Step } from '../situation.ts';
import { alarm, interrupt, kill, loseZone, putPolicy, raiseDesired, recommendRebalance } from '../steps.ts';
import { groupIn, holdings, plainLandscape, zones } from '../worlds.ts';
import { drawSome, type Profile } from './profile.ts';
import { alarmsBy, drawHabits, drawTargetGroups, namesOf, worldOf } from './usual.ts';

type Policy = Readonly<Record<string, unknown>>;

const size = { min: 1, max: 10, desired: 5 };

const inMode = (atMs: number, policy: Policy, mode: string, more: Policy = {}): Step =>
  putPolicy(atMs, { ...policy, mode, ...more }, `the mode becomes ${mode}`, 'mode-edited');

/** The mode changes, perhaps again, and the group acts at last. Each change is drawn near the trouble. */
const drawModes = (draw: Draw, policy: Policy): readonly Step[] => {
  const first = draw.between(1, 60) * 1_000;
  const second = first + draw.between(5, 150) * 1_000;
  const third = second + draw.between(5, 150) * 1_000;
  const [one, other] = draw.chance(0.5) ? ['observe', 'pause'] : ['pause', 'observe'];
  const between = draw.one(['act', other, other]) ?? 'act';
  const resized = draw.chance(0.2) ? { size: { ...size, desired: draw.between(2, 8) } } : {};
  return [
    inMode(first, policy, one ?? 'observe', resized),
    ...(draw.chance(0.6) ? [inMode(second, policy, between, resized)] : []),
    inMode(third, policy, 'act', resized),
  ];
};

/** What would have been acted on. */
const troubles: readonly ((draw: Draw, atMs: number) => Step)[] = [
  (draw, atMs) => loseZone(atMs, draw.one(zones)),
  (draw, atMs) => interrupt(atMs, draw.between(1, 3)),
  (draw, atMs) => interrupt(atMs, draw.between(1, 3)),
  (draw, atMs) => recommendRebalance(atMs, draw.between(1, 3)),
  (draw, atMs) => kill(atMs, draw.between(1, 2)),
  (draw, atMs) => alarm(atMs, draw.one(['high', 'low'])),
];

export const modes: Profile = {
  about: 'one group that is observed or paused for a while, as trouble comes and while launches, drains and swaps are under way',
  weight: 3,
  draw: (draw) => {
    const landscape = { ...plainLandscape, spot: draw.between(3, 6), targetGroups: drawTargetGroups(draw) };
    const holding = draw.one(holdings);
    const drawn = draw.chance(0.4) ? { capacity: randomTree(draw) } : {};
    const policy = { ...drawn, ...alarmsBy('+1', '-1'), ...drawHabits(draw) };
    const hooks = draw.chance(0.4)
      ? [{ name: 'drain', transition: 'terminating' as const, heartbeatSeconds: 120, defaultResult: 'CONTINUE' as const }]
      : [];
    const asg = { min: draw.one([0, 0, 2]), ...(hooks.length > 0 && { hooks }) };
    const placed = groupIn(landscape, { name: 'web', size, targetGroups: namesOf(landscape), asg, holding, policy });
    const names = placed.asgs.map(({ name }) => name);
    const raised = names.length > 0 && draw.chance(0.3) ? [raiseDesired(draw.between(1, 200) * 1_000, draw.one(names))] : [];
    const trouble = drawSome(draw, troubles, { least: 1, most: 4, withinSeconds: 240 });
    const steps = [...drawModes(draw, placed.policy), ...trouble, ...raised];
    return worldOf(draw, { landscape, placed, size, steps, faults: 0.3, restWithinMs: 900_000 });
  },
};
