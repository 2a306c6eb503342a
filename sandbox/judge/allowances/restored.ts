import type { Allowance } from '../finding.ts';
import { isFunction } from '../life.ts';
import { everythingExplained } from '../rules/said.ts';

export const decisionsLost: Allowance = {
  name: 'the state table was restored',
  excuses: everythingExplained.name,
  trouble: 'Somebody restores the state table to an earlier time: decisions that were stored since are lost.',
  reaches: 'Launches and removals of that group before the table was restored.',
  reason: 'What is not stored any more can explain nothing.',
  covers: ({ group = '', atMs }, chronicle) =>
    (chronicle.groups.get(group)?.written ?? []).some((written) => !isFunction(written.by) && written.atMs >= atMs),
};
