import { wasLost } from '../../capacity/breaker.ts';
import type { Chronicle } from '../../chronicle.ts';
import type { Finding, Rule } from '../../finding.ts';
import { asgsOf, type Policy } from '../../policy/policy.ts';
import { isMap, mapsOf, textOf, textsOf } from '../../read-json.ts';
import { remarksSaid } from '../../said/remarks.ts';
import { spansOf } from '../../spans.ts';
import { times } from '../../times.ts';
import { isHindered, look, ways } from '../../told/hindrance.ts';
import { looksFrom } from '../../told/leaving.ts';
import { endless, type Span } from '../../world/life.ts';
import { timesClosed } from '../../world/owners.ts';

type Broken = Omit<Finding, 'rule'>;

const closed = 'launch-suspended';
const weights = 'weights';

/** The times in which an Auto Scaling group had a setting that acceptance refuses. */
const timesOf = (chronicle: Chronicle, asg: string, setting: string): readonly Span[] =>
  spansOf(
    chronicle.cloud.asgChanges(asg).map(({ atMs, isGone, unfit = [] }) => ({ atMs, isOn: isGone !== true && unfit.some((one) => one === setting) })),
  );

/** Whether a tick must have found that a setting was off in that time. */
const wasShownOff = (chronicle: Chronicle, group: string, offMs: number, onMs: number): boolean =>
  looksFrom(chronicle, group, offMs + chronicle.times.asgLagMs).some(({ injected, overMs }) => !injected && overMs <= onMs);

/** Since when a remark is about a setting that is on from that time: it may have been off before for so short a time that no look had to find that. */
const remarkableFromMs = (chronicle: Chronicle, group: string, spans: readonly Span[], fromMs: number): number => {
  const before = spans.findLast(({ untilMs }) => untilMs <= fromMs);
  return before === undefined || wasShownOff(chronicle, group, before.untilMs, fromMs)
    ? fromMs
    : remarkableFromMs(chronicle, group, spans, before.fromMs);
};

/** The settings that an Auto Scaling group has, and since when a remark is about each of them. */
const settingsOf = (chronicle: Chronicle, group: string, asg: string, atMs: number): ReadonlyMap<string, number> => {
  const settings = new Set(chronicle.cloud.asgChanges(asg).flatMap(({ unfit = [] }) => unfit));
  const times = [
    [closed, timesClosed(chronicle.cloud.asgChanges(asg))] as const,
    ...[...settings].map((one) => [one, timesOf(chronicle, asg, one)] as const),
  ];
  return new Map(
    times.flatMap(([setting, spans]) => {
      const now = spans.find(({ fromMs, untilMs }) => fromMs <= atMs && untilMs > atMs);
      return now === undefined ? [] : [[setting, remarkableFromMs(chronicle, group, spans, now.fromMs)] as const];
    }),
  );
};

/** Whether a decision after that moment remarks the setting. */
const isRemarked = (chronicle: Chronicle, group: string, setting: string, sinceMs: number, byMs = endless): boolean =>
  remarksSaid(chronicle.history).some(
    (said) =>
      said.group === group &&
      said.lookedMs >= sinceMs - chronicle.times.clockMs &&
      said.lookedMs <= byMs &&
      said.remarks.some(({ code, data }) => code === 'asg-unfit' && mapsOf(data.asgs).some(({ found }) => textsOf(found).includes(setting))),
  );

/** A look finds it within a tick, and the next one makes up for a look that was lost. */
const toldWithinMs = 2 * times.tickMs + times.loweredShownMs + times.reactMs;

const looks = ways(look);

/** A setting that matters whoever sets the size, and in which Auto Scaling groups of a policy it does. */
type Always = {
  readonly setting: string;
  readonly asgsOf: (policy: Policy) => readonly string[];
  readonly times: (chronicle: Chronicle, asg: string) => readonly Span[];
  readonly detail: (asg: string, group: string) => string;
};

const always: readonly Always[] = [
  {
    setting: closed,
    asgsOf: ({ asg }) => (asg === undefined ? [] : [asg]),
    times: (chronicle, asg) => timesClosed(chronicle.cloud.asgChanges(asg)),
    detail: (asg, group) => `the owner of ${asg} suspends Launch, and no decision of ${group} remarks it`,
  },
  {
    setting: weights,
    asgsOf,
    times: (chronicle, asg) => timesOf(chronicle, asg, weights),
    detail: (asg, group) => `the sizes of ${asg} count weights, and no decision of ${group} remarks it`,
  },
];

