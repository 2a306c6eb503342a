import { parentPort } from 'node:worker_threads';
import { auditSituations } from '../sim/audit/situations.ts';
import type { Violation } from '../sim/invariants.ts';
import { play } from '../sim/play.ts';
import { type Choice, randomSituation } from '../sim/random-situation.ts';
import { whoDiffers } from './beside.ts';
import { type RunName, runs } from './runs.ts';

/** A simulation by its name, a situation of the audit by its name, or a random world by its seed. */
export type Playable = { readonly run: RunName } | { readonly situation: string } | ({ readonly seed: number } & Choice);

/** One simulation to be played with one build of the functions. */
export type Order = Playable & { readonly assembly: string };
/** What it broke, by the names of invariants; a run that cannot come to its end breaks that. */
export type Played = {
  readonly broken: readonly { readonly invariant: string; readonly detail: string }[];
  /** Which builds beside the one that was played would have decided something else. */
  readonly differing?: readonly number[];
};

export const runEnds = 'the run comes to its end';

const ofAudit = (name: string) => {
  const make = auditSituations[name];
  if (make === undefined) throw new Error(`The audit has no situation ${name}.`);
  return make();
};

const violationsOf = async (order: Order): Promise<readonly Violation[]> => {
  const { assembly } = order;
  if ('run' in order) return runs[order.run](assembly);
  const situation = 'seed' in order ? randomSituation(order.seed, order) : ofAudit(order.situation);
  return (await play(situation, { assembly })).violations;
};

const played = async (order: Order): Promise<Played> => {
  try {
    const [violations, differing] = await whoDiffers(() => violationsOf(order));
    return { broken: violations.map(({ invariant, detail }) => ({ invariant, detail: detail.join('; ') })), differing };
  } catch (error) {
    return { broken: [{ invariant: runEnds, detail: error instanceof Error ? error.message : String(error) }] };
  }
};

parentPort?.on('message', (order: Order) => {
  void played(order).then((answer) => parentPort?.postMessage(answer));
});
