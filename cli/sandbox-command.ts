import { once } from 'node:events';
import { open, unlink } from 'node:fs/promises';
import { createServer } from 'node:net';
import {
  createControlDoor,
  type Progress,
  playScenario,
  type Report,
  readOpenWorld,
  readScenario,
  type Sandbox,
  type Scenario,
  startSandbox,
  toWorldSpec,
} from '../sandbox/door.ts';
import { createLiveView, type LiveView } from './live-view.ts';
import { reportText } from './report-text.ts';

export type SandboxFlags = {
  readonly port?: number;
  readonly speed?: number;
  readonly seed?: number;
  readonly scenario?: string;
  readonly report?: string;
  readonly stay?: boolean;
};

const redrawEveryMs = 500;

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

/** Redraws while a live scenario plays. A simulated scenario ends too soon for that. */
const follow = (view: LiveView, mode: Scenario['mode']) => {
  let timer: NodeJS.Timeout | undefined;
  return {
    onProgress: ({ phase, glance }: Progress): void => {
      if (mode === 'simulated') return;
      timer ??= setInterval(() => view.show(glance()), redrawEveryMs);
      view.show(glance());
      if (phase === 'ended') clearInterval(timer);
    },
    stop: (): void => {
      clearInterval(timer);
      view.close();
    },
  };
};

/**
 * Opens the file before anything is played, so that a path that cannot be written is reported at once. The old content
 * stays until there is a new report.
 */
const openReport = async (path: string | undefined) => {
  if (path === undefined) return undefined;
  const file = await open(path, 'a');
  return {
    write: async (report: Report): Promise<void> => {
      await file.truncate();
      await file.writeFile(`${JSON.stringify(report, undefined, 2)}\n`);
      console.log(`The report was written to ${path}.`);
    },
    /** Removes the file when no report was written into it. */
    close: async (): Promise<void> => {
      const isEmpty = (await file.stat()).size === 0;
      await file.close();
      if (isEmpty) await unlink(path);
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

type ReportFile = Awaited<ReturnType<typeof openReport>>;

const play = async (sandbox: Sandbox, scenario: Scenario, stopped: Stopped): Promise<Report | 'interrupted'> => {
  const followed = follow(createLiveView(process.stdout.isTTY === true), scenario.mode);
  try {
    return await Promise.race([playScenario(sandbox, scenario, followed.onProgress), stopped]);
  } finally {
    followed.stop();
  }
};

const playToReport = async (
  sandbox: Sandbox,
  scenario: Scenario,
  flags: SandboxFlags,
  file: ReportFile,
  stopped: Stopped,
): Promise<number> => {
  const report = await play(sandbox, { ...scenario, seed: flags.seed ?? scenario.seed }, stopped);
  if (report === 'interrupted') {
    console.error('Interrupted before the scenario ended: there is no report.');
    return 130;
  }
  console.log(reportText(report));
  await file?.write(report);
  if (flags.stay) await stopped;
  return report.ok ? 0 : 1;
};

/**
 * Runs the sandbox: with a scenario until it has been played, otherwise until interrupted. Returns the exit code: 0
 * when every invariant held, 1 when one was broken, 130 when the scenario was interrupted.
 */
export const runSandbox = async (flags: SandboxFlags): Promise<number> => {
  const chosen = await (flags.scenario === undefined ? readOpenWorld() : readScenario(flags.scenario));
  // A person or another program watches a world that stays open after the scenario, or that has a port or a speed. Such
  // a world needs real time.
  const live =
    flags.scenario === undefined || flags.port !== undefined || flags.speed !== undefined || flags.stay === true;
  const scenario: Scenario = live ? { ...chosen, mode: 'live' } : chosen;
  if (flags.port !== undefined && flags.port > 0) await checkPort(flags.port);
  const file = await openReport(flags.report);
  const sandbox = await start(scenario, flags);
  // Before the ready message, because the user may interrupt at once after it.
  const stopped = interrupted();
  try {
    if (sandbox.url !== undefined) console.log(`ready ${sandbox.url}`);
    if (flags.scenario !== undefined) return await playToReport(sandbox, scenario, flags, file, stopped);
    await stopped;
    return 0;
  } finally {
    await sandbox.close();
    await file?.close();
  }
};
