import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { type Order, type Played, runEnds } from './worker.ts';

/** Plays simulations in a thread of their own, so that code which is broken enough to hang or to die takes nothing with it. */
export type Player = { play(order: Order): Promise<Played>; close(): Promise<void> };

/** The longest run takes some seconds, and more on a busy machine; broken code may never end. */
const patienceMs = 240_000;

const start = (): Worker => new Worker(new URL('./worker.ts', import.meta.url), { stdout: true, stderr: true });

const failed = (detail: string): Played => ({ broken: [{ invariant: runEnds, detail }] });

export const createPlayer = (): Player => {
  let worker = start();
  const replace = async (): Promise<void> => {
    await worker.terminate();
    worker = start();
  };
  const ask = async (order: Order): Promise<Played | undefined> => {
    const over = new AbortController();
    const { signal } = over;
    const answers = [
      once(worker, 'message', { signal }).then(([played]) => played as Played),
      once(worker, 'exit', { signal }).then(() => failed('the thread ended')),
      sleep(patienceMs, undefined, { signal }),
    ];
    worker.postMessage(order);
    try {
      return await Promise.race(answers).catch((error: unknown) => failed(String(error)));
    } finally {
      over.abort();
      await Promise.allSettled(answers);
    }
  };
  return {
    play: async (order) => {
      const answer = await ask(order);
      const broke = answer === undefined || answer.broken.some(({ invariant }) => invariant === runEnds);
      if (broke) await replace();
      return answer ?? failed(`not over after ${patienceMs / 1_000} s`);
    },
    close: async () => void (await worker.terminate()),
  };
};

/** Does some work on each of a list, so many at the same time, in order. Each of these has a player of its own, which plays one thing at a time. */
export const withPlayers = async <T>(list: readonly T[], jobs: number, work: (one: T, player: Player) => Promise<void>): Promise<void> => {
  const waiting = list.values();
  const workOn = async (): Promise<void> => {
    const player = createPlayer();
    try {
      for (const one of waiting) await work(one, player);
    } finally {
      await player.close();
    }
  };
  await Promise.all(Array.from({ length: Math.min(jobs, list.length) }, workOn));
};
