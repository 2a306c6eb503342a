import { items } from '../../../../core/contract.ts';
import type { Chronicle } from '../../chronicle.ts';
import type { Finding, Rule } from '../../finding.ts';
import type { Actor } from '../../history.ts';
import { decisionsOf } from '../../said/stored.ts';
import { times } from '../../times.ts';
import { isHindered, look, type Way, ways } from '../../told/hindrance.ts';
import { isFunction } from '../../world/life.ts';

type Broken = Omit<Finding, 'rule'>;
type Looker = Extract<Actor, { readonly kind: 'function' }>;

/** The message is sent, waits for its batch and for a function that takes it. */
const arrivesWithinMs = 10_000;

/** What stores a policy or a decision, and the message that follows. */
const wayOfMessages: Way = { ...ways(look), events: 'needed' };

const messagesTo = (chronicle: Chronicle, group: string) =>
  chronicle.of('delivered').filter(({ told }) => ('group' in told ? told.group === group : 'groups' in told && told.groups.includes(group)));

/** Policies that came into force, or went out of it, without a message to a function. */
const untoldPolicies = (chronicle: Chronicle): readonly Broken[] =>
  chronicle.of('policy-in-force').flatMap(({ group, version, atMs }): readonly Broken[] => {
    const untilMs = atMs + arrivesWithinMs;
    const isTold = messagesTo(chronicle, group).some((one) => one.told.about === 'policy' && one.atMs >= atMs && one.atMs <= untilMs);
    if (isTold || untilMs > chronicle.history.endedAtMs || isHindered(chronicle, wayOfMessages, atMs, untilMs)) return [];
    const what = version === undefined ? 'that it is let go' : `about version ${version}`;
    return [{ group, atMs: untilMs, detail: `no function received a message ${what} within ${arrivesWithinMs / 1_000} s` }];
  });

/** Whether another invocation of the function that looks wrote the state of a group: it looked at it, for whatever reason. */
const hasLooked = (chronicle: Chronicle, group: string, looker: Looker, fromMs: number, untilMs: number): boolean =>
  (chronicle.groups.get(group)?.written ?? []).some(
    ({ by, atMs }) => isFunction(by) && by.function === looker.function && by.invocation !== looker.invocation && atMs > fromMs && atMs <= untilMs,
  );

/**
 * Whether a function that a fault ended wrote the last note of a wake of a group, up to a moment: it may not have sent that wake. Others send none while
 * the note stands.
 */
const isNotedOnly = (chronicle: Chronicle, group: string, atMs: number): boolean => {
  const last = chronicle.of('item-written').findLast((write) => write.group === group && write.item === items.wake && write.atMs <= atMs);
  return last !== undefined && isFunction(last.by) && chronicle.invocations.get(last.by.invocation)?.ended?.injected === true;
};

/**
 * Looks that a decision says it arranged, and that did not come. Any look at the group in this time arranges the next one anew. An environment whose clock
 * is behind takes a look that has come for one that will come. The tick follows.
 */
const lostLooks = (chronicle: Chronicle): readonly Broken[] => {
  const isClockWrong = chronicle.history.clockErrorMs !== 0;
  const writes = new Map(chronicle.of('item-written').map((write) => [`${write.group} ${write.item}`, write]));
  return decisionsOf(chronicle.history).flatMap(({ id, group, wakeAtMs }): readonly Broken[] => {
    const written = writes.get(`${group} ${items.decision(id)}`);
    if (wakeAtMs === undefined || written === undefined || !isFunction(written.by)) return [];
    const ended = chronicle.invocations.get(written.by.invocation)?.ended;
    if (ended === undefined || ended.injected) return [];
    const withinMs = arrivesWithinMs + (isClockWrong || isNotedOnly(chronicle, group, ended.atMs) ? times.tickMs : 0);
    const untilMs = Math.max(wakeAtMs + chronicle.times.clockMs, ended.atMs) + withinMs;
    const hasCome =
      messagesTo(chronicle, group).some(({ atMs }) => atMs > written.atMs && atMs <= untilMs) ||
      hasLooked(chronicle, group, written.by, written.atMs, untilMs);
    if (hasCome || untilMs > chronicle.history.endedAtMs || isHindered(chronicle, wayOfMessages, written.atMs, untilMs)) return [];
    return [{ group, atMs: untilMs, detail: `decision ${id} arranged a look, and ${withinMs / 1_000} s after its time none has come` }];
  });
};

/** Two ticks, and the time to arrive: a single one may come late. */
const silentForMs = 2 * times.tickMs + arrivesWithinMs;

const hasTrouble = (chronicle: Chronicle, fromMs: number, untilMs: number): boolean =>
  [...chronicle.invocations.values()].some(
    ({ function: name, beganAtMs, ended }) =>
      name.includes('tick') && beganAtMs >= fromMs && beganAtMs <= untilMs && (ended === undefined || ended.injected || ended.error !== undefined),
  );

/** Times in which no function was told to look at a group that is or was in force. */
const silences = (chronicle: Chronicle): readonly Broken[] =>
  [...chronicle.groups].flatMap(([group, { policies }]): readonly Broken[] => {
    const first = policies.find(({ policy }) => policy !== undefined);
    if (first === undefined) return [];
    // The first tick may be by a list of groups that was read before this one came into force.
    const sinceMs = first.atMs + times.tickMs;
    const ticks = messagesTo(chronicle, group).filter(({ told, atMs }) => told.about === 'tick' && atMs > sinceMs);
    const moments = [sinceMs, ...ticks.map(({ atMs }) => atMs), chronicle.history.endedAtMs];
    return moments.slice(1).flatMap((atMs, index): readonly Broken[] => {
      const fromMs = moments[index] ?? atMs;
      const untilMs = fromMs + silentForMs;
      if (untilMs >= atMs || isHindered(chronicle, wayOfMessages, fromMs - times.tickMs, untilMs) || hasTrouble(chronicle, fromMs, untilMs))
        return [];
      return [{ group, atMs: untilMs, detail: `no function was told for ${silentForMs / 1_000} s to look at the group` }];
    });
  });

export const looksCome: Rule = {
  name: 'looks come when they are arranged',
  meaning:
    'When a version of a policy comes into force, or goes out of force, a function is told that within ten seconds. When a stored decision says at what time the next look comes, a look at the group begins by ten seconds after that time. Where clocks are wrong, that look may be the next tick. So it may be where a function was killed that had noted a wake of the group, and nobody noted another one since.',
  broken: (chronicle) => [...untoldPolicies(chronicle), ...lostLooks(chronicle)],
};

export const ticksCome: Rule = {
  name: 'each group has its ticks',
  meaning:
    'While a policy of a group is in force, and after it was let go, a function is told at least every two minutes to look at the group. The time counts from a minute after its first policy came into force. It does not count where a fault meets the function of the tick, or the way of its messages.',
  broken: silences,
};
