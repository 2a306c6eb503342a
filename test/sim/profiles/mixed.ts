import type { WorldSpec } from '../../../sandbox/world/spec.ts';
import type { Draw } from '../random-draw.ts';
import { drawFaults } from '../random-faults.ts';
import { drawOperators } from '../random-operators.ts';
import { randomTree } from '../random-tree.ts';
import type { Step } from '../situation.ts';
import {
  alarm,
  endThroughAsg,
  endThroughEc2,
  fewEverywhere,
  interrupt,
  kill,
  killPending,
  loseZone,
  putPolicy,
  raiseDesired,
  recommendRebalance,
  setSpot,
} from '../steps.ts';
import { type HoldingKind, holdings, type SettingOptions, settingOf, zones } from '../worlds.ts';
import type { Profile } from './profile.ts';

const alarmStep = 2;
const scaling = [
  { alarm: 'high', adjust: `+${alarmStep}`, cooldown: '1m' },
  { alarm: 'low', adjust: `-${alarmStep}`, cooldown: '1m' },
];
/** A policy that nobody can accept: the last good one stays in force. */
const broken = { group: 'web', size: 'many', capacity: 'nowhere' };

const steps: readonly ((draw: Draw, atMs: number, policy: Readonly<Record<string, unknown>>) => Step)[] = [
  (draw, atMs) => loseZone(atMs, draw.one(zones)),
  (draw, atMs) => interrupt(atMs, draw.between(1, 3), draw.one([120_000, 120_000, 30_000])),
  (draw, atMs) => endThroughEc2(atMs, draw.between(1, 2)),
  (draw, atMs) => recommendRebalance(atMs, draw.between(1, 2)),
  (draw, atMs) => kill(atMs, draw.between(1, 2)),
  (_, atMs) => alarm(atMs, 'high'),
  (_, atMs) => alarm(atMs, 'low'),
  (draw, atMs) => setSpot(atMs, zones, draw.between(0, 6)),
  (_, atMs) => putPolicy(atMs, broken, 'the policy is made invalid', 'policy-broken'),
  (draw, atMs, policy) => putPolicy(atMs, { ...policy, tags: { run: String(draw.between(1, 9)) } }, 'the policy changes in its tags', 'tags-edited'),
  (draw, atMs, policy) => putPolicy(atMs, { ...policy, capacity: randomTree(draw) }, 'the policy gets another tree', 'tree-edited'),
  (draw, atMs) => killPending(atMs, draw.between(1, 2)),
  (_, atMs) => fewEverywhere(atMs, zones),
];

/** What only a member of an Auto Scaling group can go through. */
const asgSteps: readonly ((draw: Draw, atMs: number) => Step)[] = [(draw, atMs) => endThroughAsg(atMs, draw.between(1, 2))];
const attachSteps: typeof asgSteps = [...asgSteps, (_, atMs) => raiseDesired(atMs, 'web-asg')];
const stepsOf: Readonly<Record<HoldingKind, readonly (typeof steps)[number][]>> = {
  tag: steps,
  attach: [...steps, ...attachSteps],
  'launch-instances': [...steps, ...asgSteps],
};

const terminatingHook = (draw: Draw): NonNullable<SettingOptions['hooks']> => [
  { name: 'drain', transition: 'terminating', heartbeatSeconds: draw.one([30, 120]), defaultResult: 'CONTINUE' },
];

