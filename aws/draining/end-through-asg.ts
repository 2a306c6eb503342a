import { TerminateInstanceInAutoScalingGroupCommand } from '@aws-sdk/client-auto-scaling';
import type { ActionResult } from '../../core/ports/capacity-provider.ts';
import { belowMinSize } from '../../core/swap/shortfall.ts';
import { watchAttempts } from '../calls/attempts.ts';
import { chunks } from '../calls/chunks.ts';
import { codeOf, isBelowMin, isUnknownInstance, troubleOf, wasNotDone } from '../calls/errors.ts';
import { inParallel } from '../calls/in-parallel.ts';
import { ofUseUntil } from '../calls/paced-client.ts';
import { actOn, ordinaryVerdict, together, type Verdict } from '../providers/act-on.ts';
import { describeAsgs, standingsIn } from '../providers/auto-scaling-groups.ts';
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

/** Members of an Auto Scaling group that are to be terminated. `untilMs`: EC2 has ended them by then. */
type Ending = { readonly instances: readonly string[]; readonly isSizeOurs: boolean; readonly untilMs?: number };

/** Whom of these the Auto Scaling group still has. */
const stillIn = async (
  { autoScaling }: ProviderDeps,
  asg: string,
  instances: readonly string[],
): Promise<readonly string[]> => {
  const standings = standingsIn(await describeAsgs(autoScaling, [asg]));
  return instances.filter((instance) => standings.has(instance));
};

const endPart = async (
  deps: ProviderDeps,
  asg: string,
  { instances, isSizeOurs, untilMs }: Ending,
): Promise<ActionResult> => {
  let openCode: string | undefined;
  /** Whether the group was found to have let go of some of them. Each error names only one, so it is read once. */
  let knows: 'nothing' | 'of-one' | 'all' = 'nothing';
  const failed = (error: unknown): void => {
    if (troubleOf(error) === 'ambiguous') openCode = codeOf(error);
  };
  const end = async (some: readonly string[]): Promise<void> => {
    const isRead = knows === 'of-one' && some.length > 1;
    const ids = isRead ? await stillIn(deps, asg, some) : some;
    if (isRead) knows = 'all';
    if (ids.length === 0) return;
    const command = new TerminateInstanceInAutoScalingGroupCommand({
      AutoScalingGroupName: asg,
      InstanceIds: [...ids],
      ShouldDecrementDesiredCapacity: isSizeOurs,
    });
    watchAttempts((watch, where) => command.middlewareStack.add(watch, where), { failed });
    await deps.autoScaling.send(untilMs === undefined ? command : ofUseUntil(command, untilMs));
  };
  const judge = (error: unknown): Verdict => {
    if (isBelowMin(error)) return { code: belowMinSize, retry: 'later' };
    if (knows === 'nothing' && isUnknownInstance(error)) knows = 'of-one';
    return ordinaryVerdict(error);
  };
  return afterOpenAttempt(await actOn(instances, end, judge), openCode);
};

/**
 * Terminates members through their group, which deregisters and drains them and runs its hooks. The desired capacity
 * falls by as many, unless others set it. If the group no longer has one of them, it is read, because otherwise each
 * further one would cost a call.
 */
export const endThroughAsg = async (deps: ProviderDeps, asg: string, ending: Ending): Promise<ActionResult> => {
  const parts = chunks(ending.instances, idsPerCall);
  return together(await inParallel(parts, 1, (instances) => endPart(deps, asg, { ...ending, instances })));
};
