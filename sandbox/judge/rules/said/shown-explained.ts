import type { Chronicle } from '../../chronicle.ts';
import type { Finding, Rule } from '../../finding.ts';
import { isInWarmPool } from '../../members/warm-pools.ts';
import { asgsOf } from '../../policy/policy.ts';
import { isMap, type Json, mapsOf, numberOf, textOf } from '../../read-json.ts';
import { decisionsIn, type Showing, type Shown, shownTime, swapIn, timeIn } from '../../said/shown.ts';
import { launchedFor } from '../../said/shown-lines.ts';
import { times } from '../../times.ts';
import { isOutOfDate } from '../../told/first-warnings.ts';
import { isHealthy } from '../../told/leaving.ts';
import { goneAtMs, isAlive, type Life, tagsAt } from '../../world/life.ts';
import { isLostByRestore } from '../../world/restores.ts';
import { runsOf } from '../../world/runs.ts';

type Broken = Omit<Finding, 'rule'>;
/** An instance, and what was printed and stored about it. */
type Case = { readonly chronicle: Chronicle; readonly showing: Showing; readonly life: Life; readonly text: string; readonly swap: Json | undefined };

/** Times are printed in whole seconds. */
const secondMs = 1_000;

/** A group that was let go keeps swaps of those that EC2 takes from its Auto Scaling group, until the next group holds it. */
const isTakenFrom = (chronicle: Chronicle, life: Life, group: string, swap: Json | undefined): boolean =>
  swap !== undefined &&
  swap.group === group &&
  chronicle
    .policiesIn(group, Number.NEGATIVE_INFINITY, life.launchedAtMs)
    .flatMap(asgsOf)
    .some((asg) => life.stays.some((stay) => stay.asg === asg));

const wrongGroup = ({ chronicle, showing: { atMs }, life, text, swap }: Case): readonly string[] => {
  const [, group] = /^i-[0-9a-f]+, group (\S+)$/m.exec(text) ?? [];
  if (group === undefined) return [];
  const own = isAlive(life, atMs) ? chronicle.groupAt(life, atMs) : undefined;
  const isRuled = own !== undefined && chronicle.policyAt(own, atMs - times.tickMs) !== undefined;
  const isOf = isRuled ? own === group : chronicle.livesIn(group).includes(life) || isTakenFrom(chronicle, life, group, swap);
  return isOf || isInWarmPool(chronicle, life, { group, sinceMs: atMs - times.tickMs, atMs }) ? [] : [`says that it is of ${group}`];
};

const wrongPlace = ({ life, text }: Case): readonly string[] => {
  const [, pool, offering] = / Pool: (\S+) \((\S+)\)\.$/m.exec(text) ?? [];
  if (pool === undefined) return [];
  const found = `${life.instanceType}/${life.zone}/${life.market}`;
  const own = tagsAt(life, Number.POSITIVE_INFINITY)['holdfast:pool'];
  return [
    ...(offering === found ? [] : [`says that it is ${offering}, and it is ${found}`]),
    ...(own === undefined || own === pool ? [] : [`says that its pool is ${pool}, and it is ${own}`]),
  ];
};

const moments = [
  ['warnedAtMs', ['warned']],
  ['claimedAtMs', ['claimed']],
  ['drainStartedAtMs', ['drain began']],
  ['drainedAtMs', ['drained', 'drain given up']],
  ['goneAtMs', ['gone']],
  ['withdrawnAtMs', ['withdrawn']],
  ['deadlineMs', ['deadline: gone by this time']],
] as const;

/** A swap is shown with its reason, its state and each of its times; without one, nothing says that it leaves. */
const wrongSwap = ({ text, swap }: Case): readonly string[] => {
  const [, reason, state] = /^Reason to leave: (\S+)\. State: ([a-z-]+)/m.exec(text) ?? [];
  if (swap === undefined) return reason === undefined ? [] : [`says that it leaves (${reason}), and no swap is stored`];
  if (reason !== swap.reason || state !== swap.state)
    return [`says ${reason} and ${state}, and its swap says ${textOf(swap.reason)} and ${textOf(swap.state)}`];
  const lines = text.split('\n');
  const hidden = moments.filter(
    ([field, labels]) =>
      typeof swap[field] === 'number' &&
      !labels.some((label) => lines.some((line) => line.startsWith(`  ${shownTime(numberOf(swap[field]))}  ${label}`))),
  );
  const isShort = isMap(swap.shortfall) && !text.includes('\n  Shortfall: ');
  return [...hidden.map(([field]) => `does not show ${field} of its swap`), ...(isShort ? ['does not show the shortfall of its swap'] : [])];
};

