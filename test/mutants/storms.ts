import type { Mutant } from './mutant.ts';

const caughtBy = ['forty groups lose a zone'] as const;
/** The launches of so many groups empty the buckets of calls. */
const withEmptyBuckets = ['a hundred groups lose a zone'] as const;
/** Each group's warnings come in several batches at the same moment. */
const inLargeGroups = ['ten groups of a hundred lose all their members'] as const;
/** One group that the bucket of launched instances binds. */
const inOneGroup = ['a storm of a thousand in one group'] as const;

/** A decision that another one about its group was given tokens before looks again, and finds all that leave. */
const nobodyBefore = {
  file: 'core/limits/account-budget.ts',
  from: 'last !== undefined && last.by !== by &&',
  to: 'last !== undefined && last.by !== by && nowMs < 0 &&',
} as const;

/** Breakages of how the groups of one account share its request buckets. */
export const storms: readonly Mutant[] = [
  {
    name: 'launches take no turns',
    file: 'core/limits/line.ts',
    from: 'if (isHere && isThere) {',
    to: 'if (isHere && (isThere || instances >= 0)) {',
    caughtBy: withEmptyBuckets,
  },
  {
    name: 'a group whose turn comes later is not woken for it',
    file: 'functions/react/turns/take-turn.ts',
    from: '...earlier(decision.wakeAtMs, wakeAtMs),',
    to: '...earlier(decision.wakeAtMs, wakeAtMs === undefined ? wakeAtMs : undefined),',
    caughtBy: withEmptyBuckets,
  },
  {
    name: 'each group of a batch is read by itself',
    file: 'functions/react/react.ts',
    from: '...(look && { look })',
    to: '...(look && { unused: look })',
    caughtBy,
  },
  {
    name: 'four groups of a batch are converged at once',
    file: 'functions/react/react.ts',
    from: 'const groupsAtOnce = 100;',
    to: 'const groupsAtOnce = 4;',
    caughtBy: withEmptyBuckets,
  },
  {
    name: 'calls take no tokens',
    file: 'aws/calls/paced-client.ts',
    from: 'if (!(await pacer.take(call))) throw notNow(call);',
    to: '',
    caughtBy,
  },
  {
    name: 'a call whose token comes later does not wait for it',
    file: 'aws/calls/pacer.ts',
    from: 'if (ms > 0) await sleep(ms);',
    to: 'if (ms > 0 && !isTaken) await sleep(ms);',
    caughtBy: withEmptyBuckets,
  },
  {
    name: 'calls that are written together take one token',
    file: 'aws/calls/pacer.ts',
    from: 'costMs: wanted * eachMs + owedMs',
    to: 'costMs: eachMs + owedMs',
    caughtBy: withEmptyBuckets,
  },
  {
    name: 'a bucket that has calls in line counts as full',
    file: 'aws/state/pace-item.ts',
    from: "set: (at, value) => [at, value('cost')].join(' + '),",
    to: "set: (_, value) => [value('before'), value('cost')].join(' + '),",
    caughtBy,
  },
  {
    name: 'instances that were refused stay spent',
    file: 'functions/react/turns/take-turn.ts',
    from: 'unspent: { instances: launched.reduce((sum, one) => sum + unlaunchedBy(one), 0) },',
    to: 'unspent: {},',
    caughtBy: inOneGroup,
  },
  {
    name: 'warned members are claimed after the look alone',
    file: 'functions/react/carry-out/claim-facts.ts',
    from: "traitsOf(fact).endedBy !== 'ec2' ||",
    to: "traitsOf(fact).endedBy !== 'holdfast' ||",
    also: [nobodyBefore],
    caughtBy: inLargeGroups,
  },
  {
    name: 'swaps are not read again after the look',
    file: 'functions/react/converge.ts',
    from: 'if (facts.leaving.length === 0) return [found, told];',
    to: 'if (facts.leaving.length >= 0) return [found, told];',
    also: [nobodyBefore],
    caughtBy: inLargeGroups,
  },
  {
    name: 'the look of a storm reads the target health of ten groups at a time',
    file: 'aws/providers/health-turns.ts',
    from: 'const healthAtOnceWarned = 3;',
    to: 'const healthAtOnceWarned = healthAtOnce;',
    caughtBy: inLargeGroups,
  },
  {
    name: 'a request waits for the others of its batch for as long as they take',
    file: 'functions/react/turns/awaited.ts',
    from: 'const othersWithinMs = 2_000;',
    to: 'const othersWithinMs = 200_000;',
    caughtBy: ['members are warned while another group attaches for long'],
  },
  {
    name: 'all groups request first what nobody knows',
    file: 'core/limits/ask-first.ts',
    from: 'export const mostAtFirst = 4;',
    to: 'export const mostAtFirst = 4_000;',
    caughtBy: ['twenty groups lose all their members'],
  },
  {
    name: 'large groups come first',
    file: 'core/limits/need.ts',
    from: 'a.need.size - b.need.size ||',
    to: 'b.need.size - a.need.size ||',
    caughtBy: ['small and large groups lose all their members'],
  },
  {
    name: 'nobody goes on with a group that is handed over',
    file: 'functions/react/turns/hand-over.ts',
    from: 'if (inMs !== undefined) await ports.wakes.wake([facts.group], ports.clock.now() + inMs);',
    to: 'if (inMs === Number.NaN) await ports.wakes.wake([facts.group], ports.clock.now());',
    caughtBy: ['what a function reads first takes half of its time'],
  },
];
