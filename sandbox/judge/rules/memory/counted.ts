import { slackOf, wasLost } from '../../capacity/breaker.ts';
import { parts } from '../../capacity/launch-limit.ts';
import { isSaidToMoveNobody, returnLaunches } from '../../capacity/returning.ts';
import type { Chronicle, Written } from '../../chronicle.ts';
import { inEveryGroup } from '../../every-group.ts';
import type { Finding, Rule } from '../../finding.ts';
import { ownLaunches } from '../../members/staying.ts';
import type { Policy } from '../../policy/policy.ts';
import { nothingRemembered, type StateMemory, type Tally } from '../../said/state-memory.ts';
import { times } from '../../times.ts';
import { firstTrueWarning } from '../../told/first-warnings.ts';
import { isHealthy } from '../../told/leaving.ts';
import { leavesAlready, stoodBy } from '../../told/warned-members.ts';
import { isFunction, type Life } from '../../world/life.ts';
import { begunForAdvice } from '../bounds/advice.ts';
import { isSurelyHeard } from '../bounds/breaker-openings.ts';
import { statesAfter } from './forgets.ts';

type Broken = Omit<Finding, 'rule'>;

/** Something that a state counts from the end of its function on: at this moment, for so long. */
type Fact = { readonly atMs: number; readonly invocation: string; readonly forMs: number };

/** One list of numbers in the state: what it is about, what it says, and what it has to count. */
type Count = {
  readonly of: string;
  readonly said: (memory: StateMemory) => number;
  readonly facts: (chronicle: Chronicle, group: string) => readonly Fact[];
  /** The most that may have been counted by a moment. Absent: not judged. */
  readonly most?: (chronicle: Chronicle, group: string, atMs: number) => number;
};

const sumOf = (tallies: readonly Tally[]): number => tallies.reduce((sum, { count }) => sum + count, 0);

const policyFor = (chronicle: Chronicle, group: string, atMs: number): Policy | undefined => {
  const policy = chronicle.policyAt(group, atMs);
  return policy?.mode === 'act' ? policy : undefined;
};

/** Whether EC2 gave its response to each request of a function. */
export const isAnswered = (chronicle: Chronicle, invocation: string): boolean =>
  chronicle.of('called').every((call) => call.invocation !== invocation || call.launch === undefined || call.outcome === 'ok');

const launchFacts = (chronicle: Chronicle, group: string): readonly Fact[] =>
  ownLaunches(chronicle).flatMap(({ life, group: of }): readonly Fact[] => {
    const policy = policyFor(chronicle, group, life.launchedAtMs);
    if (of !== group || policy === undefined || !isFunction(life.by) || !isAnswered(chronicle, life.by.invocation)) return [];
    return [{ atMs: life.launchedAtMs, invocation: life.by.invocation, forMs: policy.launches.withinMs }];
  });

/** The first true warning of each member that a function surely received while the group acts. */
const warningFacts = (chronicle: Chronicle, group: string): readonly Fact[] =>
  chronicle.livesIn(group).flatMap((life): readonly Fact[] => {
    const first = firstTrueWarning(life);
    if (first === undefined) return [];
    const { atMs, invocation } = first;
    const policy = policyFor(chronicle, group, atMs);
    if (policy === undefined || !isSurelyHeard(chronicle, group, { life, atMs }, first)) return [];
    const lagMs = Math.max(chronicle.times.lagMs, chronicle.times.asgLagMs);
    if (stoodBy(life, atMs - lagMs, atMs + times.reactMs) !== 'never' || leavesAlready(life, atMs)) return [];
    return [{ atMs, invocation, forMs: policy.launches.withinMs * (1 - 1 / parts) }];
  });

const warningsOf = ({ deliveries }: Life, atMs: number): number =>
  new Set(deliveries.flatMap((one) => (one.told.about === 'warning' && one.atMs <= atMs ? [one.message] : []))).size;

const hourMs = 3_600_000;

