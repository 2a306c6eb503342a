import type { Market } from '../../core/pool/offering.ts';
import type { FaultInput } from '../fault-schema.ts';
import type { LaunchedVersion } from '../world/instance.ts';
import type { WorldSpec } from '../world/spec.ts';
import type { Showing } from './said/shown.ts';
import type { StateMemory } from './said/state-memory.ts';
import type { SaidStatus } from './said/status.ts';
import type { Stored } from './said/stored-items.ts';
import type { SwapFacts } from './said/swap-facts.ts';
import type { Message } from './told/told.ts';

/**
 * What happened in one run, as the world itself knows it: plain data, so that it can be stored, changed by a test and judged again. No event comes from
 * Holdfast's own records, except where a type says so (`stored`, `announced`, `drain`). All times are world time in epoch milliseconds.
 */
export type History = {
  /** A replay line or a scenario's name. */
  readonly name: string;
  readonly seed: number;
  readonly spec: WorldSpec;
  /** Faults that were set, and while they were in force. */
  readonly faults: readonly { readonly fault: FaultInput; readonly fromMs: number; readonly untilMs: number }[];
  /** The largest error of the clocks of functions from the start, in milliseconds. Faults may add to it. */
  readonly clockErrorMs: number;
  readonly beganAtMs: number;
  /** Every group served its first size, and the script began. */
  readonly readyAtMs: number;
  /** The script ended, and faults were removed. */
  readonly calmAtMs: number;
  /** Everything came to rest. Absent: it never did. */
  readonly restAtMs?: number;
  readonly endedAtMs: number;
  /** In the order in which they happened. */
  readonly events: readonly HistoryEvent[];
  readonly stored: Stored;
  /** What the command line printed, moment by moment. Absent: nobody asked it. */
  readonly showings?: readonly Showing[];
};

/** The actor that caused an event. */
export type Actor =
  /** A function of Holdfast by its deployed name, in one invocation. */
  | { readonly kind: 'function'; readonly function: string; readonly invocation: string }
  /** An Auto Scaling group by itself: to hold its desired capacity, to even out its zones, to follow a changed distribution, to replace a member at risk or an unhealthy one, or because a hook timed out. */
  | { readonly kind: 'asg'; readonly asg: string; readonly why: 'size' | 'zones' | 'distribution' | 'risk' | 'health' | 'hook' }
  /** EC2: an announced or a silent interruption. */
  | { readonly kind: 'ec2' }
  /** A person or a script outside Holdfast, by an API call. `as` is its name, if it has one. */
  | { readonly kind: 'user'; readonly as?: string }
  /** The script of the run: an instance that fails. */
  | { readonly kind: 'script' };

type At<Kind extends string, Data> = { readonly kind: Kind; readonly atMs: number } & Data;

export type HistoryEvent =
  | InstanceEvent
  | GroupEvent
  | FunctionEvent
  | OfferingEvent
  | LimitEvent
  | HookEvent
  | SizeEvent
  /**
   * The script did something, by its typed kind: for traces, and for rules that depend on a kind of trouble. `copiedAtMs`: of a state table that is restored,
   * when the copy was made. Absent: the table is emptied.
   */
  | At<
      'step',
      {
        readonly step: string;
        readonly instances: readonly string[];
        readonly groups: readonly string[];
        readonly asgs: readonly string[];
        readonly copiedAtMs?: number;
      }
    >;

/** What an offering can give, and its price: as the run begins, and whenever it changes. */
export type OfferingEvent = At<
  'offering',
  {
    readonly instanceType: string;
    readonly zone: string;
    readonly market: Market;
    readonly capacity: number | null;
    readonly priceUsdPerHour: number;
  }
>;

/** A limit that the script moved: how many instances of a market the account may have (none set: `null`), how many addresses a subnet has left. */
export type LimitEvent =
  | At<'quota', { readonly market: Market; readonly most: number | null }>
  | At<'addresses', { readonly subnet: string; readonly free: number }>;

