import type { Chronicle } from './chronicle.ts';
import { asgsOf } from './policy.ts';
import { servesAgainMsOf } from './times.ts';

/** The time from a trouble until all members of a group serve again. It includes launching hooks of the Auto Scaling groups that its policies name. */
export const servesAgainMsIn = ({ history, groups }: Chronicle, group: string): number =>
  servesAgainMsOf(
    history,
    (groups.get(group)?.policies ?? []).flatMap(({ policy }) => (policy === undefined ? [] : asgsOf(policy))),
  );
