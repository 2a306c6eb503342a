import { type CallKind, heartbeatPatienceMs, type PacedCall } from '../../core/limits/call-pace.ts';
import { troubleOf } from './errors.ts';
import type { Pacer } from './pacer.ts';

/** The part of an SDK client that this needs, whichever service it is for. */
type Client = {
  readonly middlewareStack: {
    add(middleware: never, options: { readonly step: 'initialize'; readonly name: string }): void;
  };
};

/** When commands are of no use any more, by their inputs. */
const uselessFromMs = new WeakMap<object, number>();

/** Lets a command wait for its token until this time at the latest, because it is of no use later. */
export const ofUseUntil = <C extends { readonly input: object }>(command: C, untilMs: number): C => {
  uselessFromMs.set(command.input, untilMs);
  return command;
};

const untilOf = (args: unknown): Pick<PacedCall, 'untilMs'> => {
  const untilMs = uselessFromMs.get((args as { readonly input: object }).input);
  return untilMs === undefined ? {} : { untilMs };
};

type Attempts = { readonly $metadata?: { readonly attempts?: number } };
type Next = (args: unknown) => Promise<{ readonly output: Attempts }>;

/** How long calls of a function wait for their tokens. */
export type Patience = {
  /** Calls that change something. */
  readonly actMs: number;
  /** Reads of Auto Scaling groups for decisions. */
  readonly lookMs: number;
  readonly reads: Exclude<CallKind, 'act'>;
  /** Reads of target groups, which decisions can do without. */
  readonly healthMs: number;
};

const isLook = (command: string): boolean => command.startsWith('Describe');

/** Steps of a drain read hooks only to find out when their heartbeats are due. `react` reads them to find others. */
const isForHeartbeats = (command: string, reads: CallKind): boolean =>
  command.startsWith('RecordLifecycleActionHeartbeat') ||
  (reads !== 'decide' && command.startsWith('DescribeLifecycleHooks'));

/** All actions of Auto Scaling share one bucket, by its documentation. A heartbeat that is late ends its instance. */
export const autoScalingCall =
  ({ actMs, lookMs, reads }: Patience) =>
  (command: string): PacedCall => {
    const act = { bucket: 'autoScaling', kind: 'act' } as const;
    if (isForHeartbeats(command, reads)) return { ...act, patienceMs: heartbeatPatienceMs, isUrgent: true };
    if (isLook(command)) return { bucket: 'autoScaling', kind: reads, patienceMs: lookMs };
    return { ...act, patienceMs: actMs, ...(command.startsWith('LaunchInstances') && { isLaunch: true }) };
  };

/** Only launches of fleets are paced. The bucket of describes is larger, and one describe serves many groups. */
export const ec2Call =
  ({ actMs }: Patience) =>
  (command: string): PacedCall | undefined =>
    command.startsWith('CreateFleet') ? { bucket: 'createFleet', kind: 'act', patienceMs: actMs } : undefined;

export const loadBalancingCall =
  ({ actMs, healthMs }: Patience) =>
  (command: string): PacedCall =>
    isLook(command)
      ? { bucket: 'health', kind: 'look', patienceMs: healthMs }
      : { bucket: 'targets', kind: 'act', patienceMs: actMs };

/** The error that AWS would return, so that the caller tries again later. */
const notNow = ({ bucket }: PacedCall): Error =>
  Object.assign(new Error(`Not called: the account has no token of bucket ${bucket} left for it now.`), {
    name: 'Throttling',
    $fault: 'client',
  });

const further = ({ $metadata }: Attempts): number => Math.max(0, ($metadata?.attempts ?? 1) - 1);

/** Makes calls of a client wait for a token of their bucket. */
export const paced = <C extends Client>(
  client: C,
  callOf: (command: string) => PacedCall | undefined,
  pacer: Pacer,
): C => {
  const middleware =
    (next: Next, { commandName = '' }: { readonly commandName?: string }) =>
    async (args: unknown) => {
      const usual = callOf(commandName);
      if (usual === undefined) return next(args);
      const call = { ...usual, ...untilOf(args) };
      if (!(await pacer.take(call))) throw notNow(call);
      try {
        const result = await next(args);
        pacer.spend(call.bucket, further(result.output));
        return result;
      } catch (error) {
        pacer.spend(call.bucket, further(error as Attempts));
        if (troubleOf(error) === 'throttled') await pacer.throttled(call.bucket);
        throw error;
      }
    };
  client.middlewareStack.add(middleware as never, { step: 'initialize', name: 'paced' });
  return client;
};
