import type { Chronicle, Written } from '../chronicle.ts';
import { adjusted, atDistance, type Policy, type ScalingRow } from '../policy/policy.ts';
import { times } from '../times.ts';
import { isFunction, tagsAt } from '../world/life.ts';
import { wasRestored } from '../world/restores.ts';
import { alarmTellsForMs, foundTogetherMs, lastsAgainMs, mayLast, surelyLastsSince } from './alarms.ts';

/** Alarms that reached the function that wrote, and that its policy acts on. */
export type Heard = { readonly row: ScalingRow; readonly happenedAtMs: number; readonly lasts?: true };

/** Each adjustment once. */
const byStep = (rows: readonly ScalingRow[]): readonly ScalingRow[] => [...new Map(rows.map((row) => [`${row.by} ${row.isPercent}`, row])).values()];

/**
 * Until when alarms may have acted before a user deleted the state item: until the look that found the loss. An item that never named a launch of a
 * member says nothing of a loss.
 */
const forgottenUntilMs = (chronicle: Chronicle, { group }: Pick<Written, 'group'>, sinceMs: number): number => {
  const { lostAtMs = [], written = [] } = chronicle.groups.get(group) ?? {};
  const lostMs = lostAtMs.findLast((atMs) => atMs < sinceMs);
  const found = written.find(({ by, atMs }) => lostMs !== undefined && isFunction(by) && atMs >= lostMs);
  if (found === undefined || found.atMs >= sinceMs) return Number.NEGATIVE_INFINITY;
  const isKnown = chronicle.membersAt(group, found.atMs).some((life) => tagsAt(life, found.atMs)['holdfast:reservation'] !== undefined);
  return isKnown ? found.atMs - times.reactMs - foundTogetherMs - 2 * chronicle.times.clockMs : Number.NEGATIVE_INFINITY;
};

type Passing = { readonly alarm: string; readonly happenedAtMs: number; readonly lookedAtMs: number };

/** A function may still follow the policy from before for so long. */
const followedWithinMs = 10_000;

/**
 * Whether another alarm surely went off later than a moment and lasts, so that the one of that moment does not act again. Alarms that came before the policy
 * in force are left out, and all of them where somebody lost or restored the state.
 */
const isPassedOver = (chronicle: Chronicle, { group, atMs }: Pick<Written, 'group' | 'atMs'>, { scaling }: Policy, own: Passing): boolean => {
  const { policies = [], lostAtMs = [] } = chronicle.groups.get(group) ?? {};
  if (wasRestored(chronicle, atMs) || lostAtMs.some((lostMs) => lostMs <= atMs)) return false;
  const fromMs = (policies.findLast((one) => one.atMs <= atMs)?.atMs ?? atMs) + followedWithinMs;
  const others = scaling.filter(({ alarm }) => alarm !== own.alarm);
  return others.some(({ alarm }) => surelyLastsSince(chronicle, alarm, own.happenedAtMs, { fromMs, lookedAtMs: own.lookedAtMs, atMs }));
};

export const heardBy = (chronicle: Chronicle, { group, by, atMs }: Pick<Written, 'group' | 'by' | 'atMs'>, policy: Policy): readonly Heard[] => {
  const invocation = isFunction(by) ? chronicle.invocations.get(by.invocation) : undefined;
  const overMs = forgottenUntilMs(chronicle, { group }, invocation?.beganAtMs ?? atMs);
  const heard = (invocation?.deliveries ?? []).flatMap(({ told, happenedAtMs }) => {
    if (happenedAtMs < overMs) return [];
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
        .filter(({ happenedAtMs }) => happenedAtMs >= Math.max(overMs, toldLastMs(row.alarm)))
        .filter((change) => change.atMs - change.happenedAtMs <= alarmTellsForMs + 2 * chronicle.times.clockMs)
        .filter((change) => !isPassedOver(chronicle, { group, atMs }, policy, { ...change, lookedAtMs: invocation?.beganAtMs ?? atMs }))
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
