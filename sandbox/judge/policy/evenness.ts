import { isProtected, type Life } from '../world/life.ts';
import type { Policy } from './policy.ts';
import { poolOf } from './pools.ts';
import { poolsBelow, type Selector } from './tree.ts';

/** The part of a spread that an instance is in: its zone, its type, or its child. Undefined when it is not below the spread. */
export const partOf = ({ by, children }: Selector, life: Life, policy: Policy, atMs: number): string | undefined => {
  const pool = poolOf(life, policy, atMs);
  const child = children.findIndex((one) => pool !== undefined && poolsBelow(one).includes(pool));
  if (child < 0) return undefined;
  if (by === 'pool') return String(child);
  return by === 'zone' ? life.zone : life.instanceType;
};

type Launch = {
  readonly policy: Policy;
  readonly life: Life;
  /** The members that stay with it, including itself. */
  readonly members: readonly Life[];
  readonly desired: number;
  readonly scope: Scope;
  /** What was counted beside this launch already, for other members that it may replace. */
  readonly counted: Counted;
  /** Ids of the members that the stored decision of a launch says its launches move. */
  readonly namedBy: (launch: Life) => readonly string[];
};

/** Below a spread by zone or type: which members are in the part in question. */
export type Scope = { readonly name: string; readonly has: (life: Life) => boolean };
export const everybody: Scope = { name: '', has: () => true };

/** The scope below a selector that an instance is in: a spread by zone or type counts as if its children were written once for each of them. */
export const within = (scope: Scope, selector: Selector, life: Life, policy: Policy, atMs: number): Scope => {
  if (selector.kind !== 'spread' || selector.by === 'pool') return scope;
  const part = partOf(selector, life, policy, atMs);
  return { name: `${scope.name}/${part}`, has: (one) => scope.has(one) && partOf(selector, one, policy, atMs) === part };
};

/** How many the parts of a selector hold. */
type Held = ReadonlyMap<string, number>;
/** By selector, and by the scope and the parts that have shares. */
export type Counted = Map<Selector, Map<string, Held>>;

/** How far above the others a part is. */
type Fullness = (part: string, held: Held) => number;
type NamedFullness = { readonly name: string; readonly of: Fullness };

const byCount: NamedFullness = { name: 'count', of: (part, held) => held.get(part) ?? 0 };

/** How many a part has above its share of the members of some parts. Other parts do not count. */
const aboveShare =
  ({ weights }: Selector, among: readonly string[]): Fullness =>
  (part, held) => {
    if (!among.includes(part)) return Number.NEGATIVE_INFINITY;
    const [weight, count] = among.reduce<readonly [number, number]>(
      ([weightSum, heldSum], one) => [weightSum + (weights[Number(one)] ?? 0), heldSum + (held.get(one) ?? 0)],
      [0, 0],
    );
    return weight === 0 ? 0 : (held.get(part) ?? 0) - ((weights[Number(part)] ?? 0) * count) / weight;
  };

/** The latest launches, as many as there are members above the size. */
const movesBefore = (others: readonly Life[], above: number): readonly Life[] =>
  above <= 0 ? [] : others.toSorted((one, other) => other.order - one.order).slice(0, above);

/** The parts of those launches before that replace a member of their own part, one for each member that their decision names there. */
const leaversWithin = (selector: Selector, launch: Launch, before: readonly Life[], toLeave: Life): readonly string[] => {
  const { policy, life, members, scope, namedBy } = launch;
  const taken = new Set([toLeave]);
  return before.flatMap((one) => {
    const part = partOf(selector, one, policy, life.launchedAtMs);
    const leaver = members.find(
      (other) =>
        !taken.has(other) && scope.has(other) && namedBy(one).includes(other.instance) && partOf(selector, other, policy, life.launchedAtMs) === part,
    );
    if (leaver !== undefined) taken.add(leaver);
    return leaver === undefined || part === undefined ? [] : [part];
  });
};

/**
 * Members by part beside a launch, after the members left that launches just before it replace. The fullest part gives first. Below a spread by zone or type,
 * only launches of the same zone or type do: a launch of another one replaces a member there. `toLeave`: a member that this launch replaces. With it, each
 * launch before replaces a member of its own part first, if its decision names one there: a selector below moves that member.
 */
