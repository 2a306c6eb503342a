import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { Violation } from './invariants.ts';
import { judge, type Task } from './task.ts';

export type Judged = { readonly task: Task; readonly violations: readonly Violation[] };

const ended = (code: unknown): readonly Violation[] => [{ invariant: 'the run comes to its end', detail: [`the process ended with ${code}`] }];

/** The process's answer; where it dies over the task, that is the answer. */
const ask = async (worker: ChildProcess, task: Task): Promise<readonly Violation[]> => {
  const over = new AbortController();
  const answers = [
    once(worker, 'message', over).then(([violations]) => violations as readonly Violation[]),
    once(worker, 'exit', over).then(([code]) => ended(code)),
  ];
  try {
    worker.send(task);
    return await Promise.race(answers);
  } finally {
    over.abort();
    await Promise.allSettled(answers);
  }
};

const start = (assembly: string): ChildProcess => fork(new URL('./worker.ts', import.meta.url), [assembly]);

/** Takes tasks one by one until none is left, in a process of its own, and in a new one where that died. */
const work = async (assembly: string, next: () => Task | undefined, tell: (judged: Judged) => void): Promise<void> => {
  let worker = start(assembly);
  for (let task = next(); task !== undefined; task = next()) {
    tell({ task, violations: await ask(worker, task) });
    if (!worker.connected) worker = start(assembly);
  }
  if (worker.connected) worker.disconnect();
};

const here = async (next: () => Task | undefined, tell: (judged: Judged) => void): Promise<void> => {
  for (let task = next(); task !== undefined; task = next()) tell({ task, violations: await judge(task) });
};

/** Plays every task, so many at a time, and reports each when it is over. One at a time needs no other process. */
export const playAll = async (
  tasks: readonly Task[],
  { jobs, assembly, tell }: { readonly jobs: number; readonly assembly: string; readonly tell: (judged: Judged) => void },
): Promise<void> => {
  const waiting = tasks.values();
  const next = (): Task | undefined => waiting.next().value;
  if (jobs <= 1) await here(next, tell);
  else await Promise.all(Array.from({ length: Math.min(jobs, tasks.length) }, () => work(assembly, next, tell)));
};
