import type { Chronicle, Written } from '../../chronicle.ts';
import { inEveryGroup } from '../../every-group.ts';
import type { Finding, Rule } from '../../finding.ts';
import { lookedSince, ownLaunches } from '../../members/staying.ts';
import type { Policy } from '../../policy/policy.ts';
import { nothingRemembered, type StateMemory } from '../../said/state-memory.ts';
import { health, isHindered, look, ways } from '../../told/hindrance.ts';
import { isHealthy } from '../../told/leaving.ts';
import { endless, goneAtMs, isFunction, type Life } from '../../world/life.ts';
import { isAnswered } from './counted.ts';
import { statesAfter } from './forgets.ts';

type Broken = Omit<Finding, 'rule'>;

/** One list of new members in the state, and how many it holds at most. */
type List = { readonly of: string; readonly most: number; readonly in: (memory: StateMemory) => readonly string[] };

const lists: readonly List[] = [
  { of: 'instances that come up', most: 100, in: ({ newcomers }) => newcomers },
  { of: 'instances that no look has found serving', most: 300, in: ({ arriving }) => arriving },
];

const neverServing: List = { of: 'members that never served', most: 500, in: ({ unserved }) => unserved };

/** While an instance is pending, no look can find it in service, whatever else happens to it. */
const forgottenIn = (chronicle: Chronicle, group: string, list: List): readonly Broken[] =>
  ownLaunches(chronicle).flatMap(({ life, group: of }): readonly Broken[] => {
    const { instance, by, launchedAtMs, runningAtMs = endless } = life;
    if (of !== group || !isFunction(by) || !isHealthy(chronicle, by.invocation) || !isAnswered(chronicle, by.invocation)) return [];
    const untilMs = Math.min(runningAtMs, goneAtMs(life));
    const lacks = ({ memory }: Written): boolean => memory !== undefined && !list.in(memory).includes(instance);
    const without = statesAfter(chronicle, group, launchedAtMs, by.invocation).find((state) => state.atMs < untilMs && lacks(state));
    if (without === undefined) return [];
    // A full list leaves it out for good.
    const wasFull = (state: Written): boolean =>
      state.atMs >= launchedAtMs && state.atMs <= without.atMs && lacks(state) && list.in(state.memory ?? nothingRemembered).length >= list.most;
    return (chronicle.groups.get(group)?.written ?? []).some(wasFull)
      ? []
      : [{ group, instance, atMs: without.atMs, detail: `${instance} is pending, and is not among the ${list.of} in the state` }];
  });

/** In this time a tick and one more find a member in service. */
const foundWithinMs = 150_000;
const looking = ways(look, health);

/**
 * Whether it was a member, and ready in each target group by the policy, all the time since long before the function of a state began. No look reads the
 * health of an instance that is no member.
 */
const servedLong = (chronicle: Chronicle, group: string, life: Life, { ready }: Policy, { by, atMs }: Written): boolean => {
  const sinceMs = lookedSince(chronicle, by, atMs) - foundWithinMs - ready.afterMs;
  if ([sinceMs, atMs].some((momentMs) => chronicle.groupAt(life, momentMs) !== group)) return false;
  if (ready.isChecked && (life.passedAtMs ?? endless) > sinceMs) return false;
  return life.services.length > 0 && life.services.every(({ fromMs, untilMs }) => fromMs <= sinceMs && untilMs > atMs);
};

/** Members that are counted as new long after they began to serve. */
const keptIn = (chronicle: Chronicle, group: string, list: List): readonly Broken[] => {
  const told = new Set<string>();
  return (chronicle.groups.get(group)?.written ?? []).flatMap((state): readonly Broken[] => {
    const { atMs, memory, by } = state;
    const policy = chronicle.policyAt(group, atMs);
    if (memory === undefined || !isFunction(by) || policy?.mode !== 'act') return [];
    return list.in(memory).flatMap((instance): readonly Broken[] => {
      const life = chronicle.life(instance);
      if (life === undefined || told.has(instance) || life.claims.length > 0 || !servedLong(chronicle, group, life, policy, state)) return [];
      if (isHindered(chronicle, looking, lookedSince(chronicle, by, atMs) - foundWithinMs, atMs)) return [];
      told.add(instance);
      return [{ group, instance, atMs, detail: `${instance} serves, and is still among the ${list.of} in the state` }];
    });
  });
};

/** Whether it had begun to end, or had stopped, by a moment. It may run again since. */
const hasEnded = (life: Life, atMs: number): boolean =>
  (life.pooledAtMs ?? endless) <= atMs || [life, ...life.restarts].some((run) => goneAtMs(run) <= atMs);

/** Instances that the state takes for ended, and that never were. */
const inventedIn = (chronicle: Chronicle, group: string): readonly Broken[] =>
  (chronicle.groups.get(group)?.written ?? []).flatMap(({ atMs, memory }): readonly Broken[] =>
    (memory?.ended ?? []).flatMap((instance): readonly Broken[] => {
      const life = chronicle.life(instance);
      return life === undefined || hasEnded(life, atMs)
        ? []
        : [{ group, instance, atMs, detail: `the state says that ${instance} has ended, and it runs` }];
    }),
  );

export const newMembersAreKnown: Rule = {
  name: 'what the state says of new members is true',
  meaning:
    'The state of a group knows each instance that EC2 gave to a function that no fault met: as one that comes up, and as one that no look has found serving. It does so from the end of that function on, at least until the instance runs. Neither is said of a member that has served for two ticks and half a minute. No state takes an instance for ended that neither shuts down nor has stopped or ended, and none counts a member that has served so long among those that never served.',
  broken: inEveryGroup((chronicle, group) => [
    ...lists.flatMap((list) => [...forgottenIn(chronicle, group, list), ...keptIn(chronicle, group, list)].slice(0, 1)),
    ...keptIn(chronicle, group, neverServing).slice(0, 1),
    ...inventedIn(chronicle, group).slice(0, 1),
  ]),
};
