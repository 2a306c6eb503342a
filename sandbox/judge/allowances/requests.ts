import type { Allowance } from '../finding.ts';
import { heardAtMs } from '../leaving.ts';
import { requestedSoon } from '../rules/serving.ts';
import { times } from '../times.ts';

export const requestMetTrouble: Allowance = {
  name: 'the request met a fault',
  excuses: requestedSoon.name,
  trouble: 'A call that launches for the group was throttled, lost or delayed, by a fault or by the account’s own request tokens.',
  reaches: 'Warnings of that group, if the call fell between the warning and the request for it.',
  reason:
    'A throttled request is repeated after a while. A request whose response was lost is repeated only when describes show its result, or when its lease is over.',
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

export const leaseOfTheDead: Allowance = {
  name: 'a launch waits for the lease of a function that died',
  excuses: requestedSoon.name,
  trouble: 'A fault killed a function during a launch for the group. Its reservation is repeated when its lease is over.',
  reaches: 'Warnings of that group that are heard while the lease of that launch runs.',
  reason: 'Until then a slow function and a dead one look the same, and a second launch would be one more than needed.',
  covers: ({ group, instance = '', atMs }, chronicle) => {
    const life = chronicle.life(instance);
    const heardMs = life === undefined ? atMs : heardAtMs(chronicle, life, 'warning');
    return chronicle.of('called').some(({ launch, invocation, askedAtMs }) => {
      if (launch === undefined || askedAtMs > heardMs || askedAtMs < heardMs - times.leaseMs) return false;
      const ended = chronicle.invocations.get(invocation)?.ended;
      const died = ended === undefined || (ended.injected && ended.error !== undefined);
      return died && (launch.group === group || launch.asg !== undefined);
    });
  },
};
