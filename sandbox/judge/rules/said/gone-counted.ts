import { metrics } from '../../../../core/contract.ts';
import type { Chronicle } from '../../chronicle.ts';
import type { Finding, Rule } from '../../finding.ts';
import { asgsOf } from '../../policy/policy.ts';
import { times } from '../../times.ts';
import { timesGone } from '../../world/gone.ts';
import { isToBeTold, toldWithinMs } from './gone-said.ts';

type Broken = Omit<Finding, 'rule'>;

/** The tick of a minute counts it, and the next tick makes up for one that was lost. */
const countedEachMs = 2 * times.tickMs + times.reactMs;

/** The Auto Scaling groups that policies of a group have named. */
const everNamed = (chronicle: Chronicle, group: string): ReadonlySet<string> =>
  new Set((chronicle.groups.get(group)?.policies ?? []).flatMap(({ policy }) => (policy === undefined ? [] : asgsOf(policy))));

const countsIn = (chronicle: Chronicle) =>
  chronicle.of('invocation-ended').flatMap(({ counted, invocation, atMs }) => {
    const count = counted?.[metrics.asgsGone] ?? 0;
    return count > 0 ? [{ count, invocation, atMs }] : [];
  });

/** While an Auto Scaling group is gone, from when an event has to tell it: spans in which nothing counts it. */
const uncounted = (chronicle: Chronicle, group: string, asg: string): readonly Broken[] => {
  const counts = countsIn(chronicle);
  const withinMs = toldWithinMs + chronicle.times.asgLagMs + chronicle.times.clockMs;
  return timesGone(chronicle, asg).flatMap(({ fromMs, untilMs }): readonly Broken[] => {
    const endMs = Math.min(untilMs, chronicle.history.endedAtMs);
    const spans = Math.max(0, Math.floor((endMs - fromMs - withinMs) / countedEachMs));
    return Array.from({ length: spans }, (_, index) => fromMs + withinMs + index * countedEachMs).flatMap((sinceMs): readonly Broken[] => {
      const byMs = sinceMs + countedEachMs;
      const isCounted = counts.some(({ atMs }) => atMs > sinceMs && atMs <= byMs);
      return isCounted || !isToBeTold(chronicle, group, asg, { fromMs, untilMs: byMs })
        ? []
        : [{ group, asg, atMs: byMs, detail: `${asg} is gone, and no metric counts it` }];
    });
  });
};

/** Counts of more Auto Scaling groups than were gone. */
const invented = (chronicle: Chronicle): readonly Broken[] => {
  const named = [...chronicle.groups.keys()].flatMap((group) => [...everNamed(chronicle, group)]);
  return countsIn(chronicle).flatMap(({ count, invocation, atMs }): readonly Broken[] => {
    const sinceMs = atMs - times.reactMs - chronicle.times.asgLagMs - chronicle.times.clockMs;
    const gone = named.filter((asg) => timesGone(chronicle, asg).some((span) => span.fromMs <= atMs && span.untilMs > sinceMs));
    return count <= gone.length ? [] : [{ invocation, atMs, detail: `${count} Auto Scaling groups are counted as gone, and ${gone.length} are` }];
  });
};

export const goneAsgsAreCounted: Rule = {
  name: 'an Auto Scaling group that is gone is counted',
  meaning:
    'From when an event tells that the Auto Scaling group of a policy in force is gone until it is back, a metric counts it at least every two ticks, so that the alarm lasts. The metric counts no more groups than are gone.',
  broken: (chronicle) => [
    ...[...chronicle.groups.keys()].flatMap((group) => [...everNamed(chronicle, group)].flatMap((asg) => uncounted(chronicle, group, asg))),
    ...invented(chronicle),
  ],
};
