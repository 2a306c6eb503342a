import type { Situation, Step } from '../sim/situation.ts';
import { alarm, interrupt, kill, loseZone, putPolicy, recommendRebalance } from '../sim/steps.ts';
import { type HoldingKind, type SettingOptions, settingOf, zones } from '../sim/worlds.ts';

type Policy = Readonly<Record<string, unknown>>;

const of = (
  name: string,
  { holding, ...options }: { readonly holding: HoldingKind } & SettingOptions,
  steps: (policy: Policy) => readonly Step[],
  restWithinMs = 600_000,
): Situation => {
  const { spec, policy } = settingOf(holding, options);
  const played = steps(policy);
  return {
    name,
    seed: 1,
    spec,
    policies: [policy],
    asked: { web: { size: 6 } },
    steps: played,
    calmAtMs: Math.max(...played.map(({ atMs }) => atMs)) + 60_000,
    restWithinMs,
  };
};

const become = (atMs: number, policy: Policy, mode: 'act' | 'observe' | 'pause'): Step =>
  putPolicy(atMs, { ...policy, mode }, `the mode becomes ${mode}`, 'mode-edited');

const acting = { rebalance: { act: true }, drain: { timeout: '30s', loadBalancers: [`\${targetGroup:web}`] } };

/** Worlds in which a group does not act for a while. */
export const modeSituations = {
  'a pause while members are lost': (): Situation =>
    of('a pause while members are lost', { holding: 'attach' }, (policy) => [
      become(1_000, policy, 'pause'),
      interrupt(10_000, 2),
      kill(20_000, 1),
      become(200_000, policy, 'act'),
    ]),
  'a pause while members wait for their turn': (): Situation =>
    of('a pause while members wait for their turn', { holding: 'tag', policy: acting }, (policy) => [
      recommendRebalance(1_000, 3),
      become(4_000, policy, 'pause'),
      become(180_000, policy, 'act'),
    ]),
  'a pause while nobody is needed': (): Situation =>
    of('a pause while nobody is needed', { holding: 'tag', size: 6 }, (policy) => [
      become(1_000, policy, 'pause'),
      putPolicy(20_000, { ...policy, mode: 'pause', size: 4 }, 'the policy asks for 4', 'size-edited'),
      putPolicy(200_000, { ...policy, size: 4 }, 'the mode becomes act', 'mode-edited'),
    ]),
  'observed while a zone is lost': (): Situation =>
    of('observed while a zone is lost', { holding: 'attach', min: 6, max: 6 }, (policy) => [
      become(1_000, policy, 'observe'),
      loseZone(10_000, zones[0] ?? ''),
      recommendRebalance(15_000, 1),
      become(400_000, policy, 'act'),
    ]),
  'observed until a warned member can still be drained': (): Situation =>
    of('observed until a warned member can still be drained', { holding: 'tag', delaySeconds: 5 }, (policy) => [
      become(1_000, policy, 'observe'),
      interrupt(10_000, 2),
      become(25_000, policy, 'act'),
    ]),
  'observed while a drain waits': (): Situation =>
    of('observed while a drain waits', { holding: 'tag', bootSeconds: [40, 50] }, (policy) => [
      interrupt(1_000, 2),
      become(6_000, policy, 'observe'),
      become(240_000, policy, 'act'),
    ]),
  'observed while an alarm asks for more': (): Situation => {
    const scaling = [{ alarm: 'high', adjust: '+2', cooldown: '1m' }];
    const elastic = { size: { min: 2, max: 12, desired: 6 }, scaling };
    return of('observed while an alarm asks for more', { holding: 'tag', policy: elastic }, (policy) => [
      become(1_000, policy, 'observe'),
      alarm(10_000, 'high'),
      kill(20_000, 1),
      become(120_000, policy, 'act'),
    ]);
  },
} satisfies Readonly<Record<string, () => Situation>>;
