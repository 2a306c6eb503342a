import type { Chronicle } from '../chronicle.ts';
import { remembered } from '../remembered.ts';
import { times } from '../times.ts';
import { endless } from '../world/life.ts';
import { isHealthy } from './leaving.ts';

/** A change of an alarm that reached a function. */
export type AlarmChange = {
  readonly alarm: string;
  readonly atMs: number;
  readonly happenedAtMs: number;
  readonly invocation: string;
  readonly message: string;
  readonly isOn: boolean;
  readonly isQuiet: boolean;
  readonly fromThreshold?: number;
};

/** A change older than this says nothing about the present state. */
export const alarmTellsForMs = 3_600_000;
/** Functions that find a loss or a restore of the state at the same moment may differ by this in when they do. */
export const foundTogetherMs = 5_000;
/** An alarm that lasts acts at most once in this time, even if its cooldown is shorter. */
export const lastsAgainMs = times.tickMs;

/** All changes of alarms that functions received. */
export const alarmChanges = remembered((chronicle: Chronicle): readonly AlarmChange[] =>
  chronicle.of('delivered').flatMap(({ told, atMs, happenedAtMs, invocation, message }) =>
    told.about === 'alarm'
      ? [
          {
            alarm: told.alarm,
            atMs,
            happenedAtMs,
            invocation,
            message,
            isOn: told.isOn !== false,
            isQuiet: told.isQuiet === true,
            ...(told.fromThreshold !== undefined && { fromThreshold: told.fromThreshold }),
          },
        ]
      : [],
  ),
);

/** From receiving a change to storing it. A function that looked before loses the race. */
const writesWithinMs = 10_000;

/** When a change was surely stored. After a function that failed, or gave the message back, a later delivery counts. */
const knownMs = (chronicle: Chronicle, { atMs, invocation, message }: AlarmChange): number => {
  const ended = chronicle.invocations.get(invocation)?.ended;
  if (ended === undefined || ended.error !== undefined || ended.again.includes(message)) return endless;
  return (isHealthy(chronicle, invocation) ? atMs : ended.atMs) + writesWithinMs;
};

/**
 * Changes that functions received until a moment, and by which an alarm may be known to be in `ALARM`. Of several changes of one moment, the last
 * received one counts.
 */
export const mayLast = (chronicle: Chronicle, alarm: string, atMs: number): readonly AlarmChange[] =>
  alarmChanges(chronicle).filter((one, index, all) => {
    if (one.alarm !== alarm || one.atMs > atMs || !one.isOn || one.isQuiet) return false;
    const isLater = (other: AlarmChange, at: number): boolean =>
      other.happenedAtMs > one.happenedAtMs || (other.happenedAtMs === one.happenedAtMs && at > index);
    return !all.some((other, at) => other.alarm === alarm && !other.isOn && isLater(other, at) && knownMs(chronicle, other) < atMs);
  });

/** A time in which functions know the same alarms: since `fromMs` under one policy, until the function looked, and until it wrote. */
export type Knowing = { readonly fromMs: number; readonly lookedAtMs: number; readonly atMs: number };

/** Whether functions surely know that an alarm has been in `ALARM` since later than a moment. */
export const surelyLastsSince = (chronicle: Chronicle, alarm: string, sinceMs: number, { fromMs, lookedAtMs, atMs }: Knowing): boolean => {
  const changes = alarmChanges(chronicle).filter((one) => one.alarm === alarm && one.atMs <= atMs);
  const isOver = (one: AlarmChange): boolean => changes.some((other) => other.happenedAtMs >= one.happenedAtMs && (!other.isOn || other.isQuiet));
  return changes.some(
    (one) =>
      one.happenedAtMs > sinceMs &&
      one.atMs >= fromMs &&
      one.atMs - one.happenedAtMs <= alarmTellsForMs - chronicle.times.clockMs &&
      knownMs(chronicle, one) < lookedAtMs &&
      !isOver(one),
  );
};