const countHeld = (selector: Selector, launch: Launch, fullness: Fullness, toLeave?: Life): Held => {
  const { policy, life, members, desired, scope } = launch;
  const atMs = life.launchedAtMs;
  const others = members.filter((one) => one.order < life.order);
  const held = new Map<string, number>();
  const free = new Map<string, number>();
  for (const one of others.filter(scope.has)) {
    const part = partOf(selector, one, policy, atMs);
    if (part === undefined) continue;
    held.set(part, (held.get(part) ?? 0) + 1);
    if (!isProtected(one, atMs)) free.set(part, (free.get(part) ?? 0) + 1);
  }
  const leave = (part: string): void => {
    held.set(part, (held.get(part) ?? 0) - 1);
    free.set(part, (free.get(part) ?? 0) - 1);
  };
  const before = movesBefore(others, others.length - desired - policy.spare).filter(scope.has);
  const inside = toLeave === undefined ? [] : leaversWithin(selector, launch, before, toLeave);
  for (const part of inside) leave(part);
  for (let leavers = before.length - inside.length; leavers > 0; leavers -= 1) {
    const [fullest] = [...held.keys()]
      .filter((part) => (free.get(part) ?? 0) > 0)
      .toSorted((one, other) => fullness(other, held) - fullness(one, held));
    if (fullest === undefined) break;
    leave(fullest);
  }
  return held;
};

const heldBeside = (selector: Selector, launch: Launch, fullness: NamedFullness): Held => {
  const known = launch.counted.get(selector) ?? new Map<string, Held>();
  launch.counted.set(selector, known);
  const name = `${launch.scope.name} ${fullness.name}`;
  const held = known.get(name) ?? countHeld(selector, launch, fullness.of);
  known.set(name, held);
  return held;
};

/** Every subset of these, including the empty one and all of them. */
const someOf = ([first, ...others]: readonly string[]): readonly (readonly string[])[] =>
  first === undefined ? [[]] : someOf(others).flatMap((set) => [set, [first, ...set]]);

/** The sets of parts of which shares may be counted: these, and any others of those that have a weight. */
const sharing = ({ weights }: Selector, surely: readonly string[]): readonly (readonly string[])[] =>
  someOf(weights.flatMap((weight, index) => (weight > 0 && !surely.includes(String(index)) ? [String(index)] : []))).map((more) => [
    ...surely,
    ...more,
  ]);

/** A smaller difference from a share counts as zero. */
const tiny = 1e-9;

/** Whether one part is a whole member or more above its share, and the other below its own. */
const isApart = (above: Fullness, held: Held, from: string, to: string): boolean => above(from, held) >= 1 - tiny && above(to, held) < -tiny;

/**
 * Whether a spread or weights are more even when this launch replaces that member: its part holds two fewer, or is below its share (docs/policy.md,
 * return).
 */
export const evensOut = (selector: Selector, launch: Launch, member: Life): boolean => {
  const { policy, life } = launch;
  const [to, from] = [life, member].map((one) => partOf(selector, one, policy, life.launchedAtMs));
  if (to === undefined || from === undefined || to === from || !launch.scope.has(life) || !launch.scope.has(member)) return false;
  /** The counts beside the launch: those where the fullest parts gave, and where its decision names the member, those where named members gave. */
  const heldWith = (fullness: NamedFullness): readonly Held[] => [
    heldBeside(selector, launch, fullness),
    ...(launch.namedBy(life).includes(member.instance) ? [countHeld(selector, launch, fullness.of, member)] : []),
  ];
  if (selector.kind === 'spread')
    return life.market === member.market && heldWith(byCount).some((held) => (held.get(from) ?? 0) - (held.get(to) ?? 0) >= 2);
  if (selector.kind !== 'weighted' || (member.market === 'spot' && life.market !== 'spot')) return false;
  // Only parts that can give have shares, and the judge does not know which other parts Holdfast believed to give.
  return sharing(selector, [from, to]).some((among) => {
    const above = aboveShare(selector, among);
    return heldWith({ name: among.join(), of: above }).some((held) => isApart(above, held, from, to));
  });
};

/** Of parts that surely give, one that is below its share while the own part is a whole member above its own, whatever else may give. */
export const leanAmong = (selector: Selector, held: Held, own: string, giving: readonly string[]): string | undefined =>
  giving.find(
    (part) =>
      part !== own && sharing(selector, [...new Set([own, ...giving])]).every((among) => isApart(aboveShare(selector, among), held, own, part)),
  );
