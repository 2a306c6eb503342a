import type { Chronicle } from '../chronicle.ts';
import { times } from '../times.ts';
import type { AsgChange } from './cloud.ts';
import { isFunction } from './life.ts';
import type { Word } from './outside.ts';

/** A size before an attach by Holdfast to this Auto Scaling group, and when Holdfast noted that it is the size again. */
type TakenOff = { readonly asg: string; readonly size: number; readonly notedAtMs: number };

/**
 * When a look ended that found what an attach had added taken off by others, because its own describes had been late: the first one that surely showed that,
 * or else the last one that may have. The look may have begun while others wrote the next number.
 */
const foundAtMs = ({ of, invocations, times: lags }: Chronicle, loweredAtMs: number, writtenAtMs: number): number | undefined => {
  const looks = of('called').filter(
    ({ operation, askedAtMs, invocation }) =>
      operation === 'DescribeAutoScalingGroups' &&
      askedAtMs >= loweredAtMs &&
      askedAtMs <= writtenAtMs + lags.asgLagMs &&
      invocations.get(invocation)?.function.endsWith('react') === true,
  );
  const look = looks.find(({ askedAtMs }) => askedAtMs >= loweredAtMs + lags.asgLagMs) ?? looks.at(-1);
  return look && (invocations.get(look.invocation)?.ended?.atMs ?? look.atMs);
};

/** When Holdfast noted that a number is lowered: the function that lowered it did, or the look that found it lowered by others. */
const notedAtMs = (chronicle: Chronicle, { by, atMs }: AsgChange, writtenAtMs: number): number | undefined =>
  isFunction(by) ? (chronicle.invocations.get(by.invocation)?.ended?.atMs ?? atMs) : foundAtMs(chronicle, atMs, writtenAtMs);

/**
 * Where what others wrote is the number that an attach had made before it was lowered, or makes with the weights of the write. Members of the attach that
 * others took out before that lowering do not count.
 */
const takenForOwn = (chronicle: Chronicle, asg: string, { atMs: writtenAtMs, size }: Word): readonly TakenOff[] => {
  const { cloud } = chronicle;
  const changes = cloud.asgChanges(asg);
  const { weights } = cloud.asgAt(asg, writtenAtMs) ?? {};
  const numbers = changes.filter(({ atMs, desired }, index) => atMs <= writtenAtMs && desired !== (changes[index - 1]?.desired ?? desired));
  return numbers.flatMap((lowered, index) => {
    const before = numbers.slice(0, index);
    const attach = isFunction(lowered.by) ? before.findLast(({ by }) => isFunction(by)) : before.at(-1);
    const attached = attach === undefined ? 0 : cloud.attachedWith(attach);
    if (attach === undefined || attached === 0 || lowered.desired !== attach.desired - attached) return [];
    const noted = notedAtMs(chronicle, lowered, writtenAtMs);
    const { weights: _then, ...unweighed } = attach;
    const left = cloud.attachedWith(attach, lowered.atMs);
    const asWritten = cloud.attachedWith({ ...unweighed, ...(weights && { weights }) }, lowered.atMs);
    return noted !== undefined && left > 0 && [left, asWritten].some((units) => size === lowered.desired + units)
      ? [{ asg, size: lowered.desired, notedAtMs: noted }]
      : [];
  });
};

/** Whether a look shows a member that a later decision attached. Then it is no older than that attach. */
const showsLater = ({ cloud, invocations, times: lags }: Chronicle, { asg, notedAtMs: noted }: TakenOff, sinceMs: number): boolean =>
  cloud
    .asgChanges(asg)
    .some(
      (change) =>
        isFunction(change.by) &&
        (invocations.get(change.by.invocation)?.beganAtMs ?? 0) >= noted &&
        change.atMs < sinceMs - lags.asgLagMs &&
        cloud.attachedWith(change, sinceMs) > 0,
    );

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
    .flatMap((word) => takenForOwn(chronicle, asg, word))
    .filter((one) => sinceMs < one.notedAtMs + times.loweredShownMs + chronicle.times.clockMs && !showsLater(chronicle, one, sinceMs))
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
