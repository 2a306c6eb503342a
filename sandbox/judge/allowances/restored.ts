import type { Chronicle } from '../chronicle.ts';
import type { Allowance } from '../finding.ts';
import { takenOutAgain, takenOutOnce, warnedTakenOut } from '../rules/drains/warned.ts';
import { requestedSoon } from '../rules/launches/requested.ts';
import { toldOnTheBus } from '../rules/said/announced.ts';
import { sentWithoutShortfall } from '../rules/said/announced-details.ts';
import { everythingExplained } from '../rules/said/explained.ts';
import { excusesAreTrue, letGoAtMs } from '../rules/said/said.ts';
import { couldLaunchAtMs, toldOf } from '../told/leaving.ts';
import { goneAtMs, isFunction, takenOutAtMs } from '../world/life.ts';

/** When a user wrote or deleted the state item of a group. */
const restoredAtMs = (chronicle: Chronicle, group = ''): readonly number[] => {
  const { written = [], lostAtMs = [] } = chronicle.groups.get(group) ?? {};
  return [...written.flatMap(({ by, atMs }) => (isFunction(by) ? [] : [atMs])), ...lostAtMs];
};

/** How long the emptying of a table takes. */
const emptiedWithinMs = 10_000;

/** Whether the whole table was emptied, and not the state item alone. */
const wasEmptied = (chronicle: Chronicle, atMs: number): boolean =>
  chronicle.of('step').some((step) => step.step === 'state-restored' && step.atMs <= atMs && atMs - step.atMs < emptiedWithinMs);

export const decisionsLost: Allowance = {
  name: 'the state table was restored',
  excuses: everythingExplained.name,
  trouble: 'A user restores the state table to an earlier time, or empties it. Decisions that were stored since then are lost.',
  reaches: 'Launches and removals of that group before the table was restored or emptied.',
  reason: 'A decision that is not stored any more cannot explain anything.',
  covers: ({ group = '', atMs }, chronicle) =>
    (chronicle.groups.get(group)?.written ?? []).some((written) => !isFunction(written.by) && written.atMs >= atMs) ||
    (chronicle.groups.get(group)?.lostAtMs ?? []).some((lostMs) => lostMs >= atMs && wasEmptied(chronicle, lostMs)),
};

export const swapsForgot: Allowance = {
  name: 'the state table was restored after a drain had begun',
  excuses: excusesAreTrue.name,
  trouble: 'A user restores the state table to an earlier time. A swap then lacks the fact that its instance was taken out of service.',
  reaches:
    'Instances of that group that were taken out of service before the table was restored, or that Holdfast had their Auto Scaling group end before.',
  reason: 'A swap knows only what is stored about its end.',
  covers: ({ group, instance = '' }, chronicle) => {
    const life = chronicle.life(instance);
    return life !== undefined && restoredAtMs(chronicle, group).some((atMs) => Math.min(takenOutAtMs(life), letGoAtMs(life)) <= atMs);
  },
};

export const drainedForgot: Allowance = {
  name: 'the state table was restored after a member was taken out of service',
  excuses: takenOutOnce.name,
  trouble: 'A user restores the state table to an earlier time, or empties it. The swap of a member that was taken out of service is lost.',
  reaches: 'Members that were taken out of service before the table was restored or emptied, and once more after that.',
  reason: 'Nothing says any more that the member leaves. So it works again, and may leave later.',
  covers: ({ group, instance = '', atMs }, chronicle) => {
    const life = chronicle.life(instance);
    const restored = restoredAtMs(chronicle, group ?? (life && chronicle.groupAt(life, atMs)));
    const isForgotten = (before: number, after: number): boolean => restored.some((restoredMs) => before <= restoredMs && restoredMs <= after);
    return (
      life !== undefined &&
      takenOutAgain(life)
        .filter((outs) => outs.at(-1)?.untilMs === atMs)
        .every((outs) => outs.every(({ untilMs }, index) => index === 0 || isForgotten(outs[index - 1]?.untilMs ?? untilMs, untilMs)))
    );
  },
};

export const warningsForgot: Allowance = {
  name: 'the state table was restored after a warning was heard',
  excuses: warnedTakenOut.name,
  trouble: 'A user restores the state table to an earlier time. The swap of a member that was warned since then is lost.',
  reaches: 'Members whose warning was received before the table was restored, and not again.',
  reason: 'EC2 warns once, and its describes do not show the warning.',
  covers: ({ group, instance = '' }, chronicle) => {
    const life = chronicle.life(instance);
    const heard = life === undefined ? [] : toldOf(life, 'warning').map(({ atMs }) => atMs);
    const last = Math.max(...heard);
    return life !== undefined && heard.length > 0 && restoredAtMs(chronicle, group).some((atMs) => last <= atMs && atMs <= goneAtMs(life));
  },
};

/** Members whose warning was received before a restore, and not again. Until the restore, their group had no policy that lets a function launch. */
const unreplacedAt = (chronicle: Chronicle, group: string, restoredMs: number): readonly string[] =>
  chronicle.livesIn(group).flatMap((life) => {
    const heard = toldOf(life, 'warning').map(({ atMs }) => atMs);
    const isForgotten = heard.length > 0 && Math.max(...heard) <= restoredMs && restoredMs <= goneAtMs(life);
    return isForgotten && couldLaunchAtMs(chronicle, group, Math.min(...heard)) > restoredMs ? [life.instance] : [];
  });

export const unreplacedForgot: Allowance = {
  name: 'the state table was restored after a warning was heard, while the group had no policy',
  excuses: requestedSoon.name,
  trouble: 'A group has no policy while its members are warned, and a user restores the state table to an earlier time before the policy is back.',
  reaches:
    'Members whose warning was received before the table was restored, and not again, if no more replacements are missing than there are such members.',
  reason: 'Nothing is launched without a policy. EC2 warns once, and its describes do not show the warning.',
  covers: ({ group = '', instance = '', members = Number.POSITIVE_INFINITY }, chronicle) =>
    restoredAtMs(chronicle, group).some((restoredMs) => {
      const forgotten = unreplacedAt(chronicle, group, restoredMs);
      return forgotten.includes(instance) && members <= forgotten.length;
    }),
};

export const drainsForgot: Allowance = {
  name: 'the state table was restored while a drain ran',
  excuses: toldOnTheBus.name,
  trouble: 'A user restores the state table to an earlier time. The swaps of a running drain are lost, or name another drain.',
  reaches: 'Drains of that group that began before the table was restored, and ended after it.',
  reason: 'A drain without swaps has nothing to report.',
  covers: ({ group, atMs, detail }, chronicle) => {
    const began = chronicle.of('drain').find((drain) => drain.status === 'started' && detail.includes(` ${drain.drain} `));
    return began !== undefined && restoredAtMs(chronicle, group).some((restoredMs) => began.atMs <= restoredMs && restoredMs <= atMs);
  },
};

export const endsForgot: Allowance = {
  name: 'the state table was restored after the end of a drain was sent',
  excuses: toldOnTheBus.name,
  trouble: 'A user restores the state table to an earlier time. A swap then lacks the fact how its drain ended, and finds its instance gone.',
  reaches: 'Ends of drains of that group that were sent before the table was restored, if only the shortfall of the swap is missing in them.',
  reason: 'The event reported what happened. The restored swap is an earlier one, and no drain used it.',
  covers: ({ group, atMs, detail }, chronicle) =>
    detail.endsWith(sentWithoutShortfall) && restoredAtMs(chronicle, group).some((restoredMs) => restoredMs >= atMs),
};
