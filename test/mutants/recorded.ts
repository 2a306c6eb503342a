import type { Mutant } from './mutant.ts';

/** Breakages that the record of offerings, members and calls shows, although every group keeps its size. */
export const recorded: readonly Mutant[] = [
  {
    name: 'an offering that EC2 advises to leave rests for half an hour',
    file: 'core/pool-memory/advice.ts',
    from: 'export const advisedRestMs = 3 * 60_000;',
    to: 'export const advisedRestMs = 30 * 60_000;',
    caughtBy: ['rebalance'],
  },
  {
    name: 'a refusal outlives what EC2 gives of its offering',
    file: 'core/pool-memory/successes.ts',
    from: 'isNews(key, lesson) && lesson.code !== takenAtOnceCode);',
    to: 'isNews(key, lesson) && lesson.code === takenAtOnceCode);',
    caughtBy: ['scenario return-to-spot'],
  },
  {
    name: 'members that join carry no tag that says so',
    file: 'aws/providers/attach-members.ts',
    from: '{ Key: tags.joined, Value: joinedTagValue(asg, deps.now()) },',
    to: '',
    caughtBy: ['interruption, attached'],
  },
  {
    name: 'one piece of advice is followed at a time',
    file: 'core/limits/advice-budget.ts',
    from: 'return Math.max(0, adviceLeft(budgeted) - waiting);',
    to: 'return Math.max(0, Math.min(1, adviceLeft(budgeted) - waiting));',
    caughtBy: ['rebalance', 'scenario rebalance-advice'],
  },
  {
    name: 'a drain goes on for three minutes after its connections',
    file: 'core/drain/look.ts',
    from: 'return withHeartbeats(Math.max(...looks), look);',
    to: 'return withHeartbeats(Math.max(...looks) + 180_000, look);',
    caughtBy: ['rebalance'],
  },
];
