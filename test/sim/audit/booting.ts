import { breakBoots } from '../capacity-steps.ts';
import type { Situation } from '../situation.ts';
import { kill } from '../steps.ts';
import { settingOf } from '../worlds.ts';
import { scripted } from './scripted.ts';

const of = scripted(1_500_000);

const six = { web: { size: 6, endsAt: 6 } };
const minuteMs = 60_000;

const made: readonly Situation[] = [
  of('every boot fails, kept by tag', settingOf('tag', { size: 6, max: 12 }), {
    asked: six,
    steps: [breakBoots(1_000, 14 * minuteMs, {}, 'dies', 'Client.InvalidKMSKey.InvalidState'), kill(5_000, 1)],
    calmAtMs: 16 * minuteMs,
  }),
  of('every boot on spot fails, attached', settingOf('attach', { size: 6, max: 12, min: 0 }), {
    asked: six,
    steps: [breakBoots(1_000, 14 * minuteMs, { market: 'spot' }, 'dies', 'Client.InternalError'), kill(5_000, 2), kill(7 * minuteMs, 1)],
    calmAtMs: 16 * minuteMs,
  }),
  of('a user ends what never answers', settingOf('tag', { size: 6, max: 12 }), {
    asked: six,
    steps: [breakBoots(1_000, 2 * minuteMs, {}, 'never-answers'), kill(5_000, 2)],
    calmAtMs: 5 * minuteMs,
  }),
];

/** Situations in which instances do not come up. */
export const booting: Readonly<Record<string, () => Situation>> = Object.fromEntries(made.map((situation) => [situation.name, () => situation]));
