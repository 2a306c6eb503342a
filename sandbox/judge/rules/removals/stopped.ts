import type { Chronicle } from '../../chronicle.ts';
import type { Finding, Rule } from '../../finding.ts';
import type { HistoryEvent } from '../../history.ts';
import { eachSecond } from '../../moments.ts';
import { times } from '../../times.ts';
import { draining, isHindered, look, type Way, ways } from '../../told/hindrance.ts';
import { beganToEndMs, isFunction, type Life } from '../../world/life.ts';
import { wasDisturbed } from '../../world/restores.ts';

type Broken = Omit<Finding, 'rule'>;
type Ending = Extract<HistoryEvent, { readonly kind: 'ending' }>;

/** From the look that takes a stopped instance to its end: its drain has to start, and to read. */
const endedWithinMs = 2 * times.tickMs + times.reactMs;

/** Where one of these calls fails, the look that chose it may have been long ago. */
const ends: Way = ways(look, draining);

/** When EC2 had stopped an instance that somebody ends now. Undefined where it ran again since, or was not stopped. */
const stoppedAtMs = (chronicle: Chronicle, { instance, atMs }: Ending): number | undefined => {
  const last = [...chronicle.of('ended'), ...chronicle.of('running')]
    .filter((one) => one.instance === instance && one.atMs <= atMs)
    .toSorted((one, other) => one.atMs - other.atMs)
    .at(-1);
  return last?.kind === 'ended' && last.state === 'stopped' ? last.atMs : undefined;
};

/** Whether a warning of EC2 alone is the reason that it leaves, and when EC2 was to take it. */
const takenAtMs = ({ warnings, claims }: Life): number | undefined => {
  const [warning, ...others] = warnings;
  const isWarnedOnly = others.length === 0 && warning?.action !== 'terminate' && claims[0]?.reason === 'interruption';
  return isWarnedOnly ? warning?.takenAtMs : undefined;
};

const wasEnough = (chronicle: Chronicle, group: string, fromMs: number, untilMs: number): boolean => {
  const desired = Math.min(...chronicle.desiredIn(group, fromMs, untilMs));
  const lives = chronicle.livesIn(group);
  return eachSecond(fromMs, untilMs).some((atMs) => lives.filter((life) => chronicle.isReadyAt(life, atMs)).length >= desired);
};

const endedTooSoon = (chronicle: Chronicle, ending: Ending): readonly Broken[] => {
  const { instance, atMs, by } = ending;
  const life = chronicle.life(instance);
  if (life === undefined) return [];
  const stoppedMs = isFunction(by) ? stoppedAtMs(chronicle, ending) : undefined;
  const dueMs = takenAtMs(life);
  const group = chronicle.groupAt(life, life.warnings[0]?.atMs ?? atMs);
  if (stoppedMs === undefined || dueMs === undefined || group === undefined) return [];
  // Its Auto Scaling group had been told before, and waited for its hooks.
  if (beganToEndMs(life) <= stoppedMs) return [];
  const { lagMs, asgLagMs, clockMs } = chronicle.times;
  const fromMs = atMs - endedWithinMs - Math.max(lagMs, asgLagMs) - clockMs;
  const policies = chronicle.policiesIn(group, stoppedMs, atMs);
  if (policies.length !== 1 || policies[0]?.mode !== 'act' || chronicle.policyAt(group, atMs) === undefined) return [];
  if (isHindered(chronicle, ends, stoppedMs, atMs) || wasDisturbed(chronicle, atMs)) return [];
  const earlyMs = dueMs + times.outlivedMs - 2 * clockMs - 1_000 - atMs;
  const early = earlyMs > 0 ? [`${Math.ceil(earlyMs / 1_000)} s too soon`] : [];
  const needed = wasEnough(chronicle, group, fromMs, atMs) ? [] : ['while too few serve'];
  return [...early, ...needed].map((how) => ({ group, instance, atMs, detail: `${instance} is stopped, and Holdfast ended it ${how}` }));
};

export const stoppedAreKept: Rule = {
  name: 'who EC2 stops is kept while the group needs it',
  meaning:
    'Holdfast ends an instance that EC2 warned about and stopped no sooner than five minutes after its deadline, and only once as many members serve as are desired: until then EC2 may start it again. What its Auto Scaling group began to end before that does not count. The rule is about groups that act under one policy, while nothing hinders looks and drains.',
  broken: (chronicle) => chronicle.of('ending').flatMap((ending) => endedTooSoon(chronicle, ending)),
};
