import { items } from '../../../core/contract.ts';
import type { Chronicle } from '../chronicle.ts';
import type { Finding, Rule } from '../finding.ts';
import { isHindered, look, type Way, ways } from '../hindrance.ts';
import type { Actor } from '../history.ts';
import { isFunction } from '../life.ts';
import { decisionsOf } from '../stored.ts';
import { times } from '../times.ts';

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
 * Looks that a decision says it arranged, and that did not come. Any look at the group in this time arranges the next one anew. An environment whose clock
 * is behind takes a look that has come for one that will come. The tick follows.
 */
const lostLooks = (chronicle: Chronicle): readonly Broken[] => {
  const withinMs = arrivesWithinMs + (chronicle.history.clockErrorMs === 0 ? 0 : times.tickMs);
  const writes = new Map(chronicle.of('item-written').map((write) => [`${write.group} ${write.item}`, write]));
  return decisionsOf(chronicle.history).flatMap(({ id, group, wakeAtMs }): readonly Broken[] => {
    const written = writes.get(`${group} ${items.decision(id)}`);
    if (wakeAtMs === undefined || written === undefined || !isFunction(written.by)) return [];
    const ended = chronicle.invocations.get(written.by.invocation)?.ended;
    if (ended === undefined || ended.injected) return [];
    const untilMs = Math.max(wakeAtMs + chronicle.times.clockMs, ended.atMs) + withinMs;
    const hasCome =
      messagesTo(chronicle, group).some(({ atMs }) => atMs > written.atMs && atMs <= untilMs) ||
      hasLooked(chronicle, group, written.by, written.atMs, untilMs);
    if (hasCome || untilMs > chronicle.history.endedAtMs || isHindered(chronicle, wayOfMessages, written.atMs, untilMs)) return [];
    return [{ group, atMs: untilMs, detail: `decision ${id} arranged a look, and ${withinMs / 1_000} s after its time none has come` }];
  });
};

export const looksCome: Rule = {
  name: 'looks come when they are arranged',
  meaning:
    'When a version of a policy comes into force, or goes out of force, a function is told that within ten seconds. When a stored decision says at what time the next look comes, a look at the group begins by ten seconds after that time. Where clocks are wrong, that look may be the next tick.',
  broken: (chronicle) => [...untoldPolicies(chronicle), ...lostLooks(chronicle)],
};
