import { calmAfter, type DrawnWorld } from './profiles/profile.ts';
import type { Draw } from './random-draw.ts';
import type { Step } from './situation.ts';
import { lastingAlarm, momentMs } from './steps.ts';

type Document = Readonly<Record<string, unknown>>;
type Bounds = { readonly min: number; readonly max: number };

/** A share of the worlds whose policies set the size themselves. */
const share = 0.3;
const minuteMs = 60_000;

/** Bounds of a size that alarms and a schedule may move. */
export const boundsOf = ({ size }: Document): Bounds | undefined => {
  const { min, max, from } = (typeof size === 'object' && size !== null ? size : {}) as { min?: number; max?: number; from?: string };
  return min === undefined || max === undefined || max === min || from !== undefined ? undefined : { min, max };
};

/** The adjustment of an alarm in two steps, the second one larger. */
const withSteps = (row: Document): Document => {
  const { adjust, ...rest } = row;
  const side = String(adjust).startsWith('-') ? 'below' : 'above';
  const farther = String(adjust).replace(/\d+/, (number) => String(2 * Number(number)));
  return {
    ...rest,
    steps: [
      { [side]: 0, adjust },
      { [side]: 20, adjust: farther },
    ],
  };
};

const stepped = (policy: Document): Document =>
  Array.isArray(policy.scaling) ? { ...policy, scaling: policy.scaling.map((row: Document) => ('adjust' in row ? withSteps(row) : row)) } : policy;

/** The same alarm, with how far its metric was from its threshold: on the side of its steps, or unknown. */
const measured = (draw: Draw, step: Step): Step => {
  const { alarm, quiet } = step.about ?? {};
  if (step.kind !== 'alarmed' || alarm === undefined) return step;
  const sign = alarm === 'low' ? -1 : 1;
  const fromThreshold = draw.one([sign * draw.between(0, 19), sign * draw.between(20, 90), sign * draw.one([20, 90]), undefined]);
  return {
    ...lastingAlarm(step.atMs, alarm, step.lastsMs ?? momentMs, quiet, fromThreshold),
    ...(step.lastsMs === undefined && { lastsMs: momentMs }),
  };
};

const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata'];

/** Five fields of cron for the minute of a moment, as a clock in a time zone shows it. */
const cronAt = (atMs: number, timeZone: string, byWeekday: boolean): string => {
  const form = { timeZone, minute: 'numeric', hour: 'numeric', day: 'numeric', month: 'numeric', hourCycle: 'h23' } as const;
  const parts = new Map(new Intl.DateTimeFormat('en-US', form).formatToParts(atMs).map(({ type, value }) => [type as string, Number(value)]));
  const [minute, hour, day, month] = ['minute', 'hour', 'day', 'month'].map((type) => parts.get(type));
  if (!byWeekday) return [minute, hour, day, month, '*'].join(' ');
  return [minute, hour, '*', month, new Intl.DateTimeFormat('en-US', { timeZone, weekday: 'short' }).format(atMs).toLowerCase()].join(' ');
};

/** `byWeekday`: it names the day of the week in place of the day of the month. `daily`: it names neither. */
type Time = { readonly afterMinutes: number; readonly timezone: string; readonly size: number; readonly byWeekday?: boolean; readonly daily?: true };

/** The user writes a schedule whose times come some minutes later. */
export const scheduled = (atMs: number, document: Document, schedule: readonly Time[]): Step => ({
  kind: 'policy-edited',
  atMs,
  lastsMs: Math.max(...schedule.map(({ afterMinutes }) => afterMinutes)) * minuteMs + minuteMs,
  what: `the user writes a schedule: ${schedule.map(({ afterMinutes, size }) => `${size} in ${afterMinutes} minutes`).join(', ')}`,
  about: { group: String(document.group) },
  happen: async (stage) => {
    stage.did({ kind: 'policy-edited', groups: [String(document.group)] });
    const nowMs = stage.sandbox.clock.now();
    const rows = schedule.map(({ afterMinutes, timezone, size, byWeekday = false, daily }) => {
      const exact = cronAt(nowMs + afterMinutes * minuteMs, timezone, byWeekday);
      const at = daily ? exact.split(' ').slice(0, 2).concat('*', '*', '*').join(' ') : exact;
      return { at, timezone, size };
    });
    await stage.putPolicy({ ...document, schedule: [...new Map(rows.map((row) => [`${row.at} ${row.timezone}`, row])).values()] });
  },
});

const drawSchedule = (draw: Draw, document: Document, { min, max }: Bounds): Step => {
  const times = Array.from({ length: draw.between(1, 3) }, () => ({
    afterMinutes: draw.between(1, 6),
    timezone: draw.one(zones),
    size: draw.between(min, max),
  }));
  const atMs = draw.between(1, 40) * 1_000;
  const dated = times.map((time) => ({ ...time, byWeekday: draw.chance(0.4) }));
  // A time that has passed today sets nothing until tomorrow.
  const passed = { afterMinutes: -draw.between(2, 20), timezone: draw.one(zones), size: draw.between(min, max), daily: true } as const;
  const listed = draw.chance(0.4) ? [passed, ...dated] : dated;
  // Of two at the same time, the last in the list counts.
  const again = dated.map((time) => ({ ...time, timezone: draw.one(zones), size: draw.between(min, max) }));
  return scheduled(atMs, document, draw.chance(0.3) ? [...listed, ...again] : listed);
};

/** The world with alarms that act by steps, and with a schedule that its user writes. What other edits write goes without either. */
export const withOwnScaling = (world: DrawnWorld, draw: Draw): DrawnWorld => {
  const [first, ...others] = world.policies;
  const bounds = first && boundsOf(first);
  if (first === undefined || bounds === undefined || !draw.chance(share)) return world;
  const policy = draw.chance(0.6) ? stepped(first) : first;
  const measuredSteps = policy === first ? world.steps : world.steps.map((step) => measured(draw, step));
  const steps = draw.chance(0.6) ? [...measuredSteps, drawSchedule(draw, policy, bounds)] : measuredSteps;
  return { ...world, policies: [policy, ...others], steps, calmAtMs: Math.max(world.calmAtMs, calmAfter(steps)) };
};
