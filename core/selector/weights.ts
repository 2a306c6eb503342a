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

/**
 * Group size at which a child must have one more member (or `more`), so that it is never a whole instance below its
 * share.
 */
const dueAt = (scale: Scale, { weight, held }: Share, more = 1): number =>
  Math.ceil(((held + more) * scale.total) / weight);

/**
 * Whether every child can still get its instances in time when `index` gets one now: for every size up to the one at
 * which `index` itself would be due, no more children fall due than there are launches until then (the condition for
 * unit jobs with deadlines).
 */
const leavesTimeForOthers = (scale: Scale, index: number): boolean => {
  const chosen = scale.shares[index];
  if (chosen === undefined) return false;
  const horizon = Math.min(longestLookAhead, Math.max(0, dueAt(scale, chosen) - scale.after));
  const due = new Array<number>(horizon).fill(0);
  scale.shares.forEach((share, other) => {
    if (other === index) return;
    for (let more = 1; ; more += 1) {
      const steps = Math.max(0, dueAt(scale, share, more) - scale.after);
      if (steps >= horizon) break;
      due[steps] = (due[steps] ?? 0) + 1;
    }
  });
  let demand = 0;
  return due.every((count, steps) => {
    demand += count;
    return demand <= steps;
  });
};

/** The most launches that the look ahead covers. Weights further apart than 1 to 4,096 are not worth the time. */
const longestLookAhead = 4096;

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
  if (shares.length < 3 || !isBalanced(scale) || leavesTimeForOthers(scale, greedy)) return greedy;
  return dueFirst(scale);
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
