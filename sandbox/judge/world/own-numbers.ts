import type { Chronicle } from '../chronicle.ts';
import type { Actor } from '../history.ts';
import { times } from '../times.ts';
import type { Cloud } from './cloud.ts';
import { isFunction } from './life.ts';
import type { Word } from './outside.ts';

/** A size before an attach by Holdfast, and when Holdfast set it again after the attach. */
type TakenOff = { readonly size: number; readonly by: Actor; readonly atMs: number };

/**
 * Where what others wrote is the number that an attach had made before Holdfast lowered it, or makes with the weights of the write. Members of the attach that
 * others took out before that lowering do not count.
 */
const takenForOwn = (cloud: Cloud, asg: string, { atMs: writtenAtMs, size }: Word): readonly TakenOff[] => {
  const changes = cloud.asgChanges(asg);
  const { weights } = cloud.asgAt(asg, writtenAtMs) ?? {};
  const own = changes.filter(
    ({ atMs, by, desired }, index) => isFunction(by) && atMs <= writtenAtMs && desired !== (changes[index - 1]?.desired ?? desired),
  );
  return own.flatMap((lowered, index) => {
    const attach = own[index - 1];
    const attached = attach === undefined ? 0 : cloud.attachedWith(attach);
    if (attach === undefined || attached === 0 || lowered.desired !== attach.desired - attached) return [];
    const { weights: _then, ...unweighed } = attach;
    const left = cloud.attachedWith(attach, lowered.atMs);
    const asWritten = cloud.attachedWith({ ...unweighed, ...(weights && { weights }) }, lowered.atMs);
    return left > 0 && [left, asWritten].some((units) => size === lowered.desired + units)
      ? [{ size: lowered.desired, by: lowered.by, atMs: lowered.atMs }]
      : [];
  });
};

/** Whether a look that began at a moment may still show what an attach had made. Its function writes down when it lowered that. */
const mayBeShown = (chronicle: Chronicle, { by, atMs }: TakenOff, sinceMs: number): boolean => {
  const endedAtMs = isFunction(by) ? chronicle.invocations.get(by.invocation)?.ended?.atMs : undefined;
  return sinceMs < (endedAtMs ?? atMs) + times.loweredShownMs + chronicle.times.clockMs;
};

/** Whether a function looked at Auto Scaling groups after a moment, and had its answer before another one. */
const isLookedAtIn = ({ of }: Chronicle, fromMs: number, untilMs: number): boolean =>
  of('called').some(({ operation, askedAtMs, atMs }) => operation === 'DescribeAutoScalingGroups' && askedAtMs > fromMs && atMs < untilMs);

type Look = { readonly sinceMs: number; readonly atMs: number };

/**
 * Sizes before attaches that a look may take for the size, although others wrote another one: theirs is the number that an attach had made. A describe may be
 * late, and older than the one before it. So for some time, no look shows whether it shows that attach or the write. A late describe may also show a write that
 * others have followed by another one.
 *
 * @param look from when a describe of it may be, and when its result counted
 */
export const sizesTakenForOwn = (chronicle: Chronicle, group: string, { sinceMs, atMs }: Look): readonly number[] => {
  const asg = chronicle.policyAt(group, atMs)?.asg;
  if (asg === undefined) return [];
  const words = chronicle.wordsFor(group, atMs) ?? [];
  const shown = words.filter((one, index) => one.atMs <= atMs && (words[index + 1]?.atMs ?? Number.POSITIVE_INFINITY) > sinceMs);
  return shown
    .flatMap((word) => takenForOwn(chronicle.cloud, asg, word))
    .filter((one) => mayBeShown(chronicle, one, sinceMs))
    .map(({ size }) => size);
};

/**
 * Numbers that attaches had made, which others wrote over so shortly before a look that a describe of it may still show them. Another look had been taken since
 * that write. It may have shown the write, and no look can tell whether others have set the number of the attach after that.
 *
 * @param sinceMs when the look began
 */
export const numbersWrittenOver = (chronicle: Chronicle, group: string, sinceMs: number): readonly number[] => {
  const { cloud, times: lags } = chronicle;
  const policy = chronicle.policyAt(group, sinceMs);
  if (policy?.asg === undefined || !policy.isSizedOutside) return [];
  const sizes = cloud.asgChanges(policy.asg).filter(({ desired }, index, all) => desired !== (all[index - 1]?.desired ?? desired));
  return sizes.flatMap((written, index) => {
    const attach = sizes[index - 1];
    const isOver = !isFunction(written.by) && attach !== undefined && cloud.attachedWith(attach) > 0;
    const isLate = written.atMs <= sinceMs && written.atMs > sinceMs - lags.asgLagMs;
    return isOver && isLate && isLookedAtIn(chronicle, written.atMs, sinceMs) ? [attach.desired] : [];
  });
};
