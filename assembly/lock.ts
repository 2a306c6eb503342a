import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isRunning } from './is-running.ts';

/** A lock without a process for this long counts as abandoned. */
const unnamedLockMs = 5_000;

/** A shorter wait is not reported. */
const saidAfterMs = 1_000;

/** The process that holds a lock. Undefined while the lock names none. */
const holderOf = async (dir: string): Promise<number | undefined> => {
  const text = await readFile(join(dir, 'pid'), 'utf8').catch(() => '');
  return text === '' ? undefined : Number(text);
};

/** A process that was ended in the middle leaves its lock behind. One that names no process yet is only just being made. */
const isAbandoned = async (dir: string): Promise<boolean> => {
  const holder = await holderOf(dir);
  if (holder !== undefined) return !isRunning(holder);
  const ageMs = await stat(dir).then(
    ({ mtimeMs }) => Date.now() - mtimeMs,
    () => 0,
  );
  return ageMs > unnamedLockMs;
};

const tryLock = async (dir: string): Promise<boolean> => {
  try {
    await mkdir(dir);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return false;
  }
  await writeFile(join(dir, 'pid'), String(process.pid));
  return true;
};

const waiting = (holder: number | undefined): string => {
  const who = holder === undefined ? 'another process' : `process ${holder}`;
  const how = holder === undefined ? '' : ` If it hangs, end it: kill ${holder}`;
  return `Waiting for ${who}, which bundles the functions and synthesizes the stack in this checkout.${how}`;
};

/**
 * Runs some work while no other process holds the lock, which is a folder. A wait that takes longer is reported once.
 *
 * @param say prints a line for the user
 */
export const locked = async <T>(dir: string, work: () => Promise<T>, say: (line: string) => void = console.error): Promise<T> => {
  await mkdir(dirname(dir), { recursive: true });
  const beganMs = Date.now();
  let isSaid = false;
  while (!(await tryLock(dir))) {
    if (!isSaid && Date.now() - beganMs >= saidAfterMs) {
      isSaid = true;
      say(waiting(await holderOf(dir)));
    }
    if (await isAbandoned(dir)) await rm(dir, { recursive: true, force: true });
    else await sleep(100);
  }
  try {
    return await work();
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
};
