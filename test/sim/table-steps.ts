import { env } from '../../core/contract.ts';
import { toItem } from '../../sandbox/platform/tables/plain-items.ts';
import type { Step } from './situation.ts';
import type { Stage } from './stage.ts';

type Item = Readonly<Record<string, unknown>>;

const stateTable = ({ sandbox }: Stage): string | undefined =>
  sandbox.platform.functions.specs.map(({ variables }) => variables[env.stateTable]).find((name) => name !== undefined);

const keyOf = ({ group, item }: Item) => toItem({ group, item });
const nameOf = (item: Item): string => JSON.stringify(keyOf(item));

/** The table as it was: what came since is gone, what changed is as before. */
const putBack = async (stage: Stage, before: readonly Item[]): Promise<void> => {
  const TableName = stateTable(stage);
  const kept = new Set(before.map(nameOf));
  for (const item of await stage.sandbox.items('state')) {
    if (!kept.has(nameOf(item))) await stage.operate('dynamodb', 'DeleteItem', { TableName, Key: keyOf(item) });
  }
  for (const item of before) await stage.operate('dynamodb', 'PutItem', { TableName, Item: toItem(item) });
};

/** The user restores the state table from a copy that is so old, or empties it: nothing in it need be kept. */
export const restoreState = (atMs: number, ageMs: number | 'empty'): Step => ({
  kind: 'state-restored',
  atMs,
  lastsMs: ageMs === 'empty' ? 0 : ageMs,
  what:
    ageMs === 'empty'
      ? 'the user empties the state table'
      : `the state table is as it was ${ageMs / 1_000} s before, from ${ageMs / 1_000} s later on`,
  happen: async (stage) => {
    if (ageMs === 'empty') {
      stage.did({ kind: 'state-restored' });
      return putBack(stage, []);
    }
    const copiedAtMs = stage.sandbox.clock.now();
    const copy = await stage.sandbox.items('state');
    stage.sandbox.clock.after(ageMs, () => {
      stage.did({ kind: 'state-restored', copiedAtMs });
      return putBack(stage, copy);
    });
  },
});
