import type { History } from './history.ts';

/**
 * Times that rules judge by, in milliseconds, with their sources. What depends on the world (its lags, its boots) is scaled by `timesOf`.
 */
export const times = {
  /** The longest run of `react` (core/times/times.ts). */
  reactMs: 30_000,
  /** When a message whose invocation failed is delivered again (core/times/times.ts, visibility time-out). */
  messageAgainMs: 40_000,
  /** A lost event is made up for by the tick (lib/schedule.ts). */
  tickMs: 60_000,
  /** A group that acts again, after it was observed, looks within a tick. */
  takesUpMs: 90_000,
  /** A function that sent a launch makes no attempt after this (docs/architecture.md, bounds). */
  leaseMs: 35_000,
  /** If the function that sent a launch dies, the launch is repeated after this (`launchOverdueMs`), by a clock that may be 3 s behind. */
  launchRepeatedMs: 15_000,
  /** After EC2 had no room for another fleet, launches wait for this long at most (core/group-state/answers.ts). */
  noRoomMs: 60_000,
  /** An event younger than this counts, whatever describes show (core/times/times.ts). */
  describeLagMs: 180_000,
  /** A signal about an instance that no describe shows comes again until it is so old (`unknownPatienceMs`, core/times/times.ts). */
  unknownPatienceMs: 120_000,
  /** Until this long after it joined, a member that neither Auto Scaling nor EC2 shows there may still be about to be shown (core/times/times.ts). */
  bothLagMs: 45_000,
  /** A signal that the queue has held for longer than this was late (core/times/times.ts). */
  signalsLateMs: 60_000,
  /** Signals are gathered into a batch for at most this long (lib/signals.ts). */
  batchMs: 1_000,
  /** A spot warning comes two minutes before the end (EC2 User Guide, spot instance termination notices). */
  spotNoticeMs: 120_000,
  /** Kept free at the end of a spot notice for the last calls (core/times/times.ts). */
  deadlineMarginMs: 10_000,
  /** The clock of the function that decides is ahead by no more than its start may take (`startSlackMs`), and a second. */
  clockAheadMs: 6_000,
  /** What the start of a drain may take before the deregistration delay runs (core/times/times.ts). */
  drainStartMs: 5_000,
  /** Members whose deadlines are this close share a drain, which uses the earliest deadline (core/times/times.ts). */
  drainShareMs: 10_000,
  /** Rest of an offering after its first refusal; each further one in a row doubles it, up to the longest (core/pool-memory/refusals.ts). */
  refusedRestMs: 180_000,
  /** A group that launches learns what EC2 refused to other groups within this time (core/limits/account-budget.ts). */
  sharedRefusalMs: 30_000,
  longestRestMs: 1_800_000,
  /** While members are missing and everything rests, one pool is requested again after each such time (core/pool-memory/ask-again.ts). */
  askAgainMs: 60_000,
  /** Rest of a pool whose instance ended before it served; each further one in a row doubles it, up to the longest (core/pool-memory/failed-boots.ts). */
  bootRestMs: 60_000,
  longestBootRestMs: 600_000,
  /** Rest of a pool whose member never served; each further time doubles it, up to the longest (core/pool-memory/given-up.ts). */
  unservedRestMs: 600_000,
  longestUnservedRestMs: 14_400_000,
  /** An offering that EC2 takes instances from comes last for this long (core/pool-memory/pool-memory.ts). */
  interruptedRestMs: 180_000,
  /** An offering that EC2 advises to leave comes late for this long (core/pool-memory/advice.ts). */
  advisedRestMs: 180_000,
  /** An instance that is warned sooner after its launch was taken at once, and two within this time show something (core/pool-memory/interruptions.ts). */
  takenAtOnceMs: 120_000,
  takenAtOnceWithinMs: 180_000,
  /** A member that EC2 announced to take and did not take is put back this long after its deadline (core/swap/outlived.ts). */
  outlivedMs: 300_000,
  /** A member that cannot be put back is ended after this time (core/swap/outlived.ts). */
  putBackForMs: 600_000,
  /** A member that has not booted by this age never will: a world breaks its boot for good (test/sim/capacity-steps.ts). */
  neverBootsMs: 600_000,
  /** A member that EC2 refused to end is not chosen again for this long (docs/policy.md, removal). */
  keptForMs: 3_600_000,
  /** How long Holdfast waits for an Auto Scaling group to refill itself (core/times/times.ts). */
  asgRefillMs: 90_000,
  /** A describe may still show a desired capacity that Holdfast lowered this long ago (core/times/times.ts). */
  loweredShownMs: 20_000,
  /** The time from a trouble until all serve again: repeated message or tick, lease, launch, boot, health checks (docs/architecture.md, bounds). */
  servesAgainMs: 180_000,
  /** The part of that time for an instance to come up, in a world where that takes no longer. */
  comesUpMs: 30_000,
} as const;

