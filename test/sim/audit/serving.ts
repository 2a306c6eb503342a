import type { Situation } from '../situation.ts';
import { interrupt, putPolicy, recommendRebalance } from '../steps.ts';
import { settingOf } from '../worlds.ts';
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
        recommendRebalance(1_000, 2),
        putPolicy(200_000, { ...policy, size: { min: 2, max: 10, desired: 8 } }, 'two more are wanted', 'size-edited'),
        putPolicy(230_000, { ...policy, size: { min: 2, max: 10, desired: 6 } }, 'two fewer are wanted', 'size-edited'),
      ],
    }))(settingOf('tag', { size: { min: 2, max: 10, desired: 6 }, policy: { ...advised, ...warm } })),
  ),
];

/** Situations in which new members need long until they serve. */
export const serving: Readonly<Record<string, () => Situation>> = Object.fromEntries(made.map((situation) => [situation.name, () => situation]));
