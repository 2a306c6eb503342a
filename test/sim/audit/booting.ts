import { breakBoots } from '../capacity-steps.ts';
import type { Situation, Step } from '../situation.ts';
import { interrupt, kill } from '../steps.ts';
import { settingOf } from '../worlds.ts';
import { scripted } from './scripted.ts';

const of = scripted(1_500_000);

const six = { web: { size: 6, endsAt: 6 } };
const minuteMs = 60_000;

/** The user ends what has not come up yet, through EC2. */
const endPending = (atMs: number): Step => ({
  kind: 'ended-by-user',
  atMs,
  what: 'the user ends what is pending',
  happen: async (stage) => {
    const InstanceIds = stage.members('web').flatMap(({ id, state }) => (state === 'pending' ? [id] : []));
    stage.did({ kind: 'ended-by-user', instances: InstanceIds, groups: ['web'] });
    if (InstanceIds.length > 0) await stage.operate('ec2', 'TerminateInstances', { InstanceIds });
  },
});

const made: readonly Situation[] = [
  of('every boot fails, kept by tag', settingOf('tag', { size: 6, max: 12 }), {
    asked: six,
    steps: [breakBoots(1_000, 14 * minuteMs, {}, 'dies', 'Client.InvalidKMSKey.InvalidState'), kill(5_000, 1)],
    calmAtMs: 16 * minuteMs,
  }),
  of('every boot on spot fails, attached', settingOf('attach', { size: 6, max: 12, min: 0 }), {
    asked: six,
    steps: [breakBoots(1_000, 14 * minuteMs, { market: 'spot' }, 'dies', 'Client.InternalError'), interrupt(5_000, 2), interrupt(7 * minuteMs, 1)],
    calmAtMs: 16 * minuteMs,
  }),
  of('a user ends what comes up', settingOf('tag', { size: 6, max: 12, pendingSeconds: [20, 20] }), {
    asked: six,
    steps: [kill(5_000, 2), endPending(18_000), endPending(22_000), endPending(26_000)],
  }),
];

/** Situations in which instances do not come up. */
export const booting: Readonly<Record<string, () => Situation>> = Object.fromEntries(made.map((situation) => [situation.name, () => situation]));
