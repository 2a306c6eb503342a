import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, stat, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';

const started: ChildProcess[] = [];
afterEach(() => {
  for (const { pid } of started.splice(0)) {
    try {
      process.kill(-(pid ?? 0), 'SIGKILL');
    } catch {
      // It has ended, as it should.
    }
  }
});

const reportPath = async (): Promise<string> => join(await mkdtemp(join(tmpdir(), 'holdfast-')), 'run.json');

/** Starts a sandbox as the head of its own process group, as a terminal does. */
const spawnSandbox = (...flags: readonly string[]) => {
  const command = join(import.meta.dirname, '../../bin/holdfast.mjs');
  const wrapper = spawn(process.execPath, [command, 'sandbox', ...flags], { detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  started.push(wrapper);
  return { wrapper, pid: wrapper.pid ?? 0, errors: text(wrapper.stderr) };
};

/** Starts a sandbox. Resolves when it can be used. */
const startSandbox = async (...flags: readonly string[]) => {
  const { wrapper, pid, errors } = spawnSandbox(...flags);
  for await (const line of createInterface({ input: wrapper.stdout })) {
    const port = /^ready http:\/\/127\.0\.0\.1:(\d+)$/.exec(line)?.[1];
    if (port !== undefined) return { wrapper, pid, errors, port: Number(port) };
  }
  throw new Error('The sandbox ended before it was ready.');
};

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true));
    socket.once('error', () => resolve(false)).once('connect', () => socket.destroy());
  });

describe('interrupting the sandbox', () => {
  it('from a terminal, which signals every process of the group, ends it in order', async () => {
    const { wrapper, pid } = await startSandbox();
    process.kill(-pid, 'SIGINT');
    expect(await once(wrapper, 'exit')).toEqual([0, null]);
  });

  it('while a scenario plays leaves no empty report', async () => {
    const report = await reportPath();
    const { wrapper, pid, errors } = await startSandbox('--scenario', 'zone-outage', '--report', report);
    expect((await stat(report)).size).toBe(0);
    process.kill(-pid, 'SIGINT');
    expect(await once(wrapper, 'exit')).toEqual([130, null]);
    await expect(stat(report)).rejects.toThrow('ENOENT');
    expect(await errors).toContain(`Interrupted before the scenario ended: there is no report. ${report} was not written.`);
  });

  it('while a scenario plays keeps an earlier report, and states this', async () => {
    const report = await reportPath();
    await writeFile(report, '');
    const { wrapper, pid, errors } = await startSandbox('--scenario', 'zone-outage', '--report', report);
    process.kill(-pid, 'SIGINT');
    expect(await once(wrapper, 'exit')).toEqual([130, null]);
    expect((await stat(report)).size).toBe(0);
    expect(await errors).toContain(`${report} is unchanged.`);
  });

  it('while the stack starts leaves no empty report', async () => {
    const report = await reportPath();
    const { wrapper, pid, errors } = spawnSandbox('--scenario', 'zone-outage', '--report', report);
    await expect
      .poll(
        () =>
          stat(report).then(
            () => true,
            () => false,
          ),
        { interval: 5, timeout: 20_000 },
      )
      .toBe(true);
    process.kill(-pid, 'SIGINT');
    expect(await once(wrapper, 'exit')).toEqual([130, null]);
    await expect(stat(report)).rejects.toThrow('ENOENT');
    expect(await errors).toContain(`Interrupted before the sandbox was ready: nothing was played. ${report} was not written.`);
  });

  it('by killing the process that started it leaves nothing running', async () => {
    const { pid, port } = await startSandbox();
    expect(await answers(port)).toBe(true);
    process.kill(pid, 'SIGKILL');
    await expect.poll(() => answers(port), { timeout: 20_000 }).toBe(false);
  });
});
