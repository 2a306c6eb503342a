import type { Rule } from '../../finding.ts';
import { warnedAtMs } from '../../world/life.ts';

/** Six spans of ten seconds a minute, and room for warnings that are late or come once a drain has begun. */
const mostAMinute = 20;
const minuteMs = 60_000;

export const drainsAreShared: Rule = {
  name: 'warnings share drains',
  meaning:
    'Where drains wait for replacements, a group starts at most twenty drains a minute for members that EC2 takes, however many EC2 warns. All members of a drain are looked at together.',
  broken: (chronicle) => {
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
  },
};
