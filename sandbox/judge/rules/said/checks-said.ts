import type { Chronicle } from '../../chronicle.ts';
import type { Finding, Rule } from '../../finding.ts';
import { deniedCodes } from '../../told/calls-told.ts';
import { isFunction } from '../../world/life.ts';

type Broken = Omit<Finding, 'rule'>;

/** What a function stored last about the launches of a group. */
const storedBy = (chronicle: Chronicle, invocation: string, group: string) =>
  chronicle
    .of('item-written')
    .findLast((one) => one.group === group && one.status?.refusedLaunches !== undefined && isFunction(one.by) && one.by.invocation === invocation);

export const refusedLaunchesAreListed: Rule = {
  name: 'launches that AWS would refuse are listed',
  meaning:
    'The dry runs of one function for a group, and what it stores about them: the status of the group lists as many launches that AWS would refuse as dry runs were denied for a missing right, at least.',
  broken: (chronicle) => {
    const denied = chronicle.of('called').filter(({ tries, outcome }) => tries !== undefined && deniedCodes.has(outcome));
    return [...Map.groupBy(denied, ({ invocation, tries }) => `${invocation} ${tries}`).values()].flatMap((calls): readonly Broken[] => {
      const [{ invocation, tries: group = '' } = { invocation: '' }] = calls;
      const stored = storedBy(chronicle, invocation, group);
      const listed = stored?.status?.refusedLaunches ?? calls.length;
      if (listed >= calls.length) return [];
      return [{ group, atMs: stored?.atMs ?? 0, detail: `AWS denied ${calls.length} dry runs of ${group}, and its status lists ${listed}` }];
    });
  },
};
