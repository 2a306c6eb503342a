import { decisionText } from '../../cli/decision-text.ts';
import type { Evidence } from './evidence.ts';
import { play } from './play.ts';
import { type Choice, randomSituation } from './random-situation.ts';
import type { Stage } from './stage.ts';

type Line = { readonly atMs: number; readonly text: string };

/** What happened, in the order in which it happened: facts of the world, calls of functions, ends of functions and drains, and stored decisions. */
const traceOf = (stage: Stage, evidence: Evidence): string => {
  const { sandbox, watched, functionRoles } = stage;
  const calls = sandbox.callLog.calls().filter(({ caller }) => functionRoles.includes(caller));
  const before = calls.filter(({ atMs }) => atMs < evidence.readyAtMs).length;
  const lines: readonly Line[] = [
    ...watched.facts.map(({ kind, instance, atMs }) => ({ atMs, text: `          ${instance} ${kind}` })),
    ...calls.map(({ service, operation, caller, outcome, atMs }, index) => ({
      atMs,
      text: `${(index < before ? '' : String(index + 1 - before)).padStart(5)}     ${caller.replace(/^.*?-/, '')} ${service}:${operation} ${outcome ?? 'unanswered'}`,
    })),
    ...sandbox.invocations().map(({ functionName, endedAtMs, startedAtMs, result }) => ({
      atMs: endedAtMs,
      text: `       -- ${functionName} ended after ${endedAtMs - startedAtMs} ms: ${result.kind === 'ok' ? JSON.stringify(result.value) : `${result.errorType} ${result.errorMessage}`}`.slice(
        0,
        240,
      ),
    })),
    ...evidence.decisions.map((record) => ({ atMs: record.atMs, text: `          ${decisionText(record).replaceAll('\n', `\n${' '.repeat(20)}`)}` })),
    ...evidence.executions.map(({ name, startedAtMs, input }) => ({ atMs: startedAtMs, text: `       >> drain ${name} ${input}` })),
    ...evidence.executions.flatMap(({ name, stoppedAtMs, status }) =>
      stoppedAtMs === undefined ? [] : [{ atMs: stoppedAtMs, text: `       << drain ${name} ${status}` }],
    ),
  ];
  return lines
    .toSorted((a, b) => a.atMs - b.atMs)
    .map(({ atMs, text }) => `${((atMs - evidence.readyAtMs) / 1_000).toFixed(3).padStart(9)} ${text}`)
    .join('\n');
};

export type OnTrace = (steps: string, trace: string) => void;

/** Writes down the policies, the script and the trace of a run when it is over. */
export const traced =
  (tell: OnTrace) =>
  (stage: Stage, evidence: Evidence): void =>
    tell(
      [
        ...stage.situation.policies.map((policy) => `policy    ${JSON.stringify(policy)}`),
        ...stage.situation.steps.map(({ atMs, what }) => `${(atMs / 1_000).toFixed(3).padStart(9)} ${what}`),
      ].join('\n'),
      `${traceOf(stage, evidence)}\n${JSON.stringify(evidence.swaps)}`,
    );

/** The trace of one seed. `writes`: with calls that are written and read as on the wire. */
export const traceOnce = async (seed: number, choice?: Choice, writes = false): Promise<string> => {
  let text = '';
  await play({ ...randomSituation(seed, choice), writes }, { onEnd: traced((steps, trace) => (text = `${steps}\n${trace}`)) });
  return text;
};

/** The traces of one seed played twice: they must be the same, byte by byte. */
export const traceTwice = async (seed: number, choice?: Choice): Promise<readonly [string, string]> => [
  await traceOnce(seed, choice),
  await traceOnce(seed, choice),
];
