import type { Mutant } from './mutant.ts';

/** Breakages of steps by the size of the breach, and of schedules. */
export const ownScaling: readonly Mutant[] = [
  {
    name: 'an alarm far from its threshold does what its first step says',
    file: 'core/scaling/adjustment.ts',
    from: 'if (steps === undefined || fromThreshold === undefined) return adjust;',
    to: 'if (steps === undefined || fromThreshold !== 0) return adjust;',
    caughtBy: ['an alarm far above its threshold'],
  },
  {
    name: 'an alarm below its threshold counts as above it',
    file: 'core/scaling/adjustment.ts',
    from: "steps.side === 'above' ? fromThreshold : -fromThreshold",
    to: "steps.side === 'above' ? fromThreshold : fromThreshold",
    caughtBy: ['an alarm far below its threshold'],
  },
  {
    name: 'a muted alarm acts',
    file: 'core/signals/alarm.ts',
    from: "muteDetail === undefined || muteDetail === null ? undefined : 'muted'",
    to: 'muteDetail === undefined ? undefined : undefined',
    caughtBy: ['an alarm that a rule mutes'],
  },
  {
    name: 'a suppressed alarm acts again while it lasts',
    file: 'core/scaling/lasting-alarms.ts',
    from: 'state?.isOn && state.quiet === undefined && nowMs',
    to: 'state?.isOn && nowMs',
    caughtBy: ['an alarm that is suppressed for long'],
  },
  {
    name: 'a schedule is followed with every look',
    file: 'core/group-state/schedule.ts',
    from: 'scheduled: { schedule, atMs: due.atMs } }, sizes };',
    to: 'scheduled: { schedule, atMs: before.atMs } }, sizes };',
    caughtBy: ['a schedule, then an alarm'],
  },
  {
    name: 'a schedule counts from before it came into force',
    file: 'core/group-state/schedule.ts',
    from: 'scheduled: { schedule, atMs: nowMs } }, sizes: [] };',
    to: 'scheduled: { schedule, atMs: nowMs - 3_600_000 } }, sizes: [] };',
    caughtBy: ['a schedule whose time is over'],
  },
  {
    name: 'the time zone of a schedule is not looked at',
    file: 'core/schedule/due.ts',
    from: 'cron && lastTime(cron, scheduled.timezone, fromMs, untilMs)',
    to: "cron && lastTime(cron, 'UTC', fromMs, untilMs)",
    caughtBy: ['a schedule in another time zone'],
  },
  {
    name: 'of two times at once the first of the list counts',
    file: 'core/schedule/due.ts',
    from: 'last !== undefined && last.atMs > one.atMs ? last : one',
    to: 'last !== undefined && last.atMs >= one.atMs ? last : one',
    caughtBy: ['two times of a schedule at once'],
  },
];
