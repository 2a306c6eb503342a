import { forkRandom } from '../../sandbox/random.ts';
import { type ProfileName, profileOf, profiles } from './profiles/list.ts';
import type { DrawnWorld } from './profiles/profile.ts';
import { withLastingAlarms } from './random-alarms.ts';
import { withBounds } from './random-bounds.ts';
import { withBusyHour } from './random-busy.ts';
import { type Draw, drawFrom, type Trouble } from './random-draw.ts';
import { withFurtherParts } from './random-further-parts.ts';
import { withLoad } from './random-load.ts';
import { withMeetings } from './random-meetings.ts';
import { withMixture } from './random-mixture.ts';
import { withOwnerHolds } from './random-owner-holds.ts';
import { withOwnerSettings } from './random-owner-settings.ts';
import { withOwnerWeights } from './random-owner-weights.ts';
import { withReady } from './random-ready.ts';
import { withRemovals } from './random-removals.ts';
import { withRings } from './random-rings.ts';
import { withOwnScaling } from './random-scaling.ts';
import { withSecondAct } from './random-second-act.ts';
import { withTerms } from './random-terms.ts';
import { withTightGroups } from './random-tight-groups.ts';
import { withTrouble } from './random-trouble.ts';
import { withVersions } from './random-versions.ts';
import { withFaultsWhileWarned } from './random-warned-faults.ts';
import type { Situation } from './situation.ts';

/** What is played of a seed: everything, when nothing is said. */
export type Choice = {
  /** The kind of world; without one the seed picks it. */
  readonly profile?: ProfileName;
  /** Trouble that the world has, whatever is drawn; of the faulty profile then. */
  readonly always?: Trouble;
  /** Numbers of the steps that are played, counted from 1 as they were drawn. */
  readonly keep?: readonly number[];
  /** The same for faults. */
  readonly faults?: readonly number[];
};

/** Worlds in which EC2 may take and advise again at the end. The others are made for one moment, take long, or hold no group that can be whole. */
const withTwoActs: ReadonlySet<ProfileName> = new Set([
  ...(['small', 'faulty', 'people', 'edits', 'market', 'members', 'endings', 'outages', 'modes'] as const),
  ...(['limits', 'bounds', 'shares', 'returns', 'busy'] as const),
]);

/** Worlds whose policies say little: in some of them they bound what Holdfast may do. */
const withSomeBounds: ReadonlySet<ProfileName> = new Set(['small', 'faulty', 'people', 'members', 'endings', 'busy'] as const);
/** Worlds whose policies say nothing of spares, shares, prices and returns: in some of them they do. */
const withSomeTerms: ReadonlySet<ProfileName> = new Set([...withSomeBounds, 'bounds', 'outages', 'modes'] as const);
/** Worlds of one kind of trouble: some of them have another kind beside it. */
const withMoreTrouble: ReadonlySet<ProfileName> = new Set([...withSomeTerms, 'shares', 'limits', 'market', 'returns', 'scarce'] as const);

/** Worlds in which a change of the owner, a loss and a failing call may meet within seconds. */
const withSomeMeetings: ReadonlySet<ProfileName> = new Set([
  ...(['edits', 'people', 'members', 'faulty', 'outages', 'endings'] as const),
  ...(['small', 'bounds', 'limits', 'market'] as const),
]);

/** Worlds whose members may be in an Auto Scaling group without room, or with hooks. */
const withSomeTightGroups: ReadonlySet<ProfileName> = new Set([
  'small',
  'faulty',
  'edits',
  'endings',
  'outages',
  'bounds',
  'limits',
  'market',
] as const);

type Widening = {
  readonly of: ReadonlySet<ProfileName>;
  readonly stream: string;
  readonly widen: (world: DrawnWorld, draw: Draw) => DrawnWorld;
};

/** What worlds of these kinds have beside what their kind draws, each from a stream of its own: all else in a seed is as it was without it. */
const wider: readonly Widening[] = [
  { of: withSomeTerms, stream: 'terms', widen: withTerms },
  { of: withMoreTrouble, stream: 'trouble', widen: withTrouble },
  { of: withTwoActs, stream: 'faults while warned', widen: withFaultsWhileWarned },
  { of: withTwoActs, stream: 'load', widen: withLoad },
  { of: withSomeMeetings, stream: 'meetings', widen: withMeetings },
  { of: withSomeTightGroups, stream: 'tight groups', widen: withTightGroups },
  { of: withTwoActs, stream: 'removals', widen: withRemovals },
];

const only = <T>(list: readonly T[], numbers: readonly number[] | undefined): readonly T[] =>
  numbers === undefined ? list : list.filter((_, index) => numbers.includes(index + 1));

/** A world, policies, a script and faults that all follow from one seed. */
export const randomSituation = (seed: number, { profile, always, keep, faults }: Choice = {}): Situation => {
  const name = profile ?? (always === undefined ? profileOf(seed) : 'faulty');
  const drawn = profiles[name].draw(drawFrom(forkRandom(seed, 'situation'), always));
  // From a stream of its own, so that all else in a seed is as it was without it.
  const bounded = withSomeBounds.has(name) && always === undefined ? withBounds(drawn, drawFrom(forkRandom(seed, 'bounds'))) : drawn;
  const whole = withTwoActs.has(name) ? withSecondAct(bounded, drawFrom(forkRandom(seed, 'second act'))) : bounded;
  const wide = wider
    .filter(({ of }) => of.has(name) && always === undefined)
    .reduce((before, { stream, widen }) => widen(before, drawFrom(forkRandom(seed, stream))), whole);
  const owned = name === 'outside' ? withOwnerSettings(wide, drawFrom(forkRandom(seed, 'owner settings'))) : wide;
  const held = name === 'outside' ? withOwnerHolds(owned, drawFrom(forkRandom(seed, 'owner holds'))) : owned;
  const told = withLastingAlarms(withReady(held, drawFrom(forkRandom(seed, 'ready'))), drawFrom(forkRandom(seed, 'alarms')));
  const scaled = withOwnScaling(told, drawFrom(forkRandom(seed, 'own scaling')));
  const hour = name === 'busy' ? withBusyHour(scaled, drawFrom(forkRandom(seed, 'busy hour'))) : scaled;
  const ringing = withRings(hour, drawFrom(forkRandom(seed, 'rings')));
  const versions = withVersions(ringing, drawFrom(forkRandom(seed, 'template versions')));
  const owner = name === 'outside' ? withOwnerWeights(versions, drawFrom(forkRandom(seed, 'owner weights'), always)) : versions;
  const isMixed = withMoreTrouble.has(name) && always === undefined;
  const mixed = isMixed ? withMixture(owner, drawFrom(forkRandom(seed, 'mixture'))) : owner;
  const world = isMixed ? withFurtherParts(mixed, drawFrom(forkRandom(seed, 'further parts'))) : mixed;
  return {
    name: `seed ${seed} (${name})`,
    seed,
    ...world,
    steps: only(world.steps, keep),
    faults: only(world.faults ?? [], faults),
  };
};
