import { inParallel } from '../../aws/in-parallel.ts';
import { asGone } from '../../core/drain/shortfall.ts';
import { isBelieved, isOpen } from '../../core/reservation-life.ts';
import type { Swap } from '../../core/swap.ts';
import type { GroupState, RaisedMax } from '../../core/view.ts';
import { announcements } from '../contract.ts';
import { answerHooks } from './answer-hooks.ts';
import type { Facts } from './facts.ts';
import type { ReactPorts } from './ports.ts';

/** An event holds 256 KB. */
const mostNamed = 1_000;
/** How soon the next look comes: while something of the group is ending, and while a maximum cannot be lowered yet. */
const duringDrainsMs = 60_000;
const afterDrainsMs = 900_000;

/** Maximum sizes that could not be put back, because the desired capacity is above the old maximum now. */
const putBack = async (raised: readonly RaisedMax[], ports: ReactPorts): Promise<readonly RaisedMax[]> => {
  const left: RaisedMax[] = [];
  for (const one of raised) {
    if ((await ports.providerFor({ kind: 'attach', asg: one.asg }).restoreMax(one)) === 'not-yet') left.push(one);
  }
  return left;
};

const closesAtOnce = 32;

/**
 * Swaps that still end by themselves: a drain runs, or EC2 takes the instance. Swaps that wait, and instances that run
 * on, are left as they are.
 */
const isUnderWay = ({ state, deadlineMs }: Swap): boolean =>
  state === 'leaving' || state === 'draining' || (state === 'drained' && deadlineMs !== undefined);

/**
 * Closes swaps whose instances have ended, because no other look at the group will. Returns those that are still under
 * way.
 */
const closeEnded = async (group: string, { store, owners, clock }: ReactPorts): Promise<readonly Swap[]> => {
  const open = (await store.swaps(group)).filter(isUnderWay);
  if (open.length === 0) return [];
  const known = await owners.ownersOf(open.map(({ instance }) => instance));
  const hasEnded = ({ instance }: Swap): boolean =>
    !['pending', 'running', undefined].includes(known.get(instance)?.state);
  await inParallel(open.filter(hasEnded), closesAtOnce, (swap) => {
    const { state, goneAtMs, shortfall } = asGone(swap, clock.now());
    const set = { state, ...(goneAtMs !== undefined && { goneAtMs }), ...(shortfall !== undefined && { shortfall }) };
    return store.advance(swap, { from: [swap.state], set });
  });
  return open.filter((swap) => !hasEnded(swap));
};

/** A warning that did not come true long ago has no effect any more. */
const givenUpMs = 600_000;

type Left = { readonly state: GroupState; readonly swaps: readonly Swap[] };

/**
 * A group without a policy gets no ticks. So it sends itself wake messages, one after another, as long as something is
 * left to put back or to close.
 */
const lookAgain = async (group: string, { state, swaps }: Left, ports: ReactPorts): Promise<number> => {
  const { raised, reservations, wakeAtMs } = state;
  const nowMs = ports.clock.now();
  const closing =
    swaps.some(({ claimedAtMs, deadlineMs = claimedAtMs }) => nowMs - deadlineMs < givenUpMs) ||
    reservations.length > 0;
  if (!closing && raised.length === 0) return wakeAtMs;
  // One wake is enough, whatever other signals come. The wake that started this run may be early by this function's
  // clock.
  if (wakeAtMs - nowMs > duringDrainsMs / 2) return wakeAtMs;
  if (raised.length > 0)
    ports.telemetry.logger.warn(
      'A maximum size stays raised after the group was let go: its Auto Scaling group holds more than the old maximum.',
      {
        group,
        raised,
      },
    );
  const againAtMs = nowMs + (closing ? duringDrainsMs : afterDrainsMs);
  await ports.wakes.wake(group, againAtMs);
  return againAtMs;
};

/**
 * Maximum sizes of Auto Scaling groups that no other group has taken over: a new holder knows the values that we set.
 */
const withoutHeirs = async (
  group: string,
  raised: readonly RaisedMax[],
  { store }: ReactPorts,
): Promise<readonly RaisedMax[]> => {
  if (raised.length === 0) return raised;
  const holders = (await store.registry()).filter(
    (entry) => entry.group !== group && entry.asgs.some((asg) => raised.some((one) => one.asg === asg)),
  );
  const states = await Promise.all(holders.map((entry) => store.state(entry.group)));
  const taken = new Set(states.flatMap((state) => state?.holders ?? []));
  return raised.filter(({ asg }) => !taken.has(asg));
};

/**
 * Instances that were launched and may not have joined yet run on beside the others. They are reported once, and become
 * members again when the policy returns.
 */
const tellLaunched = async (
  group: string,
  { policySize, reservations }: GroupState,
  { announcer, clock, telemetry }: ReactPorts,
): Promise<void> => {
  const coming = reservations.filter(isBelieved(clock.now()));
  if (policySize === '' || coming.length === 0) return;
  const instances = coming.flatMap((reservation) => reservation.instances ?? []).slice(0, mostNamed);
  const detail = { launched: instances, unanswered: coming.filter(isOpen).map(({ id }) => id) };
  telemetry.logger.warn('A group was let go during launches. The launched instances run on, with its tag.', {
    group,
    ...detail,
  });
  await announcer.announce([{ detailType: announcements.groupLetGo, group, detail }]);
};

/**
 * Leaves a group whose policy is gone: puts its maximum sizes back, closes swaps that end, and records that the next
 * policy of this name sets the size anew. Its instances are not touched, and drains under way end by themselves.
 */
export const letGo = async (
  { group, leaving }: Facts,
  ports: ReactPorts,
): Promise<{ readonly kind: 'let-go' | 'contended' }> => {
  // Instances of a deleted group get no drain, so their lifecycle hooks are completed now instead of waiting until they
  // expire.
  await answerHooks(leaving, ports);
  const state = await ports.store.state(group);
  if (state === undefined) return { kind: 'let-go' };
  await tellLaunched(group, state, ports);
  // Written even when nothing changes: an invocation that decides with a policy read before the deletion must lose its
  // write.
  const raised = await withoutHeirs(group, await putBack(state.raised, ports), ports);
  const swaps = await closeEnded(group, ports);
  const reservations = state.reservations.filter(isBelieved(ports.clock.now()));
  const left = { ...state, raised, reservations };
  const wakeAtMs = await lookAgain(group, { state: left, swaps }, ports);
  const written = await ports.store.putState(group, { ...left, version: state.version + 1, policySize: '', wakeAtMs });
  return { kind: written === 'done' ? 'let-go' : 'contended' };
};
