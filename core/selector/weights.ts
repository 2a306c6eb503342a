/** A child of a `weighted` node: its weight and what it holds. */
export type Share = { readonly weight: number; readonly held: number };

type Scale = {
  readonly shares: readonly Share[];
  readonly total: number;
  /** Members after the launch that is decided now. */
  readonly after: number;
};

const scaleOf = (shares: readonly Share[]): Scale => ({
  shares,
  total: shares.reduce((sum, { weight }) => sum + weight, 0),
  after: shares.reduce((sum, { held }) => sum + held, 1),
});

/**
 * How far below its share a child is after this launch, in instances times the total weight: whole numbers for whole
 * weights, so that ties are exact.
 */
const deficitOf = (scale: Scale, { weight, held }: Share): number => weight * scale.after - held * scale.total;

const furthestBelow = (scale: Scale): number => {
  let best = 0;
  let most = Number.NEGATIVE_INFINITY;
  scale.shares.forEach((share, index) => {
    const deficit = deficitOf(scale, share);
    if (deficit > most) [best, most] = [index, deficit];
  });
  return best;
};

/** Group size at which a child must have one more member, so that it is never a whole instance below its share. */
const dueAt = (scale: Scale, { weight, held }: Share): number => Math.ceil(((held + 1) * scale.total) / weight);

/** How many more members a child must have at a group size, for the same reason. */
const dueBy = (scale: Scale, { weight, held }: Share, size: number): number =>
  Math.max(0, Math.floor((weight * size) / scale.total) - held);

/** The most launches that the look ahead covers. Weights further apart than 1 to 4,096 are not worth the time. */
const longestLookAhead = 4096;

/**
 * Whether every child can still get its instances in time when `index` gets one now: at every size below the one at
 * which `index` itself would be due, no more members are due than there are launches until then (the condition for
 * unit jobs with deadlines).
 */
const leavesTimeForOthers = (scale: Scale, index: number): boolean => {
  const chosen = scale.shares[index];
  if (chosen === undefined) return true;
  const until = Math.min(scale.after + longestLookAhead, dueAt(scale, chosen));
  for (let size = scale.after; size < until; size += 1) {
    const due = scale.shares.reduce((sum, share) => sum + dueBy(scale, share, size), 0);
    if (due > size - scale.after) return false;
  }
  return true;
};

const isBalanced = (scale: Scale): boolean =>
  scale.shares.every(({ weight, held }) => Math.abs(weight * (scale.after - 1) - held * scale.total) < scale.total);

/** Among children below their share, the one that falls due first. */
const dueFirst = (scale: Scale): number => {
  let best = 0;
  let earliest = Number.POSITIVE_INFINITY;
  scale.shares.forEach((share, index) => {
    const due = dueAt(scale, share);
    if (deficitOf(scale, share) > 0 && due < earliest) [best, earliest] = [index, due];
  });
  return best;
};

/**
 * Which child of a `weighted` node gets the next instance: the one furthest below its share after this launch, in
 * configured order among equals. With three or more children the largest deficit alone can leave a light child 1.1
 * instances behind (for example weights 93, 30, 100, 4, 4, 1). In such a case the child that is due first goes first,
 * so that every prefix is within one instance of the weights (R. Tijdeman, The chairman assignment problem, 1980). All
 * weights are positive.
 */
export const nextByWeight = (shares: readonly Share[]): number => {
  const scale = scaleOf(shares);
  const greedy = furthestBelow(scale);
  return !isBalanced(scale) || leavesTimeForOthers(scale, greedy) ? greedy : dueFirst(scale);
};

/** How many instances a child is below its share after the next launch; negative when it is above. */
export const belowShare = (shares: readonly Share[], index: number): number => {
  const scale = scaleOf(shares);
  const share = shares[index];
  return share === undefined ? 0 : deficitOf(scale, share) / scale.total;
};

/** How many instances a child is above its share of what all of them hold; negative when it is below. */
export const aboveShare = (shares: readonly Share[], { weight, held }: Share): number => {
  const total = shares.reduce((sum, share) => sum + share.weight, 0);
  const members = shares.reduce((sum, share) => sum + share.held, 0);
  return (held * total - weight * members) / total;
};
