import type { Market } from '../../core/pool/offering.ts';
import type { StateReason } from './instance.ts';

/**
 * What happens to instances after their launch: they come up, end before they run, run and never answer health checks, or run on a broken machine, so that
 * EC2's status checks fail too.
 */
export type BootFate = 'well' | 'dies' | 'never-answers' | 'impaired';

/** Instances that a fate is for; what is left out matches all. */
export type BootFilter = {
  readonly instanceType?: string;
  readonly zone?: string;
  readonly market?: Market;
  /** Name of the launch template. */
  readonly template?: string;
  /** Name of the Auto Scaling group that it is launched into. */
  readonly asg?: string;
};

type Launched = {
  readonly instanceType: string;
  readonly zone: string;
  readonly market: Market;
  readonly template?: { readonly name: string };
  readonly asg?: string;
};

type Fated = { readonly fate: BootFate; readonly reason: StateReason };

export type BootFates = {
  /** From now on matching launches have this fate. The fate that was set last counts. `reason`: EC2's code for those that end. */
  set(filter: BootFilter, fate: BootFate, reason?: BootFailure): void;
  of(launched: Launched): Fated;
};

/**
 * Why an instance does not come up (EC2 API Reference, StateReason; kubernetes-sigs/karpenter-provider-aws#1407 for the key). EC2 ends it before it
 * runs; what shuts itself down has run before.
 */
export const bootFailures = {
  'Client.InternalError': 'Client error on launch',
  'Client.InvalidKMSKey.InvalidState': 'The KMS key provided is in an incorrect state',
  'Client.InvalidSnapshot.NotFound': 'The specified snapshot was not found.',
  'Client.VolumeLimitExceeded': 'Volume limit exceeded',
  'Client.InstanceInitiatedShutdown': 'Instance initiated shutdown',
  'Server.InternalError': 'Internal error on launch',
  'Server.InsufficientInstanceCapacity': 'There was insufficient capacity available to satisfy the launch request.',
} as const satisfies Readonly<Record<string, string>>;
export type BootFailure = keyof typeof bootFailures;

const reasonOf = (code: BootFailure): StateReason => ({ Code: code, Message: `${code}: ${bootFailures[code]}` });

const matches = (filter: BootFilter, { instanceType, zone, market, template, asg }: Launched): boolean =>
  (filter.instanceType ?? instanceType) === instanceType &&
  (filter.zone ?? zone) === zone &&
  (filter.market ?? market) === market &&
  (filter.template ?? template?.name) === template?.name &&
  (filter.asg ?? asg) === asg;

/** Launches that EC2 carries out and that do not come up: a broken image, a key without grants. */
export const createBootFates = (): BootFates => {
  const fates: { readonly filter: BootFilter; readonly fated: Fated }[] = [];
  const well: Fated = { fate: 'well', reason: reasonOf('Client.InternalError') };
  return {
    set: (filter, fate, reason = 'Client.InternalError') => void fates.push({ filter, fated: { fate, reason: reasonOf(reason) } }),
    of: (launched) => fates.findLast(({ filter }) => matches(filter, launched))?.fated ?? well,
  };
};
