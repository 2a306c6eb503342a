import { spawn } from 'node:child_process';

export type CommandEnd = { readonly code: number; readonly output: string };

type CommandOptions = { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv; readonly timeoutMs?: number };

/** Runs a command to its end and keeps its output. A command that cannot be started ends with code 127, one that takes too long with 124. */
export const runCommand = (command: string, args: readonly string[], options: CommandOptions = {}): Promise<CommandEnd> => {
  const { cwd, env = process.env, timeoutMs = 300_000 } = options;
  const child = spawn(command, [...args], { ...(cwd && { cwd }), env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  return new Promise((resolve) => {
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      child.kill('SIGTERM');
    }, timeoutMs);
    child.on('error', (error) => {
      clearTimeout(timer);
      resolve({ code: 127, output: `${output}${error.message}` });
    });
    child.on('close', (code) => {
      clearTimeout(timer);
      resolve({ code: late ? 124 : (code ?? 1), output });
    });
  });
};
