import type { Chronicle } from '../../chronicle.ts';
import type { Finding, Rule } from '../../finding.ts';
import type { HistoryEvent } from '../../history.ts';
import { lookedSince } from '../../members/staying.ts';
import { times } from '../../times.ts';
import type { AsgChange } from '../../world/cloud.ts';
import { isFunction } from '../../world/life.ts';
import { listed, ownersWill } from '../../world/owners.ts';

type Broken = Omit<Finding, 'rule'>;
type Called = Extract<HistoryEvent, { readonly kind: 'called' }>;

/** A process that a function resumed, and when its owner had suspended it. */
type Resumed = { readonly asg: string; readonly process: string; readonly ownedMs: number; readonly change: AsgChange };

/**
 * Since when an owner has a process suspended that is suspended before a change. Holdfast may have resumed it meanwhile, which was judged then: whoever suspended
 * it first after that has suspended it. Undefined where that was Holdfast.
 */
const ownedSinceMs = (will: ReturnType<typeof ownersWill>, index: number, process: string): number | undefined => {
  const earlier = will.slice(0, index);
  const lastNot = earlier.findLastIndex((one) => !listed(one.owned.suspended).includes(process));
  const lastOff = earlier.findLastIndex((one) => !one.change.suspended.includes(process));
  const first = will[Math.max(lastNot, lastOff) + 1]?.change;
  return first === undefined || (lastOff > lastNot && isFunction(first.by)) ? undefined : first.atMs;
};

/** Processes that a function resumed although the last word of their owner was that they stay suspended. */
const resumedIn = (chronicle: Chronicle, asg: string): readonly Resumed[] => {
  const will = ownersWill(chronicle.cloud.asgChanges(asg));
  return will.flatMap(({ change }, index): readonly Resumed[] => {
    const before = will[index - 1];
    if (before === undefined || !isFunction(change.by)) return [];
    const taken = before.change.suspended.filter((process) => !change.suspended.includes(process));
    const owned = taken.filter((process) => listed(before.owned.suspended).includes(process));
    return owned.flatMap((process) => {
      const ownedMs = ownedSinceMs(will, index, process);
      return ownedMs === undefined ? [] : [{ asg, process, ownedMs, change }];
    });
  });
};

const callsOf = (chronicle: Chronicle, operation: string, { asg, process }: Resumed): readonly Called[] =>
  chronicle.of('called').filter((call) => call.operation === operation && call.processes?.asg === asg && call.processes.names.includes(process));

/**
 * Whether the look of a function need not show what the owner suspended: it began before, or its describe was older. What is suspended so soon after a resume
 * of Holdfast may be what an old describe shows, as far as Holdfast knows.
 */
const isOldLook = (chronicle: Chronicle, resumed: Resumed, lookedMs: number): boolean => {
  const { asgLagMs, clockMs } = chronicle.times;
  const own = callsOf(chronicle, 'ResumeProcesses', resumed).filter(({ applied, atMs }) => applied && atMs <= lookedMs);
  return lookedMs <= resumed.ownedMs + asgLagMs || lookedMs < (own.at(-1)?.atMs ?? Number.NEGATIVE_INFINITY) + times.loweredShownMs + clockMs;
};

/** Whether AWS answered a call, and its function stored that. */
const isNoted = (chronicle: Chronicle, { invocation, atMs, outcome }: Called): boolean =>
  outcome === 'ok' &&
  chronicle.of('state-written').some(({ by, atMs: writtenMs }) => isFunction(by) && by.invocation === invocation && writtenMs > atMs);

/** For so long after a call without a stored answer, a function may still suspend processes, and what it suspends is resumed. */
const mayBeLateMs = times.leaseMs + times.loweredShownMs;

/**
 * Whether a function resumed `Launch` for an attach and died before it suspended it again. It had noted that call. For Holdfast it is a call without an
 * answer: nothing shows whether the function made it. It names `Launch`, and all that Holdfast had suspended before.
 */
