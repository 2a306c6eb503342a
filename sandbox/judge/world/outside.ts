import type { Chronicle } from '../chronicle.ts';
import type { FunctionEvent, History, SizeEvent } from '../history.ts';
import { remembered } from '../remembered.ts';
import type { AsgChange, Cloud } from './cloud.ts';
import { isFunction } from './life.ts';
import { ownersWill } from './owners.ts';

/** The size that others want for an Auto Scaling group from a moment on. */
export type Word = {
  readonly atMs: number;
  /** The size that was set last, moved by what others added and took since. */
  readonly size: number;
  /**
   * It was written between a look of Holdfast and the write that followed from that look. That write may have replaced it, so the desired capacity may differ
   * until others write again.
   */
  readonly isBetween: boolean;
};

type Called = Extract<FunctionEvent, { readonly kind: 'called' }>;

/** The moment of the last look at Auto Scaling groups that an invocation took before this moment. */
const lookedBefore = (calls: readonly Called[], invocation: string, atMs: number): number | undefined =>
  calls.findLast((call) => call.invocation === invocation && call.atMs <= atMs)?.askedAtMs;

const looksOf = remembered(({ events }: History): readonly Called[] =>
  events.filter((event): event is Called => event.kind === 'called' && event.operation === 'DescribeAutoScalingGroups'),
);

const looksBy = remembered((history: History) => Map.groupBy(looksOf(history), ({ invocation }) => invocation));

/** What a look of Holdfast's at the numbers of Auto Scaling groups may show. */
export type Seeing = { readonly history: History; readonly cloud: Cloud; readonly lagMs: number };

export const seeingOf = ({ history, cloud, times }: Pick<Chronicle, 'history' | 'cloud' | 'times'>): Seeing => ({
  history,
  cloud,
  lagMs: times.asgLagMs,
});

/**
 * The time between a look of Holdfast's and a change of the desired capacity that followed from it. After the change only a write of `like` may be lost, until
 * the next look, and for as long as the addition of an attach stays: it is the number that the attach made, so Holdfast takes it for its own. Any other number
 * shows at the next look, and stands.
 */
type Gap = { readonly fromMs: number; readonly changedAtMs: number; readonly againAtMs: number; readonly like: number };

const gapsOf = (history: History, cloud: Cloud, asg: string, lagMs: number): readonly Gap[] => {
  const looks = looksOf(history);
  const changes = cloud.asgChanges(asg);
  return changes.flatMap(({ by, atMs, desired }, index) => {
    const before = changes[index - 1]?.desired ?? desired;
    if (!isFunction(by) || desired === before) return [];
    const lookedAtMs = lookedBefore(looks, by.invocation, atMs);
    const againAtMs = looks.find((call) => call.invocation === by.invocation && call.askedAtMs >= atMs)?.atMs ?? atMs;
    const goneAtMs = desired > before ? (changes.slice(index + 1).find((other) => other.desired !== desired)?.atMs ?? history.endedAtMs) : atMs;
    const gap = { changedAtMs: atMs, againAtMs: Math.max(againAtMs, goneAtMs), like: Math.max(before, desired) };
    return lookedAtMs === undefined ? [] : [{ fromMs: lookedAtMs - lagMs, ...gap }];
  });
};

const isIn =
  (atMs: number, size: number) =>
  ({ fromMs, changedAtMs, againAtMs, like }: Gap): boolean =>
    atMs >= fromMs && (atMs <= changedAtMs || (atMs <= againAtMs && size === like));

/**
 * Whether others changed the number between the last look of a function and its attach. No look shows whether they did so before the attach or after it. After
 * it, the number is theirs, so Holdfast takes it for theirs.
 */
const isBesideOthers = ({ history, lagMs }: Seeing, changes: readonly AsgChange[], index: number): boolean => {
  const attach = changes[index];
  if (attach === undefined || !isFunction(attach.by)) return false;
  const { invocation } = attach.by;
  const lookedAtMs = lookedBefore(looksBy(history).get(invocation) ?? [], invocation, attach.atMs);
  if (lookedAtMs === undefined) return false;
  const others = changes
    .slice(0, index)
    .findLast(({ by, desired }, before) => !isFunction(by) && desired !== (changes[before - 1]?.desired ?? desired));
  return others !== undefined && others.atMs >= lookedAtMs - lagMs;
};

/** How much these changes had left of what attaches added and Holdfast has not taken down yet, as far as looks show it. */
const owedAfter = (seeing: Seeing, changes: readonly AsgChange[]): number => {
  let owed = 0;
  for (const [index, change] of changes.entries()) {
    const by = change.desired - (changes[index - 1]?.desired ?? change.desired);
    const attached = isBesideOthers(seeing, changes, index) ? 0 : seeing.cloud.attachedWith(change);
    if (isFunction(change.by)) owed = Math.max(0, owed + Math.min(by, attached));
    else if (by !== 0) owed = 0;
  }
  return owed;
};

/** What attaches since a moment added and Holdfast has not taken down. The first change is the one before: its number counts, and its author does not. */
const owedSince = (seeing: Seeing, changes: readonly AsgChange[], sinceMs: number): number =>
  owedAfter(
    seeing,
    changes.slice(
      Math.max(
        0,
        changes.findLastIndex(({ atMs }) => atMs < sinceMs),
      ),
    ),
  );

