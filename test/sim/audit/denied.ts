import { denyLaunches } from '../denied.ts';
import { suspend } from '../operator-steps.ts';
import type { Situation } from '../situation.ts';
import { interrupt, kill, putPolicy, recommendRebalance } from '../steps.ts';
import { type Setting, settingOf } from '../worlds.ts';
import { scripted } from './scripted.ts';

const of = scripted(1_500_000);

const minuteMs = 60_000;
const ten = { web: { size: 10, endsAt: 10 } };
const six = { web: { size: 6, endsAt: 6 } };

const denied = [denyLaunches(1_000, 15 * minuteMs)];
const calmAtMs = 16 * minuteMs;
const advised = { rebalance: { act: true } };

/** The policy gets another tag: nothing that bears on launches. */
const retag = (atMs: number, { policy }: Setting) =>
  putPolicy(atMs, { ...policy, tags: { team: 'web' } }, 'the policy gets other tags', 'policy-edited');

const made: readonly Situation[] = [
  of('launches are denied while members are taken, attached', settingOf('attach', { size: 10, max: 14, min: 0, spot: 12 }), {
    asked: ten,
    steps: [interrupt(10_000, 3), interrupt(4 * minuteMs, 2)],
    faults: denied,
    calmAtMs,
  }),
  of(
    'launches are denied while members are at risk, drain first',
    settingOf('attach', {
      size: 10,
      max: 14,
      min: 0,
      spot: 12,
      policy: { ...advised, swap: { order: 'drain-first', maxSurge: 3 } },
    }),
    {
      asked: ten,
      steps: [interrupt(5_000, 1), recommendRebalance(60_000, 6)],
      faults: denied,
      calmAtMs,
    },
  ),
  of(
    'launches are denied from the first warning on, drain first',
    settingOf('attach', { size: 6, max: 10, min: 0, spot: 12, policy: { swap: { order: 'drain-first', maxSurge: 2 } } }),
    { asked: six, steps: [interrupt(52_000, 1), interrupt(56_000, 3)], faults: denied, calmAtMs },
  ),
  of('a policy is written while launches are denied', settingOf('launch-instances', { size: 6, max: 10, min: 0, spot: 12 }), {
    asked: six,
    // The drain takes its members out of service while the launches of the look after the write have no response yet: three seconds after the write.
    steps: [interrupt(134_000, 2), retag(217_500, settingOf('launch-instances', { size: 6, max: 10, min: 0, spot: 12 }))],
    faults: denied,
    calmAtMs,
  }),
  of('launches are denied while a group does not refill itself', settingOf('attach', { size: 10, max: 14, min: 0, spot: 12 }), {
    asked: ten,
    steps: [suspend(20_000, 'web-asg', 'Launch', 10 * minuteMs), kill(30_000, 3), kill(4 * minuteMs, 1)],
    // No event reports the dead. The group has dropped them by the time of the tick that finds it short.
    faults: [...denied, { on: 'event', kind: 'drop', fromMs: 1_000, untilMs: 3 * minuteMs }],
    calmAtMs,
  }),
];

/** Situations in which Holdfast may launch nothing. */
export const denying: Readonly<Record<string, () => Situation>> = Object.fromEntries(made.map((situation) => [situation.name, () => situation]));
