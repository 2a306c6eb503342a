import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { locked } from '../../assembly/lock.ts';

let home = '';
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'lock-'));
});
afterEach(() => rm(home, { recursive: true, force: true }));

const heldBy = async (pid: number): Promise<string> => {
  const dir = join(home, 'held');
  await mkdir(dir);
  await writeFile(join(dir, 'pid'), String(pid));
  return dir;
};

test('a wait for another process says once which process it waits for and what to do', async () => {
  const said: string[] = [];
  const dir = await heldBy(process.pid);
  const done = locked(
    dir,
    async () => 'done',
    (line) => said.push(line),
  );
  await sleep(1_700);
  expect(said).toEqual([
    `Waiting for process ${process.pid}, which bundles the functions and synthesizes the stack in this checkout. If it hangs, end it: kill ${process.pid}`,
  ]);
  await rm(dir, { recursive: true });
  expect(await done).toBe('done');
  expect([said.length, existsSync(dir)]).toEqual([1, false]);
});

test('a lock of a process that has ended is taken at once, and nothing is said', async () => {
  const said: string[] = [];
  // No process has this number: Linux and macOS count lower.
  const dir = await heldBy(2 ** 30);
  expect(
    await locked(
      dir,
      async () => existsSync(dir),
      (line) => said.push(line),
    ),
  ).toBe(true);
  expect(said).toEqual([]);
});
