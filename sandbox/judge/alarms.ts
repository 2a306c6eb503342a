import type { Chronicle } from './chronicle.ts';
import { isHealthy } from './leaving.ts';
import { endless } from './life.ts';
import { times } from './times.ts';

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

/** Older ones say nothing about now. */
export const alarmTellsForMs = 3_600_000;
/** However short its cooldown, an alarm that lasts acts at most once in this time. */
export const lastsAgainMs = times.tickMs;

const found = new WeakMap<Chronicle, readonly AlarmChange[]>();

/** Everything that functions were told about alarms. */
export const alarmChanges = (chronicle: Chronicle): readonly AlarmChange[] => {
  const known = found.get(chronicle);
  if (known !== undefined) return known;
  const changes = chronicle.of('delivered').flatMap(({ told, atMs, happenedAtMs, invocation, message }) =>
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
  );
  found.set(chronicle, changes);
  return changes;
};

/** From hearing of a change to writing it down: whoever looked before loses the race. */
const writesWithinMs = 10_000;

/** When a change was surely written down. A function that fails, or gives the message back, is told again by a later delivery. */
const knownMs = (chronicle: Chronicle, { atMs, invocation, message }: AlarmChange): number => {
  const ended = chronicle.invocations.get(invocation)?.ended;
  if (ended === undefined || ended.error !== undefined || ended.again.includes(message)) return endless;
  return (isHealthy(chronicle, invocation) ? atMs : ended.atMs) + writesWithinMs;
};

/**
 * Changes by which an alarm may be known to be in `ALARM`, of what functions were told until a moment. Of changes of one moment, the one that was told
 * last is believed.
 */
export const mayLast = (chronicle: Chronicle, alarm: string, atMs: number): readonly AlarmChange[] =>
  alarmChanges(chronicle).filter((one, index, all) => {
    if (one.alarm !== alarm || one.atMs > atMs || !one.isOn || one.isQuiet) return false;
    const isLater = (other: AlarmChange, at: number): boolean =>
      other.happenedAtMs > one.happenedAtMs || (other.happenedAtMs === one.happenedAtMs && at > index);
    return !all.some((other, at) => other.alarm === alarm && !other.isOn && isLater(other, at) && knownMs(chronicle, other) < atMs);
  });