/** Events in the world of EC2, Auto Scaling and load balancers. */
export type WorldEvent = InstanceEvent | OfferingEvent | LimitEvent | AsgEvent | HookEvent | SizeEvent;

/** Events of an instance. */
export type InstanceEvent =
  | At<
      'launched',
      {
        readonly instance: string;
        readonly instanceType: string;
        readonly zone: string;
        readonly subnet: string;
        readonly market: Market;
        /** Price of the offering at that moment. */
        readonly priceUsdPerHour: number;
        readonly tags: Readonly<Record<string, string>>;
        /** The Auto Scaling group that it was launched into. */
        readonly asg?: string;
        readonly template?: LaunchedVersion;
        readonly by: Actor;
        /** When the call arrived that launched it; absent where no call did. */
        readonly askedAtMs?: number;
      }
    >
  | At<'running' | 'booted', { readonly instance: string }>
  /** EC2's status checks have a result for the first time. */
  | At<'checked', { readonly instance: string; readonly isPassed: boolean }>
  /** Its software stops answering, or answers again. */
  | At<'answering', { readonly instance: string; readonly isOn: boolean }>
  /** It takes requests of this target group (its name): registered and healthy. */
  | At<'in-service', { readonly instance: string; readonly targetGroup: string }>
  /** It takes no new requests of this target group any more; recorded for a deregistration also where it never was in service. */
  | At<
      'out-of-service',
      { readonly instance: string; readonly targetGroup: string; readonly why: 'deregistered' | 'unhealthy' | 'ending'; readonly by: Actor }
    >
  /** The last request of this target group has ended, or its deregistration delay is over. */
  | At<'empty', { readonly instance: string; readonly targetGroup: string }>
  | At<
      'warned',
      { readonly instance: string; readonly takenAtMs: number; readonly action: 'terminate' | 'stop' | 'hibernate'; readonly silent: boolean }
    >
  /** EC2 warned about it, and did not take it. */
  | At<'spared', { readonly instance: string }>
  | At<'advised', { readonly instance: string }>
  /** AWS announced that it will retire it, and when the window begins. */
  | At<'scheduled', { readonly instance: string; readonly startsAtMs: number }>
  /** Its Auto Scaling group ends it and waits in a terminating hook. Each heartbeat that prolongs it repeats the event. */
  | At<'hook-waits', { readonly instance: string; readonly asg: string; readonly hook: string; readonly expiresAtMs: number }>
  | At<
      'hook-over',
      {
        readonly instance: string;
        readonly asg: string;
        readonly hook: string;
        readonly how: 'completed' | 'expired' | 'gone';
        readonly result?: string;
        readonly by: Actor;
      }
    >
  /** `by`: who began its end, also where a hook held it meanwhile. `code`: the reason that EC2 gives for it. */
  | At<'ending', { readonly instance: string; readonly by: Actor; readonly code?: string }>
  | At<'ended', { readonly instance: string; readonly state: 'terminated' | 'stopped' }>
  /**
   * EC2 refused to end it, because its user protects it from termination, or told this to one who asked. Or a function may not end it. Those that the same call of
   * TerminateInstances named besides are requested again.
   */
  | At<'end-refused', { readonly instance: string; readonly by: Actor }>
  | At<'tagged', { readonly instance: string; readonly tags: Readonly<Record<string, string>>; readonly by: Actor }>
  | At<'joined', { readonly instance: string; readonly asg: string; readonly by: Actor }>
  /** `terminating`: its group has begun to end it, and no longer counts it. */
  | At<'left', { readonly instance: string; readonly asg: string; readonly how: 'detached' | 'standby' | 'terminating'; readonly by: Actor }>
  | At<'protection', { readonly instance: string; readonly from: 'scale-in' | 'termination'; readonly isOn: boolean; readonly by: Actor }>;

