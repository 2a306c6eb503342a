import type * as z from 'zod/mini';
import type { Path, Problem } from '../policy/problem.ts';
import { asList } from '../policy/reading.ts';
import type { CapacityNode, Selector } from './selector.ts';

/** A selector as a user writes it: a map with the name of its kind. */
export type WrittenNode = Exclude<CapacityNode, string>;

/** A child as it is written, of any content. `getsNew`: new members may come from below it. */
export type WrittenChild = { readonly path: Path; readonly node: unknown; readonly getsNew: boolean };

/** The children of a selector, and the path of their list. */
export type WrittenChildren = { readonly path: Path; readonly children: readonly WrittenChild[] };

/** The schemas that all kinds use: of a child, and of a list of children with its description. */
export type ChildSchemas = {
  readonly child: z.ZodMiniType<CapacityNode, CapacityNode>;
  list(meaning: string): z.ZodMiniType<readonly CapacityNode[], readonly CapacityNode[]>;
};

/** Two ways to resolve a child. */
export type ChildResolvers = {
  /** A pool of several zones becomes an even spread over them, unless a selector above this one decides the zone. */
  child(written: CapacityNode): Selector;
  /** Pools below stay as they are, because this selector decides the zone. */
  childInZone(written: CapacityNode): Selector;
};

/** How a kind of selector is written in a policy: only the function that accepts policies uses it. */
export type WrittenKind<Written extends WrittenNode> = {
  /** The schema of its map, with descriptions: the JSON Schema of policies has them. */
  schema(of: ChildSchemas): z.ZodMiniType<Written, Written>;
  /** Whether another selector can be one of its children as it is, without a map around it. */
  readonly holdsSelectors: boolean;
  /** Whether it counts members: a pool below two children would count for both. */
  readonly countsMembers: boolean;
  /** Its children in a document of any content. `value` is what is written below the name of the kind. */
  childrenOf(value: unknown, path: Path): WrittenChildren;
  /** What the schema cannot check, in a document of any content. `path` is that of its list of children. */
  problems(node: unknown, path: Path): readonly Problem[];
  /** Its form in decisions. */
  resolve(node: Written, of: ChildResolvers): Selector;
};

/** The children of a selector that is a plain list. */
export const listedChildren = (value: unknown, path: Path): WrittenChildren => ({
  path,
  children: asList(value).map((node, index) => ({ path: [...path, index], node, getsNew: true })),
});

export const noProblems = (): readonly Problem[] => [];
