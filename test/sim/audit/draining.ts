import type { FaultInput } from '../../../sandbox/fault-schema.ts';
import { scheduleRetirement, warnInVain } from '../ending-steps.ts';
import type { Situation, Step } from '../situation.ts';
import { alarm, endThroughAsg, interrupt, putPolicy, setSpot } from '../steps.ts';
import { type Setting, settingOf, zones } from '../worlds.ts';
import { scripted } from './scripted.ts';

const of = scripted(900_000);

const hookOf = (heartbeatSeconds: number) => [
  { name: 'drain', transition: 'terminating' as const, heartbeatSeconds, defaultResult: 'CONTINUE' as const },
];

/** Members whose target group lets connections go on for twenty minutes, and whose Auto Scaling group waits for that on a hook. */
const longDrains = (heartbeatSeconds: number): Setting =>
  settingOf('attach', { delaySeconds: 1_200, hooks: hookOf(heartbeatSeconds), policy: { drain: { timeout: '1h' } } });

const longDrain = { asked: { web: { size: 6, endsAt: 6 } }, restWithinMs: 5_400_000 };

/** No event says that a drain was stopped: only the heartbeats of its hooks are missing. */
export const unheardStops: FaultInput = { on: 'event', kind: 'drop', match: { source: 'aws.states' } };

/** The user stops every drain that runs. */
export const stopAllDrains = (atMs: number): Step => ({
  kind: 'drains-stopped',
  atMs,
  what: 'the user stops every drain',
  happen: async (stage) => {
    for (const { name, arn, status } of stage.sandbox.executions()) {
      if (status !== 'RUNNING') continue;
      stage.operated.stopped.add(name);
      await stage.operate('states', 'StopExecution', { executionArn: arn });
    }
    stage.did({ kind: 'drains-stopped', groups: ['web'] });
  },
});

/** A warning that EventBridge delivers later, at this time. */
export const warnedLate = (atMs: number, deliveredAtMs: number): Step => {
  const { kind, what, happen } = interrupt(atMs, 1);
  return {
    kind,
    atMs,
    what: `${what}; the warning comes ${(deliveredAtMs - atMs) / 1_000} s late`,
    happen: (stage) => {
      const match = { detailType: 'EC2 Spot Instance Interruption Warning' };
      stage.addFaults([{ on: 'event', kind: 'delay', delayMs: deliveredAtMs - atMs, times: 1, match }]);
      return happen(stage);
    },
  };
};

const inARow = (count: number, everyMs: number, step: (atMs: number) => Step): readonly Step[] =>
  Array.from({ length: count }, (_, index) => step(1_000 + everyMs * index));

/** A group whose warnings come one by one, every two seconds. */
const trickle = (): Situation =>
  of('a trickle of warnings', settingOf('attach', { size: 60, spot: 60 }), {
    asked: { web: { size: 60, endsAt: 60 } },
    steps: inARow(32, 2_000, (atMs) => interrupt(atMs, 1)),
  });

const lateTogetherAtMs = 100_000;

/** Ten warnings with deadlines ten seconds apart and a scale-in come to one look. */
const togetherWithScaleIn = (): Situation => {
  const policy = { scaling: [{ alarm: 'low', adjust: '-14', cooldown: '2m' }], drain: { timeout: '5m' } };
  const size = { min: 2, max: 40, desired: 24 };
  return of('ten deadlines and a scale-in in one look', settingOf('tag', { size, spot: 24, delaySeconds: 120, policy }), {
    asked: { web: { size: 24, endsAt: 10 } },
    steps: [...inARow(10, 9_900, (atMs) => warnedLate(atMs, lateTogetherAtMs)), alarm(lateTogetherAtMs, 'low')],
  });
};

/** EC2 announces to take two members, and does not. */
const sparedMembers = (name: string, setting: Setting, steps: readonly Step[] = []): Situation =>
  of(name, setting, { asked: { web: { size: 6, endsAt: 6 } }, steps: [...steps, warnInVain(1_000, 2)], calmAtMs: 700_000 });

/** Nothing can replace them, so they stay in their Auto Scaling group, out of its target groups. */
const sparedAndAttached = (): Situation => {
  const policy = { capacity: { spread: ['spot-a', 'spot-b', 'spot-c'] } };
  const name = 'warnings of attached members that do not come true';
  return sparedMembers(name, settingOf('attach', { policy }), [setSpot(500, zones, 0)]);
};

/** AWS announces a retirement to a paused group, which acts again well before. */
const retiredAfterPause = (): Situation => {
  const setting = settingOf('tag');
  return of('members that AWS will retire, announced while the group is paused', setting, {
    asked: { web: { size: 6, endsAt: 6 } },
    steps: [
      putPolicy(1_000, { ...setting.policy, mode: 'pause' }, 'the mode becomes pause', 'mode-edited'),
      scheduleRetirement(30_000, 2, 3_600_000),
      putPolicy(180_000, setting.policy, 'the mode becomes act', 'mode-edited'),
    ],
    calmAtMs: 3_700_000,
  });
};

/** Situations in which the audit saw a fault, by what goes wrong in them. */
export const draining: Readonly<Record<string, () => Situation>> = {
  'a hook drain of twenty minutes': () => of('a hook drain of twenty minutes', longDrains(3_600), { ...longDrain, steps: [endThroughAsg(1_000, 2)] }),
  'a hook drain that somebody stops': () =>
    of('a hook drain that somebody stops', longDrains(300), {
      ...longDrain,
      steps: [endThroughAsg(1_000, 2), stopAllDrains(90_000)],
      faults: [unheardStops],
    }),
  'a trickle of warnings': trickle,
  'members that AWS will retire': () =>
    of('members that AWS will retire', settingOf('tag'), {
      asked: { web: { size: 6, endsAt: 6 } },
      steps: [scheduleRetirement(1_000, 3, 1_800_000)],
      calmAtMs: 1_900_000,
    }),
  'members that AWS will retire, announced while the group is paused': retiredAfterPause,
  'warnings that do not come true': () => sparedMembers('warnings that do not come true', settingOf('tag')),
  'warnings of attached members that do not come true': sparedAndAttached,
  'ten deadlines and a scale-in in one look': togetherWithScaleIn,
};
