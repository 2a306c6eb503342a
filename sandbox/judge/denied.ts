import type { Chronicle } from './chronicle.ts';
import type { History } from './history.ts';
import { times } from './times.ts';

/** A time in which nobody's launches are allowed: a right that is missing, a policy of the organisation, a template that is gone. */
export type Denial = { readonly fromMs: number; readonly untilMs: number };

const launches = ['CreateFleet', 'LaunchInstances'];
/** Codes of requests that are wrong in themselves (EC2 API Reference, error codes). */
const denialCodes = /^(UnauthorizedOperation|AccessDenied|InvalidLaunchTemplate)/;

const denialsOf = ({ faults }: History): readonly Denial[] =>
  faults.flatMap(({ fault, fromMs, untilMs }) => {
    if (fault.on !== 'call' || fault.kind !== 'error' || !denialCodes.test(fault.code)) return [];
    const { operation = launches } = fault.match ?? {};
    const isAlways = fault.probability === undefined && fault.nth === undefined && fault.times === undefined;
    return isAlways && launches.every((name) => [operation].flat().includes(name)) ? [{ fromMs, untilMs }] : [];
  });

/** The denial that a moment falls into, where Holdfast had been told so for this group before: a request of its own was denied. */
export const knownDenial = (chronicle: Chronicle, group: string, atMs: number): Denial | undefined =>
  denialsOf(chronicle.history).find(
    ({ fromMs, untilMs }) =>
      fromMs <= atMs &&
      atMs < untilMs &&
      chronicle
        .of('called')
        .some(
          (call) =>
            call.launch !== undefined &&
            denialCodes.test(call.outcome) &&
            call.atMs >= fromMs &&
            call.atMs <= atMs &&
            isFor(chronicle, call.launch, group),
        ),
  );

/** When a group was first told so, in a denial. */
export const deniedSince = (chronicle: Chronicle, group: string, { fromMs, untilMs }: Denial): number =>
  Math.min(
    Number.POSITIVE_INFINITY,
    ...chronicle
      .of('called')
      .filter(
        (call) =>
          call.launch !== undefined &&
          denialCodes.test(call.outcome) &&
          call.atMs >= fromMs &&
          call.atMs < untilMs &&
          isFor(chronicle, call.launch, group),
      )
      .map(({ atMs }) => atMs),
  );

export const allDenials = (chronicle: Chronicle): readonly Denial[] => denialsOf(chronicle.history);

const isFor = (chronicle: Chronicle, { group, asg }: { readonly group?: string; readonly asg?: string }, wanted: string): boolean =>
  group === undefined ? chronicle.groups.size === 1 || asg === undefined || asg.includes(wanted) : group === wanted;

/** Pools that were denied take turns of a minute, each within five of them, and the look that asks takes its time. */
const restsForMs = 5 * times.tickMs + times.reactMs;

/** Whether a launch of a group was denied so lately that some pool of it may rest, and no launch was answered since. */
export const wasDeniedLately = (chronicle: Chronicle, group: string, atMs: number): boolean => {
  const sinceMs = atMs - restsForMs - 2 * chronicle.times.clockMs;
  const asked = chronicle
    .of('called')
    .filter((call) => call.launch !== undefined && call.atMs <= atMs && call.atMs > sinceMs && isFor(chronicle, call.launch, group));
  const last = asked.findLast(({ outcome, atMs: answeredMs }) => outcome === 'ok' && answeredMs < atMs - times.reactMs)?.atMs ?? sinceMs;
  return asked.some((call) => call.atMs > last && denialCodes.test(call.outcome));
};
