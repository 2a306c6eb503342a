/** Names that the constructs and the Lambda functions share. They are defined here and nowhere else. */

/** Functions, by folder. The bundle of each is `dist/functions/<name>/index.mjs`, its handler `index.handler`. */
export const functionNames = ['react', 'tick', 'accept-policy', 'begin-drain', 'check-drain', 'end-drain'] as const;
export type FunctionName = (typeof functionNames)[number];

/**
 * Functions that run each minute and have an alarm each on the errors that Lambda counts. Without them nothing runs,
 * and only Lambda counts a function that does not start. The other functions count their errors themselves.
 */
export const watchedByLambda: readonly FunctionName[] = ['react', 'tick'];

/** The name of a deployment: lower case letters, digits and dashes, a letter first, 31 characters at most. */
export const deploymentName = /^[a-z][a-z0-9-]{0,30}$/;

/** Environment variables that the construct sets. Each function reads those it needs. */
export const env = {
  /** The deployment's name (default `holdfast`): first part of tag values, names and metrics dimensions. */
  name: 'HOLDFAST_NAME',
  groupsTable: 'HOLDFAST_GROUPS_TABLE',
  stateTable: 'HOLDFAST_STATE_TABLE',
  signalsQueueUrl: 'HOLDFAST_SIGNALS_QUEUE_URL',
  drainStateMachineArn: 'HOLDFAST_DRAIN_STATE_MACHINE_ARN',
  eventBusName: 'HOLDFAST_EVENT_BUS_NAME',
} as const;

/** Keys of both tables: partition key `group`, sort key `item`. */
export const keys = { group: 'group', item: 'item' } as const;

/** Sort keys. In the groups table: down to `claim`. In the state table: the rest. */
export const items = {
  /** The user's document, under attribute `policy`. */
  policy: 'policy',
  /** The result of the last write: accepted or rejected, with reasons. */
  status: 'status',
  /** The version in force: number, document, resolution. */
  accepted: 'accepted',
  version: (n: number): string => `version#${String(n).padStart(6, '0')}`,
  versionPrefix: 'version#',
  /** A group's entry in the registry. The prefix keeps a group called `policy` apart from a policy. */
  entry: (group: string): string => `entry#${group}`,
  entryPrefix: 'entry#',
  /** Which group holds an Auto Scaling group. Stored beside the registry's entries. */
  claim: (asg: string): string => `holder#${asg}`,
  claimPrefix: 'holder#',
  state: 'state',
  swap: (instance: string): string => `swap#${instance}`,
  swapPrefix: 'swap#',
  /** A swap that ended a while ago, moved out of the active ones. */
  past: (instance: string): string => `past#${instance}`,
  /** A launch request, kept as long as it may be repeated. */
  request: (reservation: string): string => `request#${reservation}`,
  decision: (id: string): string => `decision#${id}`,
  decisionPrefix: 'decision#',
  /** What Holdfast spends of the account's buckets. */
  budget: 'budget',
  /** The next wake of a group. */
  wake: 'wake',
  /** The groups that are looked at together at that time. */
  look: (atMs: number): string => `look#${atMs}`,
} as const;

/** Partition of the state table for what all groups share. `@` cannot begin a group's name. */
export const accountPartition = '@account';

/**
 * Partition of the groups table that lists every group in force. `@` cannot begin a group's name. It is in the groups
 * table because it follows from the policies in force: losing the state table loses no group.
 */
export const registryPartition = '@registry';

/** Index of the state table from an instance to its swap item: partition key `instance`. */
export const instanceIndex = { name: 'by-instance', key: 'instance' } as const;

/**
 * Attribute by which DynamoDB expires items, epoch seconds: swaps that ended, launch requests and decisions. Never used
 * for timing.
 */
export const ttlAttribute = 'expiresAt';

/**
 * Tags on instances that Holdfast launches. `group` has the form `<deployment>/<group>`, which keeps deployments apart.
 */
export const tags = {
  group: 'holdfast:group',
  pool: 'holdfast:pool',
  reservation: 'holdfast:reservation',
  joined: 'holdfast:joined',
} as const;
/**
 * Value of the tag on members that Holdfast attached to an Auto Scaling group: which group, and when in epoch
 * milliseconds.
 */
export const joinedTagValue = (asg: string, atMs: number): string => `${asg} ${atMs}`;
export const groupTagValue = (deployment: string, group: string): string => `${deployment}/${group}`;

/** Source of our own events on the bus, and of our own messages on the queue. */
export const eventSource = 'holdfast';

/** Messages to ourselves on the signals queue: the envelope of an EventBridge event, source `holdfast`. */
export const ownMessages = { tick: 'Holdfast Tick', policyChange: 'Holdfast Policy Change' } as const;

/** Detail-types of events that Holdfast puts on the bus. */
export const announcements = {
  swapStarted: 'Holdfast Swap Started',
  swapFailed: 'Holdfast Swap Failed',
  putBack: 'Holdfast Members Put Back',
  fallback: 'Holdfast Fallback',
  exhausted: 'Holdfast Capacity Exhausted',
  bootsFailed: 'Holdfast Boots Failed',
  givenUp: 'Holdfast Members Given Up',
  breakerOpened: 'Holdfast Breaker Opened',
  breakerClosed: 'Holdfast Breaker Closed',
  asgGone: 'Holdfast Auto Scaling Group Gone',
  asgBack: 'Holdfast Auto Scaling Group Back',
  policyAccepted: 'Holdfast Policy Accepted',
  policyRejected: 'Holdfast Policy Rejected',
  groupLetGo: 'Holdfast Group Let Go',
  drainFinished: 'Holdfast Drain Finished',
} as const;

