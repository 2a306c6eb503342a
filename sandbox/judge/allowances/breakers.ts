import { breakerMayCover, toldOpenIn, warningsHeard } from '../capacity/breaker.ts';
import type { Chronicle } from '../chronicle.ts';
import type { Allowance } from '../finding.ts';
import { offeringsOf } from '../policy/pools.ts';
import { poolsOf } from '../policy/tree.ts';
import { breakersAreKept } from '../rules/bounds/breakers.ts';
import { sparesServe } from '../rules/launches/spares.ts';
import { firstWarning } from '../told/first-warnings.ts';
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

/** Whether a function wrote the state of a group, and a fault kept each of its events from the bus. */
const wroteUntold = (chronicle: Chronicle, group: string, invocation: string): boolean => {
  const sent = chronicle.of('called').filter((call) => call.invocation === invocation && call.operation === 'PutEvents');
  const wrote = (chronicle.groups.get(group)?.written ?? []).some(({ by }) => isFunction(by) && by.invocation === invocation);
  return wrote && sent.length > 0 && sent.every(({ trouble, applied }) => trouble === 'fault' && !applied);
};

export const openedUntold: Allowance = {
  name: 'the event bus refused that a breaker is open',
  excuses: sparesServe.name,
  trouble: 'A function received a warning that may open a breaker, and wrote the state of the group. A fault kept each of its events from the bus.',
  reaches: 'Spares of that group, for as long as a breaker that these warnings opened may cover every spot offering of the policy.',
  reason: 'The state says that the breaker is open, and a breaker prevents spares. No other function sends the event.',
  covers: ({ group = '', atMs }, chronicle) => {
    const policy = chronicle.policyAt(group, atMs);
    const spot =
      policy === undefined
        ? []
        : poolsOf(policy, policy.capacity)
            .flatMap(offeringsOf)
            .filter(({ market }) => market === 'spot');
    const isCovered = spot.length > 0 && spot.every((offering) => breakerMayCover(chronicle, group, offering, atMs, atMs));
    return (
      isCovered &&
      warningsHeard(chronicle, group).some(({ life, atMs: heardMs }) => {
        const first = firstWarning(life, chronicle.times.clockMs);
        return heardMs <= atMs && first !== undefined && wroteUntold(chronicle, group, first.invocation);
      })
    );
  },
};
