#!/usr/bin/env node
// Starts the command line with the pinned Node: `npx holdfast` may be run under an older one, which cannot read TypeScript.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const pinned = join(here, '..', 'node_modules', '.bin', 'node');
const node = existsSync(pinned) ? pinned : process.execPath;
// No message uses the channel. The command line stops when the channel closes: when this process ends, or receives a signal. A signal is not passed on,
// because Ctrl-C reaches every process of the terminal and would arrive twice.
const child = spawn(
  node,
  ['--disable-warning=ExperimentalWarning', join(here, 'holdfast.ts'), ...process.argv.slice(2)],
  {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  },
);
let interrupted = false;
const interrupt = (signal) => {
  if (interrupted) child.kill(signal);
  interrupted = true;
  if (child.connected) child.disconnect();
};
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, interrupt);
// npm does not pass a signal on to what its shell runs: that shell is gone then, and this process has another parent.
if (process.env.npm_command !== undefined) {
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && child.connected && child.disconnect(), 500).unref();
}
child.on('error', (error) => {
  console.error(`holdfast: could not start: ${error.message}`);
  process.exit(1);
});
child.on('exit', (code, signal) => process.exit(code ?? (signal ? 130 : 1)));
