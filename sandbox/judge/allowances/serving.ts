import type { Allowance } from '../finding.ts';
import { endless, goneAtMs, isFunction } from '../life.ts';
import { servesAgain } from '../rules/serving.ts';

export const newcomersDie: Allowance = {
  name: 'a newcomer died on its way up',
  excuses: servesAgain.name,
  trouble: 'An instance that was launched for the group died or was taken before it ever served.',
  reaches: 'The group that it was launched for, until another had the time to come up after that death.',
  reason: 'A replacement that dies must be replaced itself; its death lowers nobody’s number and costs the whole time again.',
  covers: ({ group = '', atMs }, chronicle) =>
    chronicle.livesIn(group).some((life) => {
      const diedMs = goneAtMs(life);
      const neverServed = life.services.every(({ fromMs, untilMs }) => fromMs === untilMs);
      const isOurs = isFunction(life.ending?.by);
      return neverServed && !isOurs && diedMs !== endless && diedMs <= atMs && atMs - diedMs <= chronicle.times.servesAgainMs;
    }),
};
