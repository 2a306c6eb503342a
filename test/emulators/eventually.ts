import { setTimeout as sleep } from 'node:timers/promises';

/** Looks again until there is something, and returns it; fails with what was waited for. */
export const eventually = async <T>(what: string, look: () => Promise<T | undefined | false>, withinMs = 60_000): Promise<T> => {
  for (const until = Date.now() + withinMs; ; await sleep(200)) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (Date.now() > until) throw new Error(`Waited ${withinMs / 1000} seconds in vain for: ${what}`);
  }
};
