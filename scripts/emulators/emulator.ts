import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { binDir, emulatorsDir } from './paths.ts';

export type Emulator = { readonly name: string; readonly url: string; readonly logFile: string; stop(): Promise<void> };

/** How one emulator is started on a port of loopback, and which address responds when it is up. */
export type EmulatorSpec = {
  readonly name: string;
  readonly command: string;
  readonly args: (port: number) => readonly string[];
  readonly env: (port: number, home: string) => Readonly<Record<string, string>>;
  readonly healthPath: string;
  /** A request that is sent when it is up, if it needs one. */
  readonly configure?: (url: string) => Promise<void>;
};

const readyWithinMs = 60_000;
const politeMs = 5_000;

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      server.close(() => resolve(port));
    });
  });

const answers = (url: string): Promise<boolean> =>
  fetch(url, { signal: AbortSignal.timeout(2_000) }).then(
    (response) => response.status < 500,
    () => false,
  );

/** The process with everything that it started itself: they share its process group. */
const signal = (pid: number, name: NodeJS.Signals | 0): boolean => {
  try {
    process.kill(-pid, name);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
};

const stopGroup = async (pid: number): Promise<void> => {
  if (!signal(pid, 'SIGTERM')) return;
  for (const until = Date.now() + politeMs; Date.now() < until; await sleep(50)) if (!signal(pid, 0)) return;
  signal(pid, 'SIGKILL');
};

/** Never inherits the caller's AWS account: an emulator must not be able to reach one. */
const environment = (own: Readonly<Record<string, string>>): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('AWS_'))),
  PATH: `${binDir}${delimiter}${process.env.PATH ?? ''}`,
  AWS_EC2_METADATA_DISABLED: 'true',
  ...own,
});

/**
 * Starts an emulator on a free port of loopback and waits until it responds.
 * @throws with the end of its log, when it does not.
 */
export const startEmulator = async (spec: EmulatorSpec): Promise<Emulator> => {
  const port = await freePort();
  // Outside the project: its package.json would make every script that MiniStack writes for a function an ES module.
  const home = await mkdtemp(join(tmpdir(), `holdfast-${spec.name}-`));
  await mkdir(emulatorsDir, { recursive: true });
  const logFile = join(emulatorsDir, `${spec.name}.log`);
  const log = openSync(logFile, 'w');
  const env = environment(spec.env(port, home));
  const child = spawn(spec.command, [...spec.args(port)], { cwd: home, detached: true, stdio: ['ignore', log, log], env });
  closeSync(log);
  const failed = new Promise<string>((resolve) => {
    child.on('error', ({ message }) => resolve(message));
    child.on('exit', (code) => resolve(`it ended with ${code}`));
  });
  const { pid } = child;
  const stop = async (): Promise<void> => {
    if (pid !== undefined) await stopGroup(pid);
    await rm(home, { recursive: true, force: true });
  };
  const url = `http://127.0.0.1:${port}`;
  const problem = await becomesReady(`${url}${spec.healthPath}`, failed);
  if (problem === undefined) {
    await spec.configure?.(url);
    return { name: spec.name, url, logFile, stop };
  }
  await stop();
  throw new Error(`${spec.name} did not start: ${problem}. The end of ${logFile}:\n${readFileSync(logFile, 'utf8').slice(-2_000)}`);
};

/** Undefined when it responds. Otherwise the error. */
const becomesReady = async (url: string, failed: Promise<string>): Promise<string | undefined> => {
  let problem: string | undefined;
  void failed.then((reason) => (problem = reason));
  for (const until = Date.now() + readyWithinMs; Date.now() < until; await sleep(100)) {
    if (await answers(url)) return undefined;
    if (problem !== undefined) return problem;
  }
  return `no answer from ${url} within ${readyWithinMs / 1000} seconds`;
};