/** Events before a moment. Events at that very moment do not count. */
const owedBefore = (seeing: Seeing, asg: string, atMs: number): number =>
  owedAfter(
    seeing,
    seeing.cloud.asgChanges(asg).filter((change) => change.atMs < atMs),
  );

const isSize =
  (asg: string, sinceMs: number) =>
  (event: History['events'][number]): event is SizeEvent =>
    event.kind === 'size-written' && event.asg === asg && event.atMs > sinceMs;

/** The bounds that the owner gave the group. What others wrote while Holdfast had raised the maximum is bounded by the owner's. */
const boundsAt = (cloud: Cloud, asg: string, atMs: number): { readonly min: number; readonly max: number } =>
  ownersWill(cloud.asgChanges(asg)).findLast(({ change }) => change.atMs <= atMs)?.owned ?? { min: 0, max: Number.POSITIVE_INFINITY };

/**
 * What an earlier policy left of its attaches when a group takes its size from an Auto Scaling group. That policy took its size from there too, since this
 * moment. A number that others wrote after the last attach is theirs, whatever it is.
 */
const leftBefore = (seeing: Seeing, asg: string, fromMs: number, untilMs: number): number => {
  const { history, cloud } = seeing;
  const changes = cloud.asgChanges(asg).filter(({ atMs }) => atMs < untilMs);
  const last = changes.findLast(({ by }) => isFunction(by))?.atMs ?? untilMs;
  if (history.events.some((event) => isSize(asg, last)(event) && event.atMs < untilMs)) return 0;
  return owedSince(seeing, changes, fromMs);
};

type Move = { readonly atMs: number; readonly found: number; readonly size: number; readonly least: number };

/**
 * A size that changes with members that are added or removed. While the group holds more than was set, the mover may mean either number. A later mover has read
 * the actual number, so its result is certain, and the earlier uncertainty ends. Nobody can mean less than the minimum of the group.
 */
const moved = (before: Word, { atMs, found, size, least }: Move, isUnsure: boolean): Word => {
  if (before.isBetween && !isUnsure) return { atMs, size, isBetween: false };
  return { atMs, size: Math.max(least, before.size + size - found), isBetween: before.isBetween || isUnsure };
};

/** Since when a group takes its size from an Auto Scaling group, and since when the policy did that which was in force before there. */
export type Since = { readonly asg: string; readonly sinceMs: number; readonly beforeMs?: number | undefined };

/** What others wanted of an Auto Scaling group since a group took its size from it, in order. */
export const wordsOf = (history: History, cloud: Cloud, { asg, sinceMs, beforeMs }: Since, lagMs: number): readonly Word[] => {
  const seeing = { history, cloud, lagMs };
  const gaps = gapsOf(history, cloud, asg, lagMs);
  const left = beforeMs === undefined ? 0 : leftBefore(seeing, asg, beforeMs, sinceMs);
  const first: Word = { atMs: sinceMs, size: Math.max(0, (cloud.asgAt(asg, sinceMs)?.desired ?? 0) - left), isBetween: false };
  const words = [first];
  for (const { atMs, found: foundThere, size: written, how } of history.events.filter(isSize(asg, sinceMs))) {
    const { min: least, max: most } = boundsAt(cloud, asg, atMs);
    const [found, size] = [Math.min(foundThere, most), Math.min(written, most)];
    const before = words.at(-1) ?? first;
    const isInGap = gaps.some(isIn(atMs, written));
    words.push(
      how === 'set' ? { atMs, size, isBetween: isInGap } : moved(before, { atMs, found, size, least }, isInGap || owedBefore(seeing, asg, atMs) > 0),
    );
  }
  return words;
};

/**
 * The size that an Auto Scaling group shows from a moment on: its desired capacity, less what attaches added and nobody has
 * taken down, within the maximum of its owner. This is all that a look can know.
 */
export const sizeShownAt = (seeing: Seeing, asg: string, atMs: number): number => {
  const changes = seeing.cloud.asgChanges(asg).filter((change) => change.atMs <= atMs);
  return Math.min((changes.at(-1)?.desired ?? 0) - owedAfter(seeing, changes), boundsAt(seeing.cloud, asg, atMs).max);
};

/**
 * When members joined, although what an earlier attach had added was there all the time since before the function looked for the first time. Attaches since
 * this moment count.
 */
export const joinedBeside = (seeing: Seeing, asg: string, sinceMs: number): readonly number[] => {
  const { history, cloud, lagMs } = seeing;
  const looks = looksOf(history);
  const changes = cloud.asgChanges(asg);
  return changes.flatMap((change, index) => {
    const { by, atMs } = change;
    if (!isFunction(by) || atMs < sinceMs || cloud.attachedWith(change) === 0) return [];
    const first = looks.find((call) => call.invocation === by.invocation && call.askedAtMs <= atMs);
    if (first === undefined) return [];
    const seen = changes.findLastIndex((one) => one.atMs < first.askedAtMs - lagMs);
    const since = changes.slice(0, index).map((_, before) => before);
    const isOwed = since.slice(Math.max(0, seen)).every((before) => owedSince(seeing, changes.slice(0, before + 1), sinceMs) > 0);
    return seen >= 0 && isOwed ? [atMs] : [];
  });
};
