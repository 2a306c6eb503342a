import type { Chronicle } from '../chronicle.ts';

/**
 * In how many minutes of a run a message came again that a function had to give back because a fault met its calls, for each function. The queue or the
 * stream delivers it again until it is handled, and each time that costs a look.
 */
export const minutesGivenBack = (chronicle: Chronicle): number => {
  const { readyAtMs } = chronicle.history;
  const troubled = new Set(chronicle.of('called').flatMap(({ trouble, invocation }) => (trouble === 'fault' ? [invocation] : [])));
  const givenBack = new Map<string, number>();
  for (const { invocation, again, atMs } of chronicle.of('invocation-ended'))
    if (troubled.has(invocation)) for (const message of again) givenBack.set(message, Math.min(atMs, givenBack.get(message) ?? atMs));
  const came = chronicle.of('delivered').filter(({ message, atMs }) => atMs >= readyAtMs && (givenBack.get(message) ?? atMs) < atMs);
  return new Set(came.map(({ function: name, atMs }) => `${name} ${Math.floor((atMs - readyAtMs) / 60_000)}`)).size;
};
