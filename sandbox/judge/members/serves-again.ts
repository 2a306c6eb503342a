import type { Chronicle } from '../chronicle.ts';
import { asgsOf } from '../policy/policy.ts';
import { comesUpMsOf, servesAgainMsOf } from '../times.ts';
import type { Life } from '../world/life.ts';

/** The Auto Scaling groups that policies of a group name. */
const asgsIn = ({ groups }: Chronicle, group: string): readonly string[] =>
  (groups.get(group)?.policies ?? []).flatMap(({ policy }) => (policy === undefined ? [] : asgsOf(policy)));

/** The time from a trouble until all members of a group serve again. It includes launching hooks of the Auto Scaling groups that its policies name. */
export const servesAgainMsIn = (chronicle: Chronicle, group: string): number => servesAgainMsOf(chronicle.history, asgsIn(chronicle, group));

/** The time from a launch until a member of a group passes its health checks, with the same hooks. */
export const comesUpMsIn = (chronicle: Chronicle, group: string): number => comesUpMsOf(chronicle.history, asgsIn(chronicle, group));

/** The same for one instance, with the hooks of the Auto Scaling groups that ever held it. */
export const comesUpMsOfLife = ({ history }: Chronicle, { stays }: Life): number =>
  comesUpMsOf(
    history,
    stays.map(({ asg }) => asg),
  );
