import { items } from '../../../../core/contract.ts';
import { wasLost } from '../../capacity/breaker.ts';
import type { Chronicle } from '../../chronicle.ts';
import type { Finding, Rule } from '../../finding.ts';
import { mayTurn } from '../../members/belonging.ts';
import { eachSecond } from '../../moments.ts';
import { latest, within } from '../../policy/in-force.ts';
import { asgsOf } from '../../policy/policy.ts';
import { remembered } from '../../remembered.ts';
import { figuresSaid, type SaidFigures } from '../../said/figures.ts';
import { times } from '../../times.ts';
import { health, isHindered, look, ways } from '../../told/hindrance.ts';
import { isHealthy } from '../../told/leaving.ts';
import { answersAt, beganToEndMs, goneAtMs, isAlive, isFunction, type Life, stayAt } from '../../world/life.ts';

type Broken = Omit<Finding, 'rule'>;

/** The time in which a look may have seen what it counts: from the oldest describe to its own moment. */
type Look = { readonly fromMs: number; readonly untilMs: number };

const lookOf = ({ times: { lagMs, asgLagMs, clockMs } }: Chronicle, { lookedMs, write }: SaidFigures): Look => ({
  fromMs: lookedMs - Math.max(lagMs, asgLagMs) - times.reactMs - clockMs,
  untilMs: Math.min(lookedMs + clockMs, write.atMs),
});

/** The most and the least that a number may be. */
type Bounds = { readonly least: number; readonly most: number };

const isOutside = (count: number, { least, most }: Bounds): boolean => count < least || count > most;
const boundsText = ({ least, most }: Bounds): string => (least === most ? `${least}` : `${least} to ${most}`);

/** Members that their Auto Scaling group has not begun to end by the end of a look: from then on it no longer counts them. */
const membersIn = (chronicle: Chronicle, group: string, atMs: number, untilMs: number): readonly Life[] =>
  chronicle.membersAt(group, atMs).filter((life) => beganToEndMs(life) > untilMs);

/** Members that any look at this time shows, and those that it may show. */
const memberBounds = (chronicle: Chronicle, { group }: SaidFigures, { fromMs, untilMs }: Look): Bounds => {
  const moments = eachSecond(fromMs, untilMs);
  const [firstMs, ...later] = moments;
  if (firstMs === undefined) return { least: 0, most: 0 };
  const first = membersIn(chronicle, group, firstMs, untilMs);
  // A huge group has thousands of members, and few of them turn meanwhile.
  const turning = mayTurn(chronicle, group, firstMs, untilMs);
  const ids = (lives: readonly Life[]): ReadonlySet<string> => new Set(lives.map(({ instance }) => instance));
  const turns = ids(turning);
  const at = later.map((atMs) => ids(chronicle.membersAmong(turning, group, atMs)));
  const always = [...ids(first)].filter((instance) => !turns.has(instance) || at.every((members) => members.has(instance)));
  // An instance may have lived between two seconds only.
  const lived = (life: Life): boolean => isAlive(life, Math.max(fromMs, life.launchedAtMs));
  const may = chronicle.livesIn(group).filter((life) => life.launchedAtMs <= untilMs && (lived(life) || isBack(chronicle, life, untilMs)));
  return { least: always.length, most: may.length + droppedIn(chronicle, group, { fromMs, untilMs }) };
};

/**
 * Instances of warm pools that had ended, so that their Auto Scaling groups no longer showed them, so shortly before that describes of EC2 may have shown
 * them: they look like launches that an Auto Scaling group does not show yet. They were never members.
 */
const droppedIn = (chronicle: Chronicle, group: string, { fromMs, untilMs }: Look): number => {
  const policy = chronicle.policyAt(group, untilMs);
  const asgs = new Set(policy === undefined ? [] : asgsOf(policy));
  return chronicle.lives.filter((life) => {
    const isWarm = life.by.kind === 'asg' && asgs.has(life.by.asg) && life.stays.length === 0;
    return isWarm && goneAtMs(life) >= fromMs && goneAtMs(life) <= untilMs;
  }).length;
};

/** Whether EC2 had begun to start a stopped instance again: a describe shows it as pending then, as one that was launched. */
const isBack = (chronicle: Chronicle, life: Life, atMs: number): boolean =>
  life.restarts.some((run) => run.atMs <= atMs) ||
  chronicle
    .of('step')
    .some(
      ({ step, instances, atMs: startedMs }) =>
        step === 'restarted' && startedMs <= atMs && instances.includes(life.instance) && hasStopped(life, startedMs),
    );

const hasStopped = (life: Life, atMs: number): boolean =>
  [life, ...life.restarts].some(({ ended }) => ended?.state === 'stopped' && ended.atMs <= atMs);

const seeing = ways(look, health);

/** From this age on, an instance counts as registered where its health was not read. */
const registeredByMs = 120_000;

