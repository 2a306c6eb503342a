import type { Chronicle, Written } from '../chronicle.ts';
import { adjusted, atDistance, type Policy, type ScalingRow } from '../policy/policy.ts';
import { isFunction } from '../world/life.ts';
import { alarmTellsForMs, lastsAgainMs, mayLast } from './alarms.ts';

/** Alarms that reached the function that wrote, and that its policy acts on. */
export type Heard = { readonly row: ScalingRow; readonly happenedAtMs: number; readonly lasts?: true };

/** Each adjustment once. */
const byStep = (rows: readonly ScalingRow[]): readonly ScalingRow[] => [...new Map(rows.map((row) => [`${row.by} ${row.isPercent}`, row])).values()];

export const heardBy = (chronicle: Chronicle, { by, atMs }: Pick<Written, 'by' | 'atMs'>, policy: Policy): readonly Heard[] => {
  const invocation = isFunction(by) ? chronicle.invocations.get(by.invocation) : undefined;
  const heard = (invocation?.deliveries ?? []).flatMap(({ told, happenedAtMs }) => {
    if (told.about !== 'alarm' || told.isOn === false || told.isQuiet || atMs - happenedAtMs > alarmTellsForMs + chronicle.times.clockMs) return [];
    return policy.scaling.filter(({ alarm }) => alarm === told.alarm).map((row) => ({ row: atDistance(row, told.fromThreshold), happenedAtMs }));
  });
  const inTime = (invocation?.deliveries ?? []).filter(({ happenedAtMs }) => atMs - happenedAtMs <= alarmTellsForMs - chronicle.times.clockMs);
  const toldLastMs = (alarm: string): number =>
    Math.max(0, ...inTime.flatMap(({ told, happenedAtMs }) => (told.about === 'alarm' && told.alarm === alarm ? [happenedAtMs] : [])));
  // One that is still in ALARM acts again after its cooldown.
  const lasting = policy.scaling.flatMap((row) =>
    // It acts by the distance that it went off with last, as far as this function knows.
    byStep(
      mayLast(chronicle, row.alarm, atMs)
        .filter(({ happenedAtMs }) => happenedAtMs >= toldLastMs(row.alarm))
        .map(({ fromThreshold }) => atDistance(row, fromThreshold)),
    ).map((acting): Heard => ({ row: { ...acting, cooldownMs: Math.max(row.cooldownMs, lastsAgainMs) }, happenedAtMs: atMs, lasts: true })),
  );
  return [...heard, ...lasting];
};

/** Of several received changes of one alarm, only the newest counts. The result also has each step by which it may act again while it lasts. */
export const newestEach = (heard: readonly Heard[]): readonly Heard[] => [
  ...new Map(
    heard
      .filter(({ lasts }) => !lasts)
      .toSorted((a, b) => a.happenedAtMs - b.happenedAtMs)
      .map((one) => [one.row.alarm, one]),
  ).values(),
  ...heard.filter(({ lasts }) => lasts),
];

/** All sizes that some of these alarms make of a size, each alarm once at most, with who acted for each. */
export const outcomesOf = (
  size: number,
  heard: readonly Heard[],
  policy: Policy,
): readonly { readonly size: number; readonly acted: readonly string[] }[] => [
  { size, acted: [] },
  ...heard.flatMap((one) =>
    outcomesOf(
      adjusted(size, one.row, policy.size),
      heard.filter(({ row }) => row.alarm !== one.row.alarm),
      policy,
    ).map((rest) => ({ size: rest.size, acted: [one.row.alarm, ...rest.acted] })),
  ),
];
