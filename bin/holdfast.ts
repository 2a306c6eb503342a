import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { failureText } from '../cli/failure-text.ts';
import { createProgram } from '../cli/program.ts';

const { version } = JSON.parse(await readFile(join(import.meta.dirname, '..', 'package.json'), 'utf8')) as {
  version: string;
};

const exitWith = (code: number): void => {
  process.exitCode = code;
};

// This process ends with its parent: otherwise a sandbox without a user would keep its port. A command with something to close handles the
// signal itself.
const endUnlessClosing = (): void => {
  if (process.listenerCount('disconnect') === 1) process.exit(130);
};
process.on('disconnect', endUnlessClosing);
process.channel?.unref();
if (process.send !== undefined && !process.connected) process.exit(130);

try {
  await createProgram(version, exitWith).parseAsync(process.argv);
} catch (error) {
  console.error(`holdfast: ${failureText(error)}`);
  process.exitCode = 1;
}