/** Members that were ready by the policy, and had joined, at these moments of a look that could read that. */
const servingAll = (chronicle: Chronicle, { group }: SaidFigures, { fromMs, untilMs }: Look, moments: readonly number[]): number => {
  if (isHindered(chronicle, seeing, fromMs, untilMs)) return 0;
  const policy = chronicle.policyAt(group, untilMs);
  if (policy === undefined || policy !== chronicle.policyAt(group, fromMs)) return 0;
  const hasJoined = (life: Life): boolean => policy.asg === undefined || moments.every((atMs) => stayAt(life, atMs)?.asg === policy.asg);
  // A look over several groups does not read the health of each. Then a young member counts as registered only where the same environment registered it.
  const registeredMs = chronicle.groups.size > 1 ? registeredByMs : 0;
  // EC2's check of an instance fails as soon as its software hangs, before a target group finds that.
  const hasPassed = (life: Life): boolean => !policy.ready.isChecked || moments.every((atMs) => answersAt(life, atMs));
  const warmMs = Math.max(policy.ready.afterMs, registeredMs) + chronicle.times.clockMs + 1_000;
  return membersIn(chronicle, group, untilMs, untilMs).filter(
    (life) => life.launchedAtMs + warmMs <= fromMs && hasJoined(life) && hasPassed(life) && moments.every((atMs) => chronicle.isReadyAt(life, atMs)),
  ).length;
};

const wrongServing = (chronicle: Chronicle, said: SaidFigures, shown: Look): readonly string[] => {
  const { members, serving, unread } = said;
  const count = serving + unread;
  const moments = eachSecond(shown.fromMs, shown.untilMs);
  // No more serve all through a look than at its first and its last moment. In a huge group, to ask for each second takes long.
  const ends = moments.filter((_, index) => index === 0 || index === moments.length - 1);
  if (count <= members && count >= servingAll(chronicle, said, shown, ends)) return [];
  const least = servingAll(chronicle, said, shown, moments);
  return count < least || count > members ? [`${count} of ${members} members in service, expected ${least} at least`] : [];
};

type Change = {
  readonly atMs: number;
  readonly state?: string;
  /** When the invocation that wrote it began. */
  readonly sinceMs: number;
};

/** The states of each swap of a group over time, by its instance. Without a state, it is history. */
const swapChanges = remembered((chronicle: Chronicle): ReadonlyMap<string, ReadonlyMap<string, readonly Change[]>> => {
  const byGroup = new Map<string, Map<string, Change[]>>();
  for (const { group, item, atMs, swap, by } of chronicle.of('item-written')) {
    const past = items.past('');
    const instance = [items.swapPrefix, past].flatMap((prefix) => (item.startsWith(prefix) ? [item.slice(prefix.length)] : []))[0];
    if (instance === undefined) continue;
    const of = byGroup.get(group) ?? new Map<string, Change[]>();
    byGroup.set(group, of);
    const sinceMs = (isFunction(by) ? chronicle.invocations.get(by.invocation)?.beganAtMs : undefined) ?? atMs;
    const change = { atMs, sinceMs, ...(!item.startsWith(past) && swap !== undefined && { state: swap.state }) };
    of.set(instance, [...(of.get(instance) ?? []), change]);
  }
  return byGroup;
});

/** What happened to a swap from the beginning of a function on: until its end, and until the next look. */
type Course = { readonly isOld: boolean; readonly during: readonly Change[]; readonly until: readonly Change[] };

/** Whether another function that had begun before lets a waiting swap begin: it stores that choice first, and the swap counts as leaving from then on. */
const isChosen = (until: readonly Change[], untilMs: number): boolean => until.some((one) => one.state === 'leaving' && one.sinceMs <= untilMs);

/**
 * Whether a function died that had stored a decision on the group. It may have let waiting swaps begin, and not have written that: they count as leaving for
 * as long as it could have run.
 */
const mayHaveChosen = ({ groups, invocations }: Chronicle, group: string, sinceMs: number, untilMs: number): boolean =>
  (groups.get(group)?.written ?? []).some(
    ({ by, atMs }) =>
      isFunction(by) && atMs > sinceMs - times.leaseMs && atMs <= untilMs && invocations.get(by.invocation)?.ended?.error !== undefined,
  );

/** A swap that surely counts in a state: it had no other one meanwhile, and the next look did not find its instance ended. */
const surelyCounts = ({ isOld, during, until }: Course, state: string, untilMs: number): boolean =>
  isOld &&
  during.every((one) => one.state === state) &&
  until.every((one) => one.state !== undefined && (one.state !== 'gone' || state === 'gone')) &&
  (state !== 'waiting' || !isChosen(until, untilMs));

/**
 * A look counts what it finds, as a swap whose instance has ended. Where a drain writes the swap at the same time, the next look writes that. A member that
 * was drained and stays keeps its swap, which no longer counts.
 */
