import { wasLost } from '../../capacity/breaker.ts';
import type { Chronicle } from '../../chronicle.ts';
import { inEveryGroup } from '../../every-group.ts';
import type { Finding, Rule } from '../../finding.ts';
import { lookedSince } from '../../members/staying.ts';
import { goneAtMs, isFunction, type Life } from '../../world/life.ts';

type Broken = Omit<Finding, 'rule'>;
type Claim = Life['claims'][number];

/** Reasons for which a member waits until the surge lets it leave. */
const waiting: ReadonlySet<string | undefined> = new Set(['rebalance', 'maintenance', 'moved', 'never-served']);

/** The writes that let a member begin to leave that had waited for its turn, and that nobody takes or stops. */
const begunIn = (life: Life): readonly Claim[] =>
  life.claims.filter(
    ({ state, reason, atMs, by }, index) =>
      state === 'leaving' &&
      life.claims[index - 1]?.state === 'waiting' &&
      waiting.has(reason) &&
      isFunction(by) &&
      life.warnings.length + life.hooks.length === 0 &&
      goneAtMs(life) > atMs,
  );

/** Whether it leaves at a moment: its connections go on, or its drain is about to begin. */
const isUnderWay = (life: Life, sinceMs: number, atMs: number): boolean => {
  const claims = life.claims.filter((claim) => claim.atMs <= atMs);
  const last = claims.at(-1);
  const isOld = claims.every((claim) => claim.atMs <= sinceMs || claim === last);
  return (
    isOld &&
    (last?.state === 'leaving' || last?.state === 'draining') &&
    waiting.has(last.reason) &&
    life.warnings.length + life.hooks.length === 0 &&
    goneAtMs(life) > atMs
  );
};

const beyondSurge = (chronicle: Chronicle, group: string, life: Life, { atMs, by }: Claim): Broken | undefined => {
  const sinceMs = lookedSince(chronicle, by, atMs);
  const policies = chronicle.policiesIn(group, sinceMs, atMs);
  const most = Math.max(0, ...policies.map(({ maxSurge }) => maxSurge));
  if (policies.length === 0 || policies.some(({ spare }) => spare === 0) || wasLost(chronicle, group, Number.NEGATIVE_INFINITY, atMs))
    return undefined;
  const others = chronicle.livesIn(group).filter((one) => one !== life && isUnderWay(one, sinceMs, atMs));
  if (others.length < most) return undefined;
  return { group, instance: life.instance, atMs, detail: `${life.instance} begins to leave beside ${others.length} others, and maxSurge is ${most}` };
};

export const leaveWithinSurge: Rule = {
  name: 'where spares take the place of members, no more leave at once than maxSurge',
  meaning:
    'Where a policy has spares, a member that had waited for its turn begins to leave only while fewer others than `maxSurge` do so: those that wait to be replaced and that neither EC2 nor a hook takes. One counts from when its swap says that it leaves until it is drained.',
  broken: inEveryGroup((chronicle, group) =>
    chronicle.livesIn(group).flatMap((life) => begunIn(life).flatMap((claim) => beyondSurge(chronicle, group, life, claim) ?? [])),
  ),
};
