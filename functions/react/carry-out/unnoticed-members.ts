import { wasNotDone } from '../../../aws/calls/errors.ts';
import { inParallel } from '../../../aws/calls/in-parallel.ts';
import { rememberedByKey } from '../../../aws/calls/remembered.ts';
import { unlessTroubled } from '../../../aws/calls/unless-troubled.ts';
import { missingAfter } from '../../../core/group-state/answers.ts';
import type { ActionResult } from '../../../core/ports/capacity-provider.ts';
import { traitsOf } from '../../../core/removal/leave-reason.ts';
import { wasJustAsked } from '../../../core/swap/asked-to-end.ts';
import { belowMinSize } from '../../../core/swap/shortfall.ts';
import type { Swap } from '../../../core/swap/swap.ts';
import { drainAgainAtMs } from '../../../core/times/again.ts';
import { tickEveryMs } from '../../../core/times/times.ts';
import type { View } from '../../../core/view/view.ts';
import type { ReactPorts } from '../ports.ts';
import type { Round, Run } from '../run.ts';
import { writesAtOnce } from './claims.ts';

/**
 * The members that leave of those that the first round chose, after the responses of EC2. A living member whose
 * replacement was refused stays, because it may be put back into service.
 */
const replacedOf = ({ decision, view }: Round, last: Round): readonly string[] => {
  const dead = new Set(view.ended);
  const living = decision.unnoticed.filter((instance) => !dead.has(instance));
  const lacking = Math.max(last.decision.uncovered ?? last.decision.unplaced, missingAfter(last.launched));
  const staying = new Set(living.slice(Math.max(0, living.length - lacking)));
  return decision.unnoticed.filter((instance) => !staying.has(instance));
};

/**
 * Stores which members are about to be ended while they drain, for the function that finds them ended. A member for
 * which this cannot be stored, or whose swap moved on, waits for the next look: it may be back in service.
 */
const noteEnding =
  ({ store, clock }: ReactPorts, draining: readonly Swap[]) =>
  async (instances: readonly string[]): Promise<readonly string[]> => {
    const going = new Set(instances);
    const releaseAskedAtMs = clock.now();
    const unstored = await inParallel(
      draining.filter(({ instance }) => going.has(instance)),
      writesAtOnce,
      async (swap) => {
        const change = store.advance(swap, { from: ['draining'], set: { releaseAskedAtMs } });
        return (await unlessTroubled(change)) === 'done' ? undefined : swap.instance;
      },
    );
    return instances.filter((instance) => !unstored.includes(instance));
  };

/** When this environment last tried in vain to end each member, by its id. */
const triedInVain = rememberedByKey<ReactPorts['drains'], number>();

/** When this environment last ended each member that had ended already, by its id. No record of its swap shows it. */
const endedHere = rememberedByKey<ReactPorts['drains'], number>();

/** A wake may come this much sooner by the clock of its function. */
const soonMs = 1_000;

/**
 * Whether it is time to end a member, also if signals cause looks before that. Its Auto Scaling group shows a moment
 * later that it leaves. The last try was made here, or by the drain. A living member is out of service, and AWS may
 * refuse for long. So tries for it become as rare as their own looks (`againTimes`), and as ticks.
 */
const isDue = (
  { drains }: ReactPorts,
  { instance, claimedAtMs, drainStartedAtMs: sinceMs = claimedAtMs, releaseAskedAtMs = 0 }: Swap,
  { nowMs, ended }: View,
): boolean => {
  if (ended.includes(instance))
    return ![releaseAskedAtMs, endedHere(drains).get(instance)].some((atMs) => wasJustAsked(atMs, nowMs));
  const triedAtMs = Math.max(releaseAskedAtMs, triedInVain(drains).get(instance) ?? 0);
  if (triedAtMs > nowMs) return true;
  return nowMs >= Math.min(drainAgainAtMs(triedAtMs, { sinceMs }), triedAtMs + tickEveryMs) - soonMs;
};

/** Notes who could not be ended. A member that its minimum size holds back goes as soon as others have joined. */
const noteTries = ({ drains }: ReactPorts, { done, failed }: ActionResult, { nowMs, ended }: View): void => {
  const [tried, over] = [triedInVain(drains), endedHere(drains)];
  for (const instance of done) tried.delete(instance);
  for (const instance of done) if (ended.includes(instance)) over.set(instance, nowMs);
  for (const { instance, code } of failed) if (code !== belowMinSize) tried.set(instance, nowMs);
};

/**
 * When to try again to end members through their Auto Scaling group before EC2 takes them. They are out of service, so
 * no drain tries it, and only their group's own refill depends on it. So the deadline makes no try more urgent: the
 * tries become rarer with the time since then, until the tick makes them. Members that were ended need no look: their
 * events come.
 */
const againTimes = ({ decision, view }: Round, done: ReadonlySet<string>, nowMs: number): readonly number[] => {
  const open = new Set(decision.unnoticed.filter((instance) => !done.has(instance) && !view.ended.includes(instance)));
  return view.swaps
    .filter((swap) => open.has(swap.instance) && traitsOf(swap).endedBy === 'ec2' && (swap.deadlineMs ?? 0) > nowMs)
    .map(({ claimedAtMs, drainStartedAtMs: sinceMs = claimedAtMs }) => drainAgainAtMs(nowMs, { sinceMs }));
};

/**
 * Terminates leaving members, drained or ended, that Auto Scaling groups still count, through those groups. A failure
 * is not reported, because a later look finds them again. If the minimum size had kept a member in service, its swap
 * has a shortfall. This shortfall is removed, because the Auto Scaling group drains the member now.
 *
 * @returns when to try again
 */
export const letGo = async (run: Run, rounds: readonly Round[]): Promise<readonly number[]> => {
  const [first] = rounds;
  if (first === undefined || first.decision.unnoticed.length === 0) return [];
  const done = await endThem(run, first, rounds.at(-1) ?? first);
  return againTimes(first, new Set(done), run.ports.clock.now());
};

/** Returns the members that were ended. */
const endThem = async ({ group, provider, ports }: Run, first: Round, last: Round): Promise<readonly string[]> => {
  const { view } = first;
  const left = new Set(replacedOf(first, last));
  const swaps = view.swaps.filter((swap) => left.has(swap.instance) && isDue(ports, swap, view));
  if (swaps.length === 0) return [];
  const living = swaps.filter(({ instance }) => !view.ended.includes(instance));
  const draining = living.filter(
    ({ state, releaseAskedAtMs }) => state === 'draining' && releaseAskedAtMs === undefined,
  );
  const result = await provider.release(group, swaps, { beforeEnding: noteEnding(ports, draining) });
  noteTries(ports, result, view);
  const { done, failed } = result;
  const released = new Set(done);
  const undone = new Set(failed.flatMap(({ instance, code }) => (wasNotDone(code) ? [instance] : [])));
  await inParallel(
    draining.filter(({ instance }) => undone.has(instance)),
    writesAtOnce,
    (swap) => unlessTroubled(ports.store.advance(swap, { from: ['draining'], set: {}, clear: ['releaseAskedAtMs'] })),
  );
  const disproved = living.filter(
    ({ instance, state, shortfall }) =>
      released.has(instance) && state === 'drained' && shortfall?.code === 'not-released',
  );
  await inParallel(disproved, writesAtOnce, (swap) =>
    unlessTroubled(ports.store.advance(swap, { from: ['drained'], set: {}, clear: ['shortfall'] })),
  );
  return done;
};
