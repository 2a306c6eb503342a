import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { OptionError } from '../../scripts/command-line.ts';
import type { Breakage } from './measured.ts';

const edit = z.strictObject({ file: z.string().min(1), from: z.string().min(1), to: z.string() });
const breakages = z
  .array(edit.extend({ name: z.string().min(1), also: z.array(edit).optional() }))
  .min(1)
  .refine((all) => new Set(all.map(({ name }) => name)).size === all.length, { error: 'Each mutant needs a name of its own.' });

const example = '[{"name": "…", "file": "core/decide/surplus.ts", "from": "text that occurs once", "to": "text in its place"}]';

const parsed = (text: string, path: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new OptionError(`${path} is not JSON: ${error instanceof Error ? error.message : String(error)}\nExpected a list like ${example}.`);
  }
};

const textOf = async (path: string): Promise<string> => {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new OptionError(`--mine: ${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
};

/**
 * Mutants that somebody wrote into a JSON file.
 * @throws when the file cannot be read, is not JSON, or is not a list of edits: each message says what was expected.
 */
export const readBreakages = async (path: string): Promise<readonly Breakage[]> => {
  const result = breakages.safeParse(parsed(await textOf(path), path));
  if (result.success) return result.data.map(({ also, ...one }) => ({ ...one, ...(also !== undefined && { also }) }));
  throw new OptionError(`${path} is not a list of mutants:\n${z.prettifyError(result.error)}\nExpected a list like ${example}.`);
};
