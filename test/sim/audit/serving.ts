import { breakBoots, neverServing } from '../capacity-steps.ts';
import type { Situation } from '../situation.ts';
import { interrupt, kill, putPolicy, recommendRebalance } from '../steps.ts';
import { settingOf, zones } from '../worlds.ts';
import { scripted } from './scripted.ts';

const of = scripted(720_000);

const six = { web: { size: 6, endsAt: 6 } };
const slow = { size: 6, max: 12, isServed: false, pendingSeconds: [5, 12], bootSeconds: [95, 100] } as const;
const advised = { rebalance: { act: true } };
const warm = { ready: { after: '115s' } };
const checked = { ready: { checks: 'ec2' } };

const made: readonly Situation[] = [
  of('slow boots, kept by tag, counted by a warm-up', settingOf('tag', { ...slow, policy: { ...advised, ...warm } }), {
    asked: six,
    steps: [recommendRebalance(1_000, 2)],
  }),
  of('slow boots, attached, counted by status checks', settingOf('attach', { ...slow, policy: { ...advised, ...checked } }), {
    asked: six,
    steps: [recommendRebalance(1_000, 2), interrupt(30_000, 1)],
  }),
  of('slow boots, in groups of their own, counted by status checks', settingOf('launch-instances', { ...slow, policy: { ...advised, ...checked } }), {
    asked: six,
    steps: [recommendRebalance(1_000, 1)],
  }),
  of(
    'a warm-up beside a target group',
    settingOf('tag', { size: { min: 2, max: 10, desired: 6 }, policy: { ...advised, ...warm } }),
    (({ policy }) => ({
      asked: { web: { size: 6, endsAt: 6 } },
      steps: [
        // By then all members have warmed up.
        recommendRebalance(120_000, 2),
        putPolicy(320_000, { ...policy, size: { min: 2, max: 10, desired: 8 } }, 'two more are wanted', 'size-edited'),
        putPolicy(350_000, { ...policy, size: { min: 2, max: 10, desired: 6 } }, 'two fewer are wanted', 'size-edited'),
      ],
    }))(settingOf('tag', { size: { min: 2, max: 10, desired: 6 }, policy: { ...advised, ...warm } })),
  ),
  ...(['tag', 'attach', 'launch-instances'] as const).map((holding) =>
    of(`new members on spot never serve, ${holding}`, settingOf(holding, { size: 6, max: 12, min: 0 }), {
      asked: six,
      steps: [neverServing(1_000, 300_000, { market: 'spot' }, 'never-answers'), interrupt(5_000, 4)],
      calmAtMs: 1_300_000,
    }),
  ),
  of('new members of the first tier never serve', settingOf('tag', { size: 4, max: 12, policy: { capacity: { tiered: ['spot-a', 'od-b'] } } }), {
    asked: { web: { size: 4, endsAt: 4 } },
    steps: [neverServing(1_000, 300_000, { zone: zones[0] }, 'never-answers'), kill(5_000, 2)],
    calmAtMs: 1_300_000,
  }),
  of('new members fail status checks', settingOf('tag', { ...slow, policy: { ...checked } }), {
    asked: six,
    steps: [neverServing(1_000, 300_000, { zone: zones[1] }, 'impaired'), interrupt(5_000, 4)],
    calmAtMs: 1_300_000,
  }),
  of('all that is new never serves for a while', settingOf('tag', { size: 3, max: 6, min: 0 }), {
    asked: { web: { size: 3, endsAt: 3 } },
    steps: [neverServing(1_000, 120_000, {}, 'never-answers'), interrupt(5_000, 3)],
    calmAtMs: 1_100_000,
  }),
  of('no new member ever serves', settingOf('tag', { size: { min: 0, max: 6, desired: 3 } }), {
    asked: { web: { size: 3, endsAt: 3 } },
    steps: [breakBoots(1_000, 1_200_000, {}, 'never-answers'), interrupt(5_000, 3)],
    calmAtMs: 1_400_000,
  }),
];

/** Situations in which new members need long until they serve. */
export const serving: Readonly<Record<string, () => Situation>> = Object.fromEntries(made.map((situation) => [situation.name, () => situation]));
