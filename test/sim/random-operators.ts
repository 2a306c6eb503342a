import { lowerDesired, moveBound, replaceThroughAsg, stopDrains, suspend, tagMembers } from './operator-steps.ts';
import type { Draw } from './random-draw.ts';
import type { Step } from './situation.ts';
import { putPolicy, raiseDesired } from './steps.ts';
import type { HoldingKind } from './worlds.ts';

type Policy = Readonly<Record<string, unknown>>;
type DrawStep = (draw: Draw, atMs: number, policy: Policy) => Step;

const resize: DrawStep = (draw, atMs, policy) => {
  const size = policy.size as { readonly desired: number };
  return putPolicy(
    atMs,
    { ...policy, size: { ...size, desired: size.desired + draw.one([-1, 1]) } },
    'the policy asks for another size',
    'size-edited',
  );
};

const anywhere: readonly DrawStep[] = [
  resize,
  (draw, atMs) => tagMembers(atMs, draw.between(1, 3)),
  (draw, atMs) => tagMembers(atMs, draw.between(1, 2), draw.one(['holdfast:pool', 'holdfast:reservation'])),
  (_, atMs) => stopDrains(atMs),
];

const processes = ['Launch', 'Terminate', 'HealthCheck', 'ReplaceUnhealthy', 'AZRebalance', 'AlarmNotification'];
const inGroup = (asgs: readonly string[]): readonly DrawStep[] => [
  (draw, atMs) => suspend(atMs, draw.one(asgs), draw.one(processes), draw.between(5, 29) * 1_000),
  (draw, atMs) => moveBound(atMs, draw.one(asgs), 'max', draw.between(-2, 5)),
  (draw, atMs) => moveBound(atMs, draw.one(asgs), 'min', draw.one([-1, 1])),
  (draw, atMs) => replaceThroughAsg(atMs, draw.between(1, 2)),
];

const byHolding: Readonly<Record<HoldingKind, readonly DrawStep[]>> = {
  tag: anywhere,
  attach: [...anywhere, ...inGroup(['web-asg']), (_, atMs) => lowerDesired(atMs, 'web-asg'), (_, atMs) => raiseDesired(atMs, 'web-asg')],
  'launch-instances': [...anywhere, ...inGroup(['spot-a', 'spot-b', 'spot-c', 'od-b', 'od-c'])],
};

/** What people do by hand in the middle of it all. */
export const drawOperators = (draw: Draw, holding: HoldingKind, policy: Policy, { operators }: { readonly operators: number }): readonly Step[] =>
  draw.has('operators', operators)
    ? Array.from({ length: draw.between(1, operators === 1 ? 6 : 3) }, () => draw.one(byHolding[holding])(draw, draw.between(1, 90) * 1_000, policy))
    : [];
