import { noCapacity } from '../capacity-steps.ts';
import type { Draw } from '../random-draw.ts';
import type { Step } from '../situation.ts';
import { alarm, interrupt, kill, loseZone, setSpot } from '../steps.ts';
import { catalogue, groupIn, holdings, onDemandPools, plainLandscape, spotPools, zones } from '../worlds.ts';
import { calmAfter, type DrawnWorld, drawSome, minutes, type Profile, seconds, withSteps } from './profile.ts';
import { alarmsBy, drawHabits, drawTargetGroups, namesOf, worldOf } from './usual.ts';

const drawReturn = (draw: Draw) => ({
  after: draw.one(['1m', '2m', '3m']),
  every: draw.one(['1m', '2m']),
  atMost: draw.one([1, 2, '50%']),
});

/**
 * Times of the first day in which members may move, as a clock of a time zone shows them. The world begins at 00:00 UTC on a Thursday. Some open
 * while members wait to move, some close then.
 */
const windows = [
  { window: '00:00-00:20' },
  { window: ['00:00-00:12', '00:30-23:00'] },
  { window: 'thu 00:25-06:00' },
  { window: 'wed 22:00-00:15' },
  { window: '00:00-01:18', timezone: 'Europe/Berlin' },
  { window: '00:10-00:59', timezone: 'Europe/Berlin' },
  { window: 'wed 19:20-23:00', timezone: 'America/New_York' },
  { window: ['05:00-05:40', '05:55-07:00'], timezone: 'Asia/Kolkata' },
] as const;

const drawCapacity = (draw: Draw): unknown =>
  draw.one([
    { tiered: [{ spread: spotPools }, { spread: onDemandPools }] },
    { tiered: [{ spread: spotPools, by: 'zone' }, { spread: onDemandPools }] },
    { tiered: [...spotPools, { spread: onDemandPools }] },
    { spread: spotPools },
  ]);

/** Spot goes and comes back, in one zone or in all; members are taken and lost meanwhile. */
const steps: readonly ((draw: Draw, atMs: number) => Step)[] = [
  (draw, atMs) => noCapacity(atMs, minutes(draw, 1, 6), ['spot'], zones),
  (draw, atMs) => noCapacity(atMs, minutes(draw, 1, 6), ['spot'], [draw.one(zones)]),
  (draw, atMs) => interrupt(atMs, draw.between(1, 4)),
  (draw, atMs) => loseZone(atMs, draw.one(zones)),
  (draw, atMs) => kill(atMs, draw.between(1, 2)),
  (draw, atMs) => alarm(atMs, draw.one(['high', 'low'])),
];

/** Where zones are lost for good and the tree has spot alone, nothing else could give the size. */
const givesAgain = setSpot(660_000, zones, 12);

/** For so long after the last step the world goes on, so that members have time to move. */
const goesOnMs = 30 * 60_000;

/** Spot gives nothing for so long that the rests of its offerings grow beyond what keeps members from moving back. */
const longShortage = (draw: Draw, world: DrawnWorld): DrawnWorld => {
  const atMs = draw.between(1, 30) * 1_000;
  const steps = [noCapacity(atMs, minutes(draw, 24, 32), ['spot'], zones), interrupt(atMs + draw.between(5, 60) * 1_000, draw.between(2, 4))];
  return { ...withSteps(world, steps), calmAtMs: calmAfter(steps) + goesOnMs };
};

const inWindow = (world: DrawnWorld, window: object): DrawnWorld => ({
  ...world,
  policies: world.policies.map((policy) => ({ ...policy, return: { ...(policy.return as object), ...window } })),
});

/** A window that began the evening before, and is open for as long as the world goes on. */
const overnight = { window: 'wed 22:00-05:00' } as const;

/** Spot goes for a while. It comes back, and EC2 takes several members at once: a breaker opens while others could move. */
const brokenWhileReturning = (draw: Draw, world: DrawnWorld): DrawnWorld => {
  const breaker = { interruptions: 2, within: '5m', hold: draw.one(['10m', '20m']) };
  const backMs = minutes(draw, 3, 5);
  const taken = [interrupt(seconds(draw, 10, 30), 3), interrupt(backMs + seconds(draw, 10, 40), draw.between(2, 3))];
  const policies = world.policies.map((policy) => ({ ...policy, breaker }));
  const steps = [noCapacity(1_000, backMs, ['spot'], zones), ...taken];
  return { ...withSteps({ ...world, policies }, steps), calmAtMs: calmAfter(steps) + goesOnMs };
};

