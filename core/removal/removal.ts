import type { Leaving } from '../decision/decision.ts';
import type { Group } from '../group/group.ts';
import { cellOf } from '../placement/held-cells.ts';
import { type Shared, type ShareOf, shareBook } from '../placement/shares.ts';
import { offeringKey } from '../pool/offering.ts';
import { paidPrice } from '../pool/price.ts';
import { type PoolMemory, refusalsIn } from '../pool-memory/pool-memory.ts';
import { growTree, type Tree } from '../selector/grow.ts';
import { close, type Home, homeOf, type Leaf, reopen, type TreeNode } from '../selector/tree.ts';
import { undo } from '../selector/undo.ts';
import type { Member } from '../view/view.ts';
import { type PriceOf, rankForRemoval } from './removal-order.ts';

export type RemovalInput = {
  /** Instances to remove. */
  readonly count: number;
  /**
   * How many leave whatever their shares hold. Beyond these, only unhealthy members leave, and members of shares that
   * hold too many. Absent: all of them.
   */
  readonly ofAnyShare?: number;
  /** Members that stay so far. Protected members are never chosen, but count for balance. */
  readonly members: readonly Member[];
  readonly group: Pick<Group, 'capacity' | 'pools' | 'removal'>;
  /** USD per hour by offering key; what is missing is unknown. */
  readonly prices: Readonly<Record<string, number>>;
  readonly nowMs: number;
  /** Offerings that rest now. A child without an eligible offering has no share in the weights of the others. */
  readonly memory: PoolMemory;
  /** Shares that may hold more than they should at this size. Their members leave first. Absent: no limit. */
  readonly shared?: Shared;
  /**
   * Whether a member may leave besides those chosen before it. A member that may not leave stays, and counts when the
   * tree chooses others. Absent: all may.
   */
  readonly mayLeave?: (instance: string) => boolean;
};

/** A tree with all members counted, and with pools at their cap closed. */
const standingTree = ({ members, group, prices, nowMs, memory }: RemovalInput): Tree => {
  const tree = growTree(group.capacity, group.pools, { prices, nowMs, memory: refusalsIn(memory) });
  for (const member of members) tree.count(cellOf(member), 1);
  for (const leaf of [...tree.leavesOf.values()].flat()) if (leaf.room.held >= leaf.room.cap) close(leaf, 0);
  return tree;
};

const takeOut = (tree: Tree, member: Member): void => {
  tree.count(cellOf(member), -1);
  for (const leaf of tree.leavesOf.get(member.pool ?? '') ?? []) {
    if (leaf.room.held < leaf.room.cap) reopen(leaf, 0);
  }
};

/** Candidates of one rank, by the leaf that counts them. */
type Queues = {
  /** Members whose pool or zone is no longer in the tree, so that the tree would place nothing there. */
  readonly homeless: Member[];
  readonly at: Map<Leaf, Member[]>;
  /** Candidates below each node. */
  readonly below: Map<TreeNode, number>;
  readonly wayTo: Map<Leaf, readonly TreeNode[]>;
};

const preferenceOf = (leaf: Leaf, { offering }: Member): number => {
  const index = leaf.offerings.findIndex((other) => offeringKey(other) === offeringKey(offering));
  return index < 0 ? Number.MAX_SAFE_INTEGER : index;
};

/**
 * Order among members that the removal order and the tree both rank equally, the next to leave first. Pending members
 * come before running ones, and idle ones before serving ones, because no work is lost with them. Then come the types
 * that the pool prefers least, then the youngest. The instance id decides last, so that the same view gives the same
 * result.
 */
const compareTwins =
  (leaf: Leaf | undefined) =>
  (a: Member, b: Member): number =>
    Number(b.state === 'pending') - Number(a.state === 'pending') ||
    Number(a.serving) - Number(b.serving) ||
    (leaf === undefined ? 0 : preferenceOf(leaf, b) - preferenceOf(leaf, a)) ||
    b.launchedAtMs - a.launchedAtMs ||
    (a.instance < b.instance ? -1 : 1);

const addTo = (queues: Queues, { leaf, way }: Home, member: Member): void => {
  const queue = queues.at.get(leaf) ?? [];
  queue.push(member);
  queues.at.set(leaf, queue);
  queues.wayTo.set(leaf, way);
  for (const node of way) queues.below.set(node, (queues.below.get(node) ?? 0) + 1);
};

const queueUp = (members: readonly Member[], homes: Homes): Queues => {
  const queues: Queues = { homeless: [], at: new Map(), below: new Map(), wayTo: new Map() };
  for (const member of members) {
    const home = homes.of(member);
    if (home === undefined) queues.homeless.push(member);
    else addTo(queues, home, member);
  }
  for (const [leaf, queue] of queues.at) queue.sort(compareTwins(leaf)).reverse();
  queues.homeless.sort(compareTwins(undefined)).reverse();
  return queues;
};

type Homes = { of(member: Member): Home | undefined };

