import { assemble } from '../../assembly/assemble.ts';
import { env, items } from '../../core/contract.ts';
import { ApiError } from '../../sandbox/api.ts';
import { type Sandbox, startSandbox } from '../../sandbox/door.ts';
import type { FaultInput } from '../../sandbox/fault-schema.ts';
import { type Recorder, record } from '../../sandbox/judge/record.ts';
import { toItem } from '../../sandbox/platform/tables/plain-items.ts';
import { withArns } from '../../sandbox/scenario/perform.ts';
import type { InstanceSnapshot } from '../../sandbox/world/world.ts';
import type { Situation } from './situation.ts';
import type { Deed, StepKind } from './step-kind.ts';
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
  /** Records the run from its beginning. */
  readonly recorder: Recorder;
  readonly operated: Operated;
  /** What the script has done so far, in its order. */
  readonly deeds: readonly Deed[];
  /** Notes what a step does now, and to whom: the world does not know who a failing instance or an event came from. */
  readonly did: (deed: Pick<Deed, 'kind'> & Partial<Omit<Deed, 'atMs'>>) => void;
  /** Roles of the functions: the callers whose calls are counted, and that crash. */
  readonly functionRoles: readonly string[];
  readonly groupOf: (instance: string) => string | undefined;
  /** Learns which Auto Scaling groups the policies in force name. */
  readonly settle: (inForce: ReadonlyMap<string, Readonly<Record<string, unknown>>>) => void;
  /** Whether the user has a policy for this group: what was let go need not come to rest. */
  readonly isKept: (group: string) => boolean;
  /** Living members of a group that nobody has announced to take, oldest first. */
  readonly members: (group: string, filter?: { readonly zone?: string; readonly market?: string }) => readonly InstanceSnapshot[];
  /** Faults of calls hit the functions alone: what the user does himself succeeds. */
  readonly addFaults: (faults: readonly FaultInput[]) => void;
  /** Writes a policy as the user does; ${targetGroup:NAME} in it becomes the ARN. From then on what it names is its group's. */
  readonly putPolicy: (document: Readonly<Record<string, unknown>>) => Promise<void>;
  /** Deletes a policy as the user does. What it named stays known as its group's. */
  readonly deletePolicy: (group: string) => Promise<void>;
  /** The same, where AWS may refuse what the user wants: then the user lets it be. Returns nothing then. */
  readonly attempt: Stage['operate'];
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

/** Instances that such a step names end by it. */
const endings: ReadonlySet<StepKind> = new Set(['died', 'ended-by-user', 'ended-through-asg', 'replaced-through-asg']);

const deedsOf = ({ clock }: Sandbox, watched: Watched, recorder: Recorder): Pick<Stage, 'deeds' | 'did'> => {
  const deeds: Deed[] = [];
  return {
    deeds,
    did: ({ kind, instances = [], groups = [], asgs = [], copiedAtMs }) => {
      const whom = { instances, groups, asgs, ...(copiedAtMs !== undefined && { copiedAtMs }) };
      deeds.push({ kind, atMs: clock.now(), ...whom });
      recorder.step({ step: kind, ...whom });
      if (endings.has(kind)) for (const instance of instances) watched.endedByScript(instance);
    },
  };
};

/**
 * Whose an instance is. An Auto Scaling group belongs to the group whose policy names it, and stays that group's until another one may take it, or
 * until its group is let go and comes back without it; its members are that group's too, whatever their tags say. Another one may take it once its
 * group is let go, or names it no longer and has nobody in it.
 */
