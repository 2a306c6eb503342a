import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { z } from 'zod';
import { nearest, shapeProblems } from '../shape.ts';
import { ScenarioError } from './scenario-error.ts';
import { parseScenario, type Scenario } from './scenario-schema.ts';

const shipped = join(dirname(fileURLToPath(import.meta.url)), '..', 'scenarios');

/** The names of the built-in scenarios, sorted. */
export const shippedScenarios = async (): Promise<readonly string[]> =>
  (await readdir(shipped))
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => file.slice(0, -'.yaml'.length))
    .sort();

const isFile = (nameOrFile: string): boolean => /[./\\]/.test(nameOrFile);

const pathOf = async (nameOrFile: string): Promise<string> => {
  if (isFile(nameOrFile)) return resolve(nameOrFile);
  const names = await shippedScenarios();
  if (names.includes(nameOrFile)) return join(shipped, `${nameOrFile}.yaml`);
  throw new ScenarioError(
    `Expected a built-in scenario or a file, found ${JSON.stringify(nameOrFile)}.${nearest(nameOrFile, names)} Built-in: ${names.join(', ')}. ` +
      `To play your own file, give its path, for example ./${nameOrFile || 'mine'}.yaml.`,
  );
};

const readText = async (path: string): Promise<string> => {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const why = code === 'ENOENT' ? 'does not exist' : code === 'EISDIR' ? 'is a folder' : `cannot be read: ${message}`;
    throw new ScenarioError(`The scenario file ${path} ${why}. Nothing was started.`, { cause: error });
  }
};

const parseYaml = (text: string, path: string): unknown => {
  try {
    return parse(text, { logLevel: 'error' });
  } catch (error) {
    const { message } = error as Error;
    const why = /call stack/.test(message) ? 'its maps and lists are nested too deep.' : message;
    throw new ScenarioError(`The scenario file ${path} is not YAML: ${why}`, { cause: error });
  }
};

/** Reads a built-in scenario by its name, or a file by its path. Throws {@link ScenarioError}. */
export const readScenario = async (nameOrFile: string): Promise<Scenario> => {
  const path = await pathOf(nameOrFile);
  const document = parseYaml(await readText(path), path);
  try {
    return parseScenario(document);
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error;
    throw new ScenarioError(`The scenario file ${path} is not valid (fields: docs/scenarios.md):\n${shapeProblems(error)}`, { cause: error });
  }
};

/** The region without a scenario: empty, for experiments. */
export const readOpenWorld = (): Promise<Scenario> => readScenario(join(dirname(shipped), 'worlds', 'open-world.yaml'));