/** Homes are looked up once for each kind of member: there are far fewer kinds than members. */
const rememberHomes = (tree: Tree): Homes => {
  const known = new Map<string, Home | undefined>();
  return {
    of: (member) => {
      const cell = cellOf(member);
      const key = `${cell.pool}|${cell.zone}|${cell.instanceType}`;
      if (!known.has(key)) known.set(key, homeOf(tree.root, cell));
      return known.get(key);
    },
  };
};

/** The next member of a rank to leave. It is removed from the queues. */
const nextOf = (tree: Tree, queues: Queues): Member | undefined => {
  const stranger = queues.homeless.pop();
  if (stranger !== undefined) return stranger;
  const leaf = undo(tree.root, (choice) => (queues.below.get(choice.node) ?? 0) > 0);
  if (leaf === undefined) return undefined;
  for (const node of queues.wayTo.get(leaf) ?? []) queues.below.set(node, (queues.below.get(node) ?? 0) - 1);
  return queues.at.get(leaf)?.pop();
};

/** The next member that may leave. Members that may not leave keep their place in the tree. */
const nextAllowed = (tree: Tree, queues: Queues, { mayLeave }: RemovalInput): Member | undefined => {
  for (;;) {
    const member = nextOf(tree, queues);
    if (member === undefined || mayLeave === undefined || mayLeave(member.instance)) return member;
  }
};

type Work = {
  readonly input: RemovalInput;
  readonly tree: Tree;
  readonly homes: Homes;
  readonly leaving: Leaving[];
};

type Step = {
  /** No more leave than this, with those that leave already. */
  readonly most: number;
  /** The share of a member that holds too many members with it. */
  readonly overShare: (member: Member) => ShareOf | undefined;
  /** Counts a member as gone. False: the other members are chosen anew. */
  readonly taken: (member: Member) => boolean;
};

/** Takes members in the order of removal until enough leave. */
const takeInOrder = (
  { input, tree, homes, leaving }: Work,
  members: readonly Member[],
  { most, overShare, taken }: Step,
): void => {
  const priceOf: PriceOf = ({ offering, pool = '' }) => paidPrice(input.prices, offering, input.group.pools[pool]);
  for (const { why, members: alike } of rankForRemoval(input.group.removal.order, members, priceOf)) {
    if (leaving.length >= most) return;
    const queues = queueUp(alike, homes);
    while (leaving.length < most) {
      const member = nextAllowed(tree, queues, input);
      if (member === undefined) break;
      takeOut(tree, member);
      const over = overShare(member);
      leaving.push({ instance: member.instance, reason: 'scale-in', why: over ? { ...why, overShare: over } : why });
      if (!taken(member)) return;
    }
  }
};

const without = (members: readonly Member[], leaving: readonly Leaving[]): readonly Member[] => {
  const gone = new Set(leaving.map(({ instance }) => instance));
  return members.filter(({ instance }) => !gone.has(instance));
};

/** Unhealthy members, and then members of shares that hold too many, until no share does. */
const takeBeforeOthers = (work: Work, shared: Shared): void => {
  const { members, count } = work.input;
  const book = shareBook({ ...shared, held: members.map(({ offering }) => ({ offering, count: 1 })) });
  const overShare: Step['overShare'] = ({ offering }) => book.over(offering)?.of;
  const unhealthy = members.filter((member) => member.unhealthy);
  const countOut: Step['taken'] = ({ offering }) => {
    book.add(offering, -1);
    return true;
  };
  takeInOrder(work, unhealthy, { most: count, overShare: () => undefined, taken: countOut });
  for (let before = -1; before < work.leaving.length && work.leaving.length < count; ) {
    before = work.leaving.length;
    const over = without(members, work.leaving).filter((member) => overShare(member) !== undefined);
    takeInOrder(work, over, { most: count, overShare, taken: ({ offering }) => !book.add(offering, -1) });
  }
};

/**
 * Which members leave when there are too many, the next to leave first. Returns fewer than `count` when the rest is
 * protected or may not leave.
 *
 * - **Protected** members never leave; **unhealthy** members go first, whatever the order.
 * - Then members leave whose share (`maxShare`) holds more than it should at this size, until it does not.
 * - Then the order of the policy decides: `dearest-first`, `oldest-first` or `newest-first`. `same-order` leaves the
 *   choice to the tree. Prices within a tenth of each other are equal.
 * - Among members of equal rank the tree's undo decides (see `selector/undo.ts`): the fullest zone of a spread, the
 *   child furthest above its weight, the last tier. So scale-in keeps a spread even and weights exact.
 * - Members of a pool that the tree no longer has leave before others of their rank.
 */
export const chooseRemovals = (input: RemovalInput): readonly Leaving[] => {
  const tree = standingTree(input);
  const leaving: Leaving[] = [];
  const work = { input, tree, homes: rememberHomes(tree), leaving };
  if (input.shared !== undefined) takeBeforeOthers(work, input.shared);
  const most = Math.min(input.count, input.ofAnyShare ?? input.count);
  takeInOrder(work, without(input.members, leaving), { most, overShare: () => undefined, taken: () => true });
  return leaving;
};
