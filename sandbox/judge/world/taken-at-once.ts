import type { Chronicle } from '../chronicle.ts';
import { remembered } from '../remembered.ts';
import { times } from '../times.ts';
import { nameOf, type OfferingName } from './cloud.ts';
import { type Life, launchTimeOf } from './life.ts';

/** A member that EC2 may have been heard to take at once after its launch. */
type Taken = { readonly life: Life; readonly warnedAtMs: number; readonly heardAtMs: number };

/** EC2 reports launch times in whole seconds, and a function looks a moment after it received the message. */
const slackOf = ({ times: { clockMs } }: Chronicle): number => times.reactMs + 2 * clockMs + 1_000;

const takenIn = (chronicle: Chronicle, group: string): readonly Taken[] =>
  chronicle
    .livesIn(group)
    .flatMap((life): readonly Taken[] => {
      const [first] = life.warnings;
      const heard = life.deliveries.filter(({ told }) => told.about === 'warning').map(({ atMs }) => atMs);
      if (first === undefined || first.atMs - launchTimeOf(life) >= times.takenAtOnceMs + slackOf(chronicle)) return [];
      return heard.length === 0 ? [] : [{ life, warnedAtMs: first.atMs, heardAtMs: Math.max(...heard) }];
    })
    .toSorted((one, other) => one.warnedAtMs - other.warnedAtMs);

/** Whether the second was launched after the first may have been known to be taken, and taken soon after it. */
const followsOn = (chronicle: Chronicle, first: Taken, second: Taken): boolean => {
  const slackMs = slackOf(chronicle);
  return (
    nameOf(first.life) === nameOf(second.life) &&
    launchTimeOf(second.life) >= first.warnedAtMs - slackMs &&
    second.warnedAtMs < first.heardAtMs + times.takenAtOnceWithinMs + slackMs
  );
};

/** Whether one more that is taken at once may show that its offering gives nothing: it is the second, or others of its market showed it before. */
const mayShow = (chronicle: Chronicle, all: readonly Taken[], one: Taken): boolean => {
  const slackMs = slackOf(chronicle);
  const before = all.filter(({ life, warnedAtMs }) => life.market === one.life.market && warnedAtMs <= one.heardAtMs + slackMs);
  let sinceMs = one.warnedAtMs;
  for (const other of before.toReversed()) {
    if (other.heardAtMs + times.refusedRestMs + slackMs < sinceMs) break;
    if (before.some((first) => first !== other && followsOn(chronicle, first, other))) return true;
    sinceMs = Math.min(sinceMs, other.warnedAtMs);
  }
  return false;
};

/** Members of a group that EC2 may have been heard to take at once, with whether each may show that its offering gives nothing. */
const shownIn = (chronicle: Chronicle, group: string): readonly (Taken & { readonly shows: boolean })[] => {
  const all = takenIn(chronicle, group);
  return all.map((one) => ({ ...one, shows: mayShow(chronicle, all, one) }));
};

const shownByGroup = remembered((chronicle: Chronicle) => new Map([...chronicle.groups.keys()].map((group) => [group, shownIn(chronicle, group)])));

type Look = { readonly group: string; readonly sinceMs: number; readonly atMs: number };

/** Whether Holdfast may let an offering rest because EC2 granted launches of it and took them back at once (docs/architecture.md). */
export const mayBeTakenAtOnce = (chronicle: Chronicle, offering: OfferingName, { group, sinceMs, atMs }: Look): boolean => {
  const shown = shownByGroup(chronicle).get(group) ?? shownIn(chronicle, group);
  return shown.some(
    ({ life, shows, warnedAtMs, heardAtMs }) =>
      shows && warnedAtMs <= atMs && sinceMs < heardAtMs + times.refusedRestMs + slackOf(chronicle) && nameOf(life) === nameOf(offering),
  );
};

/** When offerings of a group stop to rest, at the latest, because EC2 took launches of them back at once. */
export const takenRestsEnd = (chronicle: Chronicle, group: string): readonly number[] =>
  (shownByGroup(chronicle).get(group) ?? []).flatMap(({ shows, heardAtMs }) => (shows ? [heardAtMs + times.refusedRestMs + slackOf(chronicle)] : []));

/** When a function that did all of its work received a warning, and when it ended: it learned in between. */
export type Learned = { readonly heardAtMs: number; readonly endedAtMs: number };

type Known = Taken & Learned;

/**
 * Whom of an offering EC2 surely took back at once: an instance that was launched or started after another one was surely known to
 * be taken so, the first of a while.
 *
 * @param learned when whoever acts had learned of the warning of a member
 */
export const surelyTakenAtOnce = (
  chronicle: Chronicle,
  offering: OfferingName,
  group: string,
  learned: (life: Life) => Learned | undefined,
): Known | undefined => {
  // Launch times have whole seconds.
  const slackMs = 2 * chronicle.times.clockMs + 1_000;
  const all = takenIn(chronicle, group).filter(({ life }) => nameOf(life) === nameOf(offering));
  const known = all.flatMap((one): readonly Known[] => {
    const by = learned(one.life);
    return by === undefined || by.endedAtMs + slackMs - launchTimeOf(one.life) >= times.takenAtOnceMs ? [] : [{ ...one, ...by }];
  });
  const isFirst = (one: Known): boolean =>
    all.every(
      (other) =>
        other.life === one.life || other.warnedAtMs >= one.warnedAtMs || other.heardAtMs < one.warnedAtMs - times.takenAtOnceWithinMs - slackMs,
    );
  const followsOnSurely = (first: Known, second: Known): boolean =>
    launchTimeOf(second.life) >= first.endedAtMs + slackMs && second.endedAtMs + slackMs < first.heardAtMs + times.takenAtOnceWithinMs;
  return known.findLast((second) => known.some((first) => isFirst(first) && followsOnSurely(first, second)));
};
