/**
 * Times that several parts rely on, each once. What they must be to each other is in `time-relations.ts`, and
 * `docs/architecture.md` has a table of them (`npm run times` writes it). A time that one rule alone uses is beside
 * that rule.
 */

/** Every group is looked at this often, whatever events were lost. No wake is needed for a later time. */
export const tickEveryMs = 60_000;

/**
 * The tick reads its list of groups again after this. Until then, `accept-policy` sends ticks to a group whose policy
 * was written.
 */
export const registryKnownMs = 150_000;

/** One run of `react` ends after this. */
export const reactTimeoutMs = 30_000;

/** One run of a step of a drain ends after this. */
export const drainStepTimeoutMs = 60_000;

/** A run ends this much early, to record unfinished work. Middy's default of 5 ms is too short for that. */
export const timeoutEarlyMs = 1_000;

/** Messages of a run stay hidden for this, and come again afterwards unless they are done. */
export const signalsVisibilityMs = 40_000;

/** A signal that is read this long after it came was late: half of the notice of spot is over. */
export const signalsLateMs = 60_000;

/** A reservation belongs to the run that made it for this. No attempt of that run begins later. */
export const leaseMs = 35_000;

/** A run that has not stored the response to a launch by then has probably died. Another run repeats the launch. */
export const launchOverdueMs = 12_000;

/** A signal that fails goes to the dead-letter queue after this: an API that is down for an hour costs no signal. */
export const signalsFailForMs = 65 * 60_000;

/** The longest that a signal waits in the queue. A signal about something older is a replay. */
export const signalsRetentionMs = 4 * 24 * 3_600_000;

/**
 * Signals and stored facts count against a different describe for this (EC2: eventual consistency, up to minutes).
 */
export const describeLagMs = 180_000;

/** Describes of EC2 and of Auto Scaling do not both lag behind for this long. */
export const bothLagMs = 45_000;

/** A describe may still miss that Holdfast changed a size of an Auto Scaling group or a process this long ago. */
export const loweredShownMs = 20_000;

/** The clocks of two functions, and those of a function and of AWS, may differ by this. */
export const clocksDifferMs = 3_000;

/**
 * A signal about an instance that no describe shows is delivered again while it is younger than this: after half of its
 * age, and after 3 s at the least.
 */
export const unknownPatienceMs = 120_000;

/** A launch request is repeated for this long at most. EC2 keeps its token longer (`LaunchInstances`: 8 hours). */
export const repeatableMs = 1_800_000;

/**
 * An Auto Scaling group may take this to refill itself before Holdfast launches in its place. The time begins anew with
 * each launch of the group itself. It does not where these launches end before they come up.
 */
export const refillGraceMs = 90_000;

/** An instance younger than this does not count as unhealthy (Auto Scaling's default grace period). */
export const bootGraceMs = 300_000;

/** EC2 sends a spot warning this long before it stops or terminates the instance (EC2 User Guide). */
export const spotNoticeMs = 120_000;

/** Kept free before a deadline for the last calls of a drain, and for clocks that differ. */
export const deadlineMarginMs = 10_000;

/** The start of a drain may take this: a cold function, a repeat of a throttled call, a describe that lags. */
export const startSlackMs = 5_000;

/** A drain that waits for replacements begins this early: a cold function and its calls take one to three seconds. */
export const startLeadMs = 3_000;

/** Warnings whose deadlines are in the same span of this length share a drain, which keeps the earliest. */
export const sharedDrainMs = 10_000;

/** The deregistration delay of a target group that sets none (Elastic Load Balancing, target group attributes). */
export const defaultDeregistrationDelayMs = 300_000;

/** The shortest time-out of a lifecycle hook (Auto Scaling API, PutLifecycleHook: `HeartbeatTimeout`). */
export const shortestHookTimeoutMs = 30_000;

/** The longest drain, and the longest that a lifecycle hook can hold an instance. */
export const longestDrainMs = 48 * 3_600_000;
