import { parseArgs } from 'node:util';
import { openWorkshop, type Workshop } from './broken-assembly.ts';
import { mutants } from './list.ts';
import { editsOf, type Mutant } from './mutant.ts';
import { createPlayer, type Player } from './player.ts';
import { type RunName, runs } from './runs.ts';

const { values } = parseArgs({
  options: {
    /** Only mutants whose name holds this text. */
    only: { type: 'string', default: '' },
    /** Every run of a mutant is played, not only until one has caught it. */
    all: { type: 'boolean', default: false },
  },
});

const say = (text: string): void => void process.stdout.write(`${text}\n`);
const inSeconds = (sinceMs: number): string => `${((Date.now() - sinceMs) / 1_000).toFixed(1)} s`;
const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

/** Runs that break something with the code as it is: nothing that they notice says anything. */
const unsound = async (player: Player, assembly: string, names: readonly RunName[]): Promise<readonly string[]> => {
  const found: string[] = [];
  for (const run of names) {
    const { broken } = await player.play({ run, assembly });
    found.push(...broken.map(({ invariant, detail }) => `${run}: ${invariant}: ${detail}`));
  }
  return found;
};

/** What caught a mutant: invariants by run. None when it survived. */
const hunt = async (player: Player, workshop: Workshop, mutant: Mutant): Promise<readonly string[]> => {
  const assembly = await workshop.breakCode(mutant.name, editsOf(mutant));
  const caught: string[] = [];
  for (const run of mutant.caughtBy) {
    if (caught.length > 0 && !values.all) break;
    const { broken } = await player.play({ run, assembly });
    if (broken.length > 0) caught.push(`${[...new Set(broken.map(({ invariant }) => invariant))].join(', ')} (${run})`);
  }
  return caught;
};

const huntAll = async (player: Player, workshop: Workshop, wanted: readonly Mutant[]): Promise<number> => {
  say(row(['mutant', 'caught by (run)', 'time']));
  say(row(['---', '---', '---']));
  let survivors = 0;
  for (const mutant of wanted) {
    const startedMs = Date.now();
    const caught = await hunt(player, workshop, mutant);
    if (caught.length === 0) survivors += 1;
    say(row([mutant.name, caught.length === 0 ? `SURVIVED ${mutant.caughtBy.join(', ')}` : caught.join('; '), inSeconds(startedMs)]));
  }
  return survivors;
};

const startedMs = Date.now();
const wanted = mutants.filter(({ name }) => name.includes(values.only));
const needed = (Object.keys(runs) as RunName[]).filter((run) => wanted.some(({ caughtBy }) => caughtBy.includes(run)));
const workshop = await openWorkshop();
const player = createPlayer();
try {
  const wrong = await unsound(player, workshop.whole, needed);
  if (wrong.length > 0) say(`These break already with the code as it is, so they can catch nothing:\n${wrong.join('\n')}`);
  const survivors = wrong.length > 0 ? wanted.length : await huntAll(player, workshop, wanted);
  say(`\n${wanted.length} mutants, ${survivors} survived; ${needed.length} runs hold with the code as it is. ${inSeconds(startedMs)} in all.`);
  process.exitCode = survivors === 0 ? 0 : 1;
} finally {
  await player.close();
  await workshop.close();
}
