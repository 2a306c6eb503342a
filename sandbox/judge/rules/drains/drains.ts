import type { Chronicle } from '../../chronicle.ts';
import type { Finding, Rule } from '../../finding.ts';
import { type SwapWrite, swapWrites } from '../../said/swap-writes.ts';
import { times } from '../../times.ts';
import { warnedAtMs } from '../../world/life.ts';

type Broken = Omit<Finding, 'rule'>;

/** Six spans of ten seconds a minute, and room for warnings that are late or come once a drain has begun. */
const mostAMinute = 20;
const minuteMs = 60_000;

const tooMany = (chronicle: Chronicle): readonly Broken[] => {
  const isWarned = (instance: string, atMs: number): boolean => {
    const life = chronicle.life(instance);
    return life !== undefined && warnedAtMs(life) <= atMs;
  };
  const ofWarned = chronicle
    .of('drain')
    .filter(({ status, instances, atMs }) => status === 'started' && instances.length > 0 && instances.every((one) => isWarned(one, atMs)))
    .filter(({ group, atMs }) => chronicle.policyAt(group, atMs)?.order !== 'drain-first');
  return [...Map.groupBy(ofWarned, ({ group }) => group)].flatMap(([group, started]) =>
    started
      .filter((first, index) => (started[index + mostAMinute]?.atMs ?? Number.POSITIVE_INFINITY) < first.atMs + minuteMs)
      .slice(0, 1)
      .map(({ atMs }) => ({ group, atMs, detail: `more than ${mostAMinute} drains of warned members began within a minute` })),
  );
};

/** The span of ten seconds in which the deadline of a swap lies, and its group: what a drain is shared by. */
const spanOf = ({ group, swap }: SwapWrite): string | undefined =>
  swap.facts.deadlineMs === undefined ? undefined : `${group} ${Math.floor(swap.facts.deadlineMs / times.drainShareMs)}`;

const isWaiting = ({ swap: { state } }: SwapWrite): boolean => state === 'waiting' || state === 'leaving';

/** Whether the first thing that is stored about an instance is that EC2 takes it, and which drain it is on. */
const isOrder = ({ swap: { reason, state, drain } }: SwapWrite): boolean => reason === 'interruption' && state === 'leaving' && drain !== undefined;

/** Members whose deadlines are in one span, and that were put on two drains although neither they nor others of these drains had begun to drain. */
const apart = (chronicle: Chronicle): readonly Broken[] => {
  const writes = [...swapWrites(chronicle).entries()];
  const begun = writes.flatMap(([, all]) => all.filter((write) => !isWaiting(write)));
  const first = writes.flatMap(([instance, [one]]) => (one !== undefined && isOrder(one) ? [{ ...one, instance, span: spanOf(one) }] : []));
  return [...Map.groupBy(first, ({ span }) => span)].flatMap(([span, orders]): readonly Broken[] => {
    const [one, ...others] = orders.toSorted((a, b) => a.atMs - b.atMs);
    const next = others.find(({ swap }) => swap.drain !== one?.swap.drain);
    if (span === undefined || one === undefined || next === undefined) return [];
    const drains = [one.swap.drain, next.swap.drain];
    const isBegun = begun.some((write) => write.atMs <= next.atMs && (spanOf(write) === span || drains.includes(write.swap.drain)));
    const { group, instance, atMs } = next;
    const detail = `${instance} was put on another drain than ${one.instance}, whose deadline is in the same ten seconds and whose drain had not begun`;
    return isBegun ? [] : [{ group, instance, atMs, detail }];
  });
};

export const drainsAreShared: Rule = {
  name: 'warnings share drains',
  meaning:
    'Where drains wait for replacements, a group starts at most twenty drains a minute for members that EC2 takes, however many EC2 warns. All members of a drain are looked at together. Members that EC2 takes at deadlines in the same ten seconds are on the same drain, unless some of them, or of their drains, had begun to drain when the later one was claimed.',
  broken: (chronicle) => [...tooMany(chronicle), ...apart(chronicle)],
};
