import type { Evidence } from './evidence.ts';
import type { Life } from './watch.ts';

const never = Number.POSITIVE_INFINITY;

const membersOf = ({ lives }: Evidence, group: string): readonly Life[] => lives.filter((life) => life.group === group);

/** From when on an instance is leaving, as far as the world knows. */
const leavesAtMs = ({ warnedAtMs = never, rebalanceAtMs = never, drainingAtMs = never, goneAtMs = never, endedByScript }: Life): number =>
  endedByScript ? 0 : Math.min(warnedAtMs, rebalanceAtMs, drainingAtMs, goneAtMs);

/** While it evens out its zones a group may exceed its maximum by a tenth or by one (EC2 Auto Scaling User Guide, Availability Zone rebalancing). */
const marginOf = ({ situation: { spec } }: Evidence, { asg }: Readonly<Record<string, unknown>>, max: number): number =>
  spec.autoScalingGroups.some(({ name, rebalancesZones }) => name === asg && rebalancesZones) ? Math.max(1, Math.floor(max / 10)) : 0;

const maxOf = (evidence: Evidence, policy: Readonly<Record<string, unknown>>): number => {
  const { size } = policy;
  const max = typeof size === 'number' ? size : ((size as { readonly max?: number } | undefined)?.max ?? never);
  return max + marginOf(evidence, policy, max);
};

/** At no moment stay more than the policy's maximum, those on their way counted; a policy that comes to ask for more may have them. */
export const maximumHeld = (evidence: Evidence): readonly string[] =>
  evidence.situation.policies.flatMap((policy) => {
    const group = String(policy.group);
    const members = membersOf(evidence, group);
    const most = Math.max(maxOf(evidence, policy), evidence.situation.asked[group]?.endsAt ?? 0);
    return members
      .map(({ launchedAtMs: atMs }) => ({ atMs, staying: members.filter((life) => life.launchedAtMs <= atMs && leavesAtMs(life) > atMs).length }))
      .filter(({ staying }) => staying > most)
      .map(
        ({ atMs, staying }) =>
          `${group}: ${staying} stay ${((atMs - evidence.readyAtMs) / 1_000).toFixed(1)} s after the beginning, at most ${most} may`,
      );
  });

const servesAt = (atMs: number, { servingAtMs = never, drainingAtMs = never, goneAtMs = never }: Life): boolean =>
  servingAtMs <= atMs && Math.min(drainingAtMs, goneAtMs) > atMs;

/** When something happened that a group must make up for: what the script does, what EC2 takes, functions that die, faults until they are taken back. */
const troublesOf = ({ situation, lives, invocations, readyAtMs, calmAtMs }: Evidence): readonly number[] => [
  ...situation.steps.map(({ atMs }) => readyAtMs + atMs),
  ...lives.flatMap(({ warnedAtMs, goneAtMs, rebalanceAtMs }) => [warnedAtMs, goneAtMs, rebalanceAtMs].filter((atMs) => atMs !== undefined)),
  ...invocations.filter(({ result }) => result.kind === 'error').map(({ endedAtMs }) => endedAtMs),
  ...((situation.faults ?? []).length > 0 ? [calmAtMs] : []),
];

/**
 * How long fewer than asked for serve at most after the last trouble, where there is capacity somewhere (docs/architecture.md): a message that comes again
 * (40 s), or a tick where it does not (60 s), the lease of a launch whose author died (35 s), and the time to launch, boot and pass health checks.
 */
const servingAgainWithinMs = 180_000;
/** Of which this is for an instance to come up; where that takes longer, so does the whole. */
const comesUpWithinSeconds = 30;

const againWithinMs = ({ situation: { spec } }: Evidence): number => {
  const { pendingSeconds, bootSeconds } = spec.timing;
  return servingAgainWithinMs + 1_000 * Math.max(0, pendingSeconds[1] + bootSeconds[1] - comesUpWithinSeconds);
};

/** Milliseconds from the last trouble to the end of each time in which fewer served than the script leaves the group. */
const shortTimes = (evidence: Evidence, group: string): readonly number[] => {
  const { size, fewer = 0 } = evidence.situation.asked[group] ?? { size: 0 };
  const members = membersOf(evidence, group);
  const isShort = (atMs: number): boolean => members.filter((life) => servesAt(atMs, life)).length < size - fewer;
  const changes = members
    .flatMap(({ servingAtMs, drainingAtMs, goneAtMs }) => [servingAtMs, drainingAtMs, goneAtMs].filter((atMs) => atMs !== undefined))
    .filter((atMs) => atMs >= evidence.readyAtMs)
    .toSorted((a, b) => a - b);
  const troubles = troublesOf(evidence);
  return changes.flatMap((atMs, index) => {
    const untilMs = changes[index + 1] ?? evidence.snapshot.nowMs;
    return isShort(atMs) ? [untilMs - Math.max(evidence.readyAtMs, ...troubles.filter((trouble) => trouble <= untilMs))] : [];
  });
};

/** Fewer than could serve do not serve for long. */
export const enoughServe = (evidence: Evidence): readonly string[] =>
  Object.keys(evidence.situation.asked).flatMap((group) =>
    shortTimes(evidence, group)
      .filter((ms) => ms > againWithinMs(evidence))
      .map((ms) => `${group}: too few still serve ${(ms / 1_000).toFixed(1)} s after the last trouble`),
  );
