import { announcements } from '../../../../core/contract.ts';
import { wasLost } from '../../capacity/breaker.ts';
import type { Chronicle } from '../../chronicle.ts';
import { inEveryGroup } from '../../every-group.ts';
import type { Finding, Rule } from '../../finding.ts';
import { asgsOf } from '../../policy/policy.ts';
import { isMap, textOf, textsOf } from '../../read-json.ts';
import { times } from '../../times.ts';
import { isHindered, look, telling, ways } from '../../told/hindrance.ts';
import { timesGone } from '../../world/gone.ts';
import { endless, type Span } from '../../world/life.ts';

type Broken = Omit<Finding, 'rule'>;

/** A look finds it within a tick, tells it 20 s later, and the tick after that makes up for a look that was lost. */
export const toldWithinMs = 2 * times.tickMs + times.loweredShownMs + times.reactMs;

const tells = ways(look, telling);

/** The events about an Auto Scaling group, each decision once: an event may be sent again after a fault. */
const toldOf = (chronicle: Chronicle, group: string, asg: string) => {
  const all = chronicle
    .of('announced')
    .filter(({ detailType }) => detailType === announcements.asgGone || detailType === announcements.asgBack)
    .filter(({ detail }) => detail.group === group && textsOf(detail.asgs).includes(asg))
    .map(({ detailType, detail, atMs }) => ({ isGone: detailType === announcements.asgGone, decision: textOf(detail.decision), atMs }));
  return all.filter((one, index) => all.findIndex(({ decision, isGone }) => decision === one.decision && isGone === one.isGone) === index);
};

/** Whether policies named it all the time. */
const isNamed = (chronicle: Chronicle, group: string, asg: string, { fromMs, untilMs }: Span): boolean => {
  const isNaming = (atMs: number): boolean => {
    const policy = chronicle.policyAt(group, atMs);
    return policy !== undefined && asgsOf(policy).includes(asg);
  };
  const changes = (chronicle.groups.get(group)?.policies ?? []).filter(({ atMs }) => atMs > fromMs && atMs <= untilMs);
  return [fromMs, ...changes.map(({ atMs }) => atMs)].every(isNaming);
};

/** Whether Holdfast had to tell something that came to be at a moment: the policy named the group, and nothing hindered looks and events. */
export const isToBeTold = (chronicle: Chronicle, group: string, asg: string, span: Span): boolean =>
  span.untilMs <= chronicle.history.endedAtMs &&
  isNamed(chronicle, group, asg, span) &&
  !isHindered(chronicle, tells, span.fromMs, span.untilMs) &&
  !wasLost(chronicle, group, span.fromMs, span.untilMs);

const untold = (chronicle: Chronicle, group: string, asg: string): readonly Broken[] => {
  const told = toldOf(chronicle, group, asg);
  const spans = timesGone(chronicle, asg);
  const withinMs = toldWithinMs + chronicle.times.asgLagMs + chronicle.times.clockMs;
  return spans.flatMap(({ fromMs, untilMs }, index): readonly Broken[] => {
    const [goneBy, backBy] = [fromMs + withinMs, untilMs + withinMs];
    const isIn = (isGone: boolean, sinceMs: number, byMs: number): boolean =>
      told.some((one) => one.isGone === isGone && one.atMs >= sinceMs && one.atMs <= byMs);
    const lacksGone = goneBy <= untilMs && isToBeTold(chronicle, group, asg, { fromMs, untilMs: goneBy }) && !isIn(true, fromMs, goneBy);
    const isOver = backBy <= (spans[index + 1]?.fromMs ?? endless) && told.findLast(({ atMs }) => atMs <= untilMs)?.isGone === true;
    const lacksBack = isOver && isToBeTold(chronicle, group, asg, { fromMs: untilMs, untilMs: backBy }) && !isIn(false, untilMs, backBy);
    return [
      ...(lacksGone ? [{ group, asg, atMs: goneBy, detail: `${asg} is gone, and no event tells it` }] : []),
      ...(lacksBack ? [{ group, asg, atMs: backBy, detail: `there is a group ${asg} again, and no event tells it` }] : []),
    ];
  });
};

const whatIs = (isGone: boolean): string => (isGone ? 'gone' : 'back');

