import type { Chronicle } from '../../chronicle.ts';
import type { Finding, Rule } from '../../finding.ts';
import { asgsOf } from '../../policy/policy.ts';
import { isFunction, type Life, stayAt } from '../../world/life.ts';

type Broken = Omit<Finding, 'rule'>;

/** A describe and the call that follows from it are this far apart at most. */
const callsMs = 3_000;

/** Whether a describe before the call had to show that the Auto Scaling group held it. */
const isShownIn = (life: Life, asg: string, atMs: number, lagMs: number): boolean => {
  const stay = stayAt(life, atMs);
  return stay?.asg === asg && stay.fromMs <= atMs - lagMs - callsMs;
};

/** The group that sets the size of an Auto Scaling group. None where others set it, and where its sizes count weights. */
export const sizerOf = (chronicle: Chronicle, asg: string, atMs: number): string | undefined =>
  [...chronicle.groups.keys()].find((group) => {
    const policy = chronicle.policyAt(group, atMs);
    return policy !== undefined && asgsOf(policy).includes(asg) && !policy.isSizedOutside;
  });

/** The call that ends a member lowers the desired capacity with it. */
export const isWithMember = ({ lives }: Chronicle, asg: string, changedMs: number): boolean =>
  lives.some(({ stays }) => stays.some((stay) => stay.asg === asg && stay.how === 'terminating' && stay.untilMs === changedMs));

export const loweredNoFurther: Rule = {
  name: 'no desired capacity is lowered below what its group holds',
  meaning:
    'Where the policy sets the size, Holdfast lowers no desired capacity below the number of instances that the Auto Scaling group holds, as far as a describe had to show them: Auto Scaling would end some of them, and chooses whom. The call that ends a member lowers it by this member. A desired capacity that others set below that stands.',
  broken: (chronicle) => {
    const { asgLagMs } = chronicle.times;
    return [...Map.groupBy(chronicle.of('asg-changed'), ({ asg }) => asg)].flatMap(([asg, changes]) =>
      changes.flatMap(({ atMs, by, desired, weights, isGone }, index): readonly Broken[] => {
        const before = changes[index - 1];
        if (before === undefined || !isFunction(by) || desired >= before.desired || weights !== undefined || isGone === true) return [];
        if (isWithMember(chronicle, asg, atMs)) return [];
        const group = sizerOf(chronicle, asg, atMs);
        const held = chronicle.lives.filter((life) => isShownIn(life, asg, atMs, asgLagMs)).length;
        if (group === undefined || held <= desired || held > before.desired) return [];
        const detail = `the desired capacity of ${asg} was lowered from ${before.desired} to ${desired}, and it holds ${held} instances`;
        return [{ group, asg, invocation: by.invocation, atMs, detail }];
      }),
    );
  },
};
