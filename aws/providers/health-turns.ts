import type { Group } from '../../core/group/group.ts';
import { namedTargetGroups } from '../../core/group/holders.ts';
import { numberOf } from '../../core/units/number-of.ts';
import type { Changes } from '../../core/view/changes.ts';
import { registeredByMs } from '../../core/view/registered.ts';
import type { ProviderDeps } from './provider-deps.ts';
import type { Shown } from './read-groups.ts';
import { hasRegistered } from './target-groups.ts';

/**
 * A look at more groups than this reads the target health of only a part of them, because each target group is a call.
 */
const healthAtOnce = 10;
/**
 * The same where members were warned. Several looks begin at once then, and their launches must not wait. Over more
 * groups than this, only the tick reads target health.
 */
const healthAtOnceWarned = 3;

/** Several groups that are looked at together. */
export type LookTogether = {
  /** Whether EC2 has just warned members of some of them. */
  readonly isWarned: boolean;
  /** The minute's tick is one of its signals. */
  readonly isTick?: boolean;
  /** Signals ask for the look, and not time alone. */
  readonly isReported?: boolean;
  /** Large groups are read whole. */
  readonly isWhole?: boolean;
  /** By group: changes that its items and signals report, where they are known. */
  readonly changes?: ReadonlyMap<string, Changes>;
};
export type Together = LookTogether & { readonly groups: number };

const minuteMs = 60_000;

/**
 * Whether a look over many groups reads the target health of this one. It does if a new running instance may have to be
 * registered. Otherwise groups take turns, minute by minute. Elastic Load Balancing lets an account read ten a second,
 * and in a storm these reads would go to members whose health has not changed.
 */
export const isHealthRead = (
  deps: ProviderDeps,
  { instances }: Shown,
  group: Group,
  { groups, isWarned, isTick = false }: Together,
): boolean => {
  const parts = Math.ceil(groups / (isWarned ? healthAtOnceWarned : healthAtOnce));
  const nowMs = deps.now();
  // The other looks of this minute would read the same part again.
  const isInTurn = !isWarned || isTick || parts === 1;
  return (
    (isInTurn && Math.floor(nowMs / minuteMs) % parts === numberOf(group.name) % parts) ||
    instances.some(
      ({ State, LaunchTime, InstanceId = '' }) =>
        State?.Name === 'running' &&
        nowMs - (LaunchTime?.getTime() ?? nowMs) < registeredByMs &&
        !hasRegistered(deps.elb, namedTargetGroups(group), InstanceId),
    )
  );
};
