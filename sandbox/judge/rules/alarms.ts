import type { Chronicle, GroupTimeline, Written } from '../chronicle.ts';
import type { Finding, Rule } from '../finding.ts';
import { isHealthy } from '../leaving.ts';
import { adjusted } from '../policy.ts';
import { times } from '../times.ts';

type Broken = Omit<Finding, 'rule'>;

/** Older ones say nothing about now. */
const alarmTellsForMs = 3_600_000;
/** Where several alarms are heard within this time, one may undo the other. */
const apartMs = 2 * times.tickMs;

const actsWithinMs = times.messageAgainMs + times.reactMs;

/** Alarms that reached a function which no fault met, the first delivery of each. */
const heardAlarms = (chronicle: Chronicle) => {
  const heard = chronicle
    .of('delivered')
    .flatMap(({ told, atMs, happenedAtMs, invocation, message }) =>
      told.about === 'alarm' && isHealthy(chronicle, invocation) ? [{ alarm: told.alarm, atMs, happenedAtMs, message }] : [],
    );
  return [...new Map(heard.toReversed().map((one) => [one.message, one])).values()];
};

/** Whether the alarm had reached the function that wrote this, whether or not a fault met it: its cooldown began with this. */
const toldAlarm = ({ invocations }: Chronicle, { by }: Written, alarm: string): boolean =>
  by.kind === 'function' && (invocations.get(by.invocation)?.deliveries ?? []).some(({ told }) => told.about === 'alarm' && told.alarm === alarm);

const unanswered = (chronicle: Chronicle, { group, written }: GroupTimeline): readonly Broken[] => {
  const heard = heardAlarms(chronicle);
  return heard.flatMap(({ alarm, atMs, happenedAtMs, message }) => {
    const policy = chronicle.policyAt(group, atMs);
    const row = policy?.scaling.find((one) => one.alarm === alarm);
    const [before] = chronicle.desiredIn(group, atMs, atMs);
    if (policy === undefined || policy.mode === 'observe' || row === undefined || before === undefined || atMs - happenedAtMs > alarmTellsForMs)
      return [];
    if (adjusted(before, row, policy.size) === before) return [];
    // In its cooldown, beside another alarm or an edit it may come to nothing.
    const names = new Set(policy.scaling.map((one) => one.alarm));
    const isAlone = !heard.some(
      (other) => other.message !== message && names.has(other.alarm) && Math.abs(other.atMs - atMs) < Math.max(apartMs, row.cooldownMs),
    );
    const isEdited = chronicle.policiesIn(group, atMs - apartMs, atMs + actsWithinMs).length > 1;
    const changes = written.filter((one, index) => index > 0 && one.desired !== written[index - 1]?.desired);
    const isActed = changes.some((one) => one.atMs > atMs - apartMs && one.atMs <= atMs + actsWithinMs);
    const isCooling = changes.some((one) => one.atMs <= atMs && one.atMs > happenedAtMs - row.cooldownMs && toldAlarm(chronicle, one, alarm));
    if (!isAlone || isEdited || isActed || isCooling) return [];
    return [{ group, atMs: atMs + actsWithinMs, detail: `alarm ${alarm} was heard, and the desired size stays ${before}` }];
  });
};

export const alarmsAct: Rule = {
  name: 'alarms that are heard act',
  meaning:
    'An alarm that reaches a function which no fault met, outside its cooldown and alone, changes the desired size of the groups that name it, unless that is at its bound.',
  broken: (chronicle) => [...chronicle.groups.values()].flatMap((timeline) => unanswered(chronicle, timeline)),
};