/** Times that follow from the world that was played. */
export type Times = {
  /** How long a describe may show what was before. */
  readonly lagMs: number;
  /** The same for describes of Auto Scaling groups. */
  readonly asgLagMs: number;
  /** From the first response to passing health checks, at most. */
  readonly healthMs: number;
  /** The slowest launch call. */
  readonly launchCallMs: number;
  /** The largest error of the clocks of functions: what they are wrong by from their start, and what they are set wrong by meanwhile. */
  readonly clockMs: number;
  /** How often an Auto Scaling group looks after itself. */
  readonly asgPeriodMs: number;
};

const slowest = (history: History, operation: string): number => {
  const { latencyMs } = history.spec.timing;
  const [service = ''] = operation.split(':');
  return (latencyMs[operation] ?? latencyMs[`${service}:*`] ?? latencyMs['*'] ?? [0, 0])[1];
};

/** How long new members wait in a launching hook of these Auto Scaling groups, at most. Its owner may leave it to its time-out. */
const launchHookSeconds = ({ autoScalingGroups }: History['spec'], asgs: readonly string[]): number =>
  Math.max(
    0,
    ...autoScalingGroups
      .filter(({ name }) => asgs.includes(name))
      .flatMap(({ hooks = [] }) => hooks)
      .flatMap(({ transition, heartbeatSeconds }) => (transition === 'launching' ? [heartbeatSeconds] : [])),
  );

/** The time from a trouble until all serve again, for a group that holds its members in these Auto Scaling groups. */
export const servesAgainMsOf = ({ spec }: History, asgs: readonly string[]): number => {
  const { pendingSeconds, bootSeconds } = spec.timing;
  const upMs = 1_000 * (pendingSeconds[1] + bootSeconds[1] + launchHookSeconds(spec, asgs));
  return times.servesAgainMs + Math.max(0, upMs - times.comesUpMs);
};

/** From the first response to passing health checks, at most. */
const healthMsOf = ({ targetGroups }: History['spec']): number =>
  Math.max(0, ...targetGroups.map((one) => 1_000 * one.healthCheckIntervalSeconds * one.healthyThreshold));

/**
 * From a launch to passing health checks, at most, of members of these Auto Scaling groups, where nobody completes the launching hooks that they have from
 * the start.
 */
export const comesUpMsOf = ({ spec }: Pick<History, 'spec'>, asgs: readonly string[]): number =>
  1_000 * (spec.timing.pendingSeconds[1] + spec.timing.bootSeconds[1] + launchHookSeconds(spec, asgs)) + healthMsOf(spec);

export const timesOf = (history: History): Times => {
  const { spec, clockErrorMs, faults } = history;
  const { timing, stalePages } = spec;
  const steps = faults.flatMap(({ fault }) => (fault.on === 'clock' ? [fault.withinMs] : []));
  return {
    // A later page shows what a describe showed a while ago, and that describe lagged itself.
    lagMs: 1_000 * (timing.lagSeconds[1] + (stalePages?.lagSeconds[1] ?? 0)),
    asgLagMs: 1_000 * (timing.asgLagSeconds?.[1] ?? 0),
    healthMs: healthMsOf(spec),
    launchCallMs: Math.max(slowest(history, 'ec2:CreateFleet'), slowest(history, 'autoscaling:LaunchInstances')),
    clockMs: clockErrorMs + Math.max(0, ...steps),
    asgPeriodMs: 1_000 * timing.asgPeriodSeconds,
  };
};