/**
 * Whether an instance runs, by the world. Seconds after a change, a describe may not show it, and the command takes a moment itself: any state in that time
 * may be shown, also that of an instance that came and went within it.
 */
const wrongState = ({ chronicle, showing: { atMs }, life, text }: Case): readonly string[] => {
  const [, state] = /EC2 shows it as ([a-z-]+)\./.exec(text) ?? [];
  if (state === undefined) return [];
  const isShownUp = state === 'pending' || state === 'running';
  const sinceMs = atMs - chronicle.times.lagMs - secondMs;
  const runs = runsOf(life);
  const isUpAt = (thenMs: number): boolean => runs.some((run) => isAlive(run, thenMs) && (run.runsAgainMs ?? 0) <= thenMs);
  const changes = runs.flatMap((run) => [run.runsAgainMs ?? run.launchedAtMs, goneAtMs(run)]).filter((thenMs) => thenMs > sinceMs && thenMs < atMs);
  const isSo = [atMs, sinceMs, ...changes].some((thenMs) => isUpAt(thenMs) === isShownUp);
  return isSo ? [] : [`says that EC2 shows it as ${state}, and it ${isShownUp ? 'does not run' : 'runs'}`];
};

/** Describes show every instance that was launched long enough ago, until a while after its end. */
const wrongUnseen = ({ chronicle, showing: { atMs }, life, text }: Case): readonly string[] =>
  text.includes('EC2 does not show it') && isAlive(life, atMs) && life.launchedAtMs < atMs - chronicle.times.lagMs - secondMs
    ? ['says that EC2 does not show it, and it runs']
    : [];

const lineOfReplacement =
  /^ {2}(i-[0-9a-f]+)(?:, for a missing member of the group)?: (?:requested (.+? UTC), )?launched (?:by )?(.+? UTC), (?:not found serving yet|found serving (.+ UTC))$/gm;

/** Without a target group, a member counts as serving once it runs: nothing shows when its software has booted. */
const servedFirstMs = ({ services, bootedAtMs, runningAtMs }: Life): number =>
  Math.min(
    bootedAtMs ?? Number.POSITIVE_INFINITY,
    services.length === 0 ? (runningAtMs ?? Number.POSITIVE_INFINITY) : Number.POSITIVE_INFINITY,
    ...services.map(({ fromMs }) => fromMs),
  );

/** A launch follows its decision within the time of a look. A request that is repeated may have launched before. */
const wrongReplacement = (
  { chronicle }: Case,
  [, instance = '', requested, launched = '', served]: readonly (string | undefined)[],
): readonly string[] => {
  const life = chronicle.life(instance);
  if (life === undefined) return [`names ${instance} in its place, which nobody launched`];
  const slackMs = chronicle.times.clockMs + secondMs;
  const [fromMs, untilMs] = [timeIn(requested ?? launched) - slackMs, timeIn(launched) + times.reactMs + chronicle.times.launchCallMs + slackMs];
  const servedMs = served === undefined ? undefined : timeIn(served);
  return [
    ...(life.launchedAtMs >= fromMs && life.launchedAtMs <= untilMs ? [] : [`says that ${instance} was launched at ${launched}`]),
    ...(servedMs === undefined || servedFirstMs(life) <= servedMs + slackMs ? [] : [`says that ${instance} served at ${served}`]),
  ];
};

const wrongReplacements = (one: Case): readonly string[] => {
  const { showing, life, text } = one;
  const group = textOf(one.swap?.group) || (/, group (\S+)$/m.exec(text)?.[1] ?? '');
  const lines = [...text.matchAll(lineOfReplacement)];
  const shown = lines.map(([, instance = '']) => instance);
  const stored = new Set(decisionsIn(showing, group).flatMap((decision) => launchedFor(decision, life.instance)));
  const isMissing = [...stored].filter((instance) => !shown.includes(instance));
  return [
    ...lines.flatMap((line) => wrongReplacement(one, line)),
    ...(new Set(shown).size === shown.length ? [] : ['names a replacement twice']),
    ...isMissing.map((instance) => `does not name ${instance}, which was launched in its place`),
  ];
};

