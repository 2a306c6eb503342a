import type { Chronicle } from '../chronicle.ts';
import type { Allowance } from '../finding.ts';
import { actsWithinMs, drainBeginsInTime } from '../rules/drains/warned.ts';
import { endless, type Life, warnedAtMs } from '../world/life.ts';

/** Calls since its warning that were to start a drain of this member, in their order, until a drain was started. */
const startsInVain = (chronicle: Chronicle, life: Life) => {
  const drains = new Set(life.claims.flatMap(({ drain }) => drain ?? []));
  const calls = chronicle.of('called').filter(({ starts, askedAtMs }) => drains.has(starts ?? '') && askedAtMs >= warnedAtMs(life));
  const startedMs = Math.min(endless, ...calls.flatMap(({ applied, askedAtMs }) => (applied ? [askedAtMs] : [])));
  return calls.filter(({ askedAtMs }) => askedAtMs < startedMs);
};

export const startRefused: Allowance = {
  name: 'Step Functions did not start the drain',
  excuses: drainBeginsInTime.name,
  trouble: 'Faults met every call after the warning that was to start the drain of the member, until one succeeded.',
  reaches: 'That member, if it is taken out of service within fifteen seconds after the last call that a fault met.',
  reason:
    'Only the drain takes a member out of service. Holdfast calls more often while a deadline is near, and a drain needs a few seconds to begin.',
  covers: ({ instance = '', atMs }, chronicle) => {
    const life = chronicle.life(instance);
    const calls = life === undefined ? [] : startsInVain(chronicle, life);
    const lastMs = Math.max(...calls.map(({ askedAtMs }) => askedAtMs));
    return calls.length > 0 && calls.every(({ trouble }) => trouble === 'fault') && lastMs <= atMs && atMs <= lastMs + actsWithinMs;
  },
};
