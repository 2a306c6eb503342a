import { floodQueue } from './flood-queue.ts';
import { floodTable } from './flood-table.ts';
import { withoutPaths } from './listen.ts';
import { canary } from './nasties.ts';

/** `npm run fuzz -- [COUNT] [SEED]`: so many fuzzed events and so many fuzzed policy items; 10,000 of each when nothing is said. */
const [count = 10_000, seed = 1] = process.argv.slice(2).map(Number);

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
for (const [name, flood] of Object.entries({ events, policies })) {
  const beganMs = performance.now();
  for (const [what, holds] of await flood()) {
    console.log(`${holds ? 'ok' : 'FAILED'}: ${name}: ${what}`);
    if (!holds) process.exitCode = 1;
  }
  console.log(`${name}: ${count} from seed ${seed} in ${((performance.now() - beganMs) / 1_000).toFixed(1)} s`);
}
