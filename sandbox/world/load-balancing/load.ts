import type { Base } from '../base.ts';
import type { LoadSpec } from '../spec.ts';
import { inFlightOf, type Target, type TargetGroup } from './target-group.ts';

export type Load = {
  /** Begins or changes the requests that a target group gets. */
  set(group: TargetGroup, load: LoadSpec): void;
};

const tickMs = 1000;
/** The requests of one instance in one second have at most this many different durations. */
const cohortsPerSecond = 8;

/**
 * Simulated requests in cohorts per second and instance: the cost grows with instances and seconds, not with requests.
 * Balanced evenly over healthy targets; a remainder goes around.
 */
export const createLoad = (base: Base): Load => {
  const { clock } = base;
  const running = new Set<TargetGroup>();
  const carry = new Map<TargetGroup, { fraction: number; turn: number }>();

  /** Removes requests that have ended and counts them as served. */
  const settle = (target: Target): number => {
    if (target.inFlight.length === 0) return 0;
    const nowMs = clock.now();
    const all = target.inFlight.reduce((sum, { count }) => sum + count, 0);
    const open = inFlightOf(target, nowMs);
    if (open < all) target.inFlight = target.inFlight.filter(({ endsAtMs }) => endsAtMs > nowMs);
    return all - open;
  };
  const begin = (target: Target, count: number, { requestSeconds: [low, high] }: LoadSpec): void => {
    const parts = Math.min(count, cohortsPerSecond);
    for (let part = 0; part < parts; part += 1) {
      const share = Math.floor(count / parts) + (part < count % parts ? 1 : 0);
      const seconds = low + ((high - low) * (part + 0.5)) / parts;
      target.inFlight.push({ endsAtMs: clock.now() + Math.round(seconds * 1000), count: share });
    }
  };
  /** Returns how many were dropped at the door. */
  const offer = (target: Target, count: number, load: LoadSpec): number => {
    if (target.instance.state !== 'running') return count;
    const taken = Math.min(count, load.perInstancePerSecond ?? count);
    if (taken > 0) begin(target, taken, load);
    return count - taken;
  };
  const arrivals = (group: TargetGroup, load: LoadSpec): { count: number; turn: number } => {
    const state = carry.get(group) ?? { fraction: 0, turn: 0 };
    const exact = (load.requestsPerSecond * tickMs) / 1000 + state.fraction;
    const count = Math.floor(exact + 1e-9);
    carry.set(group, { fraction: exact - count, turn: state.turn + 1 });
    return { count, turn: state.turn };
  };
  const spread = (group: TargetGroup, load: LoadSpec): number => {
    const { count, turn } = arrivals(group, load);
    const open = [...group.rotation];
    if (open.length === 0) return count;
    const each = Math.floor(count / open.length);
    const rest = count % open.length;
    return open.reduce((dropped, target, index) => {
      const extra = (index + turn * rest) % open.length < rest ? 1 : 0;
      return dropped + offer(target, each + extra, load);
    }, 0);
  };
  const report = (group: TargetGroup, kind: 'served' | 'dropped', count: number): void => {
    if (count === 0) return;
    group[kind] += count;
    base.tell({ kind, targetGroup: group.name, count, atMs: clock.now() });
  };
  const tick = (group: TargetGroup): void => {
    const load = group.load;
    let served = 0;
    for (const target of group.targets.values()) served += settle(target);
    report(group, 'served', served);
    const busy = [...group.targets.values()].some(({ inFlight }) => inFlight.length > 0);
    if (load === undefined || load.requestsPerSecond <= 0) {
      if (busy) clock.after(tickMs, () => tick(group));
      else running.delete(group);
      return;
    }
    report(group, 'dropped', spread(group, load));
    clock.after(tickMs, () => tick(group));
  };
  return {
    set: (group, load) => {
      group.load = load;
      if (running.has(group) || load.requestsPerSecond <= 0) return;
      running.add(group);
      // A second later, so that targets which turn healthy at the same moment share the first requests.
      clock.after(tickMs, () => tick(group));
    },
  };
};
