import { isProtected, type Life } from './life.ts';
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
  /** Who stays with it, itself among them. */
  readonly members: readonly Life[];
  readonly desired: number;
};

/** What the parts of a spread hold beside a launch, once those have left whom launches just before it replace: the fullest part gives first. */
const heldBeside = (selector: Selector, { policy, life, members, desired }: Launch): ReadonlyMap<string, number> => {
  const atMs = life.launchedAtMs;
  const others = members.filter((one) => one.order < life.order);
  const held = new Map<string, number>();
  const free = new Map<string, number>();
  for (const one of others) {
    const part = partOf(selector, one, policy, atMs);
    if (part === undefined) continue;
    held.set(part, (held.get(part) ?? 0) + 1);
    if (!isProtected(one, atMs)) free.set(part, (free.get(part) ?? 0) + 1);
  }
  for (let leavers = others.length - desired - policy.spare; leavers > 0; leavers -= 1) {
    const [fullest] = [...held].filter(([part]) => (free.get(part) ?? 0) > 0).toSorted(([, one], [, other]) => other - one);
    if (fullest === undefined) break;
    const [part, count] = fullest;
    held.set(part, count - 1);
    free.set(part, (free.get(part) ?? 0) - 1);
  }
  return held;
};

/** Whether a spread is more even when this launch replaces that member: its part holds two fewer (docs/policy.md, return). */
export const evensOut = (selector: Selector, launch: Launch, member: Life): boolean => {
  const { policy, life } = launch;
  const [to, from] = [life, member].map((one) => partOf(selector, one, policy, life.launchedAtMs));
  if (selector.kind !== 'spread' || to === undefined || from === undefined || to === from || life.market !== member.market) return false;
  const held = heldBeside(selector, launch);
  return (held.get(from) ?? 0) - (held.get(to) ?? 0) >= 2;
};
