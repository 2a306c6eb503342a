import type { WorldSnapshot } from '../../sandbox/world/world.ts';
import type { Evidence } from './evidence.ts';

/** A selector tree as policies write it. */
type Node = string | { readonly [kind: string]: unknown };

/** What a pool of the settings holds when the group is up, and whether its one offering could have given another. */
type Filling = { readonly zone: string; readonly held: number; readonly isFull: boolean };
type Fillings = ReadonlyMap<string, Filling>;

const kindOf = (node: Exclude<Node, string>): string => Object.keys(node).find((key) => key !== 'by') ?? '';
const childrenOf = (node: Node): readonly Node[] => {
  if (typeof node === 'string') return [];
  const list = node[kindOf(node)] as readonly (Node | { readonly use: Node })[];
  return list.map((child) => (typeof child === 'object' && 'use' in child ? (child.use as Node) : (child as Node)));
};
const poolsOf = (node: Node): readonly string[] => (typeof node === 'string' ? [node] : childrenOf(node).flatMap(poolsOf));

/** Several pools as one. */
const together = (names: readonly string[], fillings: Fillings): { readonly held: number; readonly isFull: boolean } => {
  const parts = names.flatMap((name) => fillings.get(name) ?? []);
  return { held: parts.reduce((sum, { held }) => sum + held, 0), isFull: parts.every(({ isFull }) => isFull) };
};

type Part = { readonly name: string; readonly held: number; readonly isFull: boolean };

/** Who could have taken another holds no fewer than anyone else, to within one. */
const uneven = (parts: readonly Part[]): boolean => {
  const least = Math.min(...parts.filter(({ isFull }) => !isFull).map(({ held }) => held));
  return parts.some(({ held }) => held > least + 1);
};

/** Nobody after the first that could have taken another holds any. */
const skipped = (parts: readonly Part[]): boolean => {
  const first = parts.findIndex(({ isFull }) => !isFull);
  return first >= 0 && parts.slice(first + 1).some(({ held }) => held > 0);
};

/** As long as everybody could give, each is within one instance of its share. */
const offWeight = (parts: readonly Part[], weights: readonly number[]): boolean => {
  const [all, total] = [parts.reduce((sum, { held }) => sum + held, 0), weights.reduce((sum, weight) => sum + weight, 0)];
  return parts.every(({ isFull }) => !isFull) && parts.some(({ held }, index) => Math.abs(held - (all * (weights[index] ?? 0)) / total) > 1);
};

const isWrong = (node: Exclude<Node, string>, fillings: Fillings): boolean => {
  const kind = kindOf(node);
  const parts = childrenOf(node).map((child) => ({ name: JSON.stringify(child), ...together(poolsOf(child), fillings) }));
  if (kind === 'weighted')
    return offWeight(
      parts,
      (node.weighted as readonly { readonly weight: number }[]).map(({ weight }) => weight),
    );
  if (kind !== 'spread') return skipped(parts);
  // All pools are of one type, which leaves a spread by type no choice.
  if (node.by === 'instance-type') return false;
  if (node.by !== 'zone') return uneven(parts);
  const byZone = Map.groupBy(poolsOf(node), (pool) => fillings.get(pool)?.zone ?? '');
  return uneven([...byZone].map(([zone, pools]) => ({ name: zone, ...together(pools, fillings) })));
};

/**
 * Selectors whose children do not hold what the policy reference promises. Prices are equal within a market, so `cheapest` keeps to its first.
 * A spread by zone or type chooses that before its children choose anything, so what is below it decides within each alone.
 */
const misplaced = (node: Node, fillings: Fillings): readonly string[] => {
  if (typeof node === 'string') return [];
  const below = node.by === 'zone' || node.by === 'instance-type' ? [] : childrenOf(node);
  return [...(isWrong(node, fillings) ? [JSON.stringify(node)] : []), ...below.flatMap((child) => misplaced(child, fillings))];
};

type Policy = { readonly group?: unknown; readonly asg?: unknown; readonly capacity?: unknown };

const fillingsOf = ({ offerings }: WorldSnapshot, heldBy: ReadonlyMap<string, number>, names: readonly string[]): Fillings =>
  new Map(
    names.map((name): [string, Filling] => {
      const [market, letter = ''] = name.startsWith('spot-') ? ['spot', name.slice('spot-'.length)] : ['on-demand', name.slice('od-'.length)];
      const offering = offerings.find((one) => one.market === market && one.zone.endsWith(letter));
      const isFull = offering === undefined || (offering.capacity !== null && offering.used >= offering.capacity);
      return [name, { zone: offering?.zone ?? '', held: heldBy.get(name) ?? 0, isFull }];
    }),
  );

/** A group that Holdfast itself filled stands, when it is up, as its tree says: spread, weighted and tiered as far as there was capacity. */
export const placedByTree = ({ situation, atReady, lives }: Evidence): readonly string[] =>
  situation.policies.flatMap((policy: Policy) => {
    // Members of an Auto Scaling group of the user's were there before Holdfast.
    if (policy.asg !== undefined || policy.capacity === undefined || atReady === undefined) return [];
    const alive = new Set(atReady.instances.filter(({ state }) => state === 'running').map(({ id }) => id));
    const members = lives.filter(({ group, instance }) => group === policy.group && alive.has(instance));
    const heldBy = new Map([...Map.groupBy(members, ({ pool = '' }) => pool)].map(([pool, held]) => [pool, held.length]));
    const tree = policy.capacity as Node;
    const fillings = fillingsOf(atReady, heldBy, poolsOf(tree));
    const stands = [...heldBy].map(([pool, held]) => `${pool} ${held}`).join(', ');
    return misplaced(tree, fillings).map((selector) => `${String(policy.group)}: ${stands} is not as ${selector} says`);
  });
