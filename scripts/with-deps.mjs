// Runs a command with the project's own dependencies, installing them from the lockfile first when they are missing.
// Plain JavaScript on purpose: it must run on Node 20 before anything is installed.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const modules = join(root, 'node_modules');
const isWindows = process.platform === 'win32';

const run = (command, args, env = process.env) => {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: 'inherit', env, shell: isWindows });
  if (error) console.error(`holdfast: could not run ${command}: ${error.message}`);
  return status ?? 1;
};

// npm writes this file last, so its absence also means an install that was interrupted.
if (!existsSync(join(modules, '.package-lock.json'))) {
  console.log('Installing dependencies from the lockfile (once, about half a minute) …');
  const status = run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error']);
  if (status !== 0) {
    console.error('holdfast: npm ci failed; nothing was started. Its message is above; mend that and run the command again.');
    process.exit(status);
  }
}

const [command, ...args] = process.argv.slice(2);
if (command === undefined) {
  console.error('usage: node scripts/with-deps.mjs COMMAND [ARGUMENT …]');
  process.exit(2);
}
const path = `${join(modules, '.bin')}${delimiter}${process.env.PATH ?? ''}`;
process.exit(run(command, args, { ...process.env, PATH: path }));
