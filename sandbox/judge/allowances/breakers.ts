import { toldOpenIn } from '../breaker.ts';
import type { Allowance } from '../finding.ts';
import { isFunction } from '../life.ts';
import { breakersAreKept } from '../rules/breakers.ts';

export const closedUntold: Allowance = {
  name: 'a fault met the function that had to send that a breaker is closed',
  excuses: breakersAreKept.name,
  trouble:
    'A function died by a fault after it had written the state of a group, when the time of an open breaker was over, before it had sent an event.',
  reaches: 'Launches of that group after that function had died, until the breaker opens again.',
  reason: 'The state says that the breaker is closed. Nobody sends an event again whose author died.',
  covers: ({ group = '', atMs }, chronicle) => {
    const last = toldOpenIn(chronicle, group).findLast(({ fromMs }) => fromMs <= atMs);
    return (chronicle.groups.get(group)?.written ?? []).some((write) => {
      const ended = isFunction(write.by) ? chronicle.invocations.get(write.by.invocation)?.ended : undefined;
      const hasDied = ended?.injected === true && ended.error !== undefined && ended.atMs <= atMs;
      return hasDied && last !== undefined && write.atMs >= last.untilMs - 2 * chronicle.times.clockMs && write.atMs < last.overMs;
    });
  },
};
