import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { failureText } from '../cli/failure-text.ts';
import { createProgram } from '../cli/program.ts';

const { version } = JSON.parse(await readFile(join(import.meta.dirname, '..', 'package.json'), 'utf8')) as { version: string };

const exitWith = (code: number): void => {
  process.exitCode = code;
};

try {
  await createProgram(version, exitWith).parseAsync(process.argv);
} catch (error) {
  console.error(`holdfast: ${failureText(error)}`);
  process.exitCode = 1;
}