/** An Auto Scaling group's own numbers: as the run begins (by `user`), and whenever they change. */
export type AsgEvent = At<
  'asg-changed',
  {
    readonly asg: string;
    readonly min: number;
    readonly max: number;
    readonly desired: number;
    readonly suspended: readonly string[];
    /** Settings with which a policy for it is refused. Absent: none. */
    readonly unfit?: readonly ('capacity-rebalancing' | 'warm-pool' | 'weights')[];
    /** What an instance of each type counts towards its sizes. Absent: each counts as one. */
    readonly weights?: Readonly<Record<string, number>>;
    /** It was deleted. */
    readonly isGone?: boolean;
    /** Processes that others resumed. Holdfast may have resumed some before, so the numbers need not have changed. */
    readonly resumed?: readonly string[];
    readonly by: Actor;
  }
>;

/** A terminating hook was put on an Auto Scaling group after its creation, or put again. An instance that waits in it already keeps its time-out. */
export type HookEvent = At<'hook-written', { readonly asg: string; readonly hook: string; readonly timeoutMs: number }>;

/** Others set or changed the desired capacity of an Auto Scaling group, also to the same value. */
export type SizeEvent = At<
  'size-written',
  {
    readonly asg: string;
    /** The desired capacity before and after. */
    readonly found: number;
    readonly size: number;
    /** `set`: a size was named. `moved`: members were added or taken, and the size with them. */
    readonly how: 'set' | 'moved';
    /** Members that it held then: as many of them as the size are wanted from then on. */
    readonly covers: readonly string[];
    readonly by: Actor;
  }
>;

type Document = Readonly<Record<string, unknown>>;

/** Events of groups: their policies and their items. */
export type GroupEvent =
  /** A user wrote (or, without a document, deleted) the policy item. */
  | At<'policy-written', { readonly group: string; readonly document?: Document; readonly digest?: string }>
  /** What is in force from now on; without a document the group is let go. Two versions mean the same if `meaning` is the same. */
  | At<'policy-in-force', { readonly group: string; readonly version?: number; readonly document?: Document; readonly meaning?: string }>
  | AsgEvent
  /** The state item of a group was written, which makes a decision binding. */
  | At<
      'state-written',
      {
        readonly group: string;
        readonly version: number;
        readonly policyVersion: number;
        readonly desired: number;
        /** Id of the latest reservation that it knows. */
        readonly lastReservation?: string;
        /** The latest end of a lease of its reservations. A repeat of a launch writes a later one before it calls EC2. */
        readonly leasedUntilMs?: number;
        readonly bytes: number;
        /** What it remembers. Absent in histories that are not about that. */
        readonly memory?: StateMemory;
        readonly by: Actor;
      }
    >
  /** A function replaced or removed what another writer had stored there, and had not read it. */
  | At<'overwrote', { readonly group: string; readonly item: string; readonly attribute: string; readonly by: Actor }>
  /** A function stored a time at which something happened, and that time had not come yet. `aheadMs`: until it comes. */
  | At<'dated-ahead', { readonly group: string; readonly item: string; readonly field: string; readonly aheadMs: number; readonly by: Actor }>
  /** A function newly stored, of something that it did or found, a time long before the write. */
  | At<'dated-behind', { readonly group: string; readonly item: string; readonly field: string; readonly saidMs: number; readonly by: Actor }>
  /** The state item of a group was deleted. */
  | At<'state-deleted', { readonly group: string; readonly by: Actor }>
  /** Another item was written whose size counts: a swap, a decision, a policy. */
  | At<
      'item-written',
      {
        readonly table: 'groups' | 'state';
        readonly group: string;
        readonly item: string;
        readonly bytes: number;
        /** When DynamoDB removes it. `never`: it names no time. Absent in histories that are not about that. */
        readonly expiresAtMs?: number | 'never';
        readonly by: Actor;
        /** Of a swap, why and by which drain its instance leaves; and what it says of the instance, where it is recorded. */
        readonly swap?: { readonly reason: string; readonly state: string; readonly drain?: string; readonly facts?: SwapFacts };
        /** Of a request that is stored before it is made, what it requests. */
        readonly request?: { readonly pool: string; readonly count: number };
        /** For the status of a policy. */
        readonly status?: SaidStatus;
      }
    >;

