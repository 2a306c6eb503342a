import type { Base } from '../base.ts';
import { inFlightOf, type Target, type TargetGroup } from './target-group.ts';

/** Reports the events of targets to observers, and adds them to the history with their actor. */
export const createTargetFacts = (base: Base) => {
  const { clock } = base;
  const count = (group: TargetGroup, kind: 'served' | 'dropped', number: number): void => {
    if (number === 0) return;
    group[kind] += number;
    base.tell({ kind, targetGroup: group.name, count: number, atMs: clock.now() });
  };
  return {
    /** Ends all requests in flight. Requests that are over by now count as served, the rest as dropped. */
    cutOff: (group: TargetGroup, target: Target): void => {
      const all = target.inFlight.reduce((sum, cohort) => sum + cohort.count, 0);
      const open = inFlightOf(target, clock.now());
      target.inFlight = [];
      count(group, 'served', all - open);
      count(group, 'dropped', open);
    },
    inService: (group: TargetGroup, { instance }: Target): void => {
      base.tell({ kind: 'serving', instance: instance.id, atMs: clock.now() });
      base.note({ kind: 'in-service', instance: instance.id, targetGroup: group.name });
    },
    outOfService: (group: TargetGroup, { instance }: Target, why: 'deregistered' | 'unhealthy' | 'ending'): void =>
      base.note({ kind: 'out-of-service', instance: instance.id, targetGroup: group.name, why, by: base.acting.current().by }),
    /** A target that was registered again meanwhile, or was cut off by its end, did not become empty. */
    empty: (group: TargetGroup, target: Target): void => {
      if (group.targets.get(target.instance.id) !== target || target.state !== 'draining' || target.instance.state !== 'running') return;
      base.note({ kind: 'empty', instance: target.instance.id, targetGroup: group.name });
    },
  };
};
