import { describe, expect, it } from 'vitest';
import { refusedLaunchesAreListed } from '../../sandbox/judge/rules/said/checks-said.ts';
import { details } from './details.ts';
import { react } from './histories.ts';

/** Dry runs of one function with these results, and how many refused launches it stores. Undefined: it stores nothing. */
const found = (outcomes: readonly string[], listed: number | undefined, by = 'i-a') =>
  details(refusedLaunchesAreListed, (script) => {
    script.policy(0, 1);
    for (const [index, outcome] of outcomes.entries())
      script.at(100 + index, {
        ...{ kind: 'called', invocation: 'i-a', function: 'react', service: 'ec2', operation: 'CreateFleet', askedAtMs: 100_000 },
        ...{ outcome, applied: false, isMutating: false, tries: 'web' },
      });
    if (listed !== undefined)
      script.at(110, {
        ...{ kind: 'item-written', table: 'groups', group: 'web', item: 'status', bytes: 500, by: react(by) },
        status: { status: 'accepted', version: 1, refusedLaunches: listed },
      });
  });

describe('launches that AWS would refuse are listed', () => {
  it('holds where each denied dry run is listed, and breaks where one is not', () => {
    expect(found(['UnauthorizedOperation', 'UnauthorizedOperation', 'DryRunOperation'], 2)).toEqual([]);
    expect(found(['UnauthorizedOperation', 'UnauthorizedOperation'], 1)).toEqual(['AWS denied 2 dry runs of web, and its status lists 1']);
    expect(found(['UnauthorizedOperation'], 0)).toHaveLength(1);
  });
  it('says nothing of dry runs that say nothing for good, and of a function that stores nothing', () => {
    expect(found(['DryRunOperation', 'RequestLimitExceeded'], 0)).toEqual([]);
    expect(found(['UnauthorizedOperation'], undefined)).toEqual([]);
    expect(found(['UnauthorizedOperation'], 0, 'i-other')).toEqual([]);
  });
});
