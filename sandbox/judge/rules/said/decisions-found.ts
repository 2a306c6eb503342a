import { items } from '../../../../core/contract.ts';
import type { Chronicle } from '../../chronicle.ts';
import type { Finding, Rule } from '../../finding.ts';
import type { Actor } from '../../history.ts';
import { mapsOf, textOf } from '../../read-json.ts';
import { outcomesWritten, type WrittenOutcome } from '../../said/outcomes.ts';
import { decisionsOf, type SaidSwap, swapsOf } from '../../said/stored.ts';
import { isHealthy } from '../../told/leaving.ts';
import { isAlive, isFunction } from '../../world/life.ts';
import { isLostByRestore } from '../../world/restores.ts';

type Broken = Omit<Finding, 'rule'>;

const decisionsIn = ({ history }: Chronicle): ReadonlySet<string> => new Set(mapsOf(history.stored.decisions).map(({ id }) => textOf(id)));

const isBy = (by: Actor, chronicle: Chronicle): boolean => isFunction(by) && isHealthy(chronicle, by.invocation);

/** Whether an invocation stored a decision about a group. One that waits for its turn claims members, and leaves the decision to another one. */
const hasDecided = (chronicle: Chronicle, group: string, by: Actor): boolean =>
  chronicle.of('item-written').some((write) => write.group === group && write.item.startsWith(items.decisionPrefix) && isSame(write.by, by));

const isSame = (one: Actor, other: Actor): boolean => isFunction(one) && isFunction(other) && one.invocation === other.invocation;

/**
 * When the swap of an instance was first written with this decision, while a policy that acts was in force, by a function that decided and that no fault
 * met.
 */
const firstNamedMs = (chronicle: Chronicle, { group, instance, decision }: SaidSwap): number | undefined => {
  const writes = chronicle.of('item-written').filter((write) => write.group === group && write.item === `${items.swapPrefix}${instance}`);
  const first = writes.find(({ swap }) => swap?.facts?.decision === undefined || swap.facts.decision === decision);
  if (first === undefined || !isBy(first.by, chronicle) || !hasDecided(chronicle, group, first.by)) return undefined;
  return chronicle.policyAt(group, first.atMs)?.mode === 'act' ? first.atMs : undefined;
};

/** Whether a decision was stored, and a restored table is older than that. The swap that names it may have been written shortly before it. */
const wasForgotten = (chronicle: Chronicle, { group, decision }: SaidSwap): boolean =>
  chronicle
    .of('item-written')
    .filter((write) => write.group === group && write.item === `${items.decisionPrefix}${decision}`)
    .some(({ atMs }, index) => index === 0 && isLostByRestore(chronicle, atMs, chronicle.history.endedAtMs));

/** Swaps that name a decision which is stored nowhere, and which no restored table has lost. */
const lost = (chronicle: Chronicle): readonly Broken[] => {
  const known = decisionsIn(chronicle);
  return swapsOf(chronicle.history).flatMap((swap): readonly Broken[] => {
    const { instance, group, decision } = swap;
    const atMs = known.has(decision) || wasForgotten(chronicle, swap) ? undefined : firstNamedMs(chronicle, swap);
    return atMs === undefined ? [] : [{ group, instance, atMs, detail: `the swap of ${instance} names decision ${decision}, which is not stored` }];
  });
};

/** Whom a launch was for has a swap by then, or moves. Where the state was lost, so were swaps. */
const isLeaving = (chronicle: Chronicle, instance: string, atMs: number): boolean =>
  chronicle.life(instance)?.claims.some((claim) => claim.atMs <= atMs) === true;

/** Whom decisions up to this one move. A later decision may repeat the request of an earlier one. */
const movedBy = (chronicle: Chronicle, id: string): ReadonlySet<string> =>
  new Set(decisionsOf(chronicle.history).flatMap((one) => (one.id <= id ? (one.moves ?? []) : [])));

