#!/usr/bin/env node
// Starts the command line with the pinned Node: `npx holdfast` may be run under an older one, which cannot read TypeScript.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const pinned = join(here, '..', 'node_modules', '.bin', 'node');
const node = existsSync(pinned) ? pinned : process.execPath;
const child = spawn(node, ['--disable-warning=ExperimentalWarning', join(here, 'holdfast.ts'), ...process.argv.slice(2)], { stdio: 'inherit' });
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('error', (error) => {
  console.error(`holdfast: could not start: ${error.message}`);
  process.exit(1);
});
child.on('exit', (code, signal) => process.exit(code ?? (signal ? 130 : 1)));