/** Events that say the opposite of the world. */
const untrue = (chronicle: Chronicle, group: string, asg: string): readonly Broken[] => {
  const spans = timesGone(chronicle, asg);
  const slackMs = times.reactMs + chronicle.times.asgLagMs + chronicle.times.clockMs;
  return toldOf(chronicle, group, asg).flatMap(({ isGone, atMs }): readonly Broken[] => {
    const sinceMs = atMs - slackMs;
    const isTrue = isGone
      ? spans.some((span) => span.fromMs <= atMs && span.untilMs > sinceMs)
      : !spans.some((span) => span.fromMs <= sinceMs && span.untilMs > atMs);
    return isTrue ? [] : [{ group, asg, atMs, detail: `an event says that ${asg} is ${whatIs(isGone)}, and it is not` }];
  });
};

/** Events that say what the event before said, or that a group is back that none said is gone. */
const repeated = (chronicle: Chronicle, group: string, asg: string): readonly Broken[] => {
  const told = toldOf(chronicle, group, asg);
  return told.flatMap(({ isGone, atMs: untilMs }, index): readonly Broken[] => {
    const { isGone: wasGone, atMs: fromMs } = told[index - 1] ?? { isGone: false, atMs: chronicle.history.beganAtMs };
    if (isGone !== wasGone || !isToBeTold(chronicle, group, asg, { fromMs, untilMs })) return [];
    const detail = `an event says that ${asg} is ${whatIs(isGone)}, and that is no news`;
    return [{ group, asg, atMs: untilMs, detail }];
  });
};

/** Launches that were first requested of a group long after it was deleted, and before there was one of that name again. */
const requested = (chronicle: Chronicle, group: string, asg: string): readonly Broken[] => {
  const asked = chronicle.of('called').filter(({ launch }) => launch?.asg === asg);
  const firsts = asked.filter(({ launch }, index) => asked.findIndex((one) => one.launch?.token === launch?.token) === index);
  const withinMs = toldWithinMs + chronicle.times.asgLagMs + chronicle.times.clockMs;
  return timesGone(chronicle, asg).flatMap(({ fromMs, untilMs }): readonly Broken[] => {
    const late = firsts.filter(({ askedAtMs }) => askedAtMs > fromMs + withinMs && askedAtMs < untilMs);
    const [first] = late;
    if (first === undefined || !isToBeTold(chronicle, group, asg, { fromMs, untilMs: fromMs + withinMs })) return [];
    return [{ group, asg, atMs: first.askedAtMs, detail: `${late.length} launches are requested of ${asg}, which is gone` }];
  });
};

/** At rest, `holdfast status` shows what the state says. */
const wrongInState = (chronicle: Chronicle, group: string, named: readonly string[]): readonly Broken[] => {
  const { restAtMs, endedAtMs: atMs, stored } = chronicle.history;
  const state = stored.states[group];
  if (!isMap(state) || restAtMs === undefined || chronicle.policyAt(group, atMs) === undefined) return [];
  const said = isMap(state.goneAsgs) ? state.goneAsgs : {};
  return named.flatMap((asg): readonly Broken[] => {
    const isSaid = isMap(said[asg]) && said[asg].isTold === true;
    const span = timesGone(chronicle, asg).find(({ untilMs }) => untilMs > atMs);
    const isYoung = span !== undefined && span.fromMs > atMs - toldWithinMs - chronicle.times.asgLagMs - chronicle.times.clockMs;
    const isNow = span !== undefined && isNamed(chronicle, group, asg, { fromMs: atMs, untilMs: atMs });
    if (isYoung || isSaid === isNow) return [];
    return [{ group, asg, atMs, detail: `at rest, the state of ${group} says that ${asg} is ${isSaid ? 'gone' : 'there'}, and it is not` }];
  });
};

export const goneAsgsAreTold: Rule = {
  name: 'an Auto Scaling group that is gone is told',
  meaning:
    'When the Auto Scaling group of a policy in force is deleted, an event tells it within two ticks and the 20 seconds for which describes may be older. When there is a group of that name again, another event tells that in the same time. Neither is sent without that, nor twice in a row. After the time for the first event, no launch is requested of the group that is gone. At rest, the state of the group says the same, and `holdfast status` shows it.',
  broken: inEveryGroup((chronicle, group) => {
    const policies = chronicle.groups.get(group)?.policies ?? [];
    const named = new Set(policies.flatMap(({ policy }) => (policy === undefined ? [] : asgsOf(policy))));
    const events = [...named].flatMap((asg) => [
      ...untold(chronicle, group, asg),
      ...untrue(chronicle, group, asg),
      ...repeated(chronicle, group, asg),
      ...requested(chronicle, group, asg),
    ]);
    return [...events, ...wrongInState(chronicle, group, [...named])];
  }),
};
