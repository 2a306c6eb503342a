import { noCapacity } from '../sim/capacity-steps.ts';
import type { Situation, Step } from '../sim/situation.ts';
import { alarm, kill, loseZone, putPolicy } from '../sim/steps.ts';
import { type HoldingKind, settingOf, zones } from '../sim/worlds.ts';

type Policy = Readonly<Record<string, unknown>>;

const size = { min: 1, max: 12, desired: 6 };
const habits = {
  removal: { order: 'dearest-first' },
  return: { after: '1m', every: '1m', atMost: '100%' },
  scaling: [
    { alarm: 'high', adjust: '+4', cooldown: '1m' },
    { alarm: 'low', adjust: '-4', cooldown: '1m' },
  ],
};

const of = (name: string, holding: HoldingKind, policy: Policy, steps: (policy: Policy) => readonly Step[], asked?: number): Situation => {
  const setting = settingOf(holding, {
    size,
    lagSeconds: [3, 5],
    policy: { ...habits, drain: { timeout: '30s', loadBalancers: [`\${targetGroup:web}`] }, ...policy },
  });
  const played = steps(setting.policy);
  return {
    name,
    seed: 1,
    spec: setting.spec,
    policies: [setting.policy],
    asked: { web: { size: size.desired, ...(asked !== undefined && { endsAt: asked }) } },
    steps: played,
    calmAtMs: Math.max(...played.map(({ atMs, lastsMs = 0 }) => atMs + lastsMs)) + 600_000,
    restWithinMs: 900_000,
  };
};

/** The youngest member of a zone dies. */
const killIn = (atMs: number, zone: string): Step => ({
  kind: 'died',
  atMs,
  what: `an instance of ${zone} dies`,
  happen: ({ sandbox, members, did }) => {
    const instances = members('web', { zone })
      .slice(-1)
      .map(({ id }) => id);
    did({ kind: 'died', instances, groups: ['web'] });
    for (const id of instances) sandbox.world.kill(id);
  },
});

/** In order of the pools, so that shares bind before any spread does. */
const inOrder = { tiered: ['spot-a', 'spot-b', 'spot-c', 'od-b', 'od-c'] };

/** Worlds of members that are kept on demand, and of shares. */
export const shareSituations = {
  'a floor on demand while spot is plentiful': (): Situation =>
    of('a floor on demand while spot is plentiful', 'tag', { onDemand: { floor: 1, percent: '30%' } }, () => [
      alarm(10_000, 'high'),
      alarm(200_000, 'low'),
    ]),
  'a floor that the policy raises': (): Situation =>
    of('a floor that the policy raises', 'tag', {}, (policy) => [
      putPolicy(10_000, { ...policy, onDemand: { floor: 4 } }, 'the policy keeps four on demand', 'shares-edited'),
    ]),
  'a floor while spot comes back': (): Situation =>
    of('a floor while spot comes back', 'tag', { onDemand: { floor: 2 } }, () => [noCapacity(1_000, 120_000, ['spot'], zones), kill(5_000, 6)]),
  'shares while members are lost': (): Situation =>
    of('shares while members are lost', 'tag', { capacity: inOrder, maxShare: { zone: '50%' } }, () => [
      killIn(10_000, zones[0]),
      killIn(11_500, zones[1]),
      kill(60_000, 2),
      loseZone(120_000, zones[0]),
    ]),
  'shares while spot comes back': (): Situation =>
    of('shares while spot comes back', 'tag', { capacity: inOrder, maxShare: { zone: '50%' } }, () => [
      noCapacity(1_000, 120_000, ['spot'], zones),
      kill(5_000, 6),
    ]),
};