const swapBounds = (chronicle: Chronicle, { group, write, invocation }: SaidFigures, sinceMs: number, state: string): Bounds => {
  const endedMs = Math.max(write.atMs, chronicle.invocations.get(invocation)?.ended?.atMs ?? write.atMs);
  const all = [...(swapChanges(chronicle).get(group) ?? new Map<string, readonly Change[]>()).values()];
  const courses = all.map(
    (changes): Course => ({
      isOld: (changes[0]?.atMs ?? Infinity) <= sinceMs,
      during: within(changes, sinceMs, endedMs),
      until: within(changes, sinceMs, endedMs + times.tickMs),
    }),
  );
  const isUnsure = (state === 'waiting' || state === 'leaving') && mayHaveChosen(chronicle, group, sinceMs, write.atMs);
  const isSuch = (one: Change): boolean => one.state === state || (isUnsure && one.state === 'waiting');
  const isNone = state === 'drained' || (isUnsure && state === 'waiting');
  return {
    least: isNone ? 0 : courses.filter((course) => surelyCounts(course, state, write.atMs)).length,
    most: courses.filter(({ until }) => until.some(isSuch)).length,
  };
};

const states = ['waiting', 'leaving', 'draining', 'drained', 'gone'] as const;

const wrongSwaps = (chronicle: Chronicle, said: SaidFigures): readonly string[] => {
  const sinceMs = Math.min(chronicle.invocations.get(said.invocation)?.beganAtMs ?? said.write.atMs, said.lookedMs);
  if (wasLost(chronicle, said.group, Number.NEGATIVE_INFINITY, said.write.atMs)) return [];
  return states.flatMap((state): readonly string[] => {
    const bounds = swapBounds(chronicle, said, sinceMs, state);
    const count = said.swaps[state] ?? 0;
    return isOutside(count, bounds) ? [`${count} swaps that are ${state}, expected ${boundsText(bounds)}`] : [];
  });
};

/** The desired size is one that the state of the group had from the last write before the look to the decision. */
const wrongDesired = (chronicle: Chronicle, { group, desired, isCarriedOut, lookedMs, write }: SaidFigures): readonly string[] => {
  if (!isCarriedOut) return [];
  const written = chronicle.groups.get(group)?.written ?? [];
  const sinceMs = Math.min(lookedMs, write.atMs) - times.reactMs - chronicle.times.clockMs;
  const sizes = within(written, latest(written, sinceMs)?.atMs ?? sinceMs, write.atMs).map((one) => one.desired);
  return sizes.length === 0 || sizes.includes(desired) ? [] : [`a desired size of ${desired}, expected ${[...new Set(sizes)].join(' or ')}`];
};

const wrongCounts = (chronicle: Chronicle, said: SaidFigures): readonly string[] => {
  const { members, byPool } = said;
  const inPools = Object.values(byPool).reduce((sum, count) => sum + count, 0);
  const shown = lookOf(chronicle, said);
  const bounds = memberBounds(chronicle, said, shown);
  return [
    ...(inPools === members ? [] : [`${members} members, and ${inPools} in its pools`]),
    ...(isOutside(members, bounds) ? [`${members} members, expected ${boundsText(bounds)}`] : []),
    ...wrongServing(chronicle, said, shown),
  ];
};

const falseIn = (chronicle: Chronicle, said: SaidFigures): readonly Broken[] => {
  const { group, id, write, invocation } = said;
  if (chronicle.policyAt(group, write.atMs)?.mode !== 'act' || !isHealthy(chronicle, invocation)) return [];
  const wrong = [...wrongDesired(chronicle, said), ...wrongCounts(chronicle, said), ...wrongSwaps(chronicle, said)];
  return wrong.map((what) => ({ group, atMs: write.atMs, detail: `decision ${id} counts ${what}` }));
};

export const figuresAreTrue: Rule = {
  name: 'the numbers in a decision are true',
  meaning:
    'A stored decision counts the members that its look showed: no fewer than belonged to the group, or served, all the time in which the look may have seen them (one whose health it says that it did not read counts as serving; where there are several groups, the first two minutes of an instance do not count; one that does not answer need not count where the policy asks for the status checks of EC2), no more than belonged to it at some moment of that time (an instance of a warm pool may count that ended in that time), and as many in its pools as altogether. Its desired size is one that the state of the group had then. It counts no fewer swaps in each state than were in it all the time of its function (a swap does not count whose instance the next look finds ended), and no more than were in it at some moment until a minute after the end of that function. The swap of a drained member that stays need not count. A waiting swap may count as leaving where another function that had begun lets it begin, or may have let it begin and died less than 35 seconds before.',
  broken: (chronicle) => figuresSaid(chronicle).flatMap((said) => falseIn(chronicle, said)),
};
