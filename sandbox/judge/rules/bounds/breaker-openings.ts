import { announcements } from '../../../../core/contract.ts';
import { familyOf, type HeardWarning, isOver, slackOf, spotFamilies, spotOf, toldOpenIn, warningsHeard, wasLost } from '../../capacity/breaker.ts';
import type { Chronicle } from '../../chronicle.ts';
import { inEveryGroup } from '../../every-group.ts';
import type { Finding, Rule } from '../../finding.ts';
import type { Policy } from '../../policy/policy.ts';
import { firstWarning, isOutOfDate } from '../../told/first-warnings.ts';
import { isHealthy } from '../../told/leaving.ts';
import { goneAtMs } from '../../world/life.ts';
import { isPlainForBreakers as isPlain } from './breaker-way.ts';

type Broken = Omit<Finding, 'rule'>;

/**
 * Surely received: nothing hindered the function that the warning reached first, and the member lived then, or Holdfast had its swap. `first`: its
 * message.
 */
export const isSurelyHeard = (
  chronicle: Chronicle,
  group: string,
  { life, atMs }: Pick<HeardWarning, 'life' | 'atMs'>,
  first = firstWarning(life, chronicle.times.clockMs),
): boolean => {
  const ended = first && chronicle.invocations.get(first.invocation)?.ended;
  return (
    first !== undefined &&
    ended?.again.includes(first.message) === false &&
    !isOutOfDate(life, first, -chronicle.times.clockMs) &&
    isHealthy(chronicle, first.invocation) &&
    chronicle.groupAt(life, atMs) === group &&
    (goneAtMs(life) > ended.atMs || life.claims.some((claim) => claim.atMs < first.atMs))
  );
};

export const breakersOpen: Rule = {
  name: 'a breaker opens',
  meaning:
    'When EC2 warns about as many members within the time of a breaker as the policy says, and no fault hinders functions from receiving the warnings, Holdfast reports on the event bus that the breaker is open. A warning counts from the time that EC2 gives it. One that is more than five minutes old when it comes does not count while its member runs.',
  broken: inEveryGroup((chronicle, group) => {
    const slackMs = slackOf(chronicle);
    const heard = warningsHeard(chronicle, group).filter((one) => isSurelyHeard(chronicle, group, one));
    const told = toldOpenIn(chronicle, group);
    return heard.flatMap(({ atMs }, index): readonly Broken[] => {
      const [policy, ...others] = chronicle.policiesIn(group, atMs, atMs + slackMs);
      const rule = policy?.breaker;
      if (policy === undefined || rule === undefined || others.length > 0) return [];
      const fromMs = atMs - Math.max(0, rule.withinMs * (1 - 1 / 30) - slackMs);
      const recent = heard.slice(0, index + 1).filter((one) => one.happenedAtMs > fromMs);
      const families = new Set(recent.map(({ life }) => familyOf(life.instanceType)));
      const firstMs = recent[0]?.atMs ?? atMs;
      const isOne = families.size === 1 || spotFamilies(policy).size === 1;
      if (recent.length < rule.interruptions || !isOne || !isPlain(chronicle, group, firstMs, atMs + slackMs)) return [];
      if (told.some((open) => open.fromMs >= fromMs && open.fromMs <= atMs + slackMs)) return [];
      return [{ group, atMs, detail: `${recent.length} members were warned within the time of the breaker, and no event reported that one opened` }];
    });
  }),
};

/** The first deliveries of warnings about spot instances of a group that may still count. */
const deliveredWarnings = (chronicle: Chronicle, group: string): readonly number[] => {
  const warnings = spotOf(chronicle, group)
    .flatMap((life) => life.deliveries.filter((one) => one.told.about === 'warning' && !isOutOfDate(life, one, chronicle.times.clockMs)))
    .toSorted((one, other) => other.atMs - one.atMs);
  return [...new Map(warnings.map(({ message, atMs }) => [message, atMs])).values()];
};

