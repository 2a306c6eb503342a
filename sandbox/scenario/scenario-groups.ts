import type { Scenario } from './scenario-schema.ts';
import type { Stage } from './stage.ts';

/** What a scenario's policy document says about the group, as far as watching it needs. */
export type Policy = {
  readonly group: string;
  readonly asg?: string;
  readonly pools?: Readonly<Record<string, { readonly asg?: string }>>;
  readonly spare?: number;
  readonly size?: number | { readonly min?: number; readonly desired?: number; readonly from?: string };
};

const groupTag = 'holdfast:group';
export const poolTag = 'holdfast:pool';
export const asgTag = 'aws:autoscaling:groupName';

/** Documents are checked where they are written, by the deployed function; here they are only read. */
export const policiesOf = (scenario: Scenario): readonly Policy[] =>
  (scenario.policies as unknown as readonly Policy[]).map((policy) => {
    const { size, asg } = policy;
    if (typeof size !== 'object' || size.from !== 'asg') return policy;
    // Where others set the size, it begins as the Auto Scaling group does.
    const desired = scenario.world.autoScalingGroups.find(({ name }) => name === asg)?.desired ?? 0;
    return { ...policy, size: { ...size, desired } };
  });

export const desiredOf = ({ size = 0 }: Policy): number => (typeof size === 'number' ? size : (size.desired ?? size.min ?? 0));

export type GroupOf = (instance: string) => string | undefined;

const asgsOf = ({ asg, pools = {} }: Policy): readonly string[] =>
  [asg, ...Object.values(pools).map((pool) => pool.asg)].filter((name) => name !== undefined);

/** The group of an instance: by our tag, or by the Auto Scaling group that a policy names. */
export const createGroupOf = (stage: Stage, scenario: Scenario): GroupOf => {
  const byAsg = new Map(policiesOf(scenario).flatMap((policy) => asgsOf(policy).map((asg) => [asg, policy.group] as const)));
  return (instance) => {
    const tags = stage.world.tagsOf(instance);
    return tags?.[groupTag]?.split('/').slice(1).join('/') ?? byAsg.get(tags?.[asgTag] ?? '');
  };
};
