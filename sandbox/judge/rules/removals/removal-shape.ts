import { paidFor, readsPrices } from '../../capacity/paid.ts';
import type { Chronicle } from '../../chronicle.ts';
import type { Rule } from '../../finding.ts';
import { everybody, partOf, type Scope, within } from '../../policy/evenness.ts';
import type { TreeNode } from '../../policy/policy.ts';
import { poolOf } from '../../policy/pools.ts';
import { poolsBelow, type Selector, selectorOf } from '../../policy/tree.ts';
import { goneAtMs, type Life, launchTimeOf, staysAgainAtMs } from '../../world/life.ts';
import { isLostByRestore } from '../../world/restores.ts';
import { type ScaleIn, scaleInsOf } from './scale-in.ts';

/** Whether the order of removal surely tells these two not apart, so that the tree decides between them. */
const isAlike = (chronicle: Chronicle, scaleIn: ScaleIn, one: Life): boolean => {
  const { life } = scaleIn.choice;
  const { policy } = scaleIn;
  if (policy.removalOrder === 'same-order') return true;
  if (policy.removalOrder !== 'dearest-first') return launchTimeOf(life) === launchTimeOf(one);
  if (life.market !== one.market) return false;
  const [first, second] = [paidFor(chronicle, life, scaleIn), paidFor(chronicle, one, scaleIn)];
  if (first === undefined && second === undefined) return life.market === 'on-demand' || !readsPrices(policy);
  if (first === undefined || second === undefined) return false;
  if (new Set([first.least, first.most, second.least, second.most]).size === 1) return true;
  return Math.min(first.least, second.least) >= dearestPaid(chronicle, scaleIn) * alikeFrom + tiny;
};

/** The most that anybody may be paid for who could leave. Prices within a tenth of that are one rank. */
const dearestPaid = (chronicle: Chronicle, scaleIn: ScaleIn): number => {
  const { choice, shownSinceMs } = scaleIn;
  const there = chronicle.livesIn(choice.group).filter((life) => life.launchedAtMs <= choice.chosenAtMs && goneAtMs(life) > shownSinceMs);
  return Math.max(...there.map((life) => paidFor(chronicle, life, scaleIn)?.most ?? 0));
};

const alikeFrom = 0.9;
/** A smaller difference of prices is one of rounding. */
const tiny = 1e-6;

/** A removal as the selectors below a spread by zone or type see it: only members of the same zone or type count there. */
type Scoped = ScaleIn & { readonly scope: Scope };

/**
 * Whether a swap of it was open when the look began. One that stays again since then counts again: EC2 did not take it or refused to end it, or its swap was
 * called off. So does one whose swap a restored table lost.
 */
const wasLeaving = (chronicle: Chronicle, life: Life, { choice: { chosenAtMs }, shownSinceMs }: ScaleIn): boolean => {
  const backMs = Math.max(Number.NEGATIVE_INFINITY, ...staysAgainAtMs(life).filter((atMs) => atMs <= chosenAtMs));
  return life.claims.some(({ atMs }) => atMs < shownSinceMs && atMs > backMs && !isLostByRestore(chronicle, atMs, shownSinceMs));
};

/** Members below a selector after the removal, by the part that they are in. `certain`: only those that the function surely saw and that stay. */
const held = (chronicle: Chronicle, scaleIn: Scoped, selector: Selector, part: string, certain: boolean): number => {
  const { policy, leaving, shownSinceMs, others, scope } = scaleIn;
  const { group, chosenAtMs } = scaleIn.choice;
  const counted = certain
    ? others
    : chronicle
        .livesIn(group)
        .filter((life) => !leaving.has(life) && life.launchedAtMs <= chosenAtMs && goneAtMs(life) > shownSinceMs)
        .filter((life) => !wasLeaving(chronicle, life, scaleIn));
  return counted.filter((life) => scope.has(life) && partOf(selector, life, policy, chosenAtMs) === part).length;
};

const weightOf = ({ weights }: Selector, part: string): number => weights[Number(part)] ?? 1;

/** Whether nothing ever kept a pool from giving: no limit of its own, and no refusal of the group. */
const alwaysGives = (chronicle: Chronicle, { choice: { group }, policy }: ScaleIn, pool: string): boolean => {
  const known = policy.pools[pool];
  return known?.most === Number.POSITIVE_INFINITY && known.maxPriceUsdPerHour === Number.POSITIVE_INFINITY && !wasRefused(chronicle, group);
};

const wasRefused = (chronicle: Chronicle, group: string): boolean => chronicle.of('refused').some((refused) => refused.group === group);

/** Every subset of these. */
const someOf = ([first, ...others]: readonly string[]): readonly (readonly string[])[] =>
  first === undefined ? [[]] : someOf(others).flatMap((set) => [set, [first, ...set]]);

