import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createProgram } from '../cli/program.ts';

const { version } = JSON.parse(await readFile(join(import.meta.dirname, '..', 'package.json'), 'utf8')) as { version: string };

const exitWith = (code: number): void => {
  process.exitCode = code;
};

/** What went wrong, in one line where it can be said in one; a stack only for what nobody expected. */
const failureText = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  const isExpected = error.name === 'ScenarioError' || '$metadata' in error || 'code' in error;
  return isExpected ? error.message : (error.stack ?? error.message);
};

try {
  await createProgram(version, exitWith).parseAsync(process.argv);
} catch (error) {
  console.error(`holdfast: ${failureText(error)}`);
  process.exitCode = 1;
}