const falselyReplaced = (chronicle: Chronicle, { group, id, replaced, write }: WrittenOutcome): readonly Broken[] =>
  replaced
    .filter((instance) => !isLeaving(chronicle, instance, write.atMs) && !movedBy(chronicle, id).has(instance))
    .map((instance) => ({ group, instance, atMs: write.atMs, detail: `decision ${id} launches in place of ${instance}, which does not leave` }));

/** When the instances of a launch came. */
const cameMs = (chronicle: Chronicle, instances: readonly string[]): readonly number[] =>
  instances.flatMap((instance) => chronicle.life(instance)?.launchedAtMs ?? []);

/**
 * Whom other decisions launched in place of before: earlier ones, and later ones whose launches came before the last launch of this decision, which may
 * launch in several rounds. A move is launched before its member leaves, and the size may grow by it meanwhile.
 */
const namedBefore = (chronicle: Chronicle, { group, id, launches }: WrittenOutcome): ReadonlySet<string> => {
  const lastMs = Math.max(...launches.flatMap(({ instances }) => cameMs(chronicle, instances)));
  const others = outcomesWritten(chronicle).filter((one) => one.group === group && one.id !== id);
  return new Set(
    others.flatMap((one) =>
      one.launches.flatMap(({ instances, replaces }) => (one.id < id || cameMs(chronicle, instances).some((atMs) => atMs < lastMs) ? replaces : [])),
    ),
  );
};

/** Members that live and whose first swap this invocation wrote because EC2 takes them: nothing was launched for them before. */
const newlyTaken = (chronicle: Chronicle, said: WrittenOutcome): readonly string[] => {
  const named = namedBefore(chronicle, said);
  return chronicle.livesIn(said.group).flatMap((life) => {
    const [first] = life.claims;
    const isTaken = first !== undefined && isSame(first.by, said.write.by) && first.reason === 'interruption' && isAlive(life, first.atMs);
    return isTaken && !named.has(life.instance) ? [life.instance] : [];
  });
};

/** A launch that moves nobody is for members that leave, as far as there are any. */
const unnamed = (chronicle: Chronicle, said: WrittenOutcome): readonly Broken[] => {
  const { group, id, replaced, moves, write, launches } = said;
  if (!isBy(write.by, chronicle) || moves.length > 0) return [];
  const launched = launches.reduce((sum, { instances }) => sum + instances.length, 0);
  const taken = newlyTaken(chronicle, said);
  const least = Math.min(launched, taken.length);
  const named = replaced.length;
  return named >= least
    ? []
    : [{ group, atMs: write.atMs, detail: `decision ${id} launches ${launched} while ${taken.length} leave, and names ${named} of them` }];
};

/** A launch replaces as many of the members that it names as there are instances of it that live. No two launches of a decision are for one member. */
const namedTwice = (chronicle: Chronicle, { group, id, launches, write }: WrittenOutcome): readonly Broken[] => {
  const lives = (instance: string): boolean => {
    const life = chronicle.life(instance);
    return life !== undefined && isAlive(life, write.atMs);
  };
  const replaced = launches.flatMap(({ instances, replaces }) => replaces.slice(0, instances.filter(lives).length));
  const twice = replaced.find((instance, index) => replaced.indexOf(instance) < index);
  return twice === undefined ? [] : [{ group, instance: twice, atMs: write.atMs, detail: `decision ${id} launches in place of ${twice} twice` }];
};

export const decisionsAreFound: Rule = {
  name: 'who is replaced is said, and by which decision',
  meaning:
    'A swap names a decision that is stored, if its function decided, and unless a restored state table lost that decision. A stored decision that launches in place of a member names one that leaves, or that this decision or an earlier one moves, and where its function found members that EC2 takes, it names as many of them as it launched, without those that another decision named that launched before the last of its launches. No two of its launches are in place of one member. `holdfast explain` finds replacements by these names.',
  broken: (chronicle) => [
    ...lost(chronicle),
    ...outcomesWritten(chronicle).flatMap((said) => [
      ...falselyReplaced(chronicle, said),
      ...unnamed(chronicle, said),
      ...namedTwice(chronicle, said),
    ]),
  ],
};
