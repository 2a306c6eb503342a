import type { Place } from '../api.ts';
import { type CallLog, createCallLog } from '../call-log.ts';
import { type Cloud, createCloud } from '../cloud.ts';
import { createFaults, type Faults } from '../faults.ts';
import { type Authoriser, createAuthoriser } from '../iam/authoriser.ts';
import { parseStatements } from '../iam/statement.ts';
import { forkRandom } from '../random.ts';
import { createPublishedThrottle } from '../throttle/published-buckets.ts';
import { createWorld } from '../world/create-world.ts';
import type { WorldSpec } from '../world/spec.ts';
import type { World } from '../world/world.ts';
import type { Machinery } from './machinery.ts';
import { createPlatform, measuredPace, ownPace, type Platform } from './platform.ts';
import type { Assembly } from './template/assembly.ts';
import { resolveStack } from './template/stack.ts';

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
};

const authoriserOf = ({ roles }: Platform, world: World, place: Place): Promise<Authoriser> => {
  const statements = (role: string) => parseStatements(roles.policiesOf(role).flatMap((policy) => policy.statements));
  return createAuthoriser({ place, tagsOf: world.tagsOf, policiesByRole: Object.fromEntries(roles.names.map((role) => [role, statements(role)])) });
};

/** Lifecycle hooks that name a queue tell it directly, past the bus. */
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
  const faults = createFaults({ random: forkRandom(seed, 'faults') });
  const callLog = createCallLog({ clock });
  const late: { cloud?: Cloud } = {};
  const platform = createPlatform({
    clock,
    seed,
    place,
    stack: resolveStack(assembly.template, { name: assembly.stackName, place, ...(url && { queueOrigin: url }) }),
    assetDirectory: assembly.assetDirectory,
    start: machinery.start,
    pace: url === undefined ? measuredPace : ownPace,
    fate: faults.onEvent,
    factor: 'factor' in clock ? clock.factor : 1,
    call: async (service, operation, input, role) => late.cloud?.call({ service, operation, input, caller: { kind: 'role', name: role } }),
  });
  const world = createWorld({ spec, clock, place, seed, random: forkRandom(seed, 'world'), emit: platform.bus.emit, notify: toQueue(platform) });
  const rights = await authoriserOf(platform, world, place);
  const cloud = createCloud({
    services: [...platform.services, ...world.services],
    clock,
    random: forkRandom(seed, 'calls'),
    log: callLog,
    authorise: rights.authorise,
    faults,
    throttle: createPublishedThrottle({ clock }),
    latencyMs: spec.timing.latencyMs,
    crashCaller: (environment) => {
      if (environment !== undefined) platform.functions.crash(environment);
    },
  });
  late.cloud = cloud;
  for (const role of platform.roles.names) cloud.registerCaller(role, role);
  return { cloud, platform, world, faults, callLog, rights };
};