/** Times in which such a setting was on, and no decision said so in time although nothing hindered looks. */
const unsaid = (chronicle: Chronicle, group: string, one: Always): readonly Broken[] => {
  const { beganAtMs, readyAtMs, endedAtMs } = chronicle.history;
  const withinMs = toldWithinMs + chronicle.times.asgLagMs + chronicle.times.clockMs;
  const policies = chronicle.groups.get(group)?.policies ?? [];
  const named = new Set(policies.flatMap(({ policy }) => (policy === undefined ? [] : one.asgsOf(policy))));
  return [...named].flatMap((asg) => {
    const spans = one.times(chronicle, asg);
    return spans.flatMap(({ fromMs, untilMs }): readonly Broken[] => {
      const sinceMs = Math.max(fromMs, beganAtMs, readyAtMs);
      const byMs = sinceMs + withinMs;
      const isNamed = [sinceMs, ...policies.filter(({ atMs }) => atMs > sinceMs && atMs <= byMs).map(({ atMs }) => atMs)].every((atMs) => {
        const policy = chronicle.policyAt(group, atMs);
        return policy !== undefined && one.asgsOf(policy).includes(asg);
      });
      if (byMs > Math.min(untilMs, endedAtMs) || !isNamed) return [];
      if (isHindered(chronicle, looks, sinceMs, byMs) || wasLost(chronicle, group, sinceMs, byMs)) return [];
      const isSaid = isRemarked(chronicle, group, one.setting, remarkableFromMs(chronicle, group, spans, fromMs), byMs);
      return isSaid ? [] : [{ group, asg, atMs: byMs, detail: one.detail(asg, group) }];
    });
  });
};

const wrongOf = (chronicle: Chronicle, { group, policy, asg, state }: Said): readonly string[] => {
  const atMs = chronicle.history.endedAtMs;
  const settings = settingsOf(chronicle, group, asg, atMs);
  const said = mapsOf(state.unfit).flatMap((one) => (textOf(one.asg) === asg ? textsOf(one.found) : []));
  // The other settings matter only where others set the size.
  const isJudged = (one: string): boolean => (policy.isSizedOutside || always.some(({ setting }) => setting === one)) && isNamed(one);
  const isNamed = (one: string): boolean =>
    always
      .find(({ setting }) => setting === one)
      ?.asgsOf(policy)
      .includes(asg) ?? true;
  const wrong = [...new Set([...settings.keys(), ...said])].filter((one) => isJudged(one) && settings.has(one) !== said.includes(one));
  const unheard = [...settings].filter(([setting, sinceMs]) => isJudged(setting) && !isRemarked(chronicle, group, setting, sinceMs));
  return [
    ...wrong.map((one) => `at rest, ${asg} has ${one} ${settings.has(one) ? 'on' : 'off'}, and the state of ${group} says the opposite`),
    ...unheard.map(([one]) => `no decision of ${group} remarks that ${asg} has ${one}`),
  ];
};

/** What the state of a group says at rest about an Auto Scaling group of its policy. */
type Said = { readonly group: string; readonly policy: Policy; readonly asg: string; readonly state: Readonly<Record<string, unknown>> };

const wrongIn = (chronicle: Chronicle, group: string, state: unknown): readonly Broken[] => {
  const { restAtMs, endedAtMs: atMs } = chronicle.history;
  const policy = chronicle.policyAt(group, atMs);
  if (!isMap(state) || restAtMs === undefined || policy === undefined) return [];
  return asgsOf(policy).flatMap((asg) => wrongOf(chronicle, { group, policy, asg, state }).map((detail) => ({ group, atMs, detail })));
};

export const unfitIsSaid: Rule = {
  name: 'a setting that acceptance refuses is said',
  meaning:
    'While a policy is in force whose size others set, a look says that its Auto Scaling group has Capacity Rebalancing, a warm pool or weights, with which the policy would be refused. Whoever sets the size, a look says that instance types of an Auto Scaling group of the policy have weights, and that the owner of the Auto Scaling group that members join suspends its process Launch: then nobody can join it. At rest, the state of the group names exactly these settings, and since each was turned on, a stored decision remarks it. A time in which it was off does not count where no tick had to find that. `holdfast status` shows what the state says. Both are remarked within two ticks and the 20 seconds for which describes may be older, also where they end later. That Holdfast suspends Launch for a while is no such setting.',
  broken: (chronicle) => [
    ...Object.entries(chronicle.history.stored.states).flatMap(([group, state]) => wrongIn(chronicle, group, state)),
    ...[...chronicle.groups.keys()].flatMap((group) => always.flatMap((one) => unsaid(chronicle, group, one))),
  ],
};
