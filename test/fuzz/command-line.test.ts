import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { createProgram } from '../../cli/program.ts';
import { readScenario, toWorldSpec } from '../../sandbox/door.ts';
import { createDraw } from './draw.ts';
import { commandLine, scenarioText } from './scenario-texts.ts';

/** What the command line says in one line, without a stack. */
const isSaid = (error: unknown): boolean => error instanceof Error && (error.name === 'ScenarioError' || error.name === 'CommanderError');

test('a scenario file is read, or refused with an error that names the file', async () => {
  const draw = createDraw(1, 'scenarios');
  const directory = await mkdtemp(join(tmpdir(), 'scenario-'));
  const file = join(directory, 'scenario.yaml');
  const refused: string[] = [];
  for (let left = 120; left > 0; left -= 1) {
    await writeFile(file, scenarioText(draw));
    await readScenario(file).then(
      ({ world }) => void toWorldSpec(world),
      (error: unknown) => {
        expect(isSaid(error), String((error as Error).stack)).toBe(true);
        refused.push((error as Error).message);
      },
    );
  }
  await rm(directory, { recursive: true });
  expect(refused.length).toBeGreaterThan(80);
  for (const message of refused) expect(message).toContain(file);
});

/** Throws what would end the process, and keeps it off the terminal. */
const quiet = (command: Command): Command => {
  command.exitOverride().configureOutput({ writeOut: () => undefined, writeErr: () => undefined });
  command.commands.forEach(quiet);
  return command;
};

test('a wrong command line is refused with an error text', async () => {
  const draw = createDraw(1, 'lines');
  for (let left = 300; left > 0; left -= 1) {
    const line = commandLine(draw);
    const ended = await quiet(createProgram('1.0.0', () => undefined))
      .parseAsync(['node', 'holdfast', ...line])
      .then(
        () => 'done',
        (error: unknown) => (isSaid(error) ? 'refused' : String((error as Error).stack)),
      );
    expect(ended, JSON.stringify(line)).toBe('refused');
  }
});
