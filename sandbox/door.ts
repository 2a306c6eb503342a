import type { IncomingMessage, ServerResponse } from 'node:http';
import { env, items } from '../core/contract.ts';
import type { BusEvent, Place } from './api.ts';
import type { WorldClock } from './clock.ts';
import type { Cloud } from './cloud.ts';
import type { FaultInput } from './fault-schema.ts';
import { type Built, build } from './platform/build.ts';
import type { InvocationRecord } from './platform/functions/invocation.ts';
import { liveMachinery, type Machinery, simulatedMachinery } from './platform/machinery.ts';
import type { Platform } from './platform/platform.ts';
import type { Execution } from './platform/states/execution.ts';
import { fromItem, toItem } from './platform/tables/plain-items.ts';
import { type Assembly, readAssembly } from './platform/template/assembly.ts';
import type { RunEnd, RunLimit } from './platform/virtual-clock.ts';
import { loadSchemas } from './wire/schemas.ts';
import type { WorldSpec } from './world/spec.ts';

export type SandboxOptions = {
  /** `live`: HTTP on loopback, functions in worker threads, wall time times `speed`. `simulated`: all in this process, in virtual time. */
  readonly mode: 'live' | 'simulated';
  readonly spec: WorldSpec;
  /** Directory of a synthesized app. Without it, the app is bundled and synthesized, unless that was done before. */
  readonly assembly?: string;
  /** The stack's name, where the assembly holds several. */
  readonly name?: string;
  /** Documents written into the groups table at the start. */
  readonly policies?: readonly Readonly<Record<string, unknown>>[];
  readonly faults?: readonly FaultInput[];
  readonly seed?: number;
  /** The largest error of the clocks of functions, in milliseconds. Each environment draws its own; simulated only. */
  readonly clockErrorMs?: number;
  /** Each value that a function adds to a metric; simulated only. */
  readonly onMetric?: (metric: string, value: number) => void;
  /** Whether requests and responses of functions are serialized as on the wire. That takes most of the time; simulated only. */
  readonly writes?: boolean;
  /** World seconds per wall second; live only. */
  readonly speed?: number;
  /** Live only; 0 or nothing takes any free port. */
  readonly port?: number;
  /** World time at the beginning, epoch milliseconds. Live: now; simulated: the first moment of 2026. */
  readonly startMs?: number;
  /** Called before anything runs, so that observers see everything. */
  readonly onBuilt?: (sandbox: Sandbox) => void;
  /** Handles requests under `/_sandbox/`; live only. */
  readonly control?: (sandbox: Sandbox) => (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;
  /** What functions write to their output; live only. */
  readonly onLog?: (functionName: string, text: string) => void;
  /** An error of the sandbox itself; live only. By default it ends the process. */
  readonly onError?: (error: unknown) => void;
};

export type EventInput = {
  readonly source: string;
  readonly 'detail-type': string;
  readonly detail: Readonly<Record<string, unknown>>;
  readonly resources?: readonly string[];
};

/** The deployed stack on one machine, with the world around it. */
export type Sandbox = Built & {
  readonly mode: SandboxOptions['mode'];
  /** Where SDK clients, the AWS CLI and boto3 find it; live only. */
  readonly url?: string;
  readonly place: Place;
  readonly clock: WorldClock;
  setFaults(faults: readonly FaultInput[]): void;
  /** Writes a document into the groups table, as an operator would. */
  putPolicy(document: Readonly<Record<string, unknown>>): Promise<void>;
  /** Puts an event on the bus as an AWS service does: best effort, faults may hit it. */
  emitEvent(event: EventInput): void;
  /** Puts an event on the bus without change. Faults do not affect it. */
  putEvent(event: EventInput & Partial<BusEvent>): void;
  /** Every item of a table, in plain values. */
  items(table: 'groups' | 'state'): Promise<readonly Record<string, unknown>[]>;
  executions(): readonly Execution[];
  /** The newest calls of functions that have ended, oldest first. */
  invocations(): readonly InvocationRecord[];
  /** Messages in all dead-letter queues. */
  deadLetters(): number;
  /** Lets virtual time run. Rejects in a live sandbox, whose time runs by itself. */
  run(limit?: RunLimit): Promise<RunEnd>;
  /** Lets time run until the work is done. On the wall clock it runs by itself. */
  drive<T>(work: Promise<T>): Promise<T>;
  close(): Promise<void>;
};

/** A sandbox that runs for days must not grow without end. */
const keptInvocations = 20_000;
const simulatedStartMs = Date.UTC(2026, 0, 1);

/** The region that the zones lie in. */
const placeOf = ({ zones }: WorldSpec): Place => ({
  accountId: '123456789012',
  region: /^([a-z]+(?:-[a-z]+)+-\d)[a-z]$/.exec(zones[0] ?? '')?.[1] ?? 'eu-west-1',
});

/** Returns the value when it is built. The server starts to listen before that. */
const later = <T>() => {
  let part: T | undefined;
  return {
    set: (value: T): void => {
      part = value;
    },
    get: (): T => {
      if (part === undefined) throw new Error('The sandbox is still starting: try again in a second.');
      return part;
    },
  };
};

const assemblyOf = async ({ assembly, name }: SandboxOptions): Promise<Assembly> => {
  if (assembly !== undefined) return readAssembly(assembly, name);
  const { assemble } = await import('../assembly/assemble.ts');
  return readAssembly(await assemble(), name);
};

/** The physical name of a table, as the functions' environment variables give it. */
const tableName = ({ functions }: Platform, table: 'groups' | 'state'): string => {
  const variable = table === 'groups' ? env.groupsTable : env.stateTable;
  const name = functions.specs.map(({ variables }) => variables[variable]).find((value) => value !== undefined);
  if (name === undefined) throw new Error(`No function of the stack is told the name of the ${table} table (${variable}).`);
  return name;
};

const setFaults = ({ faults }: Built, wanted: readonly FaultInput[]): void => {
  faults.clear();
  for (const fault of wanted) faults.add(fault);
};

const putPolicy = async ({ cloud, platform }: Built, document: Readonly<Record<string, unknown>>): Promise<void> => {
  const Item = toItem({ group: document.group, item: items.policy, policy: document });
  await cloud.call({
    service: 'dynamodb',
    operation: 'PutItem',
    input: { TableName: tableName(platform, 'groups'), Item },
    caller: { kind: 'operator' },
  });
};

const deadLetters = ({ platform: { queues } }: Built): number => {
  const arns = new Set(queues.map(({ redrive }) => redrive?.deadLetterArn));
  return queues.filter(({ arn, name }) => arns.has(arn) || name.endsWith('-dlq')).reduce((sum, queue) => sum + queue.messages().length, 0);
};

const furnish = (built: Built, machinery: Machinery, mode: SandboxOptions['mode'], place: Place): Sandbox => {
  const invocations: InvocationRecord[] = [];
  built.platform.functions.observe((record) => {
    invocations.push(record);
    if (invocations.length >= 2 * keptInvocations) invocations.splice(0, keptInvocations);
  });
  const { bus, functions, machines, tables } = built.platform;
  return {
    ...built,
    mode,
    place,
    clock: machinery.clock,
    ...(machinery.url && { url: machinery.url }),
    setFaults: (faults) => setFaults(built, faults),
    putPolicy: (document) => putPolicy(built, document),
    emitEvent: (event) => bus.emit({ resources: [], ...event }),
    putEvent: bus.put,
    items: async (table) => (await tables.scan(tableName(built.platform, table))).map(fromItem),
    executions: machines.executions,
    invocations: () => invocations,
    deadLetters: () => deadLetters(built),
    run: machinery.run,
    drive: machinery.drive,
    close: async () => {
      functions.close();
      await machinery.stop();
    },
  };
};

/**
 * Runs the synthesized stack on this machine, in a world that the spec describes.
 * @throws if the template has something that the sandbox does not know, or that AWS would refuse. The error names it.
 */
export const startSandbox = async (options: SandboxOptions): Promise<Sandbox> => {
  const { mode, spec, seed = 1, startMs } = options;
  const place = placeOf(spec);
  const assembly = await assemblyOf(options);
  const front = later<Cloud>();
  const self = later<Sandbox>();
  const cloud: Pick<Cloud, 'handleHttp' | 'handleValues'> = {
    handleHttp: (...request) => front.get().handleHttp(...request),
    handleValues: (...request) => front.get().handleValues(...request),
  };
  const control = options.control && ((...exchange: [IncomingMessage, ServerResponse]) => options.control?.(self.get())(...exchange));
  const { region } = place;
  if (mode !== 'live') await loadSchemas();
  const machinery =
    mode === 'live'
      ? await liveMachinery({ ...options, region, cloud, control })
      : simulatedMachinery({
          region,
          cloud,
          seed,
          clockErrorMs: options.clockErrorMs,
          onMetric: options.onMetric,
          writes: options.writes,
          startMs: startMs ?? simulatedStartMs,
        });
  try {
    const built = await build({ assembly, machinery, spec, place, seed });
    front.set(built.cloud);
    const sandbox = furnish(built, machinery, mode, place);
    self.set(sandbox);
    options.onBuilt?.(sandbox);
    setFaults(built, options.faults ?? []);
    for (const policy of options.policies ?? []) await machinery.drive(sandbox.putPolicy(policy));
    return sandbox;
  } catch (error) {
    await machinery.stop();
    throw error;
  }
};

// biome-ignore lint/performance/noBarrelFile: the door is the one file of the sandbox that others may import, so it names what they need.
export { createControlDoor } from './control/control-door.ts';
export type { Glance } from './scenario/glance.ts';
export { type Progress, playScenario } from './scenario/play.ts';
export { readOpenWorld, readScenario } from './scenario/read-scenario.ts';
export type { InterruptionRow, ObservedRow, Report } from './scenario/report.ts';
export type { Scenario } from './scenario/scenario-schema.ts';
export { toWorldSpec } from './scenario/to-world-spec.ts';