const adviceFacts = (chronicle: Chronicle, group: string): readonly Fact[] =>
  begunForAdvice(chronicle).flatMap(({ group: of, atMs, by }): readonly Fact[] => {
    const policy = policyFor(chronicle, group, atMs);
    if (of !== group || policy === undefined || policy.advicePerHour === Number.POSITIVE_INFINITY || !isFunction(by)) return [];
    return [{ atMs, invocation: by.invocation, forMs: hourMs }];
  });

/** Launches for moves. Their time counts from the decision, which is a call and a run earlier. */
const moveFacts = (chronicle: Chronicle, group: string): readonly Fact[] =>
  returnLaunches(chronicle).flatMap(({ life, group: of }): readonly Fact[] => {
    const policy = policyFor(chronicle, group, life.launchedAtMs);
    if (of !== group || policy?.returning === undefined || !isFunction(life.by) || isSaidToMoveNobody(chronicle, life)) return [];
    if (!isAnswered(chronicle, life.by.invocation)) return [];
    const forMs = policy.returning.everyMs - times.reactMs - chronicle.times.launchCallMs;
    return [{ atMs: life.launchedAtMs, invocation: life.by.invocation, forMs }];
  });

const counts: readonly Count[] = [
  { of: 'launches', said: ({ launches, underWay }) => sumOf(launches) + underWay, facts: launchFacts },
  {
    of: 'warned members',
    said: ({ warnings }) => sumOf(warnings),
    facts: warningFacts,
    most: (chronicle, group, atMs) => chronicle.livesIn(group).reduce((sum, life) => sum + warningsOf(life, atMs), 0),
  },
  { of: 'moves', said: ({ moves }) => sumOf(moves), facts: moveFacts },
  { of: 'members that left for advice', said: ({ advised }) => sumOf(advised), facts: adviceFacts },
];

/** How many of these facts each state has to count. */
const owedIn = (chronicle: Chronicle, group: string, facts: readonly Fact[]): ReadonlyMap<Written, number> => {
  const owed = new Map<Written, number>();
  for (const { atMs, invocation, forMs } of facts) {
    if (!isHealthy(chronicle, invocation)) continue;
    const untilMs = atMs + forMs - slackOf(chronicle);
    for (const state of statesAfter(chronicle, group, atMs, invocation)) if (state.atMs < untilMs) owed.set(state, (owed.get(state) ?? 0) + 1);
  }
  return owed;
};

const wrongIn = (chronicle: Chronicle, group: string, { of, said, facts, most }: Count): readonly Broken[] => {
  const owed = owedIn(chronicle, group, facts(chronicle, group));
  return (chronicle.groups.get(group)?.written ?? []).flatMap((state): readonly Broken[] => {
    if (state.memory === undefined) return [];
    const { atMs } = state;
    const count = said(state.memory ?? nothingRemembered);
    const least = owed.get(state) ?? 0;
    if (count < least) return [{ group, atMs, detail: `the state counts ${count} ${of}, and there were ${least} at least` }];
    const top =
      most === undefined || wasLost(chronicle, group, Number.NEGATIVE_INFINITY, atMs) ? Number.POSITIVE_INFINITY : most(chronicle, group, atMs);
    return count > top ? [{ group, atMs, detail: `the state counts ${count} ${of}, and there were ${top} at most` }] : [];
  });
};

export const countedInFull: Rule = {
  name: 'what limits and budgets count is counted in full',
  meaning:
    'The state of a group counts what limits and budgets are about, for as long as they say: each launch, each warned member that was not leaving, each launch for a member that moves, and each member that left for advice. No warning counts twice. What a function did counts once the function has ended without an injected fault, until a user writes the policy or the state is lost. If it wrote no state, because it had no turn, it counts for looks that begin after its end.',
  broken: inEveryGroup((chronicle, group) => counts.flatMap((count) => wrongIn(chronicle, group, count).slice(0, 1))),
};
