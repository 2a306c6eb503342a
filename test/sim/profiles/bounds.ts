import { durationMs } from '../../../core/policy/accepted.ts';
import type { FaultInput } from '../../../sandbox/fault-schema.ts';
import { noCapacity } from '../capacity-steps.ts';
import type { Draw } from '../random-draw.ts';
import { randomTree } from '../random-tree.ts';
import type { Step } from '../situation.ts';
import { alarm, interrupt, kill, loseZone, recommendRebalance } from '../steps.ts';
import { catalogue, groupIn, holdings, plainLandscape, spotPools, type TypeTerms, zones } from '../worlds.ts';
import { type DrawnWorld, drawSome, minutes, type Profile, seconds } from './profile.ts';
import { alarmsBy, drawHabits, drawTargetGroups, namesOf, worldOf } from './usual.ts';

/** How often a group may launch: seldom enough that losses meet the limit, and often enough that it comes up. */
const drawLaunches = (draw: Draw, desired: number) => ({
  atMost: draw.one([desired + draw.between(2, 5), 2 * desired, '100%', '200%']),
  within: draw.one(['2m', '5m', '10m']),
});

type Size = { readonly max?: number; readonly desired?: number };

const drawBreaker = (draw: Draw) => ({
  interruptions: draw.between(2, 5),
  within: draw.one(['3m', '10m']),
  hold: draw.one(['1m', '3m', '10m']),
});

/** What policies say of bounds. */
export const drawBounds = (draw: Draw, desired: number) => ({
  ...(draw.chance(0.7) ? { launches: drawLaunches(draw, desired) } : {}),
  ...(draw.chance(0.6) ? { breaker: drawBreaker(draw) } : {}),
  ...(draw.chance(0.5) ? { rebalance: { act: true, atMostPerHour: draw.between(1, 3) } } : {}),
});

/** A limit may hold a launch back for this long at least, with some looks more. */
const boundedWithinMs = 900_000;

/**
 * The longest time that the limit of a policy may hold its last launch back. A group may grow to its maximum size, and move each of its members once.
 */
export const heldBackMs = (policy: Readonly<Record<string, unknown>>): number => {
  const { size, launches } = policy as { readonly size?: Size; readonly launches?: ReturnType<typeof drawLaunches> };
  if (launches === undefined) return boundedWithinMs;
  const { atMost, within } = launches;
  const { max = 0, desired = 3 } = size ?? {};
  const most = typeof atMost === 'number' ? atMost : (desired * Number.parseInt(atMost, 10)) / 100;
  return Math.max(boundedWithinMs, Math.ceil((2 * max) / Math.max(1, most)) * durationMs(within));
};

const losses: readonly ((draw: Draw, atMs: number) => Step)[] = [
  (draw, atMs) => kill(atMs, draw.between(1, 5)),
  (draw, atMs) => kill(atMs, draw.between(1, 5)),
  (draw, atMs) => kill(atMs, draw.between(1, 5)),
  (draw, atMs) => interrupt(atMs, draw.between(1, 5)),
  (draw, atMs) => interrupt(atMs, draw.between(1, 5)),
  (draw, atMs) => recommendRebalance(atMs, draw.between(1, 4)),
  (draw, atMs) => loseZone(atMs, draw.one(zones)),
  (draw, atMs) => noCapacity(atMs, minutes(draw, 1, 4), ['spot'], zones),
  (draw, atMs) => alarm(atMs, draw.one(['high', 'low'])),
];

/** In this time a breaker is half-open for as long as most policies hold it, and nothing else happens. */
const untilClosedMs = 900_000;

type Document = Readonly<Record<string, unknown>>;
type Special = {
  readonly policy: Document;
  readonly steps: readonly Step[];
  readonly faults?: readonly FaultInput[];
  readonly types?: readonly TypeTerms[];
};

const specialWorld = (draw: Draw, { policy, steps, faults = [], types = plainLandscape.types }: Special): DrawnWorld => {
  const landscape = { ...plainLandscape, types, spot: draw.between(5, 8), targetGroups: drawTargetGroups(draw, [5, 20]) };
  const size = { min: 1, max: 12, desired: 6 };
  const all = { ...drawHabits(draw, ['20s', '30s']), ...policy };
  const placed = groupIn(landscape, {
    name: 'web',
    holding: draw.one(['tag', 'attach']),
    size,
    targetGroups: namesOf(landscape),
    policy: all,
    asg: { min: 0 },
  });
  return { ...worldOf(draw, { landscape, placed, size, steps, faults: 0, restWithinMs: 1_800_000 }), faults };
};

/** Two families, of which EC2 takes members in turn. The breaker of each counts its own interruptions. */
const twoFamilies = (draw: Draw): DrawnWorld =>
  specialWorld(draw, {
    types: catalogue.slice(0, 2),
    policy: { breaker: { interruptions: draw.between(2, 3), within: '10m', hold: draw.one(['1m', '3m']) } },
    steps: [1, 2, 3, 4].map((turn) => interrupt(seconds(draw, 1, 20) + 60_000 * turn, draw.between(1, 2))),
  });

