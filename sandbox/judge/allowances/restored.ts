import type { Chronicle } from '../chronicle.ts';
import type { Allowance } from '../finding.ts';
import { toldOf } from '../leaving.ts';
import { goneAtMs, isFunction, takenOutAtMs } from '../life.ts';
import { toldOnTheBus } from '../rules/announced.ts';
import { sentWithoutShortfall } from '../rules/announced-details.ts';
import { everythingExplained, excusesAreTrue } from '../rules/said.ts';
import { warnedTakenOut } from '../rules/warned.ts';

/** When somebody else than Holdfast wrote or deleted the state item of a group. */
const restoredAtMs = (chronicle: Chronicle, group = ''): readonly number[] => {
  const { written = [], lostAtMs = [] } = chronicle.groups.get(group) ?? {};
  return [...written.flatMap(({ by, atMs }) => (isFunction(by) ? [] : [atMs])), ...lostAtMs];
};

/** So long the emptying of a table takes. */
const emptiedWithinMs = 10_000;

/** The whole table was, and not the state item alone. */
const wasEmptied = (chronicle: Chronicle, atMs: number): boolean =>
  chronicle.of('step').some((step) => step.step === 'state-restored' && step.atMs <= atMs && atMs - step.atMs < emptiedWithinMs);

export const decisionsLost: Allowance = {
  name: 'the state table was restored',
  excuses: everythingExplained.name,
  trouble: 'Somebody restores the state table to an earlier time, or empties it: decisions that were stored since are lost.',
  reaches: 'Launches and removals of that group before the table was restored or emptied.',
  reason: 'What is not stored any more can explain nothing.',
  covers: ({ group = '', atMs }, chronicle) =>
    (chronicle.groups.get(group)?.written ?? []).some((written) => !isFunction(written.by) && written.atMs >= atMs) ||
    (chronicle.groups.get(group)?.lostAtMs ?? []).some((lostMs) => lostMs >= atMs && wasEmptied(chronicle, lostMs)),
};

export const swapsForgot: Allowance = {
  name: 'the state table was restored after a drain had begun',
  excuses: excusesAreTrue.name,
  trouble: 'Somebody restores the state table to an earlier time: a swap does not know any more that its instance was taken out of service.',
  reaches: 'Instances of that group that were taken out of service before the table was restored.',
  reason: 'What a swap says of the end is what is stored of it.',
  covers: ({ group, instance = '' }, chronicle) => {
    const life = chronicle.life(instance);
    return life !== undefined && restoredAtMs(chronicle, group).some((atMs) => takenOutAtMs(life) <= atMs);
  },
};

export const warningsForgot: Allowance = {
  name: 'the state table was restored after a warning was heard',
  excuses: warnedTakenOut.name,
  trouble: 'Somebody restores the state table to an earlier time: the swap of a member that was warned since is lost.',
  reaches: 'Members whose warning was heard before the table was restored, and not again.',
  reason: 'EC2 warns once, and its describes say nothing of it.',
  covers: ({ group, instance = '' }, chronicle) => {
    const life = chronicle.life(instance);
    const heard = life === undefined ? [] : toldOf(life, 'warning').map(({ atMs }) => atMs);
    const last = Math.max(...heard);
    return life !== undefined && heard.length > 0 && restoredAtMs(chronicle, group).some((atMs) => last <= atMs && atMs <= goneAtMs(life));
  },
};

export const drainsForgot: Allowance = {
  name: 'the state table was restored while a drain ran',
  excuses: toldOnTheBus.name,
  trouble: 'Somebody restores the state table to an earlier time: the swaps of a drain that runs are lost, or name another drain.',
  reaches: 'Drains of that group that began before the table was restored, and ended after it.',
  reason: 'A drain without swaps has nothing to tell.',
  covers: ({ group, atMs, detail }, chronicle) => {
    const began = chronicle.of('drain').find((drain) => drain.status === 'started' && detail.includes(` ${drain.drain} `));
    return began !== undefined && restoredAtMs(chronicle, group).some((restoredMs) => began.atMs <= restoredMs && restoredMs <= atMs);
  },
};

export const endsForgot: Allowance = {
  name: 'the state table was restored after the end of a drain was sent',
  excuses: toldOnTheBus.name,
  trouble: 'Somebody restores the state table to an earlier time: a swap does not know any more how its drain ended, and finds its instance gone.',
  reaches: 'Ends of drains of that group that were sent before the table was restored, and only that the shortfall of the swap is not in them.',
  reason: 'The event told what happened. The swap that was restored is an earlier one, and nobody drained by it.',
  covers: ({ group, atMs, detail }, chronicle) =>
    detail.endsWith(sentWithoutShortfall) && restoredAtMs(chronicle, group).some((restoredMs) => restoredMs >= atMs),
};
