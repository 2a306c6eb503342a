import { parentPort } from 'node:worker_threads';
import { type RunName, runs } from './runs.ts';

/** One simulation to be played with one build of the functions. */
export type Order = { readonly run: RunName; readonly assembly: string };
/** What it broke, by the names of invariants; a run that cannot come to its end breaks that. */
export type Played = { readonly broken: readonly { readonly invariant: string; readonly detail: string }[] };

export const runEnds = 'the run comes to its end';

const played = async ({ run, assembly }: Order): Promise<Played> => {
  try {
    return { broken: (await runs[run](assembly)).map(({ invariant, detail }) => ({ invariant, detail: detail.join('; ') })) };
  } catch (error) {
    return { broken: [{ invariant: runEnds, detail: error instanceof Error ? error.message : String(error) }] };
  }
};

parentPort?.on('message', (order: Order) => {
  void played(order).then((answer) => parentPort?.postMessage(answer));
});
