import { createHash } from 'node:crypto';
import { parentPort } from 'node:worker_threads';
import { auditSituations } from '../sim/audit/situations.ts';
import type { Violation } from '../sim/invariants.ts';
import { play } from '../sim/play.ts';
import { type Choice, randomSituation } from '../sim/random-situation.ts';
import { whoDiffers } from './beside.ts';
import { whatRan } from './ran.ts';
import { type DrainWork, drainWorkIn } from './rarest-first.ts';
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
  /** Which counters of the code ran. */
  readonly ran?: readonly string[];
  /** Of what happened in a world: two plays with the same digest had the same history. */
  readonly digest?: string;
  /** How much its drains had to do, and how much of that failed: what breaks the workflow shows there. */
  readonly drains?: DrainWork;
};

export const runEnds = 'the run comes to its end';

const ofAudit = (name: string) => {
  const make = auditSituations[name];
  if (make === undefined) throw new Error(`The audit has no situation ${name}.`);
  return make();
};

type Judged = { readonly violations: readonly Violation[]; readonly digest?: string; readonly drains?: DrainWork };

const judged = async (order: Order): Promise<Judged> => {
  const { assembly } = order;
  if ('run' in order) return { violations: await runs[order.run](assembly) };
  const situation = 'seed' in order ? randomSituation(order.seed, order) : ofAudit(order.situation);
  const { violations, history } = await play(situation, { assembly });
  const digest = createHash('sha256').update(JSON.stringify(history.events)).digest('hex');
  return { violations, digest, drains: drainWorkIn(history) };
};

const played = async (order: Order): Promise<Played> => {
  try {
    const [[{ violations, digest, drains }, differing], ran] = await whatRan(() => whoDiffers(() => judged(order)));
    const broken = violations.map(({ invariant, detail }) => ({ invariant, detail: detail.join('; ') }));
    return { broken, differing, ran, ...(digest !== undefined && { digest }), ...(drains && { drains }) };
  } catch (error) {
    return { broken: [{ invariant: runEnds, detail: error instanceof Error ? error.message : String(error) }] };
  }
};

parentPort?.on('message', (order: Order) => {
  void played(order).then((answer) => parentPort?.postMessage(answer));
});
