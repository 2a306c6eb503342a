import { readTable } from './evidence.ts';
import type { Stage } from './stage.ts';

const isWorldStill = ({ sandbox }: Stage): boolean => {
  const { instances, targetGroups } = sandbox.world.snapshot();
  return (
    instances.every(({ state, takenAtMs }) => state === 'terminated' || (state === 'running' && takenAtMs === undefined)) &&
    targetGroups.every(({ draining }) => draining === 0) &&
    sandbox.executions().every(({ status }) => status !== 'RUNNING')
  );
};

/**
 * Whether nothing is under way any more: no instance comes or goes, no drain runs, nothing is reserved or raised, every group serves this size (or,
 * where none is given, the one it has come to).
 */
export const isAtRest = async (stage: Stage, sizes: Readonly<Record<string, number | undefined>>): Promise<boolean> => {
  const { sandbox, watched } = stage;
  if (!isWorldStill(stage)) return false;
  const { states, swaps } = readTable(await sandbox.items('state'));
  return (
    swaps.every(({ state }) => state === 'gone') &&
    [...states].every(
      ([group, { desired, reservations, raised }]) =>
        watched.serving(group) === (sizes[group] ?? desired) && raised.length === 0 && reservations.every(({ instances }) => instances),
    )
  );
};
