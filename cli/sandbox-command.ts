import { once } from 'node:events';
import { access, open, unlink } from 'node:fs/promises';
import { createServer } from 'node:net';
import {
  createControlDoor,
  playScenario,
  type Report,
  readOpenWorld,
  readScenario,
  type Sandbox,
  type Scenario,
  startSandbox,
  toWorldSpec,
} from '../sandbox/door.ts';
import { ExpectedError } from './failure-text.ts';
import { createLiveView, follow } from './live-view.ts';
import { reportText } from './report-text.ts';

export type SandboxFlags = {
  readonly port?: number;
  readonly speed?: number;
  readonly seed?: number;
  readonly scenario?: string;
  readonly report?: string;
  readonly stay?: boolean;
};

const start = (scenario: Scenario, flags: SandboxFlags): Promise<Sandbox> =>
  startSandbox({
    mode: scenario.mode,
    spec: toWorldSpec(scenario.world),
    seed: flags.seed ?? scenario.seed,
    speed: flags.speed ?? scenario.speed,
    ...(flags.port === undefined ? {} : { port: flags.port }),
    control: (sandbox) => createControlDoor(sandbox),
  });

type Stopped = Promise<'interrupted'>;

/**
 * Resolves when the user interrupts, or when the parent process ends. A second signal ends the process at once, as
 * usual.
 */
const interrupted = (): Stopped =>
  new Promise((resolve) => {
    for (const event of ['SIGINT', 'SIGTERM', 'disconnect'] as const) process.once(event, () => resolve('interrupted'));
  });

/** Whether a file is there, so that only a file that this run made is removed. */
const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/**
 * Opens the file before anything is played, so that a path that cannot be written is reported at once. The old content
 * stays until there is a new report.
 */
const openReport = async (path: string | undefined) => {
  if (path === undefined) return undefined;
  const isOld = await exists(path);
  const file = await open(path, 'a').catch((error: Error) => {
    const what = `The report cannot be written to ${path}: ${error.message}.`;
    throw new ExpectedError(`${what} Choose a file in a folder that exists. Nothing was started.`, { cause: error });
  });
  return {
    write: async (report: Report): Promise<void> => {
      await file.truncate();
      await file.writeFile(`${JSON.stringify(report, undefined, 2)}\n`);
      console.log(`The report was written to ${path}.`);
    },
    /** What becomes of the file when there is no report. */
    withoutReport: isOld ? `${path} is unchanged.` : `${path} was not written.`,
    /** Removes the file when no report was written into it, unless it was there before. */
    close: async (): Promise<void> => {
      const isEmpty = (await file.stat()).size === 0;
      await file.close();
      if (isEmpty && !isOld) await unlink(path);
    },
  };
};

/** Fails at once where another program uses the port: the stack takes seconds to start. */
const checkPort = async (port: number): Promise<void> => {
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  server.close();
  await once(server, 'close');
};

/** Absent: no terminal. A terminal that does not state its width counts as one of 80 columns. */
const terminalColumns = (): number | undefined => (process.stdout.isTTY ? (process.stdout.columns ?? 80) : undefined);

type ReportFile = Awaited<ReturnType<typeof openReport>>;

const play = async (sandbox: Sandbox, scenario: Scenario, stopped: Stopped): Promise<Report | 'interrupted'> => {
  const followed = follow(createLiveView(terminalColumns), scenario.mode);
  try {
    return await Promise.race([playScenario(sandbox, scenario, followed.onProgress), stopped]);
  } finally {
    followed.stop();
  }
};

const tellInterrupted = (what: string, file: ReportFile): void =>
  console.error(file === undefined ? what : `${what} ${file.withoutReport}`);

/** A machine that does not keep up is named, so that nobody wonders why the scenario takes so long. */
export const slowedText = ({ reachedSpeed }: Pick<Report, 'reachedSpeed'>, speed: number): readonly string[] =>
  reachedSpeed === undefined || speed === 1 || reachedSpeed >= 0.9 * speed
    ? []
    : [
        `Time passed ${reachedSpeed} times as fast as real time, not ${speed} times: ` +
          'this machine did not keep up, and the world waited for it.',
      ];

const playToReport = async (
  sandbox: Sandbox,
  scenario: Scenario,
  flags: SandboxFlags,
  file: ReportFile,
  stopped: Stopped,
): Promise<number> => {
  const report = await play(sandbox, { ...scenario, seed: flags.seed ?? scenario.seed }, stopped);
  if (report === 'interrupted') {
    tellInterrupted('Interrupted before the scenario ended: there is no report.', file);
    return 130;
  }
  console.log(reportText(report, terminalColumns()));
  for (const line of slowedText(report, flags.speed ?? scenario.speed)) console.log(line);
  await file?.write(report);
  if (flags.stay) {
    console.log(`The world keeps running at ${sandbox.url} until you interrupt it (Ctrl-C).`);
    await stopped;
  }
  return report.ok ? 0 : 1;
};

/** A start cannot be cut short. What it opens would keep the process alive. */
const closeOnceStarted = (starting: Promise<Sandbox>): void =>
  void starting.then(
    (sandbox) => sandbox.close(),
    () => undefined,
  );

/**
 * Runs the sandbox: with a scenario until it has been played, otherwise until interrupted. Returns the exit code: 0
 * when every invariant held, 1 when one was broken, 130 when the start or the scenario was interrupted.
 */
export const runSandbox = async (flags: SandboxFlags): Promise<number> => {
  const chosen = await (flags.scenario === undefined ? readOpenWorld() : readScenario(flags.scenario));
  // A person or another program watches a world that stays open after the scenario, or that has a port or a speed. Such
  // a world needs real time.
  const live =
    flags.scenario === undefined || flags.port !== undefined || flags.speed !== undefined || flags.stay === true;
  const scenario: Scenario = live ? { ...chosen, mode: 'live' } : chosen;
  if (flags.port !== undefined && flags.port > 0) await checkPort(flags.port);
  // Before anything that an interruption must undo. The user may interrupt while the stack starts, which takes seconds.
  const stopped = interrupted();
  const file = await openReport(flags.report);
  try {
    const starting = start(scenario, flags);
    const sandbox = await Promise.race([starting, stopped]);
    if (sandbox === 'interrupted') {
      tellInterrupted('Interrupted before the sandbox was ready: nothing was played.', file);
      closeOnceStarted(starting);
      return 130;
    }
    try {
      if (sandbox.url !== undefined) console.log(`ready ${sandbox.url}`);
      if (flags.scenario !== undefined) return await playToReport(sandbox, scenario, flags, file, stopped);
      await stopped;
      return 0;
    } finally {
      await sandbox.close();
    }
  } finally {
    await file?.close();
  }
};
