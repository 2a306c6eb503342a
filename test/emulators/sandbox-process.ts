import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { root } from '../../scripts/emulators/paths.ts';

export type SandboxProcess = { readonly url: string; stop(): Promise<void> };

/** Starts `holdfast sandbox` as a user does, on any free port. */
export const startSandboxProcess = async (speed: number): Promise<SandboxProcess> => {
  const args = [join(root, 'bin', 'holdfast.mjs'), 'sandbox', '--port', '0', '--speed', String(speed)];
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await ended;
  };
  for await (const line of createInterface(child.stdout)) {
    const url = /^ready (\S+)$/.exec(line)?.[1];
    if (url !== undefined) return { url, stop };
  }
  throw new Error(`The sandbox ended before it was ready: ${(await ended).join(' ')}`);
};
