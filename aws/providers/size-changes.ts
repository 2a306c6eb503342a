import { UpdateAutoScalingGroupCommand } from '@aws-sdk/client-auto-scaling';
import type { CapacityProvider } from '../../core/ports.ts';
import { isGiven, isKnown } from '../../core/raised-max.ts';
import { isFromAws, retryOf } from '../errors.ts';
import { describeAsgs } from './auto-scaling-groups.ts';
import type { ProviderDeps } from './provider-deps.ts';

/**
 * Changes of an Auto Scaling group's numbers. Auto Scaling has no conditional update, so each change reads first and
 * keeps values that somebody else has set.
 */
export const createSizeChanges = ({
  autoScaling,
}: Pick<ProviderDeps, 'autoScaling'>): Pick<CapacityProvider, 'raiseMax' | 'restoreMax' | 'takeOver'> => {
  const read = async (name: string) => (await describeAsgs(autoScaling, [name]))[0];
  const update = (
    AutoScalingGroupName: string,
    change: { readonly MaxSize?: number; readonly DesiredCapacity?: number },
  ) => autoScaling.send(new UpdateAutoScalingGroupCommand({ AutoScalingGroupName, ...change }));

  return {
    /** A maximum that is neither the owner's value nor one that we set is the owner's own change. */
    async raiseMax(raised) {
      const { asg, toMax } = raised;
      const now = await read(asg);
      if (now === undefined || !isKnown(raised, now.max)) return 'changed-by-others';
      if (now.max >= toMax) return 'done';
      return update(asg, { MaxSize: toMax }).then(
        () => 'done' as const,
        (error: unknown) => {
          if (isFromAws(error)) return 'refused' as const;
          throw error;
        },
      );
    },

    /** Never below the desired capacity: Auto Scaling would lower that too, and terminate instances for it. */
    async restoreMax(raised) {
      const { asg, fromMax } = raised;
      const now = await read(asg);
      if (now?.max === fromMax) return 'done';
      if (now === undefined || !isGiven(raised, now.max)) return 'changed-by-others';
      if (now.desired > fromMax) return 'not-yet';
      await update(asg, { MaxSize: fromMax });
      return 'done';
    },

    /** Refused when the group holds more than that: lowering would terminate what it has launched meanwhile. */
    async takeOver(asg, desired) {
      const now = await read(asg);
      if (now === undefined || desired < now.min || now.held > desired) return 'refused';
      if (now.desired <= desired) return 'done';
      return update(asg, { DesiredCapacity: desired }).then(
        () => 'done' as const,
        (error: unknown) => {
          if (isFromAws(error) && retryOf(error) === 'later') return 'refused' as const;
          throw error;
        },
      );
    },
  };
};
