import { leastShare, type ManyRun } from './many-figures.ts';

const seconds = (ms: number | null): string => (ms === null ? 'never' : `${(ms / 1_000).toFixed(1)} s`);

const listed = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .sort(([, one], [, other]) => other - one)
    .map(([operation, count]) => `${operation} ${count}`)
    .join(', ');

/**
 * A look at 100 groups of 100 together takes 23 reads. The tick looks once a minute, and groups that wait have three common looks. Reads for each
 * instance that is launched meanwhile are beyond that.
 */
const mostInShortage = 1;

/** The goals that a storm over many groups missed, one sentence each. */
export const missedGoals = ({ figures, requestedShares, throttledBy, readsBy }: ManyRun): readonly string[] => {
  const { lastRequestedMs, idealLastMs, launchCalls, neededLaunchCalls, bystanderMs } = figures;
  const lastBoundMs = 1.15 * idealLastMs + 5_000;
  const least = requestedShares && leastShare(requestedShares);
  const isLate = least === undefined ? (lastRequestedMs ?? Number.POSITIVE_INFINITY) > lastBoundMs : least.share < 0.95;
  const late =
    least === undefined
      ? `the last is requested after ${seconds(lastRequestedMs)}, expected ${seconds(lastBoundMs)} at most`
      : `${(100 * least.share).toFixed(1)} % of what the buckets allow is requested after ${least.afterS} s, expected 95 %`;
  return [
    ...(isLate ? [late] : []),
    ...(launchCalls > 1.2 * neededLaunchCalls
      ? [`${launchCalls} launch calls where ${neededLaunchCalls} are needed, expected 1.2 times as many at most`]
      : []),
    ...(figures.lowestServing < figures.lowestPossible ? [`${figures.lowestServing} serve at the fewest, expected ${figures.lowestPossible}`] : []),
    ...(figures.throttled > 0 ? [`${figures.throttled} calls are throttled (${listed(throttledBy)}), expected none`] : []),
    ...(figures.receivedTwice > 0 ? [`${figures.receivedTwice} messages are received twice, expected none`] : []),
    ...(figures.readsPerGroup > 3 ? [`${figures.readsPerGroup} reads a group until its first request (${listed(readsBy)}), expected 3 at most`] : []),
    ...((figures.shortageReadsPerGroup ?? 0) > mostInShortage
      ? [`${figures.shortageReadsPerGroup} reads a group and minute in a shortage that lasts, expected ${mostInShortage} at most`]
      : []),
    ...((figures.latestFirstMs ?? 0) > 5_000
      ? [`a group makes its first request ${seconds(figures.latestFirstMs)} after its place in the buckets, expected 5.0 s at most`]
      : []),
    ...((bystanderMs ?? Number.POSITIVE_INFINITY) > 5_000 ? [`a warning elsewhere waits ${seconds(bystanderMs)}, expected 5.0 s at most`] : []),
  ];
};
