import { forkRandom } from '../../../sandbox/random.ts';
import { audit } from './audit.ts';
import { bounds } from './bounds.ts';
import { busy } from './busy.ts';
import { deletions } from './deletions.ts';
import { edited } from './edits.ts';
import { endings } from './endings.ts';
import { huge } from './huge.ts';
import { large } from './large.ts';
import { limits } from './limits.ts';
import { long } from './long.ts';
import { market } from './market.ts';
import { members } from './members.ts';
import { faulty, people, small } from './mixed.ts';
import { modes } from './modes.ts';
import { moments } from './moments.ts';
import { outage } from './outages.ts';
import { outside } from './outside.ts';
import type { Profile } from './profile.ts';
import { rare } from './rare.ts';
import { returns } from './returns.ts';
import { scarce } from './scarce.ts';
import { groups } from './several.ts';
import { shares } from './shares.ts';

export const profileNames = [
  'small',
  'faulty',
  'groups',
  'edits',
  'scarce',
  'market',
  'large',
  'huge',
  'long',
  'members',
  'endings',
  'outages',
  'people',
  'modes',
  'outside',
  'limits',
  'bounds',
  'shares',
  'returns',
  'rare',
  'moments',
  'audit',
  'busy',
  'deletions',
] as const;
export type ProfileName = (typeof profileNames)[number];

/** Every kind of world by its name: each deep in its kind, so that all together are wide. */
export const profiles: Readonly<Record<ProfileName, Profile>> = {
  small,
  faulty,
  groups,
  edits: edited,
  scarce,
  market,
  large,
  huge,
  long,
  members,
  endings,
  outages: outage,
  people,
  modes,
  outside,
  limits,
  bounds,
  shares,
  returns,
  rare,
  moments,
  audit,
  busy,
  deletions,
};

const total = profileNames.reduce((sum, name) => sum + profiles[name].weight, 0);

/** The shares of all worlds that are of these profiles. */
const ownShares = { rare: 0.03, moments: 0.02, audit: 0.03 } as const;

/** The kind of world that a seed is of. */
export const profileOf = (seed: number): ProfileName => {
  // From a stream of its own, so that other seeds are of the kind that they were of before.
  for (const name of ['rare', 'moments', 'audit'] as const) if (forkRandom(seed, name)() < ownShares[name]) return name;
  let left = forkRandom(seed, 'profile')() * total;
  for (const name of profileNames) {
    left -= profiles[name].weight;
    if (left < 0) return name;
  }
  return 'faulty';
};

/** One kind of world that is drawn more often: so many percent of all worlds, whatever its weight. */
export type Often = { readonly profile: ProfileName; readonly percent: number };

/** The kind of world that a seed is of, if one kind is drawn more often. */
export const profileWith = (seed: number, { profile, percent }: Often): ProfileName =>
  // From a stream of its own, so that all other seeds are of the kind that they are of without it.
  forkRandom(seed, 'often')() * 100 < percent ? profile : profileOf(seed);
