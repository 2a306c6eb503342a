import type { RemovalOrder } from '../../core/group/group.ts';
import type { Placement } from '../../core/placement/placement.ts';
import type { Pool } from '../../core/pool/pool.ts';
import type { RemovalInput } from '../../core/removal/removal.ts';
import type { Selector } from '../../core/selector/selector.ts';
import type { Member } from '../../core/view/view.ts';
import { nowMs, poolsOf } from './selector/tree-builders.ts';

/** A running, serving member of a pool, where the pool's first offering lies. */
export const member = (instance: string, of: Pool, rest: Partial<Member> = {}): Member => ({
  instance,
  pool: of.name,
  offering: { instanceType: of.instanceTypes[0] ?? '', zone: of.subnets[0]?.zone ?? '', market: of.market },
  state: 'running',
  launchedAtMs: nowMs - 3_600_000,
  admitted: true,
  serving: true,
  protected: false,
  unhealthy: false,
  ...rest,
});

/** `count` members named after their pool: `spot-a#1`, `spot-a#2`, … */
export const members = (of: Pool, count: number, rest: Partial<Member> = {}): readonly Member[] =>
  Array.from({ length: count }, (_, index) => member(`${of.name}#${index + 1}`, of, rest));

/** Members that a placement would have brought. */
export const membersFrom = (placements: readonly Placement[], prefix = ''): readonly Member[] =>
  placements.flatMap(({ pool, offerings, count }, order) =>
    Array.from({ length: count }, (_, index) => ({
      ...member(`${prefix}${pool}#${order}.${index}`, { name: pool, market: 'spot', subnets: [], instanceTypes: [] }),
      offering: offerings[0] ?? { instanceType: '', zone: '', market: 'spot' as const },
    })),
  );

export const removal = (
  order: RemovalOrder,
  capacity: Selector,
  pools: readonly Pool[],
  rest: Partial<RemovalInput> & Pick<RemovalInput, 'count' | 'members'>,
): RemovalInput => ({
  group: { capacity, pools: poolsOf(...pools), removal: { order } },
  prices: {},
  nowMs,
  memory: {},
  ...rest,
});
