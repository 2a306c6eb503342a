import * as times from './times.ts';

type Relation = { readonly holds: boolean; readonly because: string };

/** The relations that the times must keep. Each line says what would happen otherwise. */
const relations: readonly Relation[] = [
  {
    holds: times.timeoutEarlyMs < times.reactTimeoutMs,
    because: 'a run needs time before it records what was not finished',
  },
  {
    holds: times.reactTimeoutMs < times.leaseMs,
    because: 'a launch must not be given up while the run that made it may still run',
  },
  {
    holds: times.launchOverdueMs < times.leaseMs,
    because: 'a launch is repeated under its token before its run is certain to have ended',
  },
  {
    holds: times.leaseMs < times.signalsVisibilityMs,
    because: 'when the messages of a run that died come again, its launches can be repeated',
  },
  {
    holds: times.signalsVisibilityMs <= times.tickEveryMs,
    because: 'a message of a run that died comes again no later than the tick',
  },
  {
    holds: times.registryKnownMs < 3 * times.tickEveryMs,
    because: 'a group that the tick does not know yet gets two ticks of its own, and the third tick names it',
  },
  {
    holds: times.signalsFailForMs < times.signalsRetentionMs,
    because: 'a signal that fails must reach the dead-letter queue before it expires',
  },
  {
    holds: times.bothLagMs < times.describeLagMs && times.unknownPatienceMs < times.describeLagMs,
    because: 'two services that agree are believed sooner than one',
  },
  {
    holds: times.loweredShownMs < times.tickEveryMs,
    because: 'a size that others write is followed within a minute, even if it looks like our own old one',
  },
  {
    holds: times.describeLagMs < times.repeatableMs,
    because: 'a launch is repeated as long as a describe may not show it',
  },
  {
    holds: times.tickEveryMs < times.refillGraceMs,
    because: 'a tick sees an Auto Scaling group refill itself before Holdfast launches in its place',
  },
  {
    holds: times.startSlackMs + times.deadlineMarginMs < times.spotNoticeMs,
    because: 'a spot notice leaves time to drain',
  },
  {
    holds: times.sharedDrainMs <= times.deadlineMarginMs,
    because: 'a drain that keeps the earliest of its deadlines takes no more than the margin from the latest',
  },
  {
    holds: times.startLeadMs <= times.startSlackMs,
    because: 'a drain that begins as planned is not late',
  },
  {
    holds: times.startSlackMs < times.shortestHookTimeoutMs,
    because: 'a drain must begin before the shortest hook runs out',
  },
  {
    holds: times.longestDrainMs < times.signalsRetentionMs,
    because: 'a signal about a drain is no replay while the drain may run',
  },
];

const broken = relations.filter(({ holds }) => !holds);
if (broken.length > 0)
  throw new Error(
    `The times of core/times/times.ts do not fit together: ${broken.map(({ because }) => because).join('; ')}.`,
  );

/** How many relations hold. Importing this module checks them: the stack does, so that no broken set is deployed. */
export const relationsThatHold = relations.length;
