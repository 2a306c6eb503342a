import type { Chronicle } from '../../chronicle.ts';
import type { Finding, Rule } from '../../finding.ts';
import type { Actor } from '../../history.ts';
import { choicesOf } from '../../members/choices.ts';
import { headcountAt } from '../../members/staying.ts';
import { asgsOf } from '../../policy/policy.ts';
import { times } from '../../times.ts';
import type { AsgChange } from '../../world/cloud.ts';
import { allDenials, type Denial, deniedSince, knownDenial } from '../../world/denied.ts';
import { isFunction, stayAt } from '../../world/life.ts';

type Broken = Omit<Finding, 'rule'>;

/** The time from a denial until every function knows it. */
const knownWithinMs = times.reactMs + 10_000;
/** From the call that lowers a desired capacity to the write of its decision. */
const decidesWithinMs = 10_000;
/** A size that was lowered before the denial was known is raised again within the next look. */
const givenBackWithinMs = 2 * times.tickMs;

/** Auto Scaling groups that policies of a group ever named until a moment. */
const asgsUntil = (chronicle: Chronicle, group: string, atMs: number): readonly string[] => [
  ...new Set(chronicle.policiesIn(group, Number.NEGATIVE_INFINITY, atMs).flatMap(asgsOf)),
];

/** How many members the Auto Scaling groups of a group hold or launch by themselves, and those beside them. */
const providedAt = (chronicle: Chronicle, group: string, atMs: number): number => {
  const { staying, waiting } = headcountAt(chronicle, group, atMs);
  const loose = [...staying, ...waiting].filter((life) => stayAt(life, atMs) === undefined).length;
  const wanted = asgsUntil(chronicle, group, atMs).reduce((sum, asg) => sum + (chronicle.cloud.asgAt(asg, atMs)?.desired ?? 0), 0);
  return wanted + loose;
};

const desiredAt = (chronicle: Chronicle, group: string, atMs: number): number =>
  chronicle.policyAt(group, atMs) === undefined ? 0 : Math.min(...chronicle.desiredIn(group, atMs - times.tickMs, atMs), Number.MAX_SAFE_INTEGER);

const byHolder = (chronicle: Chronicle): readonly string[] =>
  [...chronicle.groups.keys()].filter((group) => asgsUntil(chronicle, group, chronicle.history.endedAtMs).length > 0);

/** The function that lowers a desired capacity writes the size that it decided with a moment later. */
const sizesOf = (chronicle: Chronicle, group: string, { by, atMs }: { readonly by: Actor; readonly atMs: number }): readonly number[] =>
  (chronicle.groups.get(group)?.written ?? [])
    .filter((one) => isFunction(one.by) && isFunction(by) && one.by.invocation === by.invocation)
    .filter((one) => one.atMs >= atMs && one.atMs <= atMs + decidesWithinMs)
    .map(({ desired }) => desired);

/** What Holdfast lowered while it knew, and the group was left with less than it needs. */
const loweredKnowingly = (chronicle: Chronicle, group: string): readonly Broken[] =>
  asgsUntil(chronicle, group, chronicle.history.endedAtMs).flatMap((asg) =>
    chronicle.cloud.asgChanges(asg).flatMap((change, index, all): readonly Broken[] => {
      const before = all[index - 1];
      if (before === undefined || !isFunction(change.by) || change.desired >= before.desired) return [];
      const { atMs } = change;
      const denial = knownDenial(chronicle, group, atMs, knownWithinMs);
      const left = providedAt(chronicle, group, atMs);
      const desired = Math.min(desiredAt(chronicle, group, atMs), ...sizesOf(chronicle, group, change));
      if (denial === undefined || left >= desired) return [];
      const detail = `the desired capacity of ${asg} fell from ${before.desired} to ${change.desired} while launches are denied: ${left} of ${desired} are left`;
      return [{ group, atMs, detail }];
    }),
  );

/** All that bears on the sizes of an Auto Scaling group. The processes that run bear on none. */
const sizesIn = ({ min, max, desired, unfit, weights, isGone }: AsgChange): string => JSON.stringify([min, max, desired, unfit, weights, isGone]);

/** Whether others than Holdfast changed what bears on the sizes of an Auto Scaling group in this time. */
const isChangedByOthers = (chronicle: Chronicle, asg: string, fromMs: number, untilMs: number): boolean =>
  chronicle.cloud.asgChanges(asg).some((change, index, all) => {
    const before = all[index - 1];
    if (before === undefined || isFunction(change.by) || change.atMs < fromMs || change.atMs > untilMs) return false;
    return sizesIn(change) !== sizesIn(before);
  });

/** Sizes that were lowered before the denial was known, and stay lowered. */
const neverGivenBack = (chronicle: Chronicle, group: string, denial: Denial): readonly Broken[] => {
  const untilMs = Math.min(denial.untilMs, chronicle.history.endedAtMs);
  const sinceMs = deniedSince(chronicle, group, denial, untilMs);
  if (untilMs - sinceMs <= givenBackWithinMs + knownWithinMs) return [];
  const isOwn = asgsUntil(chronicle, group, untilMs).every((asg) => !isChangedByOthers(chronicle, asg, denial.fromMs, untilMs));
  const policies = chronicle.policiesIn(group, denial.fromMs - times.tickMs, untilMs);
  const sizes = new Set(chronicle.desiredIn(group, denial.fromMs - times.tickMs, untilMs));
  const [before, after] = [providedAt(chronicle, group, denial.fromMs), providedAt(chronicle, group, untilMs - 1)];
  const wanted = Math.min(before, ...sizes);
  if (!isOwn || policies.length !== 1 || sizes.size !== 1 || after >= wanted) return [];
  return [
    {
      group,
      atMs: untilMs,
      detail: `${after} of ${wanted} are held or coming, ${Math.round((untilMs - sinceMs) / 1_000)} s after launches were denied`,
    },
  ];
};

export const desiredStandsWhileDenied: Rule = {
  name: 'no desired capacity falls while launches are denied',
  meaning:
    'Once Holdfast knows that its launches are denied, it lowers no desired capacity of an Auto Scaling group below what the group’s members need. What it lowered before it knew, it gives back within two minutes.',
  broken: (chronicle) =>
    byHolder(chronicle).flatMap((group) => [
      ...loweredKnowingly(chronicle, group),
      ...allDenials(chronicle).flatMap((denial) => neverGivenBack(chronicle, group, denial)),
    ]),
};

export const nobodyLeavesWhileDenied: Rule = {
  name: 'nobody who can wait leaves while launches are denied',
  meaning:
    'Once Holdfast knows that its launches are denied, members at risk, and members that the policy holds elsewhere by now, stay in service unless as many others are there as are desired.',
  broken: (chronicle) =>
    choicesOf(chronicle).flatMap(({ life, group, outAtMs, isAdvised, isMoved }): readonly Broken[] => {
      if (!isAdvised && !isMoved) return [];
      const denial = knownDenial(chronicle, group, outAtMs, knownWithinMs);
      if (denial === undefined) return [];
      const { staying, waiting } = headcountAt(chronicle, group, outAtMs - 1);
      const others = [...staying, ...waiting].filter((one) => one !== life).length;
      const desired = desiredAt(chronicle, group, outAtMs);
      return others >= desired
        ? []
        : [
            {
              group,
              instance: life.instance,
              atMs: outAtMs,
              detail: `${life.instance} left while launches are denied: ${others} of ${desired} are there`,
            },
          ];
    }),
};