/** Breakers that interruptions opened, each once: an event may be sent again after a fault. */
const openedByInterruptions = (chronicle: Chronicle, group: string) => {
  const events = chronicle
    .of('announced')
    .filter(({ detailType, detail }) => detailType === announcements.breakerOpened && detail.group === group && detail.why === 'interruptions')
    .toSorted((one, other) => other.atMs - one.atMs);
  return [...new Map(events.map((event) => [`${event.detail.breaker} ${event.detail.untilMs}`, event])).values()].toReversed();
};

export const warningsOpenOnce: Rule = {
  name: 'a warning opens one breaker at most',
  meaning:
    'Of the warnings about spot members, and about spot instances of warm pools, that reached functions, each counts for one opening of a breaker at most: together, the events about breakers that interruptions opened name no more interruptions than there were such warnings. After the state table was restored or the item was lost, nothing is known of earlier ones.',
  broken: inEveryGroup((chronicle, group) => {
    const warnings = deliveredWarnings(chronicle, group);
    let counted = 0;
    return openedByInterruptions(chronicle, group).flatMap(({ detail, atMs }): readonly Broken[] => {
      counted += Number(detail.interruptions);
      const received = warnings.filter((warnedMs) => warnedMs <= atMs).length;
      if (counted <= received || wasLost(chronicle, group, Number.NEGATIVE_INFINITY, atMs)) return [];
      return [{ group, atMs, detail: `breakers opened for ${counted} interruptions, and functions received ${received} warnings` }];
    });
  }),
};

/**
 * The most of these warnings for which the breaker of all of spot may open. Where the spot pools have several families, as many warnings as the policy says
 * open the breaker of their own family. So fewer of each family are left.
 */
const mostForSpot = (policies: readonly Policy[], heard: readonly HeardWarning[], interruptions: number): number => {
  if (policies.some((policy) => spotFamilies(policy).size < 2)) return heard.length;
  const byFamily = Map.groupBy(heard, ({ life }) => familyOf(life.instanceType));
  return [...byFamily.values()].reduce((sum, { length }) => sum + Math.min(length, interruptions - 1), 0);
};

export const breakersOpenInTime: Rule = {
  name: 'a breaker opens for warnings of its time alone',
  meaning:
    'Holdfast reports that interruptions opened a breaker only if functions received as many warnings as the policy says, and as many as the event names, to which EC2 gave times within the time of the breaker: about spot members and spot instances of warm pools, and for the breaker of a family about those of that family. The breaker of all of spot does not open for those that open the breaker of one family, if the spot pools have several.',
  broken: inEveryGroup((chronicle, group) =>
    openedByInterruptions(chronicle, group).flatMap(({ detail, atMs }): readonly Broken[] => {
      const policies = chronicle.policiesIn(group, atMs - slackOf(chronicle), atMs);
      const rules = policies.flatMap(({ breaker }) => breaker ?? []);
      if (rules.length === 0) return [];
      const withinMs = Math.max(...rules.map((rule) => rule.withinMs));
      const fromMs = atMs - withinMs * (1 + 1 / 30) - slackOf(chronicle);
      const heard = warningsHeard(chronicle, group).filter(
        (one) => one.atMs <= atMs && one.happenedAtMs > fromMs && isOver(String(detail.breaker), one.life),
      );
      const least = Math.min(...rules.map(({ interruptions }) => interruptions));
      const needed = Math.max(Number(detail.interruptions), least);
      const most = Math.max(...rules.map(({ interruptions }) => interruptions));
      const spot = detail.breaker === 'spot' ? mostForSpot(policies, heard, most) : heard.length;
      if (heard.length >= needed && spot < needed)
        return [
          { group, atMs, detail: `the breaker of spot opened for ${detail.interruptions} interruptions, and ${spot} were of no other breaker` },
        ];
      if (heard.length >= needed) return [];
      const text = `the breaker of ${detail.breaker} opened for ${detail.interruptions} interruptions, ${needed} are needed`;
      return [{ group, atMs, detail: `${text}, and functions received ${heard.length} warnings within its time` }];
    }),
  ),
};
