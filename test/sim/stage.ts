import { ApiError } from '../../sandbox/api.ts';
import { type Sandbox, startSandbox } from '../../sandbox/door.ts';
import type { FaultInput } from '../../sandbox/fault-schema.ts';
import type { InstanceSnapshot } from '../../sandbox/world/world.ts';
import { assemble } from '../../scripts/assemble.ts';
import type { Situation } from './situation.ts';
import { type Watched, watch } from './watch.ts';

/** What users have done by hand, so that it is theirs and need not be put back. */
export type Operated = {
  readonly bounds: Map<string, { readonly min?: number; readonly max?: number }>;
  /** Names of the executions that they stopped. */
  readonly stopped: Set<string>;
};

/** A running simulation, as steps and invariants see it. */
export type Stage = {
  readonly situation: Situation;
  readonly sandbox: Sandbox;
  readonly watched: Watched;
  readonly operated: Operated;
  /** Roles of the functions: the callers whose calls are counted, and that crash. */
  readonly functionRoles: readonly string[];
  readonly groupOf: (instance: string) => string | undefined;
  /** Living members of a group that nobody has announced to take, oldest first. */
  readonly members: (group: string, filter?: { readonly zone?: string; readonly market?: string }) => readonly InstanceSnapshot[];
  /** Faults of calls hit the functions alone: what the user does himself succeeds. */
  readonly addFaults: (faults: readonly FaultInput[]) => void;
  /** A call that the user makes himself. */
  readonly operate: (service: string, operation: string, input: Readonly<Record<string, unknown>>) => Promise<unknown>;
};

let assembly: Promise<string> | undefined;

/** From now on stages run what lies in this directory. */
export const runAssembly = (directory: string): void => {
  assembly = Promise.resolve(directory);
};
const current = (): Promise<string> => {
  assembly ??= assemble();
  return assembly;
};

/** Auto Scaling groups that a policy names. */
export const asgsOf = (policy: Readonly<Record<string, unknown>>): readonly string[] => {
  const pools = Object.values((policy.pools ?? {}) as Record<string, { readonly asg?: string }>);
  return [policy.asg as string | undefined, ...pools.map(({ asg }) => asg)].filter((name) => name !== undefined);
};

const groupFinder = ({ policies }: Situation, { world }: Sandbox): Stage['groupOf'] => {
  const byAsg = new Map(policies.flatMap((policy) => asgsOf(policy).map((asg) => [asg, String(policy.group)] as const)));
  return (instance) => {
    const tags = world.tagsOf(instance) ?? {};
    return tags['holdfast:group']?.split('/')[1] ?? byAsg.get(tags['aws:autoscaling:groupName'] ?? '');
  };
};

const isThrottled = (error: unknown): boolean => error instanceof ApiError && ['Throttling', 'RequestLimitExceeded'].includes(error.code);

/** People share the request tokens of their account with Holdfast: who finds none asks again a second later, as the CLI does. */
const operatorOf = ({ cloud, clock }: Sandbox): Stage['operate'] => {
  const operate: Stage['operate'] = async (service, operation, input) => {
    try {
      return await cloud.call({ service, operation, input: { ...input }, caller: { kind: 'operator' } });
    } catch (error) {
      if (!isThrottled(error)) throw error;
      await clock.sleep(1_000);
      return operate(service, operation, input);
    }
  };
  return operate;
};

/** Starts the synthesized stack in virtual time, in the world of this situation. */
export const openStage = async (situation: Situation, synthesized: string | Promise<string> = current()): Promise<Stage> => {
  const directory = await synthesized;
  const { spec, seed, clockErrorMs = 0 } = situation;
  const sandbox = await startSandbox({ mode: 'simulated', spec, seed, clockErrorMs, assembly: directory });
  const groupOf = groupFinder(situation, sandbox);
  const functionRoles = sandbox.platform.functions.specs.map(({ role }) => role) as [string, ...string[]];
  return {
    situation,
    sandbox,
    watched: watch(sandbox, groupOf),
    operated: { bounds: new Map(), stopped: new Set() },
    functionRoles,
    groupOf,
    members: (group, filter = {}) =>
      sandbox.world
        .snapshot()
        .instances.filter(
          ({ id, state, takenAtMs }) => (state === 'running' || state === 'pending') && takenAtMs === undefined && groupOf(id) === group,
        )
        .filter(({ zone, market }) => (filter.zone ?? zone) === zone && (filter.market ?? market) === market)
        .toSorted((a, b) => a.launchedAtMs - b.launchedAtMs || (a.id < b.id ? -1 : 1)),
    addFaults: (faults) => {
      for (const fault of faults) sandbox.faults.add(fault.on === 'call' ? { ...fault, match: { caller: functionRoles, ...fault.match } } : fault);
    },
    operate: operatorOf(sandbox),
  };
};