const blockAfter = (text: string, title: string): string => text.split(`\n${title}\n`)[1]?.split('\n\n')[0] ?? '';

/** The tag of an instance names the decision that launched it, once a describe shows it. */
const wrongLaunch = ({ chronicle, showing, life, text }: Case): readonly string[] => {
  if (life.launchedAtMs > showing.atMs - chronicle.times.lagMs - times.reactMs) return [];
  const reservation = tagsAt(life, Number.POSITIVE_INFINITY)['holdfast:reservation'];
  const id = mapsOf(showing.stored.decisions)
    .map((one) => textOf(one.id))
    .find((one) => reservation?.startsWith(`${one}-`));
  if (id === undefined || blockAfter(text, 'The decision by which it was launched:').includes(`decision ${id}  `)) return [];
  return [`does not show decision ${id}, which launched it`];
};

/** A decision says that Holdfast lets it go. */
const wrongChoice = ({ showing, life, text, swap }: Case): readonly string[] => {
  const chosen = decisionsIn(showing, textOf(swap?.group)).find(
    ({ outcome }) => isMap(outcome) && outcome.code === 'carried-out' && mapsOf(outcome.claimed).some(({ instance }) => instance === life.instance),
  );
  return chosen === undefined || text.includes(`decision ${textOf(chosen.id)}  `)
    ? []
    : [`does not show decision ${textOf(chosen.id)}, which lets it go`];
};

/** Whether the state table was restored or emptied after each write of its swap, and had no swap of it in the copy. */
const isSwapLost = ({ chronicle, showing, life }: Case): boolean =>
  life.claims.length > 0 && life.claims.every((claim) => isLostByRestore(chronicle, claim.atMs, showing.atMs));

/** Before the text was printed, a function of a group that acts had received a warning that still counted and ended, and no fault met that function. */
const wrongSilence = (one: Case): readonly string[] => {
  const { chronicle, showing, life, text } = one;
  const silence = /(If it has ended, )?Holdfast received no (warning|signal) about it/.exec(text);
  if (silence === null || isSwapLost(one) || (silence[1] !== undefined && isAlive(life, showing.atMs))) return [];
  const heard = life.deliveries.find((delivery) => {
    const { told, atMs, invocation } = delivery;
    if (isOutOfDate(life, delivery, -chronicle.times.clockMs)) return false;
    const isActing = chronicle.policyAt(chronicle.groupAt(life, atMs) ?? '', atMs)?.mode === 'act';
    const isOver = (chronicle.invocations.get(invocation)?.ended?.atMs ?? Number.POSITIVE_INFINITY) <= showing.atMs;
    return told.about === 'warning' && isHealthy(chronicle, invocation) && isActing && isOver;
  });
  return heard === undefined ? [] : [`says that no warning about it was received, and ${heard.invocation} received its warning`];
};

const parts = [wrongGroup, wrongPlace, wrongSwap, wrongState, wrongUnseen, wrongReplacements, wrongLaunch, wrongChoice, wrongSilence];

const wrongIn = (chronicle: Chronicle, showing: Showing, { about, text }: Shown): readonly Broken[] => {
  const life = chronicle.life(about);
  if (life === undefined || goneAtMs(life) < life.launchedAtMs) return [];
  const one = { chronicle, showing, life, text, swap: swapIn(showing, about) };
  return parts.flatMap((wrong) => wrong(one)).map((what) => ({ instance: about, atMs: showing.atMs, detail: `holdfast explain ${about} ${what}` }));
};

export const explainTellsTruth: Rule = {
  name: 'explain tells what happened to an instance',
  meaning:
    '`holdfast explain` names the group, the pool and the offering of an instance, and whether it runs, as the world knows them. It shows the newest swap of the instance with its reason, state, times and shortfall; the decision that its tag names, unless the instance is so young that describes may not show it; the decision by which it leaves; and each instance that a stored decision launched in its place, once, with a time of its launch and a time at which it served. It does not say that Holdfast received no warning about an instance where a function without a fault had received one by then while the group acts, unless that warning was more than five minutes old while the instance ran, or a restored or emptied state table lost the swap. Where it says so of an instance that has ended, this need not hold while the instance runs.',
  broken: (chronicle) =>
    (chronicle.history.showings ?? []).flatMap((showing) =>
      showing.shown.flatMap((one) => (one.command === 'explain' ? wrongIn(chronicle, showing, one) : [])),
    ),
};
