import { type ScalerSpec, startScaler } from './scalers.ts';
import { everyPeriod, type Plan, read, type Surroundings, valueAt, type Writer, write } from './writer.ts';

/**
 * The kinds of writers that set an Auto Scaling group's desired capacity from outside.
 *
 * - `absolute` writes the size that it wants, every few seconds, when a describe shows another (buildkite-agent-scaler 6f934bd).
 * - `steps` reads, thinks, and writes what it read, moved by at most a step towards what it wants (Jenkins ec2-fleet, GitLab fleeting).
 * - `target-tracking` is Auto Scaling's own policy: a pair of alarms on a load that the members in service share.
 * - `person` sets each size once, whatever is shown.
 */
export type WriterSpec =
  | { readonly kind: 'absolute'; readonly asg: string; readonly everySeconds: number; readonly wants: Plan }
  | {
      readonly kind: 'steps';
      readonly asg: string;
      readonly everySeconds: number;
      readonly wants: Plan;
      readonly step: number;
      /** From reading to writing. */
      readonly thinksSeconds: number;
    }
  | { readonly kind: 'target-tracking'; readonly asg: string; readonly load: Plan; readonly perInstance: number }
  | { readonly kind: 'person'; readonly asg: string; readonly wants: Plan }
  | ScalerSpec;

type Of<Kind extends WriterSpec['kind']> = Extract<WriterSpec, { readonly kind: Kind }>;

const absolute = (world: Surroundings, { asg, everySeconds, wants }: Of<'absolute'>): Writer =>
  everyPeriod(world, 1_000 * everySeconds, async (sinceMs) => {
    const [wanted, shown] = [valueAt(wants, sinceMs), await read(world, asg)];
    if (wanted !== undefined && shown !== undefined && shown.desired !== wanted) await write(world, asg, shown, wanted);
  });

const steps = (world: Surroundings, { asg, everySeconds, wants, step, thinksSeconds }: Of<'steps'>): Writer =>
  everyPeriod(world, 1_000 * everySeconds, async (sinceMs) => {
    const [wanted, shown] = [valueAt(wants, sinceMs), await read(world, asg)];
    if (wanted === undefined || shown === undefined || shown.desired === wanted) return;
    await world.clock.sleep(Math.round(1_000 * thinksSeconds * world.random()));
    await write(world, asg, shown, shown.desired + Math.max(-step, Math.min(step, wanted - shown.desired)));
  });

/** Periods of a minute; three above the target let it scale out, fifteen below nine tenths of it let it scale in (User Guide, target tracking). */
const periodMs = 60_000;
const [highPeriods, lowPeriods] = [3, 15];
const lowShare = 0.9;

const targetTracking = (world: Surroundings, { asg, load, perInstance }: Of<'target-tracking'>): Writer => {
  let [high, low] = [0, 0];
  return everyPeriod(world, periodMs, async (sinceMs) => {
    const [total, shown] = [valueAt(load, sinceMs), await read(world, asg)];
    if (total === undefined || shown === undefined || shown.inService === 0) return;
    const metric = total / shown.inService;
    high = metric > perInstance ? high + 1 : 0;
    low = metric < lowShare * perInstance ? low + 1 : 0;
    if (shown.suspended.includes('AlarmNotification')) return;
    const wanted = Math.ceil((shown.inService * metric) / perInstance - 1e-9);
    if (high >= highPeriods && wanted > shown.desired) await write(world, asg, shown, wanted);
    // A scale-in waits while a scale-out is under way.
    if (low >= lowPeriods && wanted < shown.desired && shown.inService >= shown.desired) await write(world, asg, shown, wanted);
  });
};

const person = (world: Surroundings, { asg, wants }: Of<'person'>): Writer => {
  const timers = wants.map(({ atSeconds, value }) =>
    world.clock.after(1_000 * atSeconds, async () => {
      const shown = await read(world, asg);
      if (shown !== undefined) await write(world, asg, shown, value);
    }),
  );
  return {
    stop: () => {
      for (const timer of timers) timer.cancel();
    },
  };
};

/** From now on, others set the size of an Auto Scaling group. */
export const startWriter = (world: Surroundings, spec: WriterSpec): Writer => {
  switch (spec.kind) {
    case 'absolute':
      return absolute(world, spec);
    case 'steps':
      return steps(world, spec);
    case 'target-tracking':
      return targetTracking(world, spec);
    case 'person':
      return person(world, spec);
    default:
      return startScaler(world, spec);
  }
};
