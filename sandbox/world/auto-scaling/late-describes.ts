import { isMutating } from '../../call-log.ts';
import type { WorldClock } from '../../clock.ts';
import type { Operations } from '../operation.ts';
import type { Group, Scaling } from './group.ts';
import { describeGroup } from './group-output.ts';

type Shown = { readonly fromMs: number; readonly output: object };

/** What describes of Auto Scaling groups showed, for as long as a late one may show it. */
export type Past = {
  /** Notes what describes show from now on. It is called after everything that may have changed a group. */
  readonly note: (scaling: Scaling) => void;
  /** What a describe showed so long ago. Undefined: there was no such group yet. */
  readonly shownAgo: (group: Group, agoMs: number) => object | undefined;
};

/** @param mostMs how far a describe may lie in the past. */
export const createPast = (clock: WorldClock, mostMs: number): Past => {
  const past = new Map<Group, readonly Shown[]>();
  let isBegun = false;
  return {
    note: (scaling) => {
      const nowMs = clock.now();
      for (const group of scaling.groups.values()) {
        const before = past.get(group) ?? [];
        // The groups of the scenario are older than the world.
        const fromMs = isBegun ? nowMs : Number.NEGATIVE_INFINITY;
        const oldest = before.findLastIndex((shown) => shown.fromMs <= nowMs - mostMs);
        const kept = before.slice(Math.max(0, oldest)).filter((shown) => shown.fromMs !== fromMs);
        past.set(group, [...kept, { fromMs, output: describeGroup(scaling, group) }]);
      }
      for (const group of past.keys()) if (scaling.groups.get(group.name) !== group) past.delete(group);
      isBegun = true;
    },
    shownAgo: (group, agoMs) => past.get(group)?.findLast(({ fromMs }) => fromMs <= clock.now() - agoMs)?.output,
  };
};

/** A clock whose actions are followed by this. */
export const followedBy = (clock: WorldClock, follow: () => void): WorldClock => {
  const then = (action: () => void | Promise<void>) => () => {
    const done = action();
    follow();
    return done;
  };
  return {
    ...clock,
    at: (atMs, action) => clock.at(atMs, then(action)),
    after: (delayMs, action) => clock.after(delayMs, then(action)),
  };
};

/** Operations that change something are followed by this. */
export const operationsFollowedBy = (operations: Operations, follow: () => void): Operations => {
  const followed =
    (run: Operations[string]): Operations[string] =>
    (input, caller) => {
      try {
        return run(input, caller);
      } finally {
        follow();
      }
    };
  return Object.fromEntries(Object.entries(operations).map(([name, run]) => [name, isMutating(name) ? followed(run) : run]));
};