/** The sets of parts that may have had shares: all that surely give, and any of the others. */
const sharing = (chronicle: Chronicle, scaleIn: ScaleIn, selector: Selector): readonly (readonly string[])[] => {
  const parts = selector.children.flatMap((child, index) => (weightOf(selector, String(index)) > 0 ? [{ child, part: String(index) }] : []));
  const sure = parts.filter(({ child }) => poolsBelow(child).some((pool) => alwaysGives(chronicle, scaleIn, pool))).map(({ part }) => part);
  return someOf(parts.map(({ part }) => part).filter((part) => !sure.includes(part))).map((more) => [...sure, ...more]);
};

/** How far one part of weights is above its share, beyond the other: the least that is certain. A part without a share is compared as if it had one. */
const aboveByWeight = (chronicle: Chronicle, scaleIn: Scoped, selector: Selector, one: string, other: string): number => {
  const counts = new Map(selector.children.map((_, index) => [String(index), held(chronicle, scaleIn, selector, String(index), false)]));
  counts.set(one, held(chronicle, scaleIn, selector, one, true));
  const apart = (part: string, among: readonly string[], more: number): number => {
    const parts = [...new Set([...among, part])];
    const total = parts.reduce((sum, name) => sum + (counts.get(name) ?? 0), more);
    return (counts.get(part) ?? 0) - (weightOf(selector, part) * total) / parts.reduce((sum, name) => sum + weightOf(selector, name), 0);
  };
  // Those that leave by the same look were still there when this one was chosen.
  const totals = [0, scaleIn.leaving.size];
  return Math.min(
    ...sharing(chronicle, scaleIn, selector).flatMap((among) => totals.map((more) => apart(one, among, more) - apart(other, among, more))),
  );
};

/** How far one part is above its share, beyond the other: the least that is certain. A child that gives nothing has no part in the weights of others. */
const above = (chronicle: Chronicle, scaleIn: Scoped, selector: Selector, one: string, other: string): number =>
  selector.kind === 'spread'
    ? held(chronicle, scaleIn, selector, one, true) - held(chronicle, scaleIn, selector, other, false)
    : aboveByWeight(chronicle, scaleIn, selector, one, other);

/** Why the other member should have left instead: nothing where the tree lets either go. */
const misshapen = (chronicle: Chronicle, scaleIn: ScaleIn, other: Life): string | undefined => {
  const { choice, policy } = scaleIn;
  const { life, chosenAtMs } = choice;
  let node: TreeNode = policy.capacity;
  let scope = everybody;
  for (let selector = selectorOf(node); selector !== undefined; selector = selectorOf(node)) {
    const [own, others] = [life, other].map((one) => partOf(selector as Selector, one, policy, chosenAtMs));
    if (own === undefined || others === undefined) return undefined;
    if (own !== others) return betweenParts(chronicle, { ...scaleIn, scope }, selector, own, others);
    const pool = poolOf(life, policy, chosenAtMs);
    const children = selector.children.filter((child) => poolsBelow(child).includes(pool ?? ''));
    const [child] = children;
    if (child === undefined || children.length > 1 || !poolsBelow(child).includes(poolOf(other, policy, chosenAtMs) ?? '')) return undefined;
    node = child;
    scope = within(scope, selector, life, policy, chosenAtMs);
  }
  return undefined;
};

/** One more than the evenest. */
const tooMuch = 2;

const betweenParts = (chronicle: Chronicle, scaleIn: Scoped, selector: Selector, own: string, other: string): string | undefined => {
  if (selector.kind === 'cheapest') return undefined;
  if (selector.kind === 'tiered') return Number(own) < Number(other) ? `tier ${Number(other) + 1} still holds members` : undefined;
  const by = above(chronicle, scaleIn, selector, other, own);
  return by >= tooMuch
    ? `${JSON.stringify(selector.children[Number(other)] ?? other)} is ${by.toFixed(1)} members further above its share`
    : undefined;
};

export const removalKeepsShape: Rule = {
  name: 'the tree keeps its shape when a group shrinks',
  meaning:
    'This rule compares members that the order of removal treats alike. With dearest-first, these are members whose prices are within a tenth of the dearest one. No member leaves an earlier tier while another stays in a later tier. No member leaves a part of a spread that then holds two fewer than another part. No member leaves a child of a weighted selector that is then two further below its share than another child.',
  broken: (chronicle) =>
    scaleInsOf(chronicle).flatMap((scaleIn) => {
      const { group, life, chosenAtMs } = scaleIn.choice;
      for (const other of scaleIn.others) {
        const why = isAlike(chronicle, scaleIn, other) ? misshapen(chronicle, scaleIn, other) : undefined;
        if (why !== undefined)
          return [{ group, instance: life.instance, atMs: chosenAtMs, detail: `${life.instance} is removed, and ${other.instance} stays: ${why}` }];
      }
      return [];
    }),
};
