import { TerminateInstanceInAutoScalingGroupCommand } from '@aws-sdk/client-auto-scaling';
import type { ActionResult } from '../../core/ports/capacity-provider.ts';
import { belowMinSize } from '../../core/swap/shortfall.ts';
import { watchAttempts } from '../calls/attempts.ts';
import { chunks } from '../calls/chunks.ts';
import { codeOf, isBelowMin, troubleOf, wasNotDone } from '../calls/errors.ts';
import { inParallel } from '../calls/in-parallel.ts';
import { actOn, ordinaryVerdict, together } from '../providers/act-on.ts';
import type { ProviderDeps } from '../providers/provider-deps.ts';

/** Ids that one TerminateInstanceInAutoScalingGroup call takes (Auto Scaling API reference). */
const idsPerCall = 100;

/**
 * The failures after an attempt that may have been carried out. A later attempt may be throttled, or refused because of
 * the minimum size, which the first one may have reached. Neither says that nothing was done.
 */
const afterOpenAttempt = ({ done, failed }: ActionResult, openCode: string | undefined): ActionResult => ({
  done,
  failed: failed.map((failure) =>
    openCode !== undefined && wasNotDone(failure.code)
      ? { instance: failure.instance, code: openCode, retry: 'later' }
      : failure,
  ),
});

/**
 * Terminates members through their group, which deregisters and drains them and runs its hooks. The desired capacity
 * falls by as many, unless others set it.
 */
export const endThroughAsg = async (
  deps: ProviderDeps,
  asg: string,
  instances: readonly string[],
  isSizeOurs: boolean,
): Promise<ActionResult> => {
  const parts = await inParallel(chunks(instances, idsPerCall), 1, async (part) => {
    let openCode: string | undefined;
    const failed = (error: unknown): void => {
      if (troubleOf(error) === 'ambiguous') openCode = codeOf(error);
    };
    const acted = await actOn(
      part,
      (ids) => {
        const command = new TerminateInstanceInAutoScalingGroupCommand({
          AutoScalingGroupName: asg,
          InstanceIds: [...ids],
          ShouldDecrementDesiredCapacity: isSizeOurs,
        });
        watchAttempts((watch, where) => command.middlewareStack.add(watch, where), { failed });
        return deps.autoScaling.send(command);
      },
      (error) => (isBelowMin(error) ? { code: belowMinSize, retry: 'later' } : ordinaryVerdict(error)),
    );
    return afterOpenAttempt(acted, openCode);
  });
  return together(parts);
};
