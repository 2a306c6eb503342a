import {
  ResumeProcessesCommand,
  SuspendProcessesCommand,
  UpdateAutoScalingGroupCommand,
} from '@aws-sdk/client-auto-scaling';
import { isAsAdded, isStillAsAdded, shownOf } from '../../core/group/attached-number.ts';
import type { CapacityProvider } from '../../core/ports/capacity-provider.ts';
import { loweredShownMs } from '../../core/times/times.ts';
import type { Added } from '../../core/view/added.ts';
import { isGiven, isKnown, isRaiseShown } from '../../core/view/raised-max.ts';
import type { AsgView } from '../../core/view/view.ts';
import { isFromAws, retryOf } from '../calls/errors.ts';
import { describeAsgs } from './auto-scaling-groups.ts';
import type { ProviderDeps } from './provider-deps.ts';

type Client = Pick<ProviderDeps, 'autoScaling'>;

const read = async ({ autoScaling }: Client, name: string) => (await describeAsgs(autoScaling, [name]))[0];

const update = (
  { autoScaling }: Client,
  AutoScalingGroupName: string,
  change: { readonly MaxSize?: number; readonly DesiredCapacity?: number },
) => autoScaling.send(new UpdateAutoScalingGroupCommand({ AutoScalingGroupName, ...change }));

type Lower = { readonly DesiredCapacity: number; readonly MaxSize?: number };

/** Lowers a desired capacity. `refused`: a later attempt may succeed. `denied`: the error of a call that never will. */
const lower = (client: Client, asg: string, to: Lower): Promise<'done' | 'refused' | { readonly denied: unknown }> =>
  update(client, asg, to).then(
    () => 'done' as const,
    (error: unknown) => {
      if (!isFromAws(error)) throw error;
      return retryOf(error) === 'later' ? ('refused' as const) : { denied: error };
    },
  );

/**
 * Changes of an Auto Scaling group's maximum size. Auto Scaling has no conditional update, so each change reads first
 * and keeps values that others have set.
 */
export const createMaximumChanges = (
  client: Pick<ProviderDeps, 'autoScaling' | 'now'>,
): Pick<CapacityProvider, 'raiseMax' | 'restoreMax' | 'lowerMax'> => ({
  /** A maximum that is neither the owner's value nor one that we set is the owner's own change. */
  async raiseMax(raised) {
    const { asg, toMax } = raised;
    const now = await read(client, asg);
    if (now === undefined || !isKnown(raised, now.max)) return 'changed-by-others';
    if (now.max >= toMax) return 'done';
    return update(client, asg, { MaxSize: toMax }).then(
      () => 'done' as const,
      (error: unknown) => {
        if (isFromAws(error)) return 'refused' as const;
        throw error;
      },
    );
  },

  /**
   * Never below the desired capacity, where it is ours: Auto Scaling would lower that too, and terminate instances for
   * it. For a while after a raise, a describe may show the maximum of before, and the call is made all the same.
   */
  async restoreMax(raised, sizedOutside) {
    const { asg, fromMax } = raised;
    const now = await read(client, asg);
    if (now?.max === fromMax && isRaiseShown(raised, client.now())) return 'done';
    if (now === undefined || !isKnown(raised, now.max)) return 'changed-by-others';
    if (now.desired > fromMax && asg !== sizedOutside) return 'not-yet';
    await update(client, asg, { MaxSize: fromMax });
    return 'done';
  },

  async lowerMax(raised) {
    const { asg, toMax } = raised;
    const now = await read(client, asg);
    if (now === undefined || !isGiven(raised, now.max) || now.max <= toMax || now.desired > toMax) return;
    await update(client, asg, { MaxSize: toMax });
  },
});

/**
 * What is known of an addition that is not to be lowered now. A describe that shows none of the members may be older
 * than the attach, and says nothing about what followed.
 */
const withoutLowering = (added: Added, now: AsgView) => {
  if (shownOf(added, now) === 0) return 'not-yet';
  if (now.desired === added.from) return 'done';
  return isStillAsAdded(added, now) && added.from >= now.min ? undefined : 'changed-by-others';
};

/** Changes of an Auto Scaling group's desired capacity, in the same way. */
export const createSizeChanges = (client: Client): Pick<CapacityProvider, 'takeOver' | 'takeDown' | 'giveBack'> => ({
  async takeDown(added, raised) {
    const now = await read(client, added.asg);
    if (now === undefined) return { kind: 'changed-by-others' };
    const kind = withoutLowering(added, now);
    if (kind !== undefined) return { kind };
    const putsMaxBack = raised !== undefined && isGiven(raised, now.max) && added.from <= raised.fromMax;
    const to = { DesiredCapacity: added.from, ...(putsMaxBack && { MaxSize: raised.fromMax }) };
    const lowered = await lower(client, added.asg, to);
    if (typeof lowered === 'object') throw lowered.denied;
    if (lowered === 'refused') return { kind: 'not-yet' };
    const after = await read(client, added.asg);
    const isUnseen = after !== undefined && isAsAdded(added, after);
    return { kind: isUnseen ? 'unseen' : 'done', ...(putsMaxBack && { isMaxPutBack: true }) };
  },

  /** Changes nothing if others have set the desired capacity since. */
  async giveBack(asg, { from, to }) {
    const now = await read(client, asg);
    if (now === undefined || now.desired !== from || to > now.max) return;
    await update(client, asg, { DesiredCapacity: to });
  },

  /** Refused when the group holds more than that: lowering would terminate what it has launched meanwhile. */
  async takeOver(asg, desired) {
    const now = await read(client, asg);
    if (now === undefined || desired < now.min || now.held > desired) return 'refused';
    if (now.desired <= desired) return 'done';
    const lowered = await lower(client, asg, { DesiredCapacity: desired });
    return typeof lowered === 'object' ? 'denied' : lowered;
  },
});

/** Processes of an Auto Scaling group that are suspended for a while. */
export const createSuspensions = (
  client: Pick<ProviderDeps, 'autoScaling' | 'now'>,
): Pick<CapacityProvider, 'suspend' | 'open' | 'resume'> => ({
  async suspend({ asg, processes }) {
    const input = { AutoScalingGroupName: asg, ScalingProcesses: [...processes] };
    await client.autoScaling.send(new SuspendProcessesCommand(input));
  },

  async open(asg) {
    const input = { AutoScalingGroupName: asg, ScalingProcesses: ['Launch'] };
    await client.autoScaling.send(new ResumeProcessesCommand(input));
  },

  /**
   * A process that its owner or another function has resumed meanwhile needs nothing. For a while after the suspension,
   * a describe may show a process as running that is suspended, and all of them are resumed.
   */
  async resume({ asg, processes, atMs }) {
    const now = await read(client, asg);
    if (now === undefined) return 'gone';
    const isSure = atMs !== undefined && client.now() - atMs >= loweredShownMs;
    const ScalingProcesses = processes.filter((process) => !isSure || now.suspended.includes(process));
    if (ScalingProcesses.length > 0)
      await client.autoScaling.send(new ResumeProcessesCommand({ AutoScalingGroupName: asg, ScalingProcesses }));
    return 'done';
  },
});