/** Instances die one after another, faster than the limit counts, and some launches have no response. */
const diesInARow = (draw: Draw): DrawnWorld => {
  const lost: FaultInput = {
    on: 'call',
    kind: 'lose-answer',
    match: { operation: ['CreateFleet', 'LaunchInstances'] },
    fromMs: 0,
    untilMs: seconds(draw, 20, 60),
  };
  const everyMs = seconds(draw, 3, 8);
  return specialWorld(draw, {
    policy: { launches: { atMost: draw.between(7, 9), within: draw.one(['5m', '10m']) } },
    steps: Array.from({ length: 6 }, (_, turn) => kill(1_000 + everyMs * turn, 1)),
    faults: draw.chance(0.4) ? [lost] : [],
  });
};

/** More members are advised to leave than the hour allows, and each is replaced within a minute. */
const adviceInARow = (draw: Draw): DrawnWorld =>
  specialWorld(draw, {
    policy: { rebalance: { act: true, atMostPerHour: draw.between(2, 3) }, swap: { order: draw.one(['launch-first', 'drain-first']), maxSurge: 1 } },
    steps: [recommendRebalance(seconds(draw, 1, 10), draw.between(4, 6))],
  });

const breaking = (interruptions: number, within: string, hold: string) => ({ breaker: { interruptions, within, hold } });
const spotAlone = { capacity: { spread: spotPools } };

/** EC2 takes members one by one, so slowly that a breaker counts each alone. */
const takenSlowly = (draw: Draw): DrawnWorld =>
  specialWorld(draw, {
    policy: breaking(draw.between(2, 3), '3m', '10m'),
    steps: [0, 1, 2, 3].map((turn) => interrupt(seconds(draw, 1, 10) + turn * seconds(draw, 250, 330), 1)),
  });

/** Advice comes in waves some minutes apart, several members at a time, and within the hour more than the policy lets leave. */
const adviceInWaves = (draw: Draw): DrawnWorld =>
  specialWorld(draw, {
    policy: {
      rebalance: { act: true, atMostPerHour: draw.between(3, 4) },
      swap: { order: draw.one(['launch-first', 'drain-first']), maxSurge: draw.between(2, 3) },
    },
    steps: [0, 1, 2].map((turn) => recommendRebalance(seconds(draw, 1, 20) + turn * minutes(draw, 5, 8), draw.between(2, 3))),
  });

/** Spot is all that a group has. A breaker opens, and EC2 advises to leave members that could wait. */
const advisedUnderBreaker = (draw: Draw): DrawnWorld =>
  specialWorld(draw, {
    policy: { ...spotAlone, ...breaking(2, '5m', '10m'), rebalance: { act: true }, swap: { order: 'launch-first', maxSurge: draw.between(1, 3) } },
    steps: [interrupt(seconds(draw, 1, 10), draw.between(2, 3)), recommendRebalance(minutes(draw, 2, 5), draw.between(1, 3))],
  });

/** The launch that tests a breaker leaves again before it has lived for its time: the group shrinks, the newest first. */
const trialLeaves = (draw: Draw): DrawnWorld => {
  const halfOpenMs = seconds(draw, 70, 90);
  return specialWorld(draw, {
    policy: { ...breaking(2, '10m', '1m'), removal: { order: 'newest-first' }, ...alarmsBy('+2', '-2') },
    steps: [
      interrupt(seconds(draw, 1, 5), 2),
      alarm(halfOpenMs, 'high'),
      alarm(halfOpenMs + seconds(draw, 280, 340), 'low'),
      alarm(halfOpenMs + seconds(draw, 400, 440), 'low'),
    ],
  });
};

/** Every message comes twice at about the same time, so that two functions receive each warning. */
const warnedTwice = (draw: Draw): DrawnWorld => ({
  ...specialWorld(draw, {
    policy: { ...breaking(draw.between(3, 4), '10m', '3m'), launches: { atMost: draw.between(9, 12), within: '10m' } },
    steps: [0, 1, 2].map((turn) => interrupt(seconds(draw, 1, 30) + turn * 90_000, draw.between(1, 2))),
    faults: [{ on: 'message', kind: 'duplicate', withinMs: draw.one([100, 500]) }],
  }),
});

const laterSpecials = [takenSlowly, adviceInWaves, advisedUnderBreaker, trialLeaves, warnedTwice] as const;

export const bounds: Profile = {
  about: 'policies that bound how often a group launches, and losses that meet the bounds',
  weight: 6,
  draw: (draw) => {
    const landscape = { ...plainLandscape, spot: draw.between(4, 8), targetGroups: drawTargetGroups(draw) };
    const size = { min: 1, max: 12, desired: draw.between(3, 7) };
    const placed = groupIn(landscape, {
      name: 'web',
      holding: draw.one(holdings),
      size,
      targetGroups: namesOf(landscape),
      policy: {
        capacity: randomTree(draw),
        ...alarmsBy('+2', '-2'),
        ...drawHabits(draw),
        ...drawBounds(draw, size.desired),
      },
      asg: { min: 0 },
    });
    const steps = drawSome(draw, losses, { least: 3, most: 9, withinSeconds: 420 });
    const world = worldOf(draw, { landscape, placed, size, steps, faults: 0.3, restWithinMs: 1_800_000 });
    const drawn = draw.chance(0.25) ? { ...world, calmAtMs: world.calmAtMs + untilClosedMs } : world;
    const usual = draw.chance(0.35) ? draw.one([twoFamilies, diesInARow, adviceInARow])(draw) : drawn;
    // Drawn last, so that the other seeds are as they were without it.
    if (draw.chance(0.5)) return usual;
    const special = draw.one(laterSpecials)(draw);
    return { ...special, calmAtMs: Math.max(special.calmAtMs, untilClosedMs) };
  },
};
