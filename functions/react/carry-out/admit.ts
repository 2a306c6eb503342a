import { rememberedByKey } from '../../../aws/calls/remembered.ts';
import { metrics } from '../../../core/contract.ts';
import { attachedPerCall, registeredPerCall } from '../../../core/decide/admissions.ts';
import { namedTargetGroups } from '../../../core/group/holders.ts';
import { howHeld } from '../../../core/group/holding.ts';
import { repeatAfterMs } from '../../../core/launch/reservation-life.ts';
import type { Ask } from '../../../core/limits/need.ts';
import type { ActionResult, Admitted } from '../../../core/ports/capacity-provider.ts';
import { againInMs, isWorthALook } from '../../../core/times/again.ts';
import type { Added } from '../../../core/view/added.ts';
import type { Suspension } from '../../../core/view/suspension.ts';
import { inVain } from '../../runtime/in-vain.ts';
import type { ReactPorts } from '../ports.ts';
import type { Round, Run } from '../run.ts';
import { needOf } from '../turns/take-turn.ts';
import type { Acted } from './carry-out.ts';
import { stillJoining } from './claimed-meanwhile.ts';
import { wakeForAttach } from './outside-size.ts';
import { attachOpen, type Suspending } from './suspend.ts';

/**
 * `laterAtMs`: no member was put into service, because others use the bucket of these calls now, or because it failed a
 * moment ago.
 */
export type Admissions = Pick<Acted, 'admitted'> &
  Pick<Admitted, 'mayBeDone'> &
  Partial<Suspending> & {
    readonly failed: ActionResult['failed'];
    readonly laterAtMs?: number;
  };

/** When calls of a bucket have their turn. Undefined: now. */
const turnAtMs = async (
  { group, id, turns }: Run,
  { view, lookedAtMs }: Round,
  { bucket, calls }: Pick<Ask, 'bucket' | 'calls'>,
): Promise<number | undefined> => {
  const key = `${group.name} ${bucket}`;
  const need = needOf(view);
  const { turn } = await turns.ask({ group: key, by: id, bucket, calls, instances: 0, need, lookedAtMs });
  if (turn.kind === 'taken') return view.nowMs + repeatAfterMs;
  return turn.kind === 'later' ? turn.turnAtMs : undefined;
};

/** The note of processes that are suspended again after an attach. */
const openedFor = ({ decision: { suspend = [] } }: Round): Suspension | undefined =>
  suspend.find(({ opensForAttach }) => opensForAttach);

/**
 * When members may join. Undefined: now. Only one decision about a group lets members in at a time, and the next one
 * looks after that.
 */
const joinsAtMs = async (run: Run, round: Round): Promise<number | undefined> => {
  const { length } = round.decision.admissions;
  const attaches = howHeld(run.group).joins === undefined ? 0 : Math.ceil(length / attachedPerCall);
  if (attaches > 0) {
    const calls = attaches + (openedFor(round) === undefined ? 0 : 2);
    const atMs = await turnAtMs(run, round, { bucket: 'autoScaling', calls });
    if (atMs !== undefined) return atMs;
  }
  const calls = namedTargetGroups(run.group).length * Math.ceil(length / registeredPerCall);
  return calls === 0 ? undefined : turnAtMs(run, round, { bucket: 'targets', calls });
};

/**
 * Whether Holdfast attaches other new members later. A member in an Auto Scaling group came by itself, and one that
 * leaves never joins.
 */
const othersCome = ({ view, decision }: Round): boolean => {
  const leaving = [...view.swaps, ...decision.removals].map(({ instance }) => instance);
  const others = new Set([...decision.admissions, ...leaving]);
  return view.members.some(({ instance, admitted, asg }) => !admitted && asg === undefined && !others.has(instance));
};

/** Elastic Load Balancing takes four changes of targets a second ("Request throttling", RegisterTargets). */
const registeringMs = 250;

/** Members of this age have been tried several times. What refuses them lasts. */
const triedOftenMs = 60_000;

/**
 * When a failed admission is tried again: after the other groups of the batch may have had their turn, and later for
 * members that were launched longer ago. Once they have been tried often, the wait is twice as long, so that soon only
 * the tick tries them. Their age is known to every function, also to one whose environment has seen no failure.
 */
export const admitAgainMs = (groupsAtOnce: number, ageMs: number): number =>
  Math.max(groupsAtOnce * registeringMs, againInMs(ageMs < triedOftenMs ? ageMs : 2 * ageMs));

