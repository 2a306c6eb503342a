import { chunks } from '../../aws/calls/chunks.ts';
import { isFromAws, retryOf, troubleOf } from '../../aws/calls/errors.ts';
import { allSettled, inParallel } from '../../aws/calls/in-parallel.ts';
import { metrics } from '../../core/contract.ts';
import { withFormer } from '../../core/group/holders.ts';
import { initialState } from '../../core/group-state/state.ts';
import { signalsLateMs } from '../../core/times/times.ts';
import { type Converged, converge, type Known } from './converge.ts';
import { howToLook } from './look/how-to-look.ts';
import { readInForce } from './look/in-force.ts';
import type { Facts } from './messages/facts.ts';
import { withJoined } from './messages/joined-looks.ts';
import { postpone } from './messages/postpone.ts';
import { type Home, readMessage } from './messages/read-message.ts';
import { isMinuteTick, type Received } from './messages/route.ts';
import { routeAll } from './messages/route-all.ts';
import type { ReactPorts } from './ports.ts';
import { waitsWithinMs } from './rounds.ts';
import { canHandOver, handOver } from './turns/hand-over.ts';
import { inOrder } from './turns/in-order.ts';
import { insteadOfLooks, lookLater } from './turns/instead.ts';
import { type Turns, turnsOf } from './turns/turns.ts';
import { wakesTogether } from './turns/wakes-together.ts';

/** One message of the queue. */
export type Message = Home & {
  readonly id: string;
  readonly body: string;
  readonly sentAtMs: number;
  /** Names this delivery of the message. */
  readonly receipt: string;
};

/** The result of a batch: messages that must be delivered again. */
export type Outcome = { readonly again: readonly string[] };

/**
 * Groups read together and converged at once in one invocation. Most of their time is waiting for AWS, and shared reads
 * (instances, Auto Scaling groups) are made once for all of them.
 */
const groupsAtOnce = 100;

/** The next groups of an invocation wait no longer for those before them. */
const nextAfterMs = 3_000;

const readAll = (
  messages: readonly Message[],
  ports: ReactPorts,
  hash: (text: string) => string,
): readonly Received[] =>
  messages.flatMap(({ id, body, sentAtMs, ...home }) => {
    const reading = readMessage(body, sentAtMs, home);
    if (reading.kind === 'signals') return reading.signals.map((signal) => ({ message: id, signal }));
    if (reading.kind === 'ignored') return [];
    ports.telemetry.count(metrics.poisonMessages);
    // The message itself is not logged: it comes from outside, and logs are kept longer.
    ports.telemetry.logger.warn('A message could not be read. It was acknowledged and dropped.', {
      messageId: id,
      sha256: hash(body),
      reason: reading.why,
    });
    return [];
  });

const handedOver = { kind: 'handed-over' } as const;

/**
 * Hands a group over whose look AWS throttles, because others need its buckets too, or that fails in a way that passes.
 * One look then serves all of its messages. Each of them would come again by itself, and cost a look each time.
 */
const handOverTroubled = async (
  error: unknown,
  facts: Facts,
  ports: ReactPorts,
  known: Known | undefined,
): Promise<boolean> => {
  if (known?.inForce === undefined || !canHandOver(facts, known.inForce.group) || !isFromAws(error)) return false;
  if (retryOf(error) !== 'later') return false;
  return handOver(facts, known.inForce, ports, troubleOf(error) === 'throttled' ? 'throttled' : 'failed').then(
    () => true,
    () => false,
  );
};

const convergeOne = async (
  facts: Facts,
  ports: ReactPorts,
  known: Known | undefined,
): Promise<Converged | typeof handedOver | { readonly kind: 'failed' }> => {
  try {
    if (known?.inForce !== undefined && known.instead !== undefined) {
      await lookLater(facts, known.inForce, known.instead, ports);
      return handedOver;
    }
    return await converge(facts, ports, known);
  } catch (error) {
    if (await handOverTroubled(error, facts, ports, known)) return handedOver;
    // A group that fails must not hold up the others of the batch: its messages are delivered again, those of the
    // others are done.
    ports.telemetry.logger.error('A group could not be converged. Its signals are delivered again.', {
      error: error as Error,
      group: facts.group,
    });
    ports.telemetry.count(metrics.groupsFailed);
    return { kind: 'failed' };
  }
};

/** The same look, which also remembers the members that it shows. */
const noting =
  (look: NonNullable<Known['look']>, { seen, clock }: ReactPorts): NonNullable<Known['look']> =>
  async (group) => {
    const holdings = await look(group);
    seen.note(group.name, holdings.members, clock.now());
    return holdings;
  };

/**
 * `isQuiet`: only time has passed. `isTick`: the minute's tick is one of the signals. `routedAtMs`: when the first
 * groups were read.
 */
type Invocation = {
  readonly beganAtMs: number;
  readonly routedAtMs: number;
  readonly isQuiet: boolean;
  readonly isTick: boolean;
};

/**
 * Reads the policies, state items and swaps of groups, and then the holdings of those that are looked at, together.
 */
