import { tags } from '../../core/contract.ts';
import type { Sandbox } from '../../sandbox/door.ts';
import type { OwnAccord, WorldFact } from '../../sandbox/world/world.ts';

/** What the world itself saw of one instance: the judge's own notes, none of them Holdfast's. */
export type Life = {
  readonly instance: string;
  group: string | undefined;
  /** The launch of Holdfast's that it came from. */
  reservation?: string;
  pool?: string;
  launchedAtMs: number;
  servingAtMs?: number;
  warnedAtMs?: number;
  takenAtMs?: number;
  rebalanceAtMs?: number;
  drainingAtMs?: number;
  /** Took work again after it was taken off. */
  returnedAtMs?: number | undefined;
  drainedAtMs?: number;
  goneAtMs?: number;
  /** How often it was taken off its target groups. */
  drains: number;
  /** Launched by its Auto Scaling group of its own accord, and why. */
  ownAccord?: OwnAccord;
  /** Ended by its Auto Scaling group of its own accord. */
  retiredAtMs?: number;
  /** Ended by a step of the situation (a failure, the user). */
  endedByScript?: boolean;
  /** Taken out of its Auto Scaling group by the user. */
  takenOut?: boolean;
};

export type Watched = {
  readonly lives: ReadonlyMap<string, Life>;
  readonly facts: readonly Exclude<WorldFact, { targetGroup: string }>[];
  /** Largest maximum size seen of every Auto Scaling group. */
  serving(group: string): number;
  /** Marks an instance that the situation itself ends. */
  endedByScript(instance: string): void;
  /** Marks an instance that the user takes out of its Auto Scaling group. */
  takenOut(instance: string): void;
  /** Whether the user took it out and it is in no Auto Scaling group since: it is no member, whatever its tags say. */
  isTakenOut(instance: string): boolean;
};

/** An instance that was stopped runs again: what it goes through from now on is told anew. */
const runAgain = (life: Life): void => {
  delete life.servingAtMs;
  delete life.drainingAtMs;
  delete life.drainedAtMs;
  delete life.goneAtMs;
};

const note = (life: Life, fact: Watched['facts'][number]): void => {
  if (fact.kind === 'launched' && fact.ownAccord !== undefined) life.ownAccord = fact.ownAccord;
  if (fact.kind === 'retired') life.retiredAtMs ??= fact.atMs;
  if (fact.kind === 'serving') {
    life.servingAtMs ??= fact.atMs;
    if (life.drainingAtMs !== undefined) life.returnedAtMs = fact.atMs;
  }
  if (fact.kind === 'rebalance') life.rebalanceAtMs ??= fact.atMs;
  if (fact.kind === 'draining') {
    life.drainingAtMs ??= fact.atMs;
    life.returnedAtMs = undefined;
    life.drains += 1;
  }
  if (fact.kind === 'running' && life.goneAtMs !== undefined) runAgain(life);
  if (fact.kind === 'drained') life.drainedAtMs ??= fact.atMs;
  if (fact.kind === 'shutting-down') life.goneAtMs ??= fact.atMs;
  if (fact.kind === 'warned') {
    life.warnedAtMs ??= fact.atMs;
    if (fact.takenAtMs !== undefined) life.takenAtMs = fact.takenAtMs;
  }
};

/** Whether it serves. Where it is in no target group, it does so also while it is in standby. */
export const serves = (life: Life): boolean =>
  life.servingAtMs !== undefined && (life.drainingAtMs === undefined || life.returnedAtMs !== undefined) && life.goneAtMs === undefined;

/** Watches a world from its beginning. */
export const watch = ({ world }: Sandbox, groupOf: (instance: string) => string | undefined): Watched => {
  const lives = new Map<string, Life>();
  const facts: Watched['facts'][number][] = [];
  const lifeOf = (instance: string, atMs: number): Life => {
    const life = lives.get(instance) ?? { instance, group: undefined, launchedAtMs: atMs, drains: 0 };
    life.group ??= groupOf(instance);
    const carried = world.tagsOf(instance) ?? {};
    // A group of one pool is that pool.
    const { [tags.reservation]: reservation, [tags.pool]: pool = carried['aws:autoscaling:groupName'] } = carried;
    if (reservation !== undefined) life.reservation = reservation;
    if (pool !== undefined) life.pool = pool;
    lives.set(instance, life);
    return life;
  };
  world.observe((fact) => {
    if ('targetGroup' in fact) return;
    facts.push(fact);
    note(lifeOf(fact.instance, fact.atMs), fact);
  });
  const isTakenOut = (instance: string): boolean =>
    lives.get(instance)?.takenOut === true && world.tagsOf(instance)?.['aws:autoscaling:groupName'] === undefined;
  /** Whose a member is may change: a group is renamed, moves to another Auto Scaling group, or comes back without one. */
  const ownerOf = ({ instance, group }: Life): string | undefined => (world.tagsOf(instance) === undefined ? group : groupOf(instance));
  return {
    lives,
    facts,
    serving: (group) => [...lives.values()].filter((life) => serves(life) && !isTakenOut(life.instance) && ownerOf(life) === group).length,
    takenOut: (instance) => {
      const life = lives.get(instance);
      if (life !== undefined) life.takenOut = true;
    },
    isTakenOut,
    endedByScript: (instance) => {
      const life = lives.get(instance);
      if (life !== undefined) life.endedByScript = true;
    },
  };
};
