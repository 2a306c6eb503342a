import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import type { Draw } from './draw.ts';
import { disfigured, mutated } from './mutate.ts';
import { nastyText, nested } from './nasties.ts';

const shipped = readFileSync(join(import.meta.dirname, '..', '..', 'sandbox', 'scenarios', 'zone-outage.yaml'), 'utf8');
const document: unknown = parse(shipped);

/** A scenario file that somebody got wrong. */
export const scenarioText = (draw: Draw): string =>
  draw.pick<() => string>([
    () => stringify(mutated(document, draw), { aliasDuplicateObjects: false }),
    () => stringify(mutated(document, draw), { aliasDuplicateObjects: false }),
    () => JSON.stringify(mutated(document, draw)),
    () => disfigured(shipped, draw),
    () => nastyText(draw),
    () => JSON.stringify(nested(1_000, draw)),
    () => '- '.repeat(5_000),
  ])();

const options = ['--scenario', '--report', '--port', '--speed', '--seed', '--limit', '--name', '--json', '--nonsense', '-x'];
const values = ['', '-1', '1e999', 'NaN', '0x10', '99999999999', '--', '/nowhere/at/all.yaml', '/dev/null', '\u202e', '../..', '%00'];

/** A line that names no scenario which could be played: those that ship are never picked. */
export const commandLine = (draw: Draw): readonly string[] => {
  const command = draw.pick([
    ['sandbox', '--scenario', draw.pick(['no-such', './no/such.yaml', '', '.', '/dev'])],
    ['explain'],
    ['explain', nastyText(draw)],
    ['nonsense'],
    ['--nonsense'],
  ]);
  const more = Array.from({ length: draw.int(4) }, () =>
    draw.chance(0.5) ? draw.pick(options) : draw.chance(0.5) ? draw.pick(values) : nastyText(draw),
  );
  return [...command, ...more].map((word) => word.toWellFormed().replaceAll('\u0000', ''));
};
