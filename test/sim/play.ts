import type { History } from '../../sandbox/judge/history.ts';
import { type Evidence, gatherEvidence } from './evidence.ts';
import { type Violation, violationsOf } from './invariants.ts';
import { comesUpWithinMs, isAtRest, sparesOf } from './rest.ts';
import { showAll } from './shown.ts';
import type { Situation } from './situation.ts';
import { openStage, type Stage } from './stage.ts';

/** The result of one run. */
export type Outcome = { readonly violations: readonly Violation[]; readonly evidence: Evidence; readonly history: History };

/** Groups come up within this time, or the situation is wrong. */
const lookEveryMs = 2_500;
/** Each explanation takes time. */
const explainedAtMost = 30;
/** At rest means that two ticks later nothing more has happened. */
const stillMs = 125_000;

export type Hooks = {
  /** When every group is up, before the first step. */
  readonly onReady?: (stage: Stage) => void;
  /** At the end, while the stage still stands. */
  readonly onEnd?: (stage: Stage, evidence: Evidence) => void;
  /** Directory of another synthesized app than the one that deploys. */
  readonly assembly?: string;
};

const waitUntil = async ({ sandbox: { clock } }: Stage, holds: () => boolean | Promise<boolean>, atMostMs: number): Promise<number | undefined> => {
  const untilMs = clock.now() + atMostMs;
  for (;;) {
    if (await holds()) return clock.now();
    if (clock.now() >= untilMs) return undefined;
    await clock.sleep(lookEveryMs);
  }
};

const sizesOf = ({ asked }: Situation, size: 'size' | 'endsAt') =>
  Object.fromEntries(Object.entries(asked).map(([group, sizes]) => [group, sizes[size]]));

const comeUp = async (stage: Stage): Promise<void> => {
  const { sandbox, situation, watched } = stage;
  for (const policy of situation.policies) await stage.putPolicy(policy);
  const isUp = (): boolean =>
    Object.entries(situation.asked).every(([group, { size }]) => {
      const serving = watched.serving(group);
      return serving >= size && serving <= size + sparesOf(situation, group);
    });
  const upAtMs = await waitUntil(stage, () => isUp() && isAtRest(stage, sizesOf(situation, 'size')), comesUpWithinMs(situation));
  if (upAtMs === undefined)
    throw new Error(
      `The groups of ${situation.name} (seed ${situation.seed}) did not come up: ${JSON.stringify(await sandbox.items('groups')).slice(0, 2_000)}`,
    );
};

const playSteps = async (stage: Stage, readyAtMs: number): Promise<void> => {
  const { situation, sandbox } = stage;
  stage.addFaults(situation.faults ?? []);
  for (const { atMs, happen } of situation.steps.toSorted((a, b) => a.atMs - b.atMs)) {
    await sandbox.clock.sleep(Math.max(0, readyAtMs + atMs - sandbox.clock.now()));
    await happen(stage);
  }
  await sandbox.clock.sleep(Math.max(0, readyAtMs + situation.calmAtMs - sandbox.clock.now()));
};

/**
 * Rest that was disturbed was none: then the next one counts. The first one must come in time. A group of which members move to better places a few
 * at a time is at rest between two moves, and has the time for all of them that groups have to come up.
 */
const settle = async (stage: Stage): Promise<number | undefined> => {
  const { situation, sandbox } = stage;
  const look = (): Promise<boolean> => isAtRest(stage, sizesOf(situation, 'endsAt'));
  const firstByMs = sandbox.clock.now() + situation.restWithinMs;
  const lastByMs = firstByMs + comesUpWithinMs(situation);
  for (let untilMs = firstByMs; ; untilMs = lastByMs) {
    const restAtMs = await waitUntil(stage, look, untilMs - sandbox.clock.now());
    await sandbox.clock.sleep(stillMs);
    if (restAtMs === undefined || sandbox.clock.now() >= lastByMs || (await look())) return restAtMs;
  }
};

const perform = async (stage: Stage, hooks: Hooks): Promise<Pick<Outcome, 'evidence' | 'history'>> => {
  const { sandbox, situation, recorder } = stage;
  await comeUp(stage);
  recorder.markReady();
  const readyAtMs = sandbox.clock.now();
  const atReady = sandbox.world.snapshot();
  const strangers = atReady.instances.filter(({ id }) => stage.groupOf(id) === undefined);
  hooks.onReady?.(stage);
  await playSteps(stage, readyAtMs);
  if (!situation.keepsFaults) sandbox.faults.clear();
  recorder.markCalm();
  const calmAtMs = sandbox.clock.now();
  const atCalm = await showAll(stage, explainedAtMost);
  const restAtMs = await settle(stage);
  const history = { ...(await recorder.history(restAtMs)), showings: [atCalm, await showAll(stage, explainedAtMost)] };
  return { history, evidence: await gatherEvidence(stage, { readyAtMs, atReady, calmAtMs, restAtMs, strangers: strangers.map(({ id }) => id) }) };
};

/** Plays a situation to its end in virtual time and judges what happened. */
export const play = async (situation: Situation, hooks: Hooks = {}): Promise<Outcome> => {
  const stage = await openStage(situation, hooks.assembly);
  try {
    const { evidence, history } = await stage.sandbox.drive(perform(stage, hooks));
    hooks.onEnd?.(stage, evidence);
    return { evidence, history, violations: violationsOf(history) };
  } finally {
    await stage.sandbox.close();
  }
};
