import type { Chronicle, GroupTimeline, Written } from '../../chronicle.ts';
import type { Finding, Rule } from '../../finding.ts';
import { adjusted, atDistance, type Policy, type ScalingRow } from '../../policy/policy.ts';
import { times } from '../../times.ts';
import { alarmChanges, alarmTellsForMs, foundTogetherMs, lastsAgainMs, mayLast } from '../../told/alarms.ts';
import { isHindered, look } from '../../told/hindrance.ts';
import { isHealthy } from '../../told/leaving.ts';
import { endless, isFunction } from '../../world/life.ts';
import { wasRestored } from '../../world/restores.ts';

type Broken = Omit<Finding, 'rule'>;

/** Of several alarms that are received within this time, one may undo the other. */
const apartMs = 2 * times.tickMs;
/** A look that received another alarm this long before has stored what that one changed. */
const storedWithinMs = 30_000;

const actsWithinMs = times.messageAgainMs + times.reactMs;

/** Alarms that reached a function which no fault met, the first delivery of each. */
const heardAlarms = (chronicle: Chronicle) => {
  const heard = chronicle
    .of('delivered')
    .flatMap(({ told, atMs, happenedAtMs, invocation, message }) =>
      told.about === 'alarm' && told.isOn !== false && told.isQuiet !== true && isHealthy(chronicle, invocation)
        ? [{ alarm: told.alarm, atMs, happenedAtMs, message, fromThreshold: told.fromThreshold }]
        : [],
    );
  return [...new Map(heard.toReversed().map((one) => [one.message, one])).values()];
};

/** Whether the alarm had reached the function that wrote this, whether or not a fault met it: its cooldown began with this. */
const toldAlarm = ({ invocations }: Chronicle, { by }: Written, alarm: string): boolean =>
  by.kind === 'function' && (invocations.get(by.invocation)?.deliveries ?? []).some(({ told }) => told.about === 'alarm' && told.alarm === alarm);

type Change = { readonly before: number; readonly now: Written };

/** Whether a change is what the alarm makes of the size before, while functions know it to be in `ALARM`: its cooldown began with this too. */
const isByLasting = (chronicle: Chronicle, { before, now }: Change, row: ScalingRow, size: Policy['size']): boolean =>
  mayLast(chronicle, row.alarm, now.atMs).some(({ fromThreshold }) => adjusted(before, atDistance(row, fromThreshold), size) === now.desired);

/**
 * Whether an alarm that was received may have acted before the state item was restored or deleted, so that the item lacks that. No look can know when that
 * was: it was before the first one that wrote the item again.
 */
const mayHaveActed = (
  { times: { clockMs } }: Chronicle,
  { written, lostAtMs }: GroupTimeline,
  { happenedAtMs, atMs: heardAtMs }: { readonly happenedAtMs: number; readonly atMs: number },
): boolean => {
  const renewedAtMs = (lostMs: number): number => written.find(({ by, atMs }) => isFunction(by) && atMs > lostMs)?.atMs ?? endless;
  const losses = [...lostAtMs, ...written.filter(({ by }) => !isFunction(by)).map(({ atMs }) => atMs)].filter((lostMs) => lostMs <= heardAtMs);
  return losses.some((lostMs) => {
    const foundMs = renewedAtMs(lostMs);
    return lostMs >= happenedAtMs || (foundMs < heardAtMs && happenedAtMs < foundMs - foundTogetherMs + clockMs);
  });
};

const unanswered = (chronicle: Chronicle, timeline: GroupTimeline): readonly Broken[] => {
  const { group, written } = timeline;
  const heard = heardAlarms(chronicle);
  return heard.flatMap(({ alarm, atMs, happenedAtMs, message, fromThreshold }) => {
    const policy = chronicle.policyAt(group, atMs);
    const row = policy?.scaling.find((one) => one.alarm === alarm);
    const [before] = chronicle.desiredIn(group, atMs, atMs);
    if (policy === undefined || policy.mode === 'observe' || row === undefined || before === undefined || atMs - happenedAtMs > alarmTellsForMs)
      return [];
    if (adjusted(before, atDistance(row, fromThreshold), policy.size) === before) return [];
    // During its cooldown, or together with another alarm or an edit, it may have no effect. The cooldown of another alarm is no reason.
    const names = new Set(policy.scaling.map((one) => one.alarm));
    const isNear = (other: { readonly alarm: string; readonly atMs: number }): boolean =>
      other.alarm === alarm
        ? Math.abs(other.atMs - atMs) < Math.max(apartMs, row.cooldownMs)
        : other.atMs > atMs - storedWithinMs && other.atMs < atMs + apartMs;
    const isAlone = !heard.some((other) => other.message !== message && names.has(other.alarm) && isNear(other));
    const isLetGo = chronicle.policyAt(group, atMs + actsWithinMs) === undefined;
    const isEdited = isLetGo || chronicle.policiesIn(group, atMs - apartMs, atMs + actsWithinMs).length > 1;
    // The first look may have received an alarm: then its item begins with another size than that of the policy.
    const changes = written
      .map((now, index): Change => ({ before: written[index - 1]?.desired ?? policy.size.desired, now }))
      .filter(({ before: size, now }) => now.desired !== size);
    const isActed = changes.some(({ now }) => now.atMs > atMs - storedWithinMs && now.atMs <= atMs + actsWithinMs);
    const isCooling = changes
      .filter(({ now }) => now.atMs <= atMs && now.atMs > happenedAtMs - row.cooldownMs)
      .some((change) => toldAlarm(chronicle, change.now, alarm) || isByLasting(chronicle, change, row, policy.size));
    if (!isAlone || isEdited || isActed || isCooling || mayHaveActed(chronicle, timeline, { happenedAtMs, atMs })) return [];
    return [{ group, atMs: atMs + actsWithinMs, detail: `alarm ${alarm} was received, and the desired size stays ${before}` }];
  });
};

