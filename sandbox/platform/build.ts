import { type Acting, createActing } from '../acting.ts';
import type { Place } from '../api.ts';
import { type CallLog, createCallLog } from '../call-log.ts';
import { type Cloud, createCloud } from '../cloud.ts';
import { createFaults, type Faults } from '../faults.ts';
import { type Authoriser, createAuthoriser } from '../iam/authoriser.ts';
import { evaluate } from '../iam/evaluate.ts';
import { parseStatements, type Statement } from '../iam/statement.ts';
import { forkRandom } from '../random.ts';
import { createPublishedThrottle } from '../throttle/published-buckets.ts';
import { createWorld } from '../world/create-world.ts';
import type { WorldSpec } from '../world/spec.ts';
import type { World } from '../world/world.ts';
import type { Machinery } from './machinery.ts';
import { createPlatform, measuredPace, ownPace, type Platform } from './platform.ts';
import { pollerNeeds } from './poller-rights.ts';
import type { Assembly } from './template/assembly.ts';
import { resolveStack, type Stack } from './template/stack.ts';

export type BuildOptions = {
  readonly assembly: Assembly;
  readonly machinery: Machinery;
  readonly spec: WorldSpec;
  readonly place: Place;
  readonly seed: number;
};

/** The parts of a sandbox, wired to each other. */
export type Built = {
  readonly cloud: Cloud;
  readonly platform: Platform;
  readonly world: World;
  readonly faults: Faults;
  readonly callLog: CallLog;
  readonly rights: Authoriser;
  /** The actor of what happens now. */
  readonly acting: Acting;
};

type PoliciesByRole = Readonly<Record<string, readonly Statement[]>>;

const policiesByRoleOf = ({ roles }: Platform): PoliciesByRole =>
  Object.fromEntries(roles.names.map((role) => [role, parseStatements(roles.policiesOf(role).flatMap(({ statements }) => statements))]));

/** Lambda creates no event source mapping whose function may not read the source. */
const refuseBlindPollers = (stack: Stack, policiesByRole: PoliciesByRole): void => {
  for (const { mapping, role, action, resource } of pollerNeeds(stack)) {
    const { kind } = evaluate(policiesByRole[role] ?? [], { action, resource, context: {} });
    if (kind !== 'allowed') throw new Error(`Event source mapping ${mapping} cannot work: role ${role} does not allow ${action} on ${resource}.`);
  }
};

/** Lifecycle hooks that name a queue send to it directly, without the bus. */
const toQueue =
  ({ queues }: Platform) =>
  (targetArn: string, message: Readonly<Record<string, unknown>>): void => {
    const queue = queues.find(({ arn }) => arn === targetArn);
    if (queue === undefined) throw new Error(`A lifecycle hook notifies ${targetArn}, which is no queue of the stack.`);
    queue.send(JSON.stringify(message));
  };

/** Puts the stack, the world around it and the front of the cloud together. */
export const build = async ({ assembly, machinery, spec, place, seed }: BuildOptions): Promise<Built> => {
  const { clock, url } = machinery;
  const faults = createFaults({ random: forkRandom(seed, 'faults'), clock });
  const callLog = createCallLog({ clock });
  const late: { cloud?: Cloud } = {};
  const stack = resolveStack(assembly.template, { name: assembly.stackName, place, ...(url && { queueOrigin: url }) });
  const acting = createActing();
  const platform = createPlatform({
    clock,
    acting,
    seed,
    place,
    stack,
    assetDirectory: assembly.assetDirectory,
    start: (spec, id) =>
      machinery.start(spec, id, (wrongByMs) => {
        const nextMs = faults.onClock(spec.role, wrongByMs);
        if (nextMs !== 0) platform.functions.noteFault(id);
        return nextMs;
      }),
    pace: url === undefined ? measuredPace : ownPace,
    fate: faults.onEvent,
    messageFate: faults.onMessage,
    ...(spec.lambda && { lambda: spec.lambda }),
    call: async (service, operation, input, role) => late.cloud?.call({ service, operation, input, caller: { kind: 'role', name: role } }),
  });
  const random = forkRandom(seed, 'world');
  const world = createWorld({ spec, clock, place, seed, random, acting, emit: platform.bus.emit, notify: toQueue(platform) });
  const policiesByRole = policiesByRoleOf(platform);
  refuseBlindPollers(stack, policiesByRole);
  const rights = await createAuthoriser({ place, tagsOf: world.tagsOf, templateOf: world.templateOf, policiesByRole });
  const cloud = createCloud({
    services: [...platform.services, ...world.services],
    clock,
    random: forkRandom(seed, 'calls'),
    log: callLog,
    authorise: rights.authorise,
    faults,
    throttle: createPublishedThrottle({ clock }),
    latencyMs: spec.timing.latencyMs,
    latencyPerInstanceMs: spec.timing.latencyPerInstanceMs ?? {},
    acting,
    invocationOf: platform.functions.invocationOf,
    onFault: platform.functions.noteFault,
    crashCaller: (environment) => {
      if (environment !== undefined) platform.functions.crash(environment);
    },
  });
  late.cloud = cloud;
  for (const role of platform.roles.names) cloud.registerCaller(role, role);
  return { cloud, platform, world, faults, callLog, rights, acting };
};
