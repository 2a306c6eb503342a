import { ApiError } from '../../api.ts';
import type { Base } from '../base.ts';
import type { Tags } from '../instance.ts';
import type { TargetGroupSpec } from '../spec.ts';
import { delayAttribute, type TargetGroup } from './target-group.ts';

type NewTargetGroup = Pick<TargetGroup, 'name' | 'protocol' | 'port' | 'intervalSeconds' | 'healthyThreshold' | 'unhealthyThreshold'> & {
  readonly vpcId: string | undefined;
  readonly tags: Tags;
  readonly delaySeconds?: number;
  readonly mostTargets?: number | undefined;
};

/** Targets of one target group, unless the account has a larger quota ("Quotas for your Application Load Balancers"). */
const usualMostTargets = 1_000;

export type TargetGroupBook = {
  /** The load balancer of the world, before all target groups that the world began with. */
  readonly loadBalancerArn: string;
  readonly vpcId: string;
  /** A new ARN of Elastic Load Balancing. `path` is the part before its id. */
  newArn(path: string): string;
  add(group: NewTargetGroup): TargetGroup;
  remove(arn: string): void;
  /** Throws TargetGroupNotFound. */
  byArn(arn: string): TargetGroup;
  byName(name: string): TargetGroup;
  list(): readonly TargetGroup[];
  tagsOf(arn: string): Tags | undefined;
};

export const createTargetGroupBook = (base: Base, vpcId: string, specs: readonly TargetGroupSpec[]): TargetGroupBook => {
  const { region, accountId } = base.place;
  const newArn = (path: string): string => `arn:aws:elasticloadbalancing:${region}:${accountId}:${path}/${base.ids.hex(16)}`;
  const byArn = new Map<string, TargetGroup>();
  const tags = new Map<string, Tags>();
  const list = (): TargetGroup[] => [...byArn.values()];

  const add = ({ delaySeconds = 300, mostTargets = usualMostTargets, tags: ownTags, ...rest }: NewTargetGroup): TargetGroup => {
    if (list().some(({ name }) => name === rest.name)) {
      throw new ApiError('DuplicateTargetGroupName', `A target group with the same name '${rest.name}' exists, but with different settings`);
    }
    const attributes = new Map([
      [delayAttribute, String(delaySeconds)],
      ['stickiness.enabled', 'false'],
      ['load_balancing.algorithm.type', 'round_robin'],
      ['slow_start.duration_seconds', '0'],
    ]);
    const arn = newArn(`targetgroup/${rest.name}`);
    const group: TargetGroup = {
      ...rest,
      vpcId: rest.vpcId ?? vpcId,
      mostTargets,
      arn,
      attributes,
      targets: new Map(),
      rotation: new Set(),
      served: 0,
      dropped: 0,
    };
    byArn.set(arn, group);
    tags.set(arn, ownTags);
    return group;
  };
  for (const spec of specs) {
    const { name, deregistrationDelaySeconds, healthCheckIntervalSeconds, healthyThreshold } = spec;
    add({
      name,
      protocol: 'HTTP',
      port: 80,
      vpcId,
      tags: {},
      intervalSeconds: healthCheckIntervalSeconds,
      healthyThreshold,
      unhealthyThreshold: 2,
      delaySeconds: deregistrationDelaySeconds,
      mostTargets: spec.mostTargets,
    });
  }
  const loadBalancerArn = newArn('loadbalancer/app/sandbox');
  for (const group of list()) group.loadBalancerArn = loadBalancerArn;
  const found = (group: TargetGroup | undefined, what: string): TargetGroup => {
    if (group === undefined) throw new ApiError('TargetGroupNotFound', `One or more target groups not found: '${what}'`);
    return group;
  };
  return {
    loadBalancerArn,
    vpcId,
    newArn,
    add,
    remove: (arn) => {
      byArn.delete(found(byArn.get(arn), arn).arn);
    },
    byArn: (arn) => found(byArn.get(arn), arn),
    byName: (name) =>
      found(
        list().find((group) => group.name === name),
        name,
      ),
    list,
    tagsOf: (arn) => tags.get(arn),
  };
};
