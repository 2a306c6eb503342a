import { type Acting, createActing } from '../acting.ts';
import type { Emit, Place } from '../api.ts';
import type { WorldClock } from '../clock.ts';
import type { WorldEvent } from '../judge/history.ts';
import type { Untimed } from '../judge/untimed.ts';
import { forkRandom, type Random } from '../random.ts';
import { createIds, type Ids } from './ids.ts';
import type { Range, StalePagesSpec } from './spec.ts';
import type { WorldFact } from './world.ts';

/** What every part of the world uses. */
export type Base = {
  readonly clock: WorldClock;
  readonly emit: Emit;
  readonly place: Place;
  readonly ids: Ids;
  /** The most that a page holds: AWS may give fewer than were requested. */
  readonly longestPage: number;
  readonly stalePages?: { readonly drawLagMs: () => number; readonly moved: () => boolean };
  /** When the world began, epoch ms. */
  readonly beganAtMs: number;
  /** A uniform draw from a range of seconds, in ms. */
  drawMs(range: Range): number;
  /** The same, from a random stream of its own, so that draws elsewhere never change it. */
  drawOwnMs(range: Range, purpose: string): number;
  tell(fact: WorldFact): void;
  observe(listener: (fact: WorldFact) => void): void;
  /** The actor of what happens now. */
  readonly acting: Acting;
  /** Adds an event to the history, with the present time. */
  note(event: Untimed<WorldEvent>): void;
  follow(listener: (event: WorldEvent) => void): void;
};

export type BaseDeps = {
  readonly clock: WorldClock;
  readonly emit: Emit;
  readonly place: Place;
  readonly random: Random;
  readonly seed: number;
  readonly longestPage?: number;
  readonly stalePages?: StalePagesSpec;
  /** Shared with the callers, so that the world knows the actor of a call. */
  readonly acting?: Acting;
};

const within = ([low, high]: Range, random: Random): number => Math.round((low + (high - low) * random()) * 1000);

/** From a random stream of its own, so that the draws of worlds without stale pages do not change. */
const pagesThat = ({ lagSeconds, moves }: StalePagesSpec, random: Random): Base['stalePages'] & {} => ({
  drawLagMs: () => within(lagSeconds, random),
  moved: () => random() < moves,
});

export const createBase = (deps: BaseDeps): Base => {
  const { clock, emit, place, random, seed, longestPage = Number.POSITIVE_INFINITY, stalePages, acting = createActing() } = deps;
  const listeners: ((fact: WorldFact) => void)[] = [];
  const followers: ((event: WorldEvent) => void)[] = [];
  return {
    clock,
    emit,
    place,
    ids: createIds(seed),
    longestPage,
    ...(stalePages && { stalePages: pagesThat(stalePages, forkRandom(seed, 'pages')) }),
    beganAtMs: clock.now(),
    drawMs: (range) => within(range, random),
    drawOwnMs: (range, purpose) => within(range, forkRandom(seed, purpose)),
    tell: (fact) => {
      for (const listener of listeners) listener(fact);
    },
    observe: (listener) => {
      listeners.push(listener);
    },
    acting,
    note: (untimed) => {
      if (followers.length === 0) return;
      const event = { ...untimed, atMs: clock.now() } as WorldEvent;
      for (const follower of followers) follower(event);
    },
    follow: (listener) => {
      followers.push(listener);
    },
  };
};
