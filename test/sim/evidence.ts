import { readDecision } from '../../aws/state/decision-log.ts';
import { readState } from '../../aws/state/state-schema.ts';
import { readSwap } from '../../aws/state/swap-schema.ts';
import { items } from '../../core/contract.ts';
import type { DecisionRecord } from '../../core/decision/decision-record.ts';
import type { Swap } from '../../core/swap/swap.ts';
import type { GroupState } from '../../core/view/view.ts';
import type { LoggedCall } from '../../sandbox/call-log.ts';
import { staleMs } from '../../sandbox/judge/record.ts';
import type { InvocationRecord } from '../../sandbox/platform/functions/invocation.ts';
import type { Execution } from '../../sandbox/platform/states/execution.ts';
import type { WorldSnapshot } from '../../sandbox/world/world.ts';
import type { Situation } from './situation.ts';
import type { Operated, Stage } from './stage.ts';
import type { Life } from './watch.ts';

/** All that invariants look at, when everything has come to rest or was given up waiting for. */
export type Evidence = {
  readonly situation: Situation;
  readonly snapshot: WorldSnapshot;
  readonly lives: readonly Life[];
  readonly states: ReadonlyMap<string, GroupState>;
  readonly swaps: readonly Swap[];
  readonly decisions: readonly DecisionRecord[];
  /** Serving members by group, as the world sees it. */
  readonly serving: Readonly<Record<string, number>>;
  /** Instances of nobody's group, as they were when the groups were up. */
  readonly strangers: readonly string[];
  readonly executions: readonly Execution[];
  readonly operated: Operated;
  /** Messages on a queue that should long have been done with. */
  readonly staleMessages: number;
  readonly deadLetters: number;
  /** Calls of the functions since the groups were up. */
  readonly calls: readonly LoggedCall[];
  readonly invocations: readonly InvocationRecord[];
  /** Under which role a function makes its calls, by the function's name. */
  readonly roleOf: ReadonlyMap<string, string>;
  readonly readyAtMs: number;
  /** The world when every group was up. */
  readonly atReady: WorldSnapshot;
  readonly calmAtMs: number;
  /** Absent: it never came to rest. */
  readonly restAtMs?: number;
};

type Item = Readonly<Record<string, unknown>>;

/** What Holdfast writes it can read. */
const whole = <T>({ item }: Item, value: T | undefined, problems: readonly string[]): T => {
  if (value === undefined || problems.length > 0) throw new Error(`${item} cannot be read: ${problems.join('; ')}`);
  return value;
};

const decisionIn = (item: Item): DecisionRecord => {
  const read = readDecision(item);
  return read.kind === 'read' ? read.record : whole<DecisionRecord>(item, undefined, read.unreadable.problems);
};

const stateIn = (item: Item): GroupState => {
  const { state, lost } = readState(item.state, item.version);
  return whole(item, state, lost);
};

const swapIn = (item: Item): Swap => {
  const { value, lost } = readSwap(item);
  return whole(item, value, lost);
};

type Table = readonly Readonly<Record<string, unknown>>[];

/** What Holdfast wrote into the state table of what is under way. */
export const readUnderWay = (table: Table): Pick<Evidence, 'states' | 'swaps'> => ({
  states: new Map(table.filter(({ item }) => item === items.state).map((item) => [String(item.group), stateIn(item)])),
  swaps: table.filter(({ claimedAtMs }) => claimedAtMs !== undefined).map(swapIn),
});

/** All that Holdfast wrote into the state table. */
const readTable = (table: Table): Pick<Evidence, 'states' | 'swaps' | 'decisions'> => ({
  ...readUnderWay(table),
  decisions: table.filter(({ item }) => String(item).startsWith(items.decisionPrefix)).map(decisionIn),
});

export type Moments = Pick<Evidence, 'strangers' | 'readyAtMs' | 'atReady' | 'calmAtMs'> & { readonly restAtMs: number | undefined };

export const gatherEvidence = async (stage: Stage, { restAtMs, ...moments }: Moments): Promise<Evidence> => {
  const { sandbox, situation, watched, functionRoles } = stage;
  const groups = Object.keys(situation.asked);
  return {
    situation,
    snapshot: sandbox.world.snapshot(),
    lives: [...watched.lives.values()],
    ...readTable(await sandbox.items('state')),
    serving: Object.fromEntries(groups.map((group) => [group, watched.serving(group)])),
    executions: sandbox.executions(),
    operated: stage.operated,
    staleMessages: sandbox.platform.queues.flatMap((queue) => queue.messages()).filter(({ sentAtMs }) => sandbox.clock.now() - sentAtMs > staleMs)
      .length,
    deadLetters: sandbox.deadLetters(),
    calls: sandbox.callLog.calls({ sinceMs: moments.readyAtMs }).filter(({ caller }) => functionRoles.includes(caller)),
    invocations: sandbox.invocations().filter(({ endedAtMs }) => endedAtMs >= moments.readyAtMs),
    roleOf: new Map(sandbox.platform.functions.specs.map(({ name, role }) => [name, role])),
    ...moments,
    ...(restAtMs === undefined ? {} : { restAtMs }),
  };
};
