import type { Allowance } from '../finding.ts';
import { heardAtMs } from '../leaving.ts';
import { requestedSoon } from '../rules/serving.ts';

export const requestMetTrouble: Allowance = {
  name: 'the request met a fault',
  excuses: requestedSoon.name,
  trouble: 'A call that launches for the group was throttled, lost or delayed, by a fault or by the account’s own request tokens.',
  reaches: 'Warnings of that group, whose time to the request the call fell into.',
  reason: 'A throttled request is made again after a while, and one whose answer was lost only when describes have told or its lease is over.',
  covers: ({ group, instance = '', atMs }, chronicle) => {
    const life = chronicle.life(instance);
    const sinceMs = life === undefined ? atMs : heardAtMs(chronicle, life, 'warning') - chronicle.times.launchCallMs;
    return chronicle.of('called').some(({ launch, trouble, outcome, askedAtMs }) => {
      if (launch === undefined || askedAtMs < sinceMs || askedAtMs > atMs) return false;
      const isItsGroup = launch.group === group || launch.asg !== undefined;
      return isItsGroup && (trouble !== undefined || outcome === 'lost' || outcome === 'crashed');
    });
  },
};
