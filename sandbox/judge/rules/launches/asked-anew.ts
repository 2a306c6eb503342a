import { type Refused, refusalsTo } from '../../capacity/refusals.ts';
import type { Chronicle } from '../../chronicle.ts';
import type { Finding, Rule } from '../../finding.ts';
import { repeatedFrom } from '../../members/staying.ts';
import { nameOf } from '../../world/cloud.ts';

type Broken = Omit<Finding, 'rule'>;

const noCapacity = 'InsufficientInstanceCapacity';

/** What one function was refused of an offering, for a group that its call named. An Auto Scaling group chooses offerings by itself. */
const keyOf = (refused: Refused): string => `${refused.invocation} ${nameOf(refused)}`;
const refusedAlone = (chronicle: Chronicle, group: string): readonly Refused[] =>
  refusalsTo(chronicle, group).filter((one) => one.group === group && one.code === noCapacity && one.isBesideWhole === undefined);

/**
 * When the function first made the request whose response has this refusal. AWS may have throttled it then, so that it was made again. Two responses of one
 * millisecond are told apart by the tokens of their requests.
 */
const askedAtMs = (chronicle: Chronicle, { invocation, atMs, token }: Refused): number => {
  const calls = chronicle.of('called').filter((call) => call.invocation === invocation && call.launch !== undefined && call.launch.token === token);
  const made = calls.filter((call) => call.atMs === atMs || (token !== undefined && call.atMs < atMs));
  return Math.min(atMs, ...made.map((call) => call.askedAtMs));
};

/** Only a repeat of the request that another function had stored shows what that request launched. */
const isRepeat = (chronicle: Chronicle, { invocation, token }: Refused): boolean => repeatedFrom(chronicle, token, invocation) !== undefined;

const askedAnew = (chronicle: Chronicle, group: string): readonly Broken[] =>
  [...Map.groupBy(refusedAlone(chronicle, group), keyOf).values()].flatMap(([first, ...more]): readonly Broken[] => {
    const again = more.find((one) => first !== undefined && askedAtMs(chronicle, one) > first.atMs && !isRepeat(chronicle, one));
    return again === undefined || first === undefined
      ? []
      : [
          {
            group,
            atMs: again.atMs,
            detail: `a function requested ${nameOf(again)} again ${((askedAtMs(chronicle, again) - first.atMs) / 1_000).toFixed(1)} s after EC2 had refused it to this function`,
          },
        ];
  });

export const refusedAreLeft: Rule = {
  name: 'what EC2 has refused is not requested again at once',
  meaning:
    'After EC2 refused an offering to a function for lack of capacity, also where it granted a part of the request, this function does not request it again for the same group. It may repeat a request that another function had stored, and one that it made before the refusal and that AWS throttled.',
  broken: (chronicle) => [...chronicle.groups.keys()].flatMap((group) => askedAnew(chronicle, group)),
};
