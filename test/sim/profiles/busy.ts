import { bounds } from './bounds.ts';
import { endings } from './endings.ts';
import { limits } from './limits.ts';
import { members } from './members.ts';
import { faulty } from './mixed.ts';
import { modes } from './modes.ts';
import type { Profile } from './profile.ts';
import { returns } from './returns.ts';
import { shares } from './shares.ts';

/** Kinds of worlds whose beginning a busy world takes over. What happens in the hour after it is drawn once its policy is whole. */
const beginnings: readonly Profile[] = [faulty, members, endings, modes, limits, bounds, shares, returns];

export const busy: Profile = {
  about: 'one group in whose hour much happens: losses, warnings, alarms, edits and trouble, one after the other, while earlier ones go on',
  // Only `--profile` plays it, as long as too many of its worlds break a rule.
  weight: 0,
  draw: (draw) => draw.one(beginnings).draw(draw),
};
