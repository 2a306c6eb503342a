import { items } from '../core/contract.ts';
import { isMutating } from '../sandbox/call-log.ts';
import type { Sandbox } from '../sandbox/door.ts';
import { itemBytes } from '../sandbox/platform/tables/item-size.ts';
import type { WorldSpec } from '../sandbox/world/spec.ts';
import { requestedShare } from './many-figures.ts';
import { type HoldingName, type PlacedGroup, stormTiming, worldOf } from './storm-world.ts';

/** The actions of Holdfast from one event until the group is complete again. */
export type Phase = {
  readonly what: string;
  /** The time from the event to the launch calls that got the first and the last of the wanted instances. */
  readonly firstRequestedMs: number | null;
  readonly lastRequestedMs: number | null;
  /** From the policy until as many members serve as it wants. Null: not within the phase. */
  readonly servingMs?: number | null;
  readonly seconds: number;
  readonly requested: number;
  /** Of what the bucket of launched instances allowed, the least share that was requested at any time of the phase. Null: it was too short, or wanted nothing. */
  readonly shareOfBucket: number;
  /** Calls to EC2, Auto Scaling and Elastic Load Balancing by operation and function, and how many of them were throttled. */
  readonly calls: Readonly<Record<string, number>>;
  readonly throttled: number;
  readonly reads: number;
  readonly mutating: number;
  readonly instancesRead: number;
  readonly largestStateItem: number;
  readonly largestItem: readonly [item: string, bytes: number];
  readonly largestOrder: number;
  readonly largestEvent: number;
  readonly longestMs: Readonly<Record<string, number>>;
  readonly failed: number;
};

export type LargeFigures = {
  readonly members: number;
  readonly held: HoldingName;
  readonly zones: number;
  readonly stateItem: string;
  readonly phases: readonly Phase[];
  readonly wallMs: number;
};

/** A page of 1,000 instances costs half a second to read. */
export const largeWorld = (groups: readonly PlacedGroup[]): WorldSpec => ({
  ...worldOf(groups, { ...stormTiming, latencyPerInstanceMs: { 'ec2:DescribeInstances': 0.5 } }),
});

const services = ['ec2', 'autoscaling', 'elasticloadbalancing'];
const launches = ['CreateFleet', 'LaunchInstances'];

type Listed = {
  readonly Reservations?: readonly { readonly Instances?: readonly unknown[] }[];
  readonly Instances?: readonly { readonly InstanceIds?: readonly string[] }[];
};

const givenBy = (output: unknown): number =>
  ((output as Listed | undefined)?.Instances ?? []).reduce((sum, { InstanceIds = [] }) => sum + InstanceIds.length, 0);
const readBy = (output: unknown): number =>
  ((output as Listed | undefined)?.Reservations ?? []).reduce((sum, { Instances = [] }) => sum + Instances.length, 0);

const nothing = (atMs: number) => ({
  atMs,
  given: [] as { readonly atMs: number; readonly count: number }[],
  calls: {} as Record<string, number>,
  throttled: 0,
  reads: 0,
  mutating: 0,
  instancesRead: 0,
  largestStateItem: 0,
  largestItem: ['', 0] as readonly [string, number],
  largestOrder: 0,
  largestEvent: 0,
  longestMs: {} as Record<string, number>,
  failed: 0,
});
type Seen = ReturnType<typeof nothing>;

const short = (functionName: string): string => functionName.replace(/^[^-]*-/, '');

/** When the launch calls had got this many. */
const requestedAt = ({ given, atMs }: Seen, wanted: number): number | null => {
  let sum = 0;
  for (const call of given) {
    sum += call.count;
    if (sum >= wanted && wanted > 0) return call.atMs - atMs;
  }
  return null;
};

const watchSizes = ({ platform, callLog }: Sandbox, seen: () => Seen): void => {
  platform.tables.observe(({ after }) => {
    if (after === undefined) return;
    const bytes = itemBytes(after);
    const item = String((after.item as { readonly S?: string } | undefined)?.S ?? '');
    const now = seen();
    if (item === items.state) now.largestStateItem = Math.max(now.largestStateItem, bytes);
    if (bytes > now.largestItem[1]) now.largestItem = [item, bytes];
  });
  callLog.observe((call, { input }) => {
    const now = seen();
    if (call.operation === 'StartExecution') now.largestOrder = Math.max(now.largestOrder, String(input.input).length);
    if (call.operation === 'PutEvents') now.largestEvent = Math.max(now.largestEvent, JSON.stringify(input.Entries).length);
  });
};

