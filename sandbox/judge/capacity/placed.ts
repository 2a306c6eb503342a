import type { Chronicle } from '../chronicle.ts';
import type { Finding, Rule } from '../finding.ts';
import { ownLaunches } from '../members/staying.ts';
import type { Policy, PolicyPool } from '../policy/policy.ts';
import { poolOf } from '../policy/pools.ts';
import type { OfferingName } from '../world/cloud.ts';
import { isFunction, type Life } from '../world/life.ts';
import type { Moment } from './giving.ts';
import { isOnDemand, mayBeOwed } from './limits.ts';
import { type IsOwed, wrongInAnyOrder } from './owed-beside.ts';
import { isBeyondSize, isSureMove, movesIn } from './returning.ts';
import { mayBeSpare } from './spares.ts';

type Broken = Omit<Finding, 'rule'>;
type Launch = ReturnType<typeof ownLaunches>[number];

/** A launch of Holdfast's with the pool that it came from and the policy that it may have followed. */
export type Placed = {
  readonly life: Life;
  readonly moment: Moment;
  readonly policy: Policy;
  readonly pool: PolicyPool;
  /** Members that it may replace in a better place: none where it fills a place that is free. */
  readonly replaces: readonly Life[];
  /** What was chosen from: everything, or on-demand alone where so many are owed on demand, or spot alone where it may be a spare. */
  readonly from: Bound;
};

/** What is bound from above: below a spread by zone or type, nothing but the zone or type that it chose counts. */
export type Bound = (offering: OfferingName) => boolean;
const unbound: Bound = () => true;

const onSpot: Bound = ({ market }) => market === 'spot';

/** The possible purpose of a launch. Each purpose has its own excuses. */
type Role = Pick<Placed, 'replaces' | 'from'> & Pick<Moment, 'quietForMs' | 'undoneBy'>;

const rolesOf = (chronicle: Chronicle, policy: Policy, launch: Launch, moves: ReturnType<typeof movesIn>): readonly Role[] => {
  const { life } = launch;
  const { worse } = moves.get(life) ?? {};
  const quiet = policy.returning === undefined ? {} : { quietForMs: policy.returning.afterMs };
  const asMove: Role = worse === undefined ? { replaces: [], from: unbound } : { replaces: worse, from: unbound, ...quiet };
  const isSpare = !isSureMove(chronicle, life) && mayBeSpare(chronicle, policy, launch);
  // For evenness nobody moves from spot to on-demand: nothing on demand is a choice then.
  const evens = (worse ?? []).filter(({ market }) => market === 'spot' && life.market === 'spot');
  return [asMove, ...(evens.length > 0 ? [{ ...asMove, replaces: evens, from: onSpot }] : []), ...(isSpare ? [{ replaces: [], from: onSpot }] : [])];
};

const asOwed = (chronicle: Chronicle, policy: Policy, launch: Launch): readonly Role[] => [
  { replaces: [], from: isOnDemand, ...(isBeyondSize(chronicle, launch) && { undoneBy: policy }) },
];

/** A launch counts as right when it is right by any policy that was in force while its function ran, for anything that it may have been for. */
export const byAnyPolicy =
  (judgeOne: (chronicle: Chronicle, placed: Placed) => string | undefined): Rule['broken'] =>
  (chronicle) => {
    const moves = movesIn(chronicle);
    const whyWrong = (launch: Launch, isOwed: IsOwed): string | undefined => {
      const { life, group, sinceMs, placedBy } = launch;
      const invocation = isFunction(life.by) ? { invocation: life.by.invocation } : {};
      const verdicts = chronicle.policiesIn(group, sinceMs, life.launchedAtMs).flatMap((policy) =>
        (isOwed(policy, launch) ? asOwed(chronicle, policy, launch) : rolesOf(chronicle, policy, launch, moves)).map(
          ({ quietForMs, undoneBy, ...role }) => {
            const quiet = { ...(quietForMs !== undefined && { quietForMs }), ...(undoneBy && { undoneBy }) };
            const moment = { group, sinceMs, atMs: life.launchedAtMs, insteadOf: life, placedBy, ...invocation, ...quiet };
            const pool = policy.pools[poolOf(life, policy, moment.atMs) ?? ''];
            return pool === undefined ? undefined : judgeOne(chronicle, { life, moment, policy, pool, ...role });
          },
        ),
      );
      return verdicts.includes(undefined) ? undefined : verdicts[0];
    };
    const isOwedInOrder: IsOwed = (policy, launch) => mayBeOwed(chronicle, policy, launch);
    const wrong = ownLaunches(chronicle).filter((launch) => whyWrong(launch, isOwedInOrder) !== undefined);
    return wrongInAnyOrder(chronicle, wrong, (launch, isOwed) => whyWrong(launch, isOwed) === undefined).map(({ life, group, ...launch }): Broken => {
      const detail = whyWrong({ life, group, ...launch }, isOwedInOrder) ?? '';
      return { group, instance: life.instance, atMs: life.launchedAtMs, detail };
    });
  };
