import { slackOf, wasLost } from '../../capacity/breaker.ts';
import { returnLaunches } from '../../capacity/returning.ts';
import type { Chronicle } from '../../chronicle.ts';
import type { Finding, Rule } from '../../finding.ts';
import { times } from '../../times.ts';
import { lossesHeard, restMs, stoppedUntil } from '../../told/losses.ts';
import { nameOf } from '../../world/cloud.ts';
import type { Life } from '../../world/life.ts';
import { longestWaitMs } from './back-to-spot.ts';
import { boundState } from './returns.ts';

type Broken = Omit<Finding, 'rule'>;

/**
 * Until when the refusals that the decision of a move knew put it off. Later ones, and those that were forgotten, are not in the state that it wrote. An
 * Auto Scaling group chooses offerings by itself.
 */
const refusedUntil = (chronicle: Chronicle, group: string, life: Life, afterMs: number): number => {
  const { lessons = [] } = boundState(chronicle, group, life)?.memory ?? {};
  const own = lessons.filter(({ kind, offering }) => kind === 'refused' && offering === nameOf(life));
  const isOfAsg = life.stays[0]?.fromMs === life.launchedAtMs;
  const untilMs = own.map(({ atMs, coolingUntilMs }) => atMs + Math.max(afterMs, Math.min(coolingUntilMs - atMs, longestWaitMs)));
  return isOfAsg ? 0 : Math.max(0, ...untilMs);
};

export const nobodyReturnsTooSoon: Rule = {
  name: 'no member is returned twice within its back-off',
  meaning:
    'For `after` from a warning in an offering, or from a refusal of it, no launch for a return goes there. The rest of a refusal counts for at most ten minutes. Where EC2 took members within a quarter of an hour of their launch, none goes there until the back-off is over. Losses of one offering within three minutes are one, with the longest life of them. After three such losses within an hour, none goes anywhere until the first loss is an hour old.',
  broken: (chronicle) =>
    returnLaunches(chronicle).flatMap(({ life, group, sinceMs, policies }): readonly Broken[] => {
      const [policy, ...others] = policies;
      if (policy?.returning === undefined || others.length > 0) return [];
      // A group keeps what EC2 took only while its policy lets members return.
      const counts = (atMs: number): boolean => chronicle.policyAt(group, atMs)?.returning !== undefined;
      const losses = lossesHeard(chronicle, group, sinceMs).filter(({ atMs }) => counts(atMs) && !wasLost(chronicle, group, atMs, life.launchedAtMs));
      const own = losses.filter(({ offering }) => offering === nameOf(life));
      // A look dates a loss by its own time, and another one may have the turn before it.
      const slackMs = slackOf(chronicle) + times.reactMs;
      const untilMs = Math.max(
        restMs(own, policy.returning.afterMs, slackMs),
        stoppedUntil(losses, life.launchedAtMs, slackMs),
        refusedUntil(chronicle, group, life, policy.returning.afterMs),
      );
      if (life.launchedAtMs >= untilMs - 2 * chronicle.times.clockMs) return [];
      const seconds = Math.round((untilMs - life.launchedAtMs) / 1_000);
      return [{ group, instance: life.instance, atMs: life.launchedAtMs, detail: `${life.instance} moved to ${nameOf(life)} ${seconds} s too soon` }];
    }),
};