/** A need whose only limit is the bucket of launched instances. */
const needOf = (instances: number) => ({ fleetCalls: 0, asgCalls: 0, instances, fixedMs: 0 });

const isHealthy = ({ targets }: { readonly targets: Readonly<Record<string, string>> }): boolean => Object.values(targets).includes('healthy');

/** The members that pass their health checks. */
export const serving = ({ world }: Pick<Sandbox, 'world'>): number => world.snapshot().instances.filter(isHealthy).length;

const lookEveryMs = 2_000;
const progressEveryMs = 600_000;
/** The longest phase: six hours are 44,200 launched instances. */
const longestMs = 6 * 3_600_000;

/** Is told how far a long phase is. */
export type Progress = (line: string) => void;

/**
 * Waits until so many members serve.
 *
 * @param progress is told the number that serves every ten minutes of world time
 * @throws Error if it takes longer than `withinMs` of world time
 */
export const untilServing = async (
  sandbox: Pick<Sandbox, 'world' | 'clock'>,
  wanted: number,
  { withinMs = longestMs, progress = () => {} }: { readonly withinMs?: number; readonly progress?: Progress } = {},
): Promise<void> => {
  const { clock } = sandbox;
  const [beganAtMs, realMs] = [clock.now(), performance.now()];
  let nextMs = beganAtMs + progressEveryMs;
  for (let there = serving(sandbox); there < wanted; there = serving(sandbox)) {
    const sinceMs = clock.now() - beganAtMs;
    if (sinceMs > withinMs) throw new Error(`The groups cannot be measured: after ${withinMs / 1_000} s, ${there} of ${wanted} members serve.`);
    if (clock.now() >= nextMs) {
      nextMs += progressEveryMs;
      const realS = Math.round((performance.now() - realMs) / 1_000);
      progress(`after ${Math.round(sinceMs / 1_000)} s, ${there} of ${wanted} members serve (played in ${realS} s)`);
    }
    await clock.sleep(lookEveryMs);
  }
};

/** Notes what functions do, phase by phase. */
export const watchLarge = (sandbox: Sandbox) => {
  const { callLog, clock, platform } = sandbox;
  let seen = nothing(clock.now());
  watchSizes(sandbox, () => seen);
  callLog.observe((call, { output }) => {
    if (call.invocation === undefined || !services.includes(call.service)) return;
    const name = `${call.operation} by ${short(call.invocation.functionName)}`;
    seen.calls[name] = (seen.calls[name] ?? 0) + 1;
    if (call.trouble === 'bucket') seen.throttled += 1;
    if (isMutating(call.operation)) seen.mutating += 1;
    else seen.reads += 1;
    seen.instancesRead += readBy(output);
    if (launches.includes(call.operation)) seen.given.push({ atMs: call.atMs, count: givenBy(output) });
  });
  platform.functions.observe((record) => {
    const name = short(record.functionName);
    seen.longestMs[name] = Math.max(seen.longestMs[name] ?? 0, record.endedAtMs - record.beganAtMs);
    if (record.result.kind !== 'ok') seen.failed += 1;
  });
  return {
    given: (): number => seen.given.reduce((sum, { count }) => sum + count, 0),
    /** Ends a phase, which got so many instances, and begins the next. */
    end: (what: string, wanted: number): Phase => {
      const { atMs, given, ...rest } = seen;
      const phase = {
        what,
        firstRequestedMs: requestedAt(seen, Math.min(1, wanted)),
        lastRequestedMs: requestedAt(seen, wanted),
        seconds: (clock.now() - atMs) / 1_000,
        requested: given.reduce((sum, { count }) => sum + count, 0),
        shareOfBucket: requestedShare(
          given.flatMap((call) => Array.from({ length: call.count }, () => call.atMs - atMs)),
          needOf(wanted),
          clock.now() - atMs,
        ),
        ...rest,
      };
      seen = nothing(clock.now());
      return phase;
    },
  };
};