export const alarmsAct: Rule = {
  name: 'alarms that are heard act',
  meaning:
    'An alarm changes the desired size of the groups that name it, unless the size is at its bound. This holds for an alarm that reaches a function without a fault, alone and outside its cooldown. Another alarm half a minute before is no reason to do nothing. The cooldown begins anew when the alarm acts again because it lasts. It does not hold for one that went off before a look found the state item lost or restored, and is received after that look: it may have acted before. A policy that is written or deleted at that time is a reason to do nothing.',
  broken: (chronicle) => [...chronicle.groups.values()].flatMap((timeline) => unanswered(chronicle, timeline)),
};

/** A tick finds it, or the next tick if the first lost a race. */
const foundWithinMs = 2 * times.tickMs + times.messageAgainMs + times.reactMs;

type Lasting = { readonly alarm: string; readonly happenedAtMs: number; readonly fromMs: number; readonly untilMs: number };

/** Times in which an alarm was in `ALARM`, as messages to healthy functions said. One of more than an hour ago says nothing of now. */
const lastingTimes = (chronicle: Chronicle): readonly Lasting[] => {
  const { endedAtMs } = chronicle.history;
  const changes = alarmChanges(chronicle);
  return changes.flatMap((one) => {
    if (!one.isOn || one.isQuiet || one.atMs - one.happenedAtMs > alarmTellsForMs || !isHealthy(chronicle, one.invocation)) return [];
    const over = changes.filter((other) => other.alarm === one.alarm && other.happenedAtMs >= one.happenedAtMs && (!other.isOn || other.isQuiet));
    return [{ alarm: one.alarm, happenedAtMs: one.happenedAtMs, fromMs: one.atMs, untilMs: Math.min(endedAtMs, ...over.map(({ atMs }) => atMs)) }];
  });
};

/** Nothing but this alarm moves the size meanwhile, and no fault hinders a look. */
const isPlain = (chronicle: Chronicle, group: string, { alarm }: Lasting, fromMs: number, untilMs: number): boolean => {
  const names = new Set(chronicle.policyAt(group, fromMs)?.scaling.map((row) => row.alarm));
  return (
    !isHindered(chronicle, look, fromMs, untilMs) &&
    !(chronicle.groups.get(group)?.policies ?? []).some(({ atMs }) => atMs > fromMs && atMs <= untilMs) &&
    !wasRestored(chronicle, untilMs) &&
    !alarmChanges(chronicle).some((one) => one.alarm !== alarm && names.has(one.alarm) && one.atMs <= untilMs)
  );
};

/** Whether an alarm went off before the policy came back under which it was received: its end may have come while no policy named it. */
const mayBeOver = ({ policies }: GroupTimeline, { happenedAtMs, fromMs }: Lasting): boolean =>
  policies.some(
    ({ atMs, policy }, index) =>
      policy !== undefined && index > 0 && policies[index - 1]?.policy === undefined && atMs > happenedAtMs && atMs <= fromMs,
  );

const unrepeated = (chronicle: Chronicle, timeline: GroupTimeline): readonly Broken[] => {
  const { group, written } = timeline;
  return lastingTimes(chronicle).flatMap((lasting) => {
    if (mayBeOver(timeline, lasting)) return [];
    const changes = written.filter((one, index) => index > 0 && one.desired !== written[index - 1]?.desired).map(({ atMs }) => atMs);
    const moments = [lasting.fromMs, ...changes.filter((atMs) => atMs > lasting.fromMs && atMs < lasting.untilMs)];
    return moments.flatMap((fromMs, index): readonly Broken[] => {
      const policy = chronicle.policyAt(group, fromMs);
      const row = policy?.scaling.find((one) => one.alarm === lasting.alarm);
      if (policy === undefined || row === undefined || policy.mode === 'observe') return [];
      const dueMs = fromMs + Math.max(row.cooldownMs, lastsAgainMs) + foundWithinMs + 2 * chronicle.times.clockMs;
      const [size] = chronicle.desiredIn(group, fromMs, fromMs);
      const isActed = (moments[index + 1] ?? lasting.untilMs) <= dueMs;
      if (isActed || size === undefined || adjusted(size, row, policy.size) === size || !isPlain(chronicle, group, lasting, fromMs, dueMs)) return [];
      return [{ group, atMs: dueMs, detail: `alarm ${lasting.alarm} is still in ALARM after its cooldown, and the desired size stays ${size}` }];
    });
  });
};

export const lastingAlarmsActAgain: Rule = {
  name: 'an alarm that lasts acts again',
  meaning:
    'While an alarm stays in ALARM, it changes the desired size again after each cooldown, until the size is at its bound. This holds once an invocation without an injected fault received that state. It does not hold for an alarm that went off before a deleted policy was written again: no function may have received the event of its end.',
  broken: (chronicle) => [...chronicle.groups.values()].flatMap((timeline) => unrepeated(chronicle, timeline)),
};
