import { items } from '../../../../core/contract.ts';
import type { Chronicle } from '../../chronicle.ts';
import type { Finding, Rule } from '../../finding.ts';
import { asgsOf } from '../../policy/policy.ts';
import { isMap, type Json, mapsOf, textOf, textsOf } from '../../read-json.ts';
import { times } from '../../times.ts';
import { isAlive, stayAt } from '../../world/life.ts';

type Broken = Omit<Finding, 'rule'>;

const namesIn = (value: unknown): readonly string[] => (isMap(value) ? Object.keys(value) : textsOf(value));
const asgsIn = (value: unknown): readonly string[] => mapsOf(value).map(({ asg }) => textOf(asg));

const heldBy = ({ lives }: Chronicle, asg: string, atMs: number): number =>
  lives.filter((life) => isAlive(life, atMs) && stayAt(life, atMs)?.asg === asg).length;

/** A note of what was put back stays while a describe may be older than that, and goes with the next look. */
const isDoneLately = (doneAtMs: unknown, atMs: number): boolean =>
  typeof doneAtMs === 'number' && atMs - doneAtMs <= times.loweredShownMs + 2 * times.tickMs;

/** Notes about work that is under way, each with what it is about. At rest, none is. */
const underWay = (chronicle: Chronicle, { added, suspended, chosen, asgGaps, unreplaced }: Json, atMs: number): readonly string[] => [
  ...asgsIn(mapsOf(added).filter((one) => !isDoneLately(one.takenDownAtMs, atMs))).map((asg) => `that members were attached to ${asg}`),
  ...asgsIn(mapsOf(suspended).filter((one) => !isDoneLately(one.resumedAtMs, atMs))).map((asg) => `that processes of ${asg} are suspended`),
  ...mapsOf(chosen).map(({ instance }) => `that ${textOf(instance)} was chosen to leave`),
  ...namesIn(asgGaps)
    .filter((asg) => heldBy(chronicle, asg, atMs) >= (chronicle.cloud.asgAt(asg, atMs)?.desired ?? 0))
    .map((asg) => `that ${asg} holds too few`),
  ...textsOf(unreplaced).map((instance) => `that nobody takes the place of ${instance}`),
];

/** What the last decision lacked. At rest the group has its size. */
const lacking = ({ uncovered }: Json): readonly string[] =>
  typeof uncovered === 'number' && uncovered > 0 ? [`that ${uncovered} members are missing`] : [];

/** Instances that are noted as living, and that have ended. */
const dead = (chronicle: Chronicle, { strays, unserved }: Json, atMs: number): readonly string[] => {
  const hasEnded = (instance: string): boolean => {
    const life = chronicle.life(instance);
    return life !== undefined && life.restarts.length === 0 && !isAlive(life, atMs);
  };
  return [
    ...namesIn(strays)
      .filter(hasEnded)
      .map((instance) => `${instance} as a stray, and it has ended`),
    ...namesIn(unserved)
      .filter(hasEnded)
      .map((instance) => `that ${instance} does not serve, and it has ended`),
  ];
};

/** Auto Scaling groups that no policy names any more, that hold nobody, and that are as their owners set them. */
const empty = (chronicle: Chronicle, group: string, { holders, raised }: Json, atMs: number): readonly string[] => {
  const policy = chronicle.policyAt(group, atMs);
  const named = new Set([...(policy === undefined ? [] : asgsOf(policy)), ...asgsIn(raised)]);
  return textsOf(holders)
    .filter((asg) => !named.has(asg) && heldBy(chronicle, asg, atMs) === 0)
    .map((asg) => `${asg} as a group that may hold members, and it holds none`);
};

/** A closed swap becomes history ten minutes after its end, by the tick that follows or the next one. */
const historyAfterMs = 600_000 + 2 * times.tickMs + times.messageAgainMs;

/** Swaps that are closed for long and are no history: every look at the group reads them. */
const closedLong = ({ history, times: { clockMs } }: Chronicle, group: string, atMs: number): readonly string[] =>
  mapsOf(history.stored.swaps)
    .filter(({ item, group: of, state }) => of === group && state === 'gone' && textOf(item).startsWith(items.swapPrefix))
    .filter(({ goneAtMs, busyUntilMs = 0 }) => Math.max(Number(goneAtMs), Number(busyUntilMs)) + historyAfterMs + 2 * clockMs < atMs)
    .map(({ instance }) => `the swap of ${textOf(instance)}, which is closed for long`);

const leftIn = (chronicle: Chronicle, group: string, state: unknown): readonly Broken[] => {
  const { restAtMs, endedAtMs: atMs } = chronicle.history;
  const policy = chronicle.policyAt(group, atMs);
  if (!isMap(state) || restAtMs === undefined || policy?.mode !== 'act') return [];
  const left = [
    ...underWay(chronicle, state, atMs),
    ...lacking(state),
    ...dead(chronicle, state, atMs),
    ...empty(chronicle, group, state, atMs),
    ...closedLong(chronicle, group, atMs),
  ];
  return left.map((what) => ({ group, atMs, detail: `at rest, the state of ${group} notes ${what}` }));
};

export const nothingLeftNoted: Rule = {
  name: 'the state notes nothing that is over',
  meaning:
    'At rest, the state of a group that acts notes no work under way: no members that were attached and whose size is still to be taken off, no suspended processes, no choice of a member, no Auto Scaling group that holds too few and holds as many as it wants, no missing member, no instance that has ended as a stray or as one that does not serve. It names no Auto Scaling group that no policy names any more, that holds nobody, and that is as its owner set it. A swap that is closed is history two ticks and a repeat after ten minutes.',
  broken: (chronicle) => Object.entries(chronicle.history.stored.states).flatMap(([group, state]) => leftIn(chronicle, group, state)),
};
