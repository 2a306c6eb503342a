import type { Market } from '../../core/pool/offering.ts';
import type { Timer } from '../clock.ts';
import type { Lagging } from './lagging.ts';
import type { Subnet } from './network.ts';
import type { OfferingRecord } from './offerings.ts';

export type InstanceState = 'pending' | 'running' | 'shutting-down' | 'terminated' | 'stopping' | 'stopped';

export type Tags = Readonly<Record<string, string>>;

/** What a describe shows of an instance that can change. */
export type InstanceView = { readonly state: InstanceState; readonly tags: Tags; readonly reason?: StateReason };

export type StateReason = { readonly Code: string; readonly Message: string };

export type TemplateReference = { readonly id: string; readonly name: string; readonly version: string };

/** The version of a template that a launch uses, and whether it was the default and the latest one then. */
export type LaunchedVersion = TemplateReference & { readonly isDefault: boolean; readonly isLatest: boolean };

export type InstanceRecord = {
  readonly id: string;
  /** Launch order. */
  readonly ordinal: number;
  readonly instanceType: string;
  readonly zone: string;
  readonly subnet: Subnet;
  readonly market: Market;
  readonly offering: OfferingRecord;
  readonly imageId: string;
  readonly template?: LaunchedVersion;
  readonly launchedAtMs: number;
  /** When it was last started, where it was stopped before: its launch time as EC2 shows it (DescribeInstances, LaunchTime). */
  startedAtMs?: number;
  readonly reservationId: string;
  readonly privateIp: string;
  readonly spotRequestId?: string;
  readonly clientToken?: string;
  state: InstanceState;
  tags: Tags;
  reason?: StateReason;
  /** The time since which it answers health checks. */
  bootedAtMs?: number;
  /** What EC2's status checks found. Absent: they are initializing. */
  checks?: 'passed' | 'failed';
  /** The time at which EC2 takes it, if that is decided. */
  takenAtMs?: number;
  takeTimer?: Timer;
  /** Its software answers no health checks, although it has booted. */
  isFailing?: boolean;
  /** Its Auto Scaling group does not let it serve yet: it is warm, or a launch hook holds it. */
  isHeldBack?: boolean;
  /** Termination protection: EC2 ends it for no user. */
  isProtected?: boolean;
  /** Its Auto Scaling group. */
  asg?: string;
  readonly shown: Lagging<InstanceView>;
};

/** Codes as `DescribeInstances` gives them. */
export const stateCodes: Readonly<Record<InstanceState, number>> = {
  pending: 0,
  running: 16,
  'shutting-down': 32,
  terminated: 48,
  stopping: 64,
  stopped: 80,
};

export const isLive = ({ state }: Pick<InstanceRecord, 'state'>): boolean => state === 'pending' || state === 'running';

export const reasons = {
  user: { Code: 'Client.UserInitiatedShutdown', Message: 'Client.UserInitiatedShutdown: User initiated shutdown' },
  retirement: { Code: 'Server.ScheduledStop', Message: 'Server.ScheduledStop: Stopped due to a scheduled retirement' },
  spot: { Code: 'Server.SpotInstanceTermination', Message: 'Server.SpotInstanceTermination: Spot instance termination' },
  failure: { Code: 'Server.InternalError', Message: 'Server.InternalError: Internal error on launch' },
  /** What EC2 gives for an instance that ran: `Server.InternalError` is about launches alone (EC2 API Reference, StateReason). */
  shutdown: { Code: 'Client.InstanceInitiatedShutdown', Message: 'Client.InstanceInitiatedShutdown: Instance initiated shutdown' },
} as const satisfies Record<string, StateReason>;
