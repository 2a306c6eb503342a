import type { Chronicle } from '../chronicle.ts';
import { asgsOf } from '../policy/policy.ts';
import { type Life, tagsAt } from '../world/life.ts';

/** A group, and the time in which one of its policies counts, epoch ms. */
type Moment = { readonly group: string; readonly sinceMs: number; readonly atMs: number };

/** Whether it waits in the warm pool of an Auto Scaling group that a policy of the group names. It has never been a member. */
export const isInWarmPool = (chronicle: Chronicle, life: Life, { group, sinceMs, atMs }: Moment): boolean => {
  const asg = tagsAt(life, atMs)['aws:autoscaling:groupName'];
  return asg !== undefined && life.stays.length === 0 && chronicle.policiesIn(group, sinceMs, atMs).some((policy) => asgsOf(policy).includes(asg));
};
