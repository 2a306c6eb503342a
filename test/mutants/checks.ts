import { shortfallText } from '../../core/drain/shortfall-text.ts';
import type { Evidence } from '../sim/evidence.ts';
import type { Violation } from '../sim/invariants.ts';
import type { Life } from '../sim/watch.ts';

/** What one situation demands beyond the invariants of all. */
export type Check = (evidence: Evidence) => readonly Violation[];

const check =
  (invariant: string, broken: (evidence: Evidence) => readonly string[]): Check =>
  (evidence) => {
    const detail = broken(evidence);
    return detail.length === 0 ? [] : [{ invariant, detail }];
  };

const membersOf = ({ lives }: Evidence, group = 'web'): readonly Life[] => lives.filter((life) => life.group === group);

/** Members by pool at the end, where the tree leaves no choice. */
export const endsIn = (wanted: Readonly<Record<string, number>>): Check =>
  check('members are where the tree wants them', ({ snapshot }) => {
    const running = snapshot.instances.filter(({ state, tags }) => state === 'running' && tags['holdfast:group'] === 'holdfast/web');
    const byPool = Map.groupBy(running, ({ tags }) => tags['holdfast:pool'] ?? 'none');
    return [...new Set([...Object.keys(wanted), ...byPool.keys()])].flatMap((pool) => {
      const [found, due] = [byPool.get(pool)?.length ?? 0, wanted[pool] ?? 0];
      return found === due ? [] : [`${pool} holds ${found}, not ${due}`];
    });
  });

/** Nobody of the group is on demand at the end. */
export const endsOnSpot: Check = check('nobody stays on demand', (evidence) => {
  const members = new Set(membersOf(evidence).map(({ instance }) => instance));
  return evidence.snapshot.instances.flatMap(({ id, market, state }) =>
    members.has(id) && market === 'on-demand' && state === 'running' ? [`${id} is on demand`] : [],
  );
});

const servesAt = (atMs: number, { servingAtMs, drainingAtMs, goneAtMs }: Life): boolean =>
  servingAtMs !== undefined && servingAtMs <= atMs && (drainingAtMs ?? goneAtMs ?? Number.POSITIVE_INFINITY) > atMs;

/** From the moment when the group is up, never fewer serve: warnings come early enough, and whoever leaves by choice leaves no gap. */
export const neverFewerThan = (least: number): Check =>
  check('enough members serve at any time', (evidence) => {
    const members = membersOf(evidence);
    const moments = members.flatMap(({ drainingAtMs, goneAtMs }) => [drainingAtMs, goneAtMs].filter((atMs) => atMs !== undefined));
    return moments
      .filter((atMs) => atMs >= evidence.readyAtMs)
      .map((atMs) => ({ atMs, serving: members.filter((life) => servesAt(atMs, life)).length }))
      .filter(({ serving }) => serving < least)
      .map(({ atMs, serving }) => `${serving} serve ${((atMs - evidence.readyAtMs) / 1_000).toFixed(1)} s after the beginning, not ${least}`);
  });

/** EC2 ends what it announced to take; a connection may need the time until then. */
export const leftToEc2: Check = check('interrupted instances are left to EC2', (evidence) =>
  membersOf(evidence)
    .filter(({ takenAtMs, goneAtMs, rebalanceAtMs }) => takenAtMs !== undefined && rebalanceAtMs === undefined && (goneAtMs ?? takenAtMs) < takenAtMs)
    .map(({ instance, takenAtMs = 0, goneAtMs = 0 }) => `${instance} was ended ${(takenAtMs - goneAtMs) / 1_000} s before EC2 would have`),
);

/** An instance that ends sooner may be one of ours whose tags are not shown yet. */
export const straysGetTime = (leastMs: number): Check =>
  check('strays are given time', (evidence) =>
    evidence.swaps
      .filter(({ reason }) => reason === 'unwanted')
      .flatMap(({ instance }) => membersOf(evidence).filter((life) => life.instance === instance))
      .filter(({ launchedAtMs, goneAtMs }) => goneAtMs !== undefined && goneAtMs - launchedAtMs < leastMs)
      .map(({ instance, launchedAtMs, goneAtMs = 0 }) => `${instance} was removed after ${(goneAtMs - launchedAtMs) / 1_000} s`),
  );

/** Nothing hinders this drain, so nothing may have to be excused. */
export const nothingExcused: Check = check('drained without an excuse', ({ swaps }) =>
  swaps.flatMap(({ instance, shortfall }) => (shortfall === undefined ? [] : [`${instance}: ${shortfallText(shortfall)}`])),
);

/** The same, where Holdfast itself waits for connections and must have seen their end. */
export const drainedInFull: Check = check('drained in full', ({ swaps }) =>
  swaps.flatMap(({ instance, shortfall, drainedAtMs }) => {
    if (shortfall !== undefined) return [`${instance}: ${shortfallText(shortfall)}`];
    return drainedAtMs === undefined ? [`${instance} went before it had drained`] : [];
  }),
);

/** The load balancer waits longer than EC2 does: that connections are cut must be said. */
export const saysShortfall: Check = check('what falls short is said', ({ swaps }) =>
  swaps.flatMap(({ instance, shortfall }) => (shortfall === undefined ? [`${instance} had no time to drain, and nothing says so`] : [])),
);

/** For as many as were warned as many are launched, and soon: a refusal or a throttle does not wait for the next tick. */
export const launchedWithin = (ms: number): Check =>
  check('replacements are launched soon', (evidence) => {
    const members = membersOf(evidence);
    const warnings = members.flatMap(({ warnedAtMs }) => warnedAtMs ?? []).toSorted((a, b) => a - b);
    return warnings.flatMap((warnedAtMs, before) => {
      const launched = members.filter(({ launchedAtMs }) => launchedAtMs > evidence.readyAtMs && launchedAtMs <= warnedAtMs + ms).length;
      return launched > before ? [] : [`${launched} were launched within ${ms / 1_000} s of warning ${before + 1}`];
    });
  });

/** Each look arranges the next one, and no more. */
export const wakesAtMost = (most: number): Check =>
  check('wakes do not multiply', ({ calls, readyAtMs }) => {
    const sent = calls.filter(({ operation, atMs }) => operation === 'SendMessage' && atMs >= readyAtMs).length;
    return sent <= most ? [] : [`${sent} wakes, expected ${most} at most`];
  });

/** Where a bucket of the account binds, all of these groups have launched before the last of the others has. */
export const replacedBefore = (first: readonly string[], others: readonly string[]): Check =>
  check('small groups come first', (evidence) => {
    const lastMs = (groups: readonly string[]): number =>
      Math.max(...groups.flatMap((group) => membersOf(evidence, group).map(({ launchedAtMs }) => launchedAtMs)));
    const byMs = lastMs(others) - lastMs(first);
    return byMs > 0 ? [] : [`the last of the small groups is replaced ${-byMs / 1_000} s after the last of the large ones`];
  });