/** EC2 takes the youngest members soon after each move, three times and more. */
const takenAfterMoves = (draw: Draw, world: DrawnWorld): DrawnWorld => {
  const policies = world.policies.map((policy) => ({ ...policy, return: { after: '1m', every: '1m', atMost: '50%' } }));
  const turns = [0, 1, 2, 3, 4].map((turn) => 8 * 60_000 * turn + seconds(draw, 1, 20));
  const steps = turns.flatMap((atMs) => [noCapacity(atMs, 60_000, ['spot'], zones), interrupt(atMs + 5_000, draw.between(2, 3))]);
  return { ...withSteps({ ...world, policies }, steps), calmAtMs: calmAfter(steps) + goesOnMs };
};

/** EC2 takes members twice soon after their launch. They may move again only when the second back-off is over, which is longer than all rests. */
const takenTwice = (draw: Draw, world: DrawnWorld): DrawnWorld => {
  const policies = world.policies.map((policy) => ({ ...policy, return: { after: '3m', every: '1m', atMost: '50%' } }));
  const turns = [0, 1].map((turn) => minutes(draw, 9, 10) * turn + seconds(draw, 1, 20));
  const steps = turns.flatMap((atMs) => [noCapacity(atMs, 60_000, ['spot'], zones), interrupt(atMs + 5_000, draw.between(3, 5))]);
  return { ...withSteps({ ...world, policies, steps: [] }, steps), calmAtMs: calmAfter(steps) + goesOnMs };
};

/** Two families, each in a pool of its own. A breaker over the later one opens when the earlier one gives again. */
const brokenFamily = (draw: Draw): DrawnWorld => {
  const [first, second] = catalogue;
  const landscape = { ...plainLandscape, types: [first, second], spot: draw.between(6, 8), targetGroups: drawTargetGroups(draw) };
  const size = { min: 1, max: 12, desired: draw.between(4, 6) };
  const placed = groupIn(landscape, {
    name: 'web',
    holding: draw.one(['tag', 'attach']),
    size,
    targetGroups: namesOf(landscape),
    policy: {
      capacity: { tiered: ['spot-a', 'spot-b', { spread: onDemandPools }] },
      return: { after: '1m', every: '1m', atMost: draw.one([1, 2]) },
      breaker: { interruptions: 2, within: '5m', hold: '20m' },
      ...drawHabits(draw),
    },
    pools: { 'spot-a': { instanceTypes: [first.name] }, 'spot-b': { instanceTypes: [second.name] } },
    asg: { min: 0 },
  });
  const backMs = minutes(draw, 3, 4);
  const steps = [noCapacity(1_000, backMs, ['spot'], [zones[0]]), interrupt(5_000, size.desired), interrupt(backMs + seconds(draw, 20, 50), 2)];
  const world = worldOf(draw, { landscape, placed, size, steps, faults: 0, restWithinMs: 1_800_000 });
  return { ...world, calmAtMs: calmAfter(steps) + goesOnMs };
};

export const returns: Profile = {
  about: 'spot that goes and comes back, and members that move to earlier tiers and even out their zones meanwhile and afterwards',
  weight: 4,
  draw: (draw) => {
    const landscape = { ...plainLandscape, spot: draw.between(4, 8), targetGroups: drawTargetGroups(draw) };
    const size = { min: 1, max: 12, desired: draw.between(3, 7) };
    const placed = groupIn(landscape, {
      name: 'web',
      holding: draw.one(holdings),
      size,
      targetGroups: namesOf(landscape),
      policy: {
        capacity: drawCapacity(draw),
        return: drawReturn(draw),
        ...alarmsBy('+2', '-2'),
        ...drawHabits(draw),
        ...(draw.chance(0.3) ? { spare: draw.between(1, 2) } : {}),
      },
      asg: { min: 0 },
    });
    const drawn = drawSome(draw, steps, { least: 2, most: 6, withinSeconds: 600 });
    const isSpotAlone = !JSON.stringify(placed.policy.capacity).includes('od-');
    const world = worldOf(draw, {
      landscape,
      placed,
      size,
      steps: isSpotAlone ? [...drawn, givesAgain] : drawn,
      faults: 0.2,
      restWithinMs: 1_800_000,
    });
    const calm = { ...world, calmAtMs: world.calmAtMs + goesOnMs };
    const windowed = draw.chance(0.4) ? inWindow(calm, draw.one(windows)) : calm;
    const usual = draw.chance(0.1) && !isSpotAlone ? longShortage(draw, windowed) : windowed;
    const special = () => draw.one([() => inWindow(calm, overnight), () => brokenWhileReturning(draw, calm), () => takenAfterMoves(draw, calm)])();
    const earlier = isSpotAlone || !draw.chance(0.35) ? usual : special();
    // Drawn last, so that the other seeds are as they were without it.
    if (!draw.chance(0.15)) return earlier;
    return isSpotAlone || draw.chance(0.5) ? brokenFamily(draw) : takenTwice(draw, calm);
  },
};
