import { noCapacity } from '../capacity-steps.ts';
import type { Draw } from '../random-draw.ts';
import { randomTree } from '../random-tree.ts';
import type { Step } from '../situation.ts';
import { alarm, interrupt, kill, loseZone, putPolicy, recommendRebalance } from '../steps.ts';
import { catalogue, groupIn, type HoldingKind, holdings, onDemandPools, plainLandscape, spotPools, zones } from '../worlds.ts';
import { drawBounds } from './bounds.ts';
import { drawSome, minutes, type Profile } from './profile.ts';
import { alarmsBy, drawHabits, drawTargetGroups, namesOf, worldOf } from './usual.ts';

type Document = Readonly<Record<string, unknown>>;

/** How many are kept on demand: by a number, by a share, or by the larger of both. */
const drawFloor = (draw: Draw): Document =>
  draw.one([
    { floor: draw.between(1, 4) },
    { percent: `${draw.between(1, 6)}0%` },
    { floor: draw.between(0, 3), percent: `${draw.between(5, 45)}%` },
  ]);

/**
 * Shares that the two zones with on-demand pools can fill the group with: what a share forbids is never launched, so a group that lost a zone
 * would otherwise stay short for good. Auto Scaling groups of several types choose among them by themselves.
 */
const drawShare = (draw: Draw, holding: HoldingKind, types: number): Document => {
  const ofZone = { zone: `${draw.between(50, 90)}%` };
  const ofOffering = { offering: `${types === 1 ? draw.between(50, 80) : draw.between(25, 60)}%` };
  if (holding === 'launch-instances') return types === 1 ? draw.one([ofZone, ofOffering]) : ofZone;
  const ofType = { instanceType: `${types === 1 ? 100 : draw.between(50, 80)}%` };
  return draw.one([ofZone, ofOffering, ofType, { ...ofZone, ...ofType }]);
};

/** What policies say of shares and of members on demand. */
export const drawShares = (draw: Draw, holding: HoldingKind, types: number): Document => ({
  ...(draw.chance(0.65) ? { onDemand: drawFloor(draw) } : {}),
  ...(draw.chance(0.6) ? { maxShare: drawShare(draw, holding, types) } : {}),
});

const drawCapacity = (draw: Draw): unknown =>
  draw.one([
    { tiered: [{ spread: spotPools }, { spread: onDemandPools }] },
    { tiered: [{ spread: spotPools, by: 'zone' }, { cheapest: onDemandPools }] },
    {
      weighted: [
        { use: { spread: spotPools }, weight: 80 },
        { use: { tiered: onDemandPools }, weight: 20 },
      ],
    },
    { cheapest: [...spotPools, ...onDemandPools] },
    // Nothing spreads here, so the shares bind at every launch.
    { tiered: [...spotPools, ...onDemandPools] },
    { tiered: [{ cheapest: spotPools }, { cheapest: onDemandPools }] },
    randomTree(draw),
  ]);

const steps = (policy: Document, again: (draw: Draw) => Document): readonly ((draw: Draw, atMs: number) => Step)[] => [
  (draw, atMs) => interrupt(atMs, draw.between(1, 4)),
  (draw, atMs) => interrupt(atMs, draw.between(1, 4)),
  (draw, atMs) => kill(atMs, draw.between(1, 3)),
  (draw, atMs) => kill(atMs, draw.between(1, 3)),
  (draw, atMs) => recommendRebalance(atMs, draw.between(1, 3)),
  (draw, atMs) => alarm(atMs, draw.one(['high', 'low'])),
  (draw, atMs) => alarm(atMs, draw.one(['high', 'low'])),
  (draw, atMs) => loseZone(atMs, draw.one(zones)),
  (draw, atMs) => noCapacity(atMs, minutes(draw, 1, 4), ['spot'], draw.chance(0.5) ? zones : [draw.one(zones)]),
  (draw, atMs) => noCapacity(atMs, minutes(draw, 1, 4), ['on-demand'], draw.chance(0.5) ? zones : [draw.one(zones)]),
  (draw, atMs) => {
    const { onDemand: _floor, maxShare: _shares, ...rest } = policy;
    return putPolicy(atMs, { ...rest, ...again(draw) }, 'the policy has other shares', 'shares-edited');
  },
  (draw, atMs) => {
    const { onDemand: _floor, ...rest } = policy;
    return putPolicy(atMs, { ...rest, onDemand: drawFloor(draw) }, 'the policy keeps others on demand', 'shares-edited');
  },
];

export const shares: Profile = {
  about: 'members that are kept on demand, and shares that one type, zone or offering may hold, through storms, edits and alarms',
  weight: 6,
  draw: (draw) => {
    const types = catalogue.slice(0, draw.between(1, 2));
    const landscape = { ...plainLandscape, types, spot: draw.between(3, 7), targetGroups: drawTargetGroups(draw) };
    const holding = draw.one(holdings);
    const size = { min: 1, max: 12, desired: draw.between(3, 9) };
    const again = (other: Draw): Document => drawShares(other, holding, types.length);
    const policy = {
      capacity: drawCapacity(draw),
      ...again(draw),
      removal: { order: draw.one(['dearest-first', 'oldest-first', 'newest-first', 'same-order']) },
      ...alarmsBy(draw.one(['+2', '+50%']), draw.one(['-2', '-40%'])),
      ...drawHabits(draw),
      ...(draw.chance(0.3) ? { return: false } : {}),
      ...(draw.chance(0.3) ? drawBounds(draw, size.desired) : {}),
    };
    const placed = groupIn(landscape, { name: 'web', holding, size, targetGroups: namesOf(landscape), policy, asg: { min: 0 } });
    const drawn = drawSome(draw, steps(placed.policy, again), { least: 2, most: 6, withinSeconds: 300 });
    return worldOf(draw, { landscape, placed, size, steps: drawn, faults: 0.25, restWithinMs: 1_800_000 });
  },
};
