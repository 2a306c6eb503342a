import * as z from 'zod/mini';
import { map, nonEmptyList, numberFrom } from '../policy/field.ts';
import { problemOf } from '../policy/problem.ts';
import { asList, fieldOf } from '../policy/reading.ts';
import { amongBest } from './among-best.ts';
import { lastBest } from './last-best.ts';
import type { CapacityNode } from './selector.ts';
import type { SelectorKind } from './selector-kind.ts';
import { type Branch, type Choice, candidatesOf, canGive } from './tree.ts';
import { aboveShare, belowShare, nextByWeight } from './weights.ts';
import type { WrittenKind } from './written-kind.ts';

/** How a user writes it: each child with its weight. */
export type WrittenWeighted = {
  readonly weighted: readonly { readonly use: CapacityNode; readonly weight: number }[];
};

const shareOf = ({ weight, tally }: Choice) => ({ weight, held: tally.count });

const byWeight = (branch: Branch): Choice | undefined => {
  const giving = candidatesOf(branch);
  return giving[nextByWeight(giving.map(shareOf))];
};

/** A smaller difference from a share counts as zero. */
export const tiny = 1e-9;

/** A child that gives, and how many members it is below its share. */
type Lean = { readonly choice: Choice; readonly below: number };

/**
 * How many members a child is above its share, and the giving children below their shares, the furthest first. The
 * shares are divided among this child and the children that give.
 */
export const apartByWeight = (
  branch: Branch,
  from: Choice,
): { readonly above: number; readonly lean: readonly Lean[] } => {
  const giving = candidatesOf(branch);
  const shares = (giving.includes(from) ? giving : [...giving, from]).map(shareOf);
  const lean = giving
    .map((choice) => ({ choice, below: -aboveShare(shares, shareOf(choice)) }))
    .filter(({ below }) => below > tiny)
    .toSorted((a, b) => b.below - a.below);
  return { above: aboveShare(shares, shareOf(from)), lean };
};

/** Children that have shares, with the sums over them. */
type Sharing = { readonly choices: readonly Choice[]; readonly weights: number; readonly held: number };

/** The eligible children share. While none is eligible, all children do. */
const sharingIn = ({ choices }: Branch): Sharing => {
  const giving = choices.filter(canGive);
  const sharing = giving.length > 0 ? giving : choices.filter(({ weight }) => weight > 0);
  return {
    choices: sharing,
    weights: sharing.reduce((sum, { weight }) => sum + weight, 0),
    held: sharing.reduce((sum, { tally }) => sum + tally.count, 0),
  };
};

/**
 * How many instances a child is above its share once one of its instances is gone. The shares are divided among the
 * sharing children and this child.
 */
const surplusOf = (sharing: Sharing, choice: Choice): number => {
  const { weight, tally } = choice;
  if (weight === 0) return Number.POSITIVE_INFINITY;
  const [weights, held] = sharing.choices.includes(choice)
    ? [sharing.weights, sharing.held]
    : [sharing.weights + weight, sharing.held + tally.count];
  return tally.count - (weight * (held - 1)) / weights;
};

/** The child with the greatest surplus. */
const furthestAbove = (branch: Branch, candidates: readonly Choice[]): Choice | undefined => {
  const sharing = sharingIn(branch);
  return lastBest(candidates, (choice) => surplusOf(sharing, choice));
};

/** The eligible child that is furthest below its share. */
export const weighted: SelectorKind = {
  ...amongBest,
  movesFor: 'shares',
  choose: byWeight,
  turnOf: (branch, choice) => {
    const giving = candidatesOf(branch);
    return {
      kind: 'weighted',
      name: choice.name,
      belowShare: belowShare(giving.map(shareOf), giving.indexOf(choice)),
    };
  },
  undo: furthestAbove,
};

const leastWeight = 0.001;
const mostWeight = 1_000_000;

export const writtenWeighted: WrittenKind<WrittenWeighted> = {
  schema: ({ child }) => {
    const text = `0, or a number from ${leastWeight} to ${mostWeight}`;
    const weight = numberFrom(0, mostWeight, text).check(
      z.refine((value) => value === 0 || value >= leastWeight, text),
      z.describe(`Share of this child, relative to the other weights: ${text}.`),
    );
    const share = map({ use: child, weight }, 'a map with use and weight');
    const shares = nonEmptyList(share, 'a list of at least one { use, weight }').check(
      z.describe('Pool names and selectors, each with its weight.'),
    );
    return map({ weighted: shares }, 'a map with weighted').check(
      z.describe('The eligible child that is furthest below its share.'),
    );
  },
  holdsSelectors: false,
  countsMembers: true,
  childrenOf: (value, path) => ({
    path,
    children: asList(value).map((share, index) => ({
      path: [...path, index, 'use'],
      node: fieldOf(share, 'use'),
      getsNew: fieldOf(share, 'weight') !== 0,
    })),
  }),
  problems: (node, path) => {
    const weights = asList(fieldOf(node, 'weighted')).map((child) => fieldOf(child, 'weight'));
    return weights.length > 0 && weights.every((weight) => weight === 0)
      ? [problemOf({ path, found: 'only weights of 0', allowed: 'at least one weight above 0' })]
      : [];
  },
  resolve: ({ weighted: shares }, of) => ({
    kind: 'weighted',
    children: shares.map(({ use, weight }) => ({ use: of.child(use), weight })),
  }),
};
