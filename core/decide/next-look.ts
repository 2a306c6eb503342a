import { openHooks } from '../drain/heartbeat.ts';
import { isLeftOnHook, sparedOnHookAtMs } from '../drain/left-on-hook.ts';
import { addedStill, believedAgainAtMs } from '../group/outside-size.ts';
import { heldBackTimes } from '../launch/reservation-life.ts';
import { nextAskMs } from '../pool-memory/ask-again.ts';
import { movesUnderWay } from '../returning/under-way.ts';
import { isWorthALook } from '../times/again.ts';
import { tickEveryMs } from '../times/times.ts';
import { isEndingSome, ownRefill } from '../view/asg-ledger.ts';
import { lastResumesAtMs, suspendedAgainAtMs } from '../view/suspension.ts';
import type { Member, View } from '../view/view.ts';
import type { Draft, Rule, Situation } from './rule.ts';

/**
 * How soon to look again, in milliseconds, while something is under way that may send no event (a boot, a health
 * check).
 */
const lookAgainMs = 10_000;
/**
 * The older something is, the later the next look: after a quarter of its age. So an outage of minutes costs few looks.
 */
const againAfterMs = (ageMs: number): number => Math.max(lookAgainMs, Math.floor(ageMs / 4));
/** A member that does not serve by this age gets no looks of its own. The tick finds it if it serves after all. */
const comesUpWithinMs = 300_000;

/** EC2's status checks run each minute. */
const checksAgainMs = 30_000;

/**
 * When to look at launches: at the repeat of those without a response, and ever more rarely at those that nobody
 * repeats, and at granted ones, until describes show them.
 */
const inFlightTimes = ({ view: { nowMs }, headcount: { inFlight, inFlightCount } }: Situation): readonly number[] => {
  const unknown = inFlightCount > inFlight.reduce((sum, { count }) => sum + count, 0);
  const times = inFlight
    .map(({ atMs, repeatAtMs }) => repeatAtMs ?? nowMs + againAfterMs(nowMs - atMs))
    .filter((atMs) => isWorthALook(atMs, nowMs));
  return unknown ? [...times, nowMs + lookAgainMs] : times;
};

/**
 * When to look at members that come up or end without an event. Members that join now are looked at once they have.
 * Members that run and wait for a size to be taken down join with the look that does so.
 */
const comingUpTimes = (
  { view, headcount }: Situation,
  { admissions }: Pick<Draft, 'admissions'>,
): readonly number[] => {
  const joining = new Set(admissions);
  const times = headcount.staying
    .filter(({ admitted, instance }) => !admitted && !joining.has(instance))
    .filter(({ state }) => state === 'pending' || addedStill(view).length === 0)
    .map(({ launchedAtMs }) => view.nowMs + againAfterMs(view.nowMs - launchedAtMs))
    .filter((atMs) => isWorthALook(atMs, view.nowMs));
  return isEndingSome(view) ? [...times, view.nowMs + lookAgainMs] : times;
};

/** When a member that does not serve yet may serve. */
const servesAtMs = ({ unready, launchedAtMs }: Member, { group, nowMs }: View): number => {
  if (unready === 'warm-up') return launchedAtMs + (group.ready?.afterMs ?? 0);
  return nowMs + (unready === 'status-checks' ? checksAgainMs : againAfterMs(nowMs - launchedAtMs));
};

/**
 * When to look at members for which others wait. A member serves no sooner than it has joined, so a try to join that
 * fails is followed by the next try alone.
 */
const servingTimes = ({ view, headcount }: Situation): readonly number[] => {
  const replacements = movesUnderWay(view, headcount).flatMap(({ shown }) => shown);
  const awaited = headcount.waiting.length > 0 ? headcount.staying : replacements;
  return awaited
    .filter(
      ({ serving, admitted, launchedAtMs }) => admitted && !serving && view.nowMs - launchedAtMs < comesUpWithinMs,
    )
    .map((member) => servesAtMs(member, view));
};

/**
 * When to complete the hooks of drained members that EC2 may spare. Where a hook expires later, the tick after that
 * does it.
 */
const hookTimes = ({ view: { swaps, ended, nowMs } }: Situation): readonly number[] =>
  swaps
    .filter((swap) => isLeftOnHook(swap) && !ended.includes(swap.instance))
    .flatMap((swap) => {
      const atMs = sparedOnHookAtMs(swap);
      const expires = openHooks(swap).some(({ expiresAtMs }) => expiresAtMs < atMs + 2 * tickEveryMs);
      return expires && atMs > nowMs ? [atMs] : [];
    });

/** When an offering may give a member that is missing now. */
const capacityTimes = ({ state, group, nowMs }: View): readonly number[] => {
  const cooling = Object.values(state.memory).map(({ coolingUntilMs }) => coolingUntilMs);
  const failedBoots = Object.values(state.failedBoots ?? {}).map(({ restsUntilMs }) => restsUntilMs);
  const askMs = nextAskMs(group.pools, state.memory, nowMs);
  const denials = Object.values(state.denials ?? {}).map(({ untilMs }) => untilMs);
  return [...cooling, ...failedBoots, ...denials, askMs].filter(
    (atMs): atMs is number => atMs !== undefined && atMs > nowMs,
  );
};

/** When to look again without a signal: while members are coming up, or while swaps wait for them. */
export const nextLook: Rule = {
  name: 'next look',
  propose: (situation, { unplaced, admissions }) => {
    const { view } = situation;
    const times = [
      ...inFlightTimes(situation),
      ...comingUpTimes(situation, { admissions }),
      ...servingTimes(situation),
      ...hookTimes(situation),
      ...(unplaced > 0 ? capacityTimes(view) : []),
      ...believedAgainAtMs(view),
      // A group whose owner suspends it does not launch what we leave to it.
      ...(ownRefill(view) > 0 ? suspendedAgainAtMs(view) : []),
      ...lastResumesAtMs(view.state.suspended ?? [], view.nowMs),
      ...heldBackTimes(view.state, view.nowMs),
    ];
    return times.length === 0 ? {} : { wakeAtMs: Math.min(...times) };
  },
};
