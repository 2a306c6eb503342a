import { toldOpenIn } from '../capacity/breaker.ts';
import type { Chronicle } from '../chronicle.ts';
import type { Allowance } from '../finding.ts';
import { breakersAreKept } from '../rules/bounds/breakers.ts';
import { hasDied } from '../told/leaving.ts';
import { isFunction } from '../world/life.ts';

/** Whether an invocation called only the event bus after this moment. Events are sent as soon as the state is written. */
const onlySent = (chronicle: Chronicle, invocation: string, sinceMs: number): boolean =>
  chronicle.of('called').every((call) => call.invocation !== invocation || call.askedAtMs <= sinceMs || call.operation === 'PutEvents');

export const closedUntold: Allowance = {
  name: 'a fault met the function that had to send that a breaker is closed',
  excuses: breakersAreKept.name,
  trouble:
    'The time of an open breaker was over. A fault killed a function between its write of the group’s state and the response to the event that follows at once.',
  reaches: 'Launches of that group after that function had died, until the breaker opens again.',
  reason: 'The state says that the breaker is closed. No other function sends the event of a function that died.',
  covers: ({ group = '', atMs }, chronicle) => {
    const last = toldOpenIn(chronicle, group).findLast(({ fromMs }) => fromMs <= atMs);
    return (chronicle.groups.get(group)?.written ?? []).some((write) => {
      if (!isFunction(write.by)) return false;
      const { invocation } = write.by;
      return (
        hasDied(chronicle, invocation, atMs) &&
        onlySent(chronicle, invocation, write.atMs) &&
        last !== undefined &&
        write.atMs >= last.untilMs - 2 * chronicle.times.clockMs &&
        write.atMs < last.overMs
      );
    });
  },
};