const readTogether = async (
  batch: readonly Facts[],
  ports: ReactPorts,
  invocation: Invocation,
): Promise<{ readonly known: readonly (Known | undefined)[]; readonly turns: Turns }> => {
  const { beganAtMs, routedAtMs, isQuiet, isTick } = invocation;
  const readAtMs = ports.clock.now();
  // An item that cannot be read is read again where its group is converged, and fails that group alone.
  const inForce = await inParallel(batch, groupsAtOnce, ({ group }) =>
    readInForce(group, ports, isQuiet).then(
      (read) => ({ read }),
      () => undefined,
    ),
  );
  for (const { group, state, swaps } of inForce.flatMap((one) => one?.read ?? [])) {
    ports.seen.noted(group.name, state?.newcomers ?? {});
    ports.seen.leaving(group.name, swaps, readAtMs);
  }
  const heard = batch.map((facts, index) => ({ facts, one: inForce[index] }));
  const instead = await insteadOfLooks(heard, ports, { beganAtMs, routedAtMs, readAtMs });
  const looked = heard.filter((_, index) => instead[index] === undefined);
  const read = looked.flatMap(({ one }) => one?.read ?? []);
  const groups = read.map(({ group, state }) => withFormer(group, state ?? initialState(group)));
  const how = howToLook(batch, looked, { isTick, nowMs: ports.clock.now() });
  const look = groups.length === 0 ? undefined : noting(ports.describeTogether(groups, how), ports);
  const turns = turnsOf(groups, ports);
  const common = { ...(look && { look }), groupsAtOnce: looked.length, turns, beganAtMs };
  const known = heard.map(({ one }, index) => {
    const later = instead[index];
    return one && { inForce: one.read, ...common, ...(later && { instead: later }) };
  });
  return { known, turns };
};

type Result = Awaited<ReturnType<typeof convergeOne>>;

/** Converges groups at once. Those whose wake could not be sent count as failed. */
const convergeTogether = async (
  batch: readonly Facts[],
  ports: ReactPorts,
  invocation: Invocation,
): Promise<readonly Result[]> => {
  const { known, turns } = await readTogether(batch, ports, invocation);
  const wakes = wakesTogether(ports.wakes, ports.clock);
  const unsent: string[] = [];
  const results = await inParallel(batch, groupsAtOnce, async (facts, index) => {
    const result = await convergeOne(facts, { ...ports, wakes }, known[index]);
    turns.done(facts.group, result.kind === 'converged');
    unsent.push(...(await wakes.send('due')));
    return result;
  });
  unsent.push(...(await wakes.send('all')));
  await turns.settle();
  if (unsent.length > 0)
    ports.telemetry.logger.error('Groups could not be woken. Their signals are delivered again.', { groups: unsent });
  return results.map((result, index) =>
    unsent.includes(batch[index]?.group ?? '') ? { kind: 'failed' as const } : result,
  );
};

/**
 * Converges all groups of an invocation. The next groups begin once those before them have ended, or after a while:
 * these may wait long for tokens that the next ones do not need.
 */
const convergeAll = async (
  facts: readonly Facts[],
  ports: ReactPorts,
  invocation: Invocation,
): Promise<readonly Result[]> => {
  const running: Promise<readonly Result[]>[] = [];
  for (const batch of chunks(facts, groupsAtOnce)) {
    if (running.length > 0) await Promise.race([Promise.allSettled(running), ports.sleep(nextAfterMs)]);
    running.push(convergeTogether(batch, ports, invocation));
  }
  return (await allSettled(running)).flat();
};

/** How many signals came long before this invocation began. Wakes are left out: they wait in the queue by intent. */
const late = (news: readonly Received[], messages: readonly Message[], beganAtMs: number): number => {
  const waited = new Set(messages.filter(({ sentAtMs }) => beganAtMs - sentAtMs > signalsLateMs).map(({ id }) => id));
  return news.filter(({ message, signal }) => signal.kind !== 'tick' && waited.has(message)).length;
};

/** Reads a batch, sorts it by group, and converges each group once, however many signals it got. */
export const react = async (
  messages: readonly Message[],
  ports: ReactPorts,
  hash: (text: string) => string,
): Promise<Outcome> => {
  const beganAtMs = ports.clock.now();
  const received = await withJoined(readAll(messages, ports, hash), ports);
  if (received.length === 0) return { again: [] };
  const news = received.filter(({ signal }) => !isMinuteTick(signal));
  const [isQuiet, isTick] = [news.length === 0, news.length < received.length];
  ports.telemetry.count(metrics.signals, news.length);
  ports.telemetry.count(metrics.signalsLate, late(news, messages, beganAtMs));
  ports.begin({ isQuiet, untilMs: beganAtMs + waitsWithinMs });
  const routed = await routeAll(received, ports);
  ports.telemetry.count(metrics.strangers, routed.strangers);
  const facts = inOrder(routed.facts, received);
  const invocation = { beganAtMs, routedAtMs: ports.clock.now(), isQuiet, isTick };
  const results = await convergeAll(facts, ports, invocation);
  const unfinished = facts.filter(
    (_, index) => results[index]?.kind === 'failed' || results[index]?.kind === 'contended',
  );
  const again = new Set([...routed.again, ...unfinished.flatMap(({ messages: ids }) => ids)]);
  await postpone(
    messages.filter(({ id }) => again.has(id)),
    routed.soon,
    ports,
  );
  return { again: [...again] };
};
