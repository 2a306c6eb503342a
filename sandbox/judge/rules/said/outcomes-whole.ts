import { items } from '../../../../core/contract.ts';
import type { Chronicle } from '../../chronicle.ts';
import type { Finding, Rule } from '../../finding.ts';
import type { Actor } from '../../history.ts';
import { asgsOf } from '../../policy/policy.ts';
import { outcomesWritten, type WrittenOutcome } from '../../said/outcomes.ts';
import { isHealthy } from '../../told/leaving.ts';
import { nameOf } from '../../world/cloud.ts';
import { isFunction, type Life } from '../../world/life.ts';

type Broken = Omit<Finding, 'rule'>;

/** What the decisions of one invocation about one group say together, and when the last of them was stored. */
type Said = { readonly group: string; readonly invocation: string; readonly outcomes: readonly WrittenOutcome[]; readonly atMs: number };

/** What an invocation did for a group, and how its decisions would say so. */
type Deed = { readonly what: string; readonly isSaidBy: (outcome: WrittenOutcome) => boolean };

const isBy = (by: Actor, invocation: string): boolean => isFunction(by) && by.invocation === invocation;

/** Members whose first swap it wrote. A swap that is written again, after it was lost or withdrawn, is no news. */
const claims = (chronicle: Chronicle, { group, invocation, atMs }: Said): readonly Deed[] => {
  const written = chronicle.of('item-written').filter((write) => write.group === group && write.swap !== undefined);
  const first = [...Map.groupBy(written, ({ item }) => item).values()].flatMap((writes) => writes.slice(0, 1));
  return first
    .filter((write) => isBy(write.by, invocation) && write.atMs <= atMs)
    .map(({ item }) => item.slice(items.swapPrefix.length))
    .map((instance) => ({ what: `that it claimed ${instance}`, isSaidBy: ({ claimed }) => claimed.includes(instance) }));
};

/** Instances that were of a group by then. One that comes to it later, because its own group takes this name, was of another one. */
const livesOf = (chronicle: Chronicle, { group, atMs }: Said): readonly Life[] =>
  chronicle.livesIn(group).filter((life) => [life.launchedAtMs, atMs].some((ms) => chronicle.groupAt(life, ms) === group));

const launches = (chronicle: Chronicle, said: Said): readonly Deed[] =>
  livesOf(chronicle, said)
    .filter(({ by, launchedAtMs }) => isBy(by, said.invocation) && launchedAtMs <= said.atMs)
    .map(({ instance }) => ({
      what: `that it launched ${instance}`,
      isSaidBy: (outcome) => outcome.launches.some(({ instances }) => instances.includes(instance)),
    }));

const noCapacity = 'InsufficientInstanceCapacity';

/** Offerings without capacity. A response that gives all that was requested refuses nothing. */
const refusals = (chronicle: Chronicle, { group, invocation, atMs }: Said): readonly Deed[] => {
  const asgs = chronicle.policiesIn(group, atMs, atMs).flatMap(asgsOf);
  const isHere = (asked: { readonly group?: string; readonly asg?: string }): boolean => asked.group === group || asgs.includes(asked.asg ?? '');
  // Parts of one launch are one request. Where one of them failed, the outcome says that instead.
  const calls = chronicle.of('called').filter((call) => call.invocation === invocation && call.launch !== undefined && isHere(call.launch));
  if (calls.some(({ outcome }) => outcome !== 'ok')) return [];
  return chronicle
    .of('refused')
    .filter((one) => one.invocation === invocation && isHere(one) && one.code === noCapacity && one.isBesideWhole === undefined && one.atMs <= atMs)
    .map((one) => ({
      what: `that EC2 refused ${nameOf(one)}`,
      isSaidBy: (outcome) => outcome.launches.some(({ refused }) => refused.includes(nameOf(one))),
    }));
};

/** Members that it could not put into service: calls of it named them, and none of these calls brought them there. */
const failures = (chronicle: Chronicle, said: Said): readonly Deed[] => {
  const { invocation, atMs } = said;
  const calls = chronicle.of('called').filter((call) => call.invocation === invocation && call.putsIn !== undefined && call.atMs <= atMs);
  const failing = new Set(calls.filter(({ applied, outcome }) => !applied && outcome !== 'ok').flatMap(({ putsIn = [] }) => putsIn));
  const reached = new Set(calls.filter(({ applied, outcome }) => applied || outcome === 'ok').flatMap(({ putsIn = [] }) => putsIn));
  return livesOf(chronicle, said)
    .filter(({ instance, claims: leaving, stays }) => failing.has(instance) && !reached.has(instance) && leaving.length === 0 && stays.length === 0)
    .map(({ instance }) => ({ what: `that ${instance} could not join`, isSaidBy: ({ failed }) => failed.includes(instance) }));
};

/** The decisions that were carried out, by invocation and group. */
const saidIn = (chronicle: Chronicle): readonly Said[] =>
  [...Map.groupBy(outcomesWritten(chronicle), ({ group, write }) => `${group} ${isFunction(write.by) ? write.by.invocation : ''}`).values()].flatMap(
    (outcomes): readonly Said[] => {
      const [one] = outcomes;
      if (one === undefined || !isFunction(one.write.by)) return [];
      return [{ group: one.group, invocation: one.write.by.invocation, outcomes, atMs: Math.max(...outcomes.map(({ write }) => write.atMs)) }];
    },
  );

const unsaid = (said: Said, deeds: readonly Deed[]): readonly Broken[] =>
  deeds
    .filter(({ isSaidBy }) => !said.outcomes.some(isSaidBy))
    .map(({ what }) => ({ group: said.group, atMs: said.atMs, detail: `decision ${said.outcomes[0]?.id} does not say ${what}` }));

export const outcomesAreWhole: Rule = {
  name: 'a decision names all that was done',
  meaning:
    'The outcomes of the decisions that one invocation stored for a group name together, if no fault was injected into it: each member whose first swap it wrote, each instance that it launched, and each offering that EC2 refused to it for lack of capacity. They also name each member that its calls could not put into service, whatever met these calls.',
  broken: (chronicle) =>
    saidIn(chronicle).flatMap((said) => [
      ...(isHealthy(chronicle, said.invocation)
        ? unsaid(said, [...claims(chronicle, said), ...launches(chronicle, said), ...refusals(chronicle, said)])
        : []),
      ...unsaid(said, failures(chronicle, said)),
    ]),
};