/**
 * Groups of which no member could join, by name. Lost with the environment: then the age of the members alone counts.
 */
const joinsInVain = inVain<ReactPorts['drains']>();

/** The members of a group that were tried last, and the time of the look that this try arranged. */
type Tried = { readonly instances: readonly string[]; readonly lookAtMs: number };

/** The last try of each of these groups. */
const triedInVain = rememberedByKey<ReactPorts['drains'], Tried>();

/**
 * When a look tries members again that could not join. Undefined: now, or there are others among them. A signal causes
 * a look at any time, and each try takes six calls. A look before the time for that arranges no other look than the
 * last try did.
 */
const againAtMs = ({ group, ports: { drains, clock }, groupsAtOnce }: Run, joining: readonly string[]) => {
  const trouble = joinsInVain.known(drains, group.name);
  const { instances, lookAtMs } = triedInVain(drains).get(group.name) ?? { instances: [], lookAtMs: 0 };
  if (trouble === undefined || !joining.every((instance) => instances.includes(instance))) return undefined;
  const { sinceMs, untilMs: triedAtMs } = trouble;
  const atMs = triedAtMs + admitAgainMs(groupsAtOnce, triedAtMs - sinceMs);
  return clock.now() >= triedAtMs && clock.now() < atMs ? Math.max(atMs, lookAtMs) : undefined;
};

const notOpened = (instance: string): ActionResult['failed'][number] => ({
  instance,
  code: 'LaunchNotResumed',
  retry: 'later',
});

/** Puts the members that join into service. */
export const admit = async (run: Run, round: Round, added: Added | undefined): Promise<Admissions> => {
  const { group, provider, ports } = run;
  const { decision } = round;
  if (decision.admissions.length === 0) return { admitted: [], failed: [] };
  const againMs = againAtMs(run, decision.admissions);
  const nothing = { admitted: [], failed: [] };
  if (againMs !== undefined && !isWorthALook(againMs, ports.clock.now())) return nothing;
  const laterAtMs = againMs ?? (await joinsAtMs(run, round));
  if (laterAtMs !== undefined) return { ...nothing, laterAtMs };
  const joining = await stillJoining(decision, round.view, ports);
  if (joining.length === 0) return nothing;
  const moreCome = othersCome(round);
  const unnoted = round.view.members.filter((one) => one.unnoted === 'lately').map(({ instance }) => instance);
  if (added !== undefined) await wakeForAttach(run);
  const noting = { moreCome, ...(unnoted.length > 0 && { unnoted }) };
  const attach = () => provider.admit(group, joining, { ...(added && { added }), ...noting });
  const note = openedFor(round);
  const result = note === undefined ? await attach() : await attachOpen(run, note, attach);
  if (result === undefined) return { admitted: [], failed: joining.map(notOpened) };
  const { done, failed, ...processes } = result;
  ports.telemetry.count(metrics.actionsFailed, failed.filter(({ retry }) => retry === 'never').length);
  return { admitted: done, failed, ...processes };
};

/** How long ago the youngest of these members was launched. */
const youngestMs = ({ view }: Round, failed: ActionResult['failed'], nowMs: number): number => {
  const launched = new Map(view.members.map(({ instance, launchedAtMs }) => [instance, launchedAtMs]));
  return Math.max(0, Math.min(...failed.map(({ instance }) => nowMs - (launched.get(instance) ?? nowMs))));
};

/**
 * When members that could not join are tried again. Where no member could join, the call itself has failed since the
 * first of them, also for members that were launched later.
 */
export const joinsAgainMs = (run: Run, round: Round, { admitted, failed }: Admissions): readonly number[] => {
  const { group, ports, groupsAtOnce } = run;
  const later = failed.filter(({ retry }) => retry === 'later');
  const nowMs = ports.clock.now();
  if (admitted.length > 0) joinsInVain.end(ports.drains, group.name);
  if (later.length === 0) return [];
  const vainMs = admitted.length > 0 ? 0 : joinsInVain.noteMs(ports.drains, group.name, nowMs);
  const lookAtMs = nowMs + admitAgainMs(groupsAtOnce, Math.max(youngestMs(round, later, nowMs), vainMs));
  triedInVain(ports.drains).set(group.name, { instances: later.map(({ instance }) => instance), lookAtMs });
  return [lookAtMs];
};
