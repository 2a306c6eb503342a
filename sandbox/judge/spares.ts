import { isFunction, type Life } from './life.ts';
import type { Policy } from './policy.ts';

/**
 * How many spares may be among those that stay with a launch. On demand nothing is launched above the size, but beside spot of
 * the same function, and for a member that moves.
 */
export const sparesWith = (life: Life, policies: readonly Policy[], known: readonly Life[], isMove = false): number => {
  const most = Math.max(0, ...policies.map(({ spare }) => spare));
  if (life.market === 'spot') return most;
  if (isMove) return Math.min(most, known.filter(({ market }) => market === 'spot').length);
  const { by } = life;
  const beside = known.filter((one) => one.market === 'spot' && isFunction(one.by) && isFunction(by) && one.by.invocation === by.invocation);
  return Math.min(most, beside.length);
};

/** How many members above the size stay, as far as there are any on spot, where one on spot is chosen to leave. One on demand is no spare. */
export const sparesKept = (policies: readonly Policy[], life: Life, members: readonly Life[], desired: number): number => {
  if (life.market !== 'spot') return 0;
  const wanted = Math.min(...policies.map(({ spare, mostInAsg }) => Math.max(0, Math.min(spare, mostInAsg - desired))));
  return policies.length === 0 ? 0 : Math.min(wanted, members.filter(({ market }) => market === 'spot').length);
};