export const groupFinder = ({ world }: { readonly world: Pick<Sandbox['world'], 'tagsOf' | 'snapshot'> }) => {
  const byAsg = new Map<string, string>();
  const named = new Map<string, readonly string[]>();
  /** What the last policy of each group names, also what another group holds. */
  const wanted = new Map<string, readonly string[]>();
  const isEmpty = (asg: string): boolean => !world.snapshot().autoScalingGroups.some(({ name, instances }) => name === asg && instances.length > 0);
  const isFree = (asg: string, group: string): boolean => {
    const owner = byAsg.get(asg);
    if (owner === undefined || owner === group) return true;
    const names = named.get(owner);
    return names === undefined || (!names.includes(asg) && isEmpty(asg));
  };
  const groupOf: Stage['groupOf'] = (instance) => {
    const tags = world.tagsOf(instance) ?? {};
    const asg = tags['aws:autoscaling:groupName'];
    const holder = byAsg.get(asg ?? '');
    const tagged = tags['holdfast:group']?.split('/')[1];
    if (holder !== undefined || asg === undefined || tagged === undefined) return holder ?? tagged;
    return (named.get(tagged) ?? []).length > 0 ? undefined : tagged;
  };
  return {
    groupOf,
    learn: (policy: Readonly<Record<string, unknown>>, isTakenUp = false): void => {
      const group = String(policy.group);
      if (isTakenUp && policy.pools !== undefined) for (const [asg, owner] of byAsg) if (owner === group) byAsg.delete(asg);
      const free = asgsOf(policy).filter((asg) => isFree(asg, group));
      wanted.set(group, asgsOf(policy));
      for (const asg of free) byAsg.set(asg, group);
      // What is no policy at all is rejected, and changes nothing.
      if (policy.pools !== undefined) named.set(group, free);
    },
    /** An Auto Scaling group that a policy in force names is its group's, in whatever order the user's writes met each other. */
    settle: (inForce: ReadonlyMap<string, Readonly<Record<string, unknown>>>): void => {
      for (const [group, policy] of inForce) for (const asg of asgsOf(policy)) byAsg.set(asg, group);
    },
    /** Its policy is deleted: a group that waited for an Auto Scaling group of it gets that one. */
    forget: (group: string): void => {
      named.delete(group);
      wanted.delete(group);
      for (const [asg, owner] of byAsg) {
        const heir = owner === group ? [...wanted].find(([, asgs]) => asgs.includes(asg)) : undefined;
        if (heir !== undefined) byAsg.set(asg, heir[0]);
      }
    },
    isKept: (group: string): boolean => named.has(group),
  };
};

const deletePolicy = async ({ platform }: Sandbox, operate: Stage['operate'], group: string): Promise<void> => {
  const { variables } = platform.functions.specs.find((spec) => spec.variables[env.groupsTable] !== undefined) ?? {};
  await operate('dynamodb', 'DeleteItem', { TableName: variables?.[env.groupsTable], Key: toItem({ group, item: items.policy }) });
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

/** What is no longer so when the call arrives: the size has changed, the member has left, the instance is gone or protected. */
const refusals: ReadonlySet<string> = new Set([
  'ValidationError',
  'ScalingActivityInProgress',
  'ResourceInUse',
  'OperationNotPermitted',
  'UnsupportedOperation',
  'InvalidInstanceID.NotFound',
  'IncorrectInstanceState',
]);

const attemptOf =
  (operate: Stage['operate']): Stage['operate'] =>
  async (...call) => {
    try {
      return await operate(...call);
    } catch (error) {
      if (error instanceof ApiError && refusals.has(error.code)) return undefined;
      throw error;
    }
  };

/** Starts the synthesized stack in virtual time, in the world of this situation. */
export const openStage = async (situation: Situation, synthesized: string | Promise<string> = current()): Promise<Stage> => {
  const directory = await synthesized;
  const { name, spec, seed, clockErrorMs = 0, writes = false } = situation;
  const sandbox = await startSandbox({ mode: 'simulated', spec, seed, clockErrorMs, writes, assembly: directory });
  const recorder = record(sandbox, { name, seed, spec, clockErrorMs });
  const { groupOf, learn, forget, isKept, settle } = groupFinder(sandbox);
  const operate = operatorOf(sandbox);
  for (const policy of situation.policies) learn(policy);
  const watched = watch(sandbox, groupOf);
  const functionRoles = sandbox.platform.functions.specs.map(({ role }) => role) as [string, ...string[]];
  return {
    situation,
    sandbox,
    watched,
    recorder,
    operated: { bounds: new Map(), stopped: new Set() },
    ...deedsOf(sandbox, watched, recorder),
    functionRoles,
    groupOf,
    isKept,
    settle,
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
    putPolicy: async (document) => {
      const inForce = (await sandbox.items('groups')).some(({ group, item }) => group === document.group && item === items.accepted);
      await sandbox.putPolicy(withArns(sandbox as never, document));
      learn(document, !inForce);
    },
    deletePolicy: async (group) => {
      await deletePolicy(sandbox, operate, group);
      forget(group);
    },
    operate,
    attempt: attemptOf(operate),
  };
};