/** The messages and actions of Holdfast's functions. */
export type FunctionEvent =
  /** A message reached an invocation. */
  | At<'delivered', Message & { readonly invocation: string; readonly function: string }>
  /** `drain`: the drain of whose workflow it is a step. */
  | At<'invocation-began', { readonly invocation: string; readonly function: string; readonly drain?: string }>
  | At<
      'invocation-ended',
      {
        readonly invocation: string;
        readonly function: string;
        readonly startedAtMs: number;
        readonly timeoutMs: number;
        /** Absent: it ended well. */
        readonly error?: { readonly type: string; readonly message: string };
        /** Messages that it gave back. */
        readonly again: readonly string[];
        /** A fault was injected into it: a call of it was refused, lost, delayed or killed, or its clock was moved. */
        readonly injected: boolean;
        readonly drain?: string;
        /** What it added to each metric. Absent: nothing. */
        readonly counted?: Readonly<Record<string, number>>;
      }
    >
  /** A call of a function, at the time of its response (or when none came). */
  | At<
      'called',
      {
        readonly invocation: string;
        readonly function: string;
        readonly service: string;
        readonly operation: string;
        readonly askedAtMs: number;
        /** `ok`, an error code, `lost` or `crashed`. */
        readonly outcome: string;
        /** The outcome is a fault that was set, or a throttle by the account's buckets. */
        readonly trouble?: 'fault' | 'bucket';
        /** Whether the service applied it, even if the caller received an error or no response. */
        readonly applied: boolean;
        readonly isMutating: boolean;
        /**
         * What a call that launches requested: `CreateFleet` names its group and its pool by tag, `LaunchInstances` its Auto Scaling group. A repeat of
         * the request has the same token.
         */
        readonly launch?: { readonly group?: string; readonly pool?: string; readonly asg?: string; readonly count: number; readonly token?: string };
        /** The group whose launch a dry run tries. */
        readonly tries?: string;
        /** The partition of a table that a `Query` named. */
        readonly partition?: string;
        /** Instances that a call to the load balancer was to take out of service, and of which target group. */
        readonly takesOut?: readonly string[];
        readonly takesOutOf?: string;
        /** Instances that a call was to put into an Auto Scaling group or a target group. */
        readonly putsIn?: readonly string[];
        /** Instances that a call was to tag. */
        readonly tags?: readonly string[];
        /** The drain whose workflow a call was to start. */
        readonly starts?: string;
        /** Processes of an Auto Scaling group that a call was to suspend or to resume. */
        readonly processes?: { readonly asg: string; readonly names: readonly string[] };
      }
    >
  /** EC2 itself refused an offering to a call that launches. Faults and throttles are not refusals. */
  | At<
      'refused',
      {
        readonly invocation: string;
        readonly group?: string;
        readonly asg?: string;
        readonly instanceType: string;
        readonly zone: string;
        /** The subnet that was requested, where the answer names it. */
        readonly subnet?: string;
        readonly market: Market;
        readonly code: string;
        /** The same response gave all that was requested, and a part of it of this offering. Absent where a fleet names a full subnet. */
        readonly isBesideWhole?: true;
        /** The token of the request. One response may refuse an offering for each of its subnets. */
        readonly token?: string;
      }
    >
  /** `invocation`: who sent it. Absent in histories that are not about that. */
  | At<'announced', { readonly detailType: string; readonly detail: Readonly<Record<string, unknown>>; readonly invocation?: string }>
  /** `instances`: those whose swaps named it until then. */
  | At<
      'drain',
      {
        readonly drain: string;
        readonly group: string;
        readonly instances: readonly string[];
        readonly status: 'started' | 'succeeded' | 'failed' | 'aborted' | 'timed-out';
      }
    >;
