import { calmAfter, type DrawnWorld, seconds } from './profiles/profile.ts';
import type { Draw } from './random-draw.ts';
import type { Step } from './situation.ts';
import { alarm, momentMs } from './steps.ts';

type Document = Readonly<Record<string, unknown>>;
type Row = Document & { readonly alarm?: string; readonly adjust?: string; readonly steps?: readonly Document[] };

/** A share of the worlds whose policies set the size themselves. */
const percentShare = 0.3;
/** A share of the worlds with an alarm of a moment. */
const againShare = 0.35;

const rowsOf = ({ scaling }: Document): readonly Row[] => (Array.isArray(scaling) ? scaling : []);

const isSizedHere = ({ size }: Document): boolean => typeof size === 'object' && size !== null && !('from' in size);

const asPercent = (adjust: unknown, percent: number): string => `${String(adjust).startsWith('-') ? '-' : '+'}${percent}%`;

/** The row with a share of the size in place of a number. The second of two steps adds twice the share. */
const shared = ({ adjust, steps, ...rest }: Row, percent: number): Row => ({
  ...rest,
  ...(adjust !== undefined && { adjust: asPercent(adjust, percent) }),
  ...(steps !== undefined && { steps: steps.map((step, index) => ({ ...step, adjust: asPercent(step.adjust, percent * (index + 1)) })) }),
});

const isMoment = ({ kind, lastsMs = momentMs, about }: Step): boolean =>
  kind === 'alarmed' && lastsMs === momentMs && about?.alarm !== undefined && about.quiet === undefined;

/** The same alarm again while its cooldown lasts or just after it, or another one soon. */
const ringsAgain = (draw: Draw, step: Step, names: readonly string[]): Step => {
  const [within, after, soon] = [seconds(draw, 35, 55), seconds(draw, 62, 80), seconds(draw, 2, 50)];
  const other = names.find((name) => name !== step.about?.alarm);
  const how = draw.one(['within', 'within', 'after', 'other'] as const);
  if (how === 'other' && other !== undefined) return alarm(step.atMs + soon, other);
  return { ...step, atMs: step.atMs + (how === 'after' ? after : within) };
};

/** The world with alarms that ask for a share of the size, and with one that rings twice. What other edits write goes without the shares. */
export const withRings = (world: DrawnWorld, draw: Draw): DrawnWorld => {
  const [first, ...others] = world.policies;
  if (first === undefined || rowsOf(first).length === 0 || !isSizedHere(first)) return world;
  const percents = rowsOf(first).map(() => draw.one([15, 25, 40, 50]));
  const isShared = draw.chance(percentShare);
  const moments = world.steps.filter(isMoment);
  const [step, isAgain] = [draw.one(moments), draw.chance(againShare)];
  const policy = isShared ? { ...first, scaling: rowsOf(first).map((row, index) => shared(row, percents[index] ?? 0)) } : first;
  const again =
    isAgain && step !== undefined
      ? [
          ringsAgain(
            draw,
            step,
            rowsOf(first).flatMap((row) => row.alarm ?? []),
          ),
        ]
      : [];
  const steps = [...world.steps, ...again];
  return { ...world, policies: [policy, ...others], steps, calmAtMs: Math.max(world.calmAtMs, calmAfter(again)) };
};
