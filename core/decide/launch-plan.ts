import { breakingIn } from '../breaker/breaking.ts';
import { cellOf, cellOfLaunch, type Held } from '../placement/held-cells.ts';
import type { PlanInput } from '../placement/plan-placements.ts';
import { sharedIn } from '../placement/shares.ts';
import { offeringsOf } from '../pool/pool.ts';
import { pricesIn } from '../pool/price.ts';
import { whileMembersWait } from '../pool-memory/advice.ts';
import { ownRefills } from '../view/asg-ledger.ts';
import { goneFor } from '../view/gone-asgs.ts';
import { notShown } from '../view/not-shown.ts';
import type { Member } from '../view/view.ts';
import type { Situation } from './rule.ts';

const without = (members: readonly Member[], leaving: readonly string[]): readonly Member[] =>
  members.filter(({ instance }) => !leaving.includes(instance));

/**
 * Launches that Auto Scaling groups make by themselves and that no describe shows yet, if their pool is known. They
 * count, so that our own launches go to the parts with fewer members.
 */
const comingByItself = ({ view, headcount }: Situation): readonly Held[] =>
  [...ownRefills(view), ...headcount.unseen].flatMap(({ asg, count }) => {
    const pool = Object.values(view.group.pools).find((one) => one.asg === asg);
    return pool === undefined ? [] : [{ ...cellOfLaunch({ pool: pool.name, offerings: offeringsOf(pool) }), count }];
  });

/** The input for a plan of this many launches, with the leaving members counted as gone. */
export const planInput = (situation: Situation, count: number, leaving: readonly string[] = []): PlanInput => {
  const { view, headcount } = situation;
  const shared = sharedIn(view, headcount, leaving);
  return {
    selector: view.group.capacity,
    pools: view.group.pools,
    count: Math.max(0, count),
    nowMs: view.nowMs,
    ...(view.state.failedBoots && { failedBoots: view.state.failedBoots }),
    ...(view.state.denials && { denials: view.state.denials }),
    ...goneFor(view),
    ...(view.group.breaker && { breaking: breakingIn(view) }),
    memory: whileMembersWait(view.state.memory, view.swaps, view.nowMs),
    prices: pricesIn(view),
    cheapest: view.state.cheapest,
    held: [
      ...without(headcount.staying, leaving).map((member) => ({ ...cellOf(member), count: 1 })),
      ...notShown(view, headcount).map((launch) => ({ ...cellOfLaunch(launch), count: launch.count })),
      ...comingByItself(situation),
    ],
    ...(shared && { shared }),
  };
};
