import { calmAfter, type DrawnWorld } from './profiles/profile.ts';
import type { Draw } from './random-draw.ts';
import type { Step } from './situation.ts';
import { lastingAlarm } from './steps.ts';

/** A share of all alarms. */
const share = 0.4;
/** The share of these whose actions another alarm suppresses, or a rule mutes. */
const quietShare = 0.3;

const drawLasting = (draw: Draw, step: Step): Step => {
  const alarm = step.about?.alarm;
  if (step.kind !== 'alarmed' || alarm === undefined || !draw.chance(share)) return step;
  return lastingAlarm(
    step.atMs,
    alarm,
    draw.between(60, 400) * 1_000,
    draw.chance(quietShare) ? draw.one(['suppressed', 'muted'] as const) : undefined,
  );
};

/** The world, with some of its alarms for minutes instead of a moment. */
export const withLastingAlarms = (world: DrawnWorld, draw: Draw): DrawnWorld => {
  const steps = world.steps.map((step) => drawLasting(draw, step));
  return { ...world, steps, calmAtMs: Math.max(world.calmAtMs, calmAfter(steps)) };
};
