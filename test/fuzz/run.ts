import { parseArgs } from 'node:util';
import { floodQueue } from './flood-queue.ts';
import { floodTable } from './flood-table.ts';
import { withoutPaths } from './listen.ts';
import { canary } from './nasties.ts';

const help = `npm run fuzz -- [COUNT] [SEED] [--only events|policies]
COUNT fuzzed events, then COUNT fuzzed policy items, drawn from SEED. Default: 10000 of each, from seed 1.`;

/** @throws for what is no option of this command, or no number. */
const optionsOf = (args: readonly string[]) => {
  const options = { help: { type: 'boolean', short: 'h' }, only: { type: 'string' } } as const;
  const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
  const [count = 10_000, seed = 1, ...rest] = positionals.map(Number);
  const isRead = [count, seed].every((value) => Number.isSafeInteger(value) && value > 0) && rest.length === 0;
  if (!isRead) throw new Error(`Expected a count and a seed, whole numbers above 0. Found: ${positionals.join(' ')}.`);
  if (values.only !== undefined && values.only !== 'events' && values.only !== 'policies')
    throw new Error(`--only: expected events or policies, found "${values.only}".`);
  return { count, seed, only: values.only, help: values.help === true };
};

const read = (() => {
  try {
    return optionsOf(process.argv.slice(2));
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)} Nothing was fuzzed.\n${help}`);
    process.exit(2);
  }
})();
if (read.help) {
  console.log(help);
  process.exit(0);
}
const { count, seed, only } = read;

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

const events = async (): Promise<readonly [string, boolean][]> => {
  const flooded = await floodQueue(count, seed);
  console.log(JSON.stringify({ events: flooded.sent, byKind: flooded.byKind }));
  return [
    ['no function failed', flooded.failures.length === 0],
    ['no message is left', flooded.left === 0 && flooded.deadLetters === 0],
    ['the fleet is unchanged', isSame(flooded.before, flooded.after) && flooded.swaps === 0 && flooded.executions === 0],
    ['nothing of the input is in the logs', !flooded.logged.includes(canary)],
  ];
};

const policies = async (): Promise<readonly [string, boolean][]> => {
  const flooded = await floodTable(count, seed);
  console.log(JSON.stringify({ policies: flooded.written, refusedByTable: flooded.refused, byKind: flooded.byKind, statuses: flooded.statuses }));
  return [
    ['no function failed', flooded.failures.length === 0],
    ['every write was answered', flooded.unanswered.length === 0],
    ['no record and no message is left', flooded.left === 0 && flooded.deadLetters === 0],
    ['what was in force stays in force', isSame(flooded.inForceBefore, flooded.inForceAfter)],
    ['the fleet is unchanged', isSame(flooded.before, flooded.after)],
    ['no prototype was changed', !flooded.polluted],
    ['nothing of the input but paths is in the logs', !withoutPaths(flooded.logged).includes(canary)],
  ];
};

process.on('unhandledRejection', (error) => {
  console.error('FAILED: a promise was rejected and nobody looked', error);
  process.exitCode = 1;
});
for (const [name, flood] of Object.entries({ events, policies }).filter(([name]) => only === undefined || name === only)) {
  const beganMs = performance.now();
  for (const [what, holds] of await flood()) {
    console.log(`${holds ? 'ok' : 'FAILED'}: ${name}: ${what}`);
    if (!holds) process.exitCode = 1;
  }
  console.log(`${name}: ${count} from seed ${seed} in ${((performance.now() - beganMs) / 1_000).toFixed(1)} s`);
}