const drawOptions = (draw: Draw, { desired: [fewest, most], isShort = false }: Mix): SettingOptions => ({
  size: { min: 2, max: 12, desired: draw.between(fewest, most) },
  spot: draw.between(1, 5),
  ...(draw.chance(0.4) ? { hooks: terminatingHook(draw) } : {}),
  ...(draw.chance(0.3) ? { delaySeconds: draw.one(isShort ? [5, 20, 30] : [5, 90, 300, 3_600]) } : {}),
  ...(draw.has('slow-boots', 0.15) ? { pendingSeconds: [10, draw.between(20, 60)] as const, bootSeconds: [20, draw.between(30, 120)] as const } : {}),
  ...(draw.has('zones', 0.2) ? { rebalancesZones: true } : {}),
  ...(draw.chance(0.3) ? { asgLagSeconds: [0, 4] as const } : {}),
  lagSeconds: draw.one([
    [0, 1],
    [0, 0],
    [2, 8],
  ] as const),
  policy: {
    ...(draw.chance(0.75) ? { capacity: randomTree(draw) } : {}),
    drain: { timeout: draw.one(isShort ? ['20s', '30s'] : ['20s', '30s', '2m']) },
    scaling,
    swap: { order: draw.one(['launch-first', 'drain-first']), maxSurge: draw.between(1, 3) },
    rebalance: { act: draw.chance(0.8) },
  },
});

/** Short pages, and pages of another moment than the first. */
const drawPages = (draw: Draw): Pick<WorldSpec, 'longestPage' | 'stalePages'> => {
  const [short, stale] = [draw.chance(0.3), draw.has('stale-pages', 0.15)];
  const stalePages = { lagSeconds: [0, draw.between(0, 8)] as const, moves: draw.one([0, 0.02, 0.1]) };
  return { ...(short || stale ? { longestPage: draw.between(stale ? 2 : 1, 5) } : {}), ...(stale ? { stalePages } : {}) };
};

/** How much of everything there is. */
export type Mix = {
  readonly desired: readonly [number, number];
  readonly steps: readonly [number, number];
  readonly withinSeconds: number;
  readonly calmAtMs: number;
  /** Whether nothing is drawn that makes a run long. */
  readonly isShort?: boolean;
  /** How likely things go wrong with events and calls, and people do something by hand. */
  readonly faults: number;
  readonly operators: number;
};

const drawSteps = (draw: Draw, holding: HoldingKind, policy: Readonly<Record<string, unknown>>, { steps: [least, most], withinSeconds }: Mix) =>
  Array.from({ length: draw.between(least, most) }, () => draw.one(stepsOf[holding])(draw, draw.between(1, withinSeconds) * 1_000, policy));

/** A world, a policy, a script and faults for one group, in which anything may come together. */
const mixed =
  (mix: Mix): Profile['draw'] =>
  (draw) => {
    const options = drawOptions(draw, mix);
    const drawn = draw.one(holdings);
    // Only a group over several zones can even them out.
    const holding = draw.always === 'zones' ? 'attach' : drawn;
    const { spec: world, policy } = settingOf(holding, { ...options, ...(draw.chance(0.5) ? { max: 12 } : {}) });
    const spec = { ...world, ...drawPages(draw) };
    const script = [...drawSteps(draw, holding, policy, mix), ...drawOperators(draw, holding, policy, mix)];
    const faults = mix.faults === 1 || draw.chance(mix.faults) ? drawFaults(draw) : [];
    return {
      spec,
      policies: [policy],
      asked: { web: { size: (options.size as { readonly desired: number }).desired } },
      steps: script,
      faults,
      clockErrorMs: draw.chance(0.3) ? 3_000 : 0,
      calmAtMs: mix.calmAtMs,
      restWithinMs: 720_000,
    };
  };

export const small: Profile = {
  about: 'one small group, one or two steps, and at most one thing that goes wrong beside them',
  weight: 20,
  draw: mixed({ desired: [2, 4], steps: [1, 2], withinSeconds: 30, calmAtMs: 60_000, isShort: true, faults: 0.4, operators: 0 }),
};

export const faulty: Profile = {
  about: 'one group, everything that can go wrong with events, calls, tables, clocks and pages',
  weight: 30,
  draw: mixed({ desired: [3, 8], steps: [1, 4], withinSeconds: 90, calmAtMs: 120_000, faults: 1, operators: 0.3 }),
};

export const people: Profile = {
  about: 'one group in the hands of people: they edit, suspend, raise and lower, end, tag and stop what runs',
  weight: 3,
  draw: mixed({ desired: [3, 8], steps: [1, 2], withinSeconds: 90, calmAtMs: 120_000, faults: 0.5, operators: 1 }),
};
