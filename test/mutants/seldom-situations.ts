import { scripted } from '../sim/audit/scripted.ts';
import { denyLaunches } from '../sim/denied.ts';
import type { Situation } from '../sim/situation.ts';
import type { Stage } from '../sim/stage.ts';
import { interrupt, putPolicy, recommendRebalance } from '../sim/steps.ts';
import { groupIn, plainLandscape, settingOf, specOf, usualTiming } from '../sim/worlds.ts';

const of = scripted(900_000);
const six = { web: { size: 6, endsAt: 6 } };

/** Attaching takes so long that the function that attaches needs almost half of its time. */
const slowAttaches = {
  ...plainLandscape,
  spot: 20,
  timing: {
    pendingSeconds: [10, 10],
    latencyMs: { ...usualTiming.latencyMs, 'ec2:CreateFleet': [1_500, 1_500], 'autoscaling:AttachInstances': [13_500, 13_500] },
  },
} as const;

/** The clock of the function that decides jumps by up to a minute, at each of its readings. */
export const clocksJump =
  (of: RegExp) =>
  (stage: Stage): void => {
    const [first = '', ...others] = stage.functionRoles.filter((role) => of.test(role));
    stage.addFaults([{ on: 'clock', kind: 'step', withinMs: 60_000, probability: 1, match: { caller: [first, ...others] } }]);
  };

/** Worlds for mutants whose moment random worlds seldom draw. */
export const seldomSituations = {
  'a function dies before its launch, and another member is warned': (): Situation =>
    of('a function dies before its launch, and another member is warned', settingOf('tag'), {
      asked: six,
      // The second warning comes after the launch is overdue, and before the lease of the dead function is over.
      steps: [interrupt(1_000, 1), interrupt(19_000, 1)],
      faults: [{ on: 'call', kind: 'crash-caller', when: 'before', times: 1, match: { operation: 'CreateFleet' } }],
    }),
  'members are warned while another group attaches for long': (): Situation => {
    const placed = [
      groupIn(slowAttaches, { name: 'web', holding: 'tag', size: 8, targetGroups: ['web'] }),
      groupIn(slowAttaches, { name: 'api', holding: 'attach', size: 4, targetGroups: ['web'] }),
    ];
    const spec = specOf(
      slowAttaches,
      placed.flatMap(({ asgs }) => asgs),
    );
    // The new member of the other group runs at 12.5 s. Its event and the warnings come in one batch.
    const steps = [interrupt(1_000, 1, 120_000, 'api'), interrupt(12_100, 2)];
    const setting = { spec, policy: {} };
    return {
      ...of('members are warned while another group attaches for long', setting, {
        asked: { web: { size: 8, endsAt: 8 }, api: { size: 4, endsAt: 4 } },
        steps,
        calmAtMs: 200_000,
      }),
      policies: placed.map(({ policy }) => policy),
    };
  },
  'the clock of a function jumps while members are warned': (): Situation =>
    of('the clock of a function jumps while members are warned', settingOf('attach'), {
      asked: { web: { size: 6 } },
      steps: [interrupt(1_000, 1), interrupt(40_000, 1), interrupt(80_000, 1)],
      calmAtMs: 240_000,
    }),
  'the warning of advised members comes after their end': (): Situation =>
    of(
      'the warning of advised members comes after their end',
      settingOf('tag', { policy: { rebalance: { act: true }, swap: { order: 'launch-first', maxSurge: 2 } } }),
      {
        asked: six,
        steps: [recommendRebalance(1_000, 2), interrupt(4_000, 2, 5_000)],
        faults: [{ on: 'event', kind: 'delay', delayMs: 20_000, match: { detailType: 'EC2 Spot Instance Interruption Warning' } }],
        calmAtMs: 240_000,
      },
    ),
  'a policy names another pool while launches are denied': (): Situation => {
    const setting = settingOf('attach', { size: 6, max: 20, min: 0, spot: 12, policy: { capacity: { spread: ['spot-a'] } } });
    const wider = { ...setting.policy, capacity: { tiered: ['spot-a', 'od-b', 'od-c', 'spot-b'] } };
    return of('a policy names another pool while launches are denied', setting, {
      asked: six,
      // The members have drained by then, and EC2 has not taken them yet.
      steps: [interrupt(10_000, 2), putPolicy(110_000, wider, 'the policy names three more pools', 'pools-edited')],
      faults: [denyLaunches(1_000, 600_000)],
      calmAtMs: 660_000,
    });
  },
} satisfies Readonly<Record<string, () => Situation>>;