export const metricsNamespace = 'Holdfast';

/** EMF metrics. Dimension `service` is the deployment's name. Values are counts unless the name says otherwise. */
export const metrics = {
  /** Signals without the minute ticks, because a metric costs money in each hour in which it is written. */
  signals: 'Signals',
  /** Signals that were read more than a minute after they came. */
  signalsLate: 'SignalsLate',
  /** Messages that could not be read: unknown or malformed. */
  poisonMessages: 'PoisonMessages',
  /** Signals about instances that are not ours. */
  strangers: 'Strangers',
  interruptions: 'Interruptions',
  launched: 'Launched',
  refused: 'Refused',
  throttled: 'Throttled',
  /** Instances that ended, or were given up, before they served. */
  bootsFailed: 'BootsFailed',
  /** Breakers that opened: spot, or a family of it, is passed over for a while. */
  breakersOpened: 'BreakersOpened',
  /** Missing instances that no eligible pool could give. */
  unplaced: 'Unplaced',
  replacementRequestedMs: 'ReplacementRequestedMs',
  drainsStarted: 'DrainsStarted',
  drainsLate: 'DrainsLate',
  /** Actions that failed and will not succeed without a person. */
  actionsFailed: 'ActionsFailed',
  /** Auto Scaling groups of policies that do not exist, counted at the tick of each minute. */
  asgsGone: 'AsgsGone',
  /** Reads that only improve a decision, and failed. */
  readsMissed: 'ReadsMissed',
  conflicts: 'Conflicts',
  /** Stored items that could not be read in full, counted at each read. */
  unreadableItems: 'UnreadableItems',
  policiesAccepted: 'PoliciesAccepted',
  policiesRejected: 'PoliciesRejected',
  /** Invocations that ended in an error, of the functions outside `watchedByLambda`. */
  functionErrors: 'FunctionErrors',
  /** Groups that could not be converged; their signals come again. */
  groupsFailed: 'GroupsFailed',
  /** The sum of `problemMetrics`. */
  problems: 'Problems',
} as const;

/**
 * Problems that a person looks at without haste. They share one alarm, because AWS charges for each metric that an
 * alarm looks at. Each is counted in its own metric and in `Problems`.
 */
export const problemMetrics: ReadonlySet<string> = new Set([
  metrics.policiesRejected,
  metrics.actionsFailed,
  metrics.asgsGone,
  metrics.poisonMessages,
  metrics.unreadableItems,
  metrics.functionErrors,
]);

type NextDrainStep =
  /**
   * `deregistrationDelayMs`: the longest delay of the batch's target groups, when it is known. `delayOfMs`: when the
   * last member was ordered whose delay is included. `delayMayGrow`: some members were in no target group then, and may
   * come to serve. The state machine passes these to the next call.
   */
  | {
      readonly next: 'begin';
      readonly untilIso: string;
      readonly deregistrationDelayMs?: number;
      readonly delayOfMs?: number;
      readonly delayMayGrow?: true;
    }
  /** `lookAtMs`: when to look at the connections. Present if heartbeats are due before that. */
  | { readonly next: 'check'; readonly untilIso: string; readonly lookAtMs?: number }
  /** `untilIso`: if some members were not taken out of service, the end of the time that they had. */
  | { readonly next: 'end'; readonly untilIso?: string };

type BrokeOff = {
  /** An attempt to take members out of service broke off. It may have done so without a record. */
  readonly brokeOff?: true;
};

/** What a drain function returns to the state machine: the next step, and its time (ISO 8601, for the Wait state). */
export type DrainStep = NextDrainStep & BrokeOff;

/** What the last function of a drain returns to the state machine. */
export type EndStep = BrokeOff &
  (
    | { readonly next: 'over' }
    /** Some members are in service still, and their drain can begin later. */
    | { readonly next: 'begin'; readonly untilIso: string }
    /** It is repeated. `failsSinceMs`: since when AWS could not make a call. `isUntold`: only its event is missing. */
    | { readonly next: 'end'; readonly untilIso: string; readonly failsSinceMs: number; readonly isUntold?: true }
    /** AWS could not carry it out for so long that the drain gives up. The execution fails with this error. */
    | { readonly next: 'fail'; readonly error: string; readonly cause: string }
  );

/**
 * What a function takes as arguments instead of from globals. In Lambda the defaults apply; the sandbox passes its
 * clock, seed and transport. Every bundle exports `handler` for Lambda, and `create`, which takes other surroundings.
 */
export type Surroundings = {
  /** Separates this environment from all others. */
  readonly id: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly now: () => number;
  /** Milliseconds since any moment. It runs on evenly when the clock of `now` is set. */
  readonly elapsedMs: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  /** Merged into the configuration of every SDK client: requestHandler, endpoint, credentials, region. */
  readonly clientConfig: Readonly<Record<string, unknown>>;
  /** Keeps logs and metrics off standard output. */
  readonly quiet?: boolean;
  /** Whether the world's clock ends invocations, so that no timer of the process may. */
  readonly isEndedByWorld?: boolean;
  /** Is told each value of each metric. */
  readonly onMetric?: ((metric: string, value: number) => void) | undefined;
};

export type LambdaContext = {
  readonly awsRequestId: string;
  readonly functionName: string;
  /** What is left until Lambda ends the invocation: its deadline less the time of the environment's own clock. */
  getRemainingTimeInMillis(): number;
};
export type FunctionBundle = {
  readonly handler: (event: unknown, context: LambdaContext) => Promise<unknown>;
  readonly create: (surroundings: Surroundings) => (event: unknown, context: LambdaContext) => Promise<unknown>;
};