const diedOpen = (chronicle: Chronicle, resumed: Resumed, { invocation, atMs }: Called): boolean =>
  chronicle.invocations.get(invocation)?.ended?.error !== undefined &&
  chronicle.of('called').some((call) => call.invocation === invocation && call.operation === 'AttachInstances' && call.atMs > atMs) &&
  !callsOf(chronicle, 'SuspendProcesses', resumed).some((call) => call.invocation === invocation && call.atMs > atMs);

/**
 * Whether Holdfast may take the process for one that it suspended itself. Auto Scaling says that a process is suspended, and not by whom. So a call of
 * Holdfast counts whose look need not show the suspension of the owner, which had not been resumed when the owner suspended the process, or which may
 * have taken effect only then.
 */
const mayBeOurs = (chronicle: Chronicle, resumed: Resumed): boolean => {
  const { ownedMs, change } = resumed;
  const isBetween = (atMs: number, fromMs: number, untilMs: number): boolean => atMs > fromMs && atMs < untilMs;
  const resumes = callsOf(chronicle, 'ResumeProcesses', resumed).filter(({ applied }) => applied);
  const isOpen = ({ askedAtMs }: Called, untilMs: number): boolean => !resumes.some(({ atMs }) => isBetween(atMs, askedAtMs, untilMs));
  const isSoon = ({ askedAtMs }: Called): boolean => askedAtMs < ownedMs && ownedMs - askedAtMs < mayBeLateMs + chronicle.times.asgLagMs;
  const suspends = callsOf(chronicle, 'SuspendProcesses', resumed);
  const isNamed = ({ askedAtMs }: Called): boolean => suspends.some((call) => call.askedAtMs < askedAtMs);
  const opened = callsOf(chronicle, 'ResumeProcesses', { ...resumed, process: 'Launch' });
  if (opened.some((call) => isSoon(call) && isNamed(call) && diedOpen(chronicle, resumed, call))) return true;
  return suspends.some((call) => {
    if (call.askedAtMs > change.atMs) return false;
    const lookedMs = chronicle.invocations.get(call.invocation)?.beganAtMs ?? call.askedAtMs;
    if (call.askedAtMs > ownedMs) return isOldLook(chronicle, resumed, lookedMs) && isOpen(call, change.atMs);
    return isOpen(call, ownedMs) || (!isNoted(chronicle, call) && isSoon(call));
  });
};

const wrongIn = (chronicle: Chronicle, asg: string): readonly Broken[] =>
  resumedIn(chronicle, asg).flatMap((resumed): readonly Broken[] => {
    const { process, ownedMs, change } = resumed;
    const { by, atMs } = change;
    if (isOldLook(chronicle, resumed, lookedSince(chronicle, by, atMs)) || mayBeOurs(chronicle, resumed)) return [];
    const ago = Math.round((atMs - ownedMs) / 1_000);
    return [
      {
        asg,
        atMs,
        ...(isFunction(by) && { invocation: by.invocation }),
        detail: `${process} of ${asg} was resumed, and its owner had suspended it ${ago} s before`,
      },
    ];
  });

export const ownersSuspensionsStand: Rule = {
  name: 'a process that its owner suspended stays suspended',
  meaning:
    'Holdfast resumes no process of an Auto Scaling group that its owner has suspended. A process that Holdfast had suspended and not resumed when its owner suspended it counts as Holdfast’s. So does one that a look of Holdfast need not show as suspended by its owner, because it began before or within 20 seconds after a resume of Holdfast, and one that a call of Holdfast without a stored answer may have suspended. Where a function resumed Launch for an attach and died before it suspended it again, that second call counts as one without an answer, for Launch and for what Holdfast had suspended with it.',
  broken: (chronicle) => [...new Set(chronicle.of('asg-changed').map(({ asg }) => asg))].flatMap((asg) => wrongIn(chronicle, asg)),
};
