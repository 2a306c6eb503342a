import { ApiError, type ApiService } from '../../api.ts';
import { toTags } from '../ec2/tag-lists.ts';
import type { Instances } from '../instances.ts';
import { nothing, operation } from '../operation.ts';
import { pageOf } from '../paging.ts';
import { createLoadBalancers } from './load-balancers.ts';
import type { Target, TargetGroup } from './target-group.ts';
import type { TargetGroupBook } from './target-group-book.ts';
import type { Targets } from './targets.ts';

type TargetInput = { Id: string; Port?: number };
type CreateInput = {
  Name: string;
  Protocol?: string;
  Port?: number;
  VpcId?: string;
  HealthCheckIntervalSeconds?: number;
  HealthyThresholdCount?: number;
  UnhealthyThresholdCount?: number;
  Tags?: { Key?: string; Value?: string }[];
};
type Attributes = { TargetGroupArn: string; Attributes?: { Key?: string; Value?: string }[] };

export type ElbDeps = { readonly instances: Instances; readonly book: TargetGroupBook; readonly targets: Targets };

const healthText: Readonly<Record<Target['state'], object>> = {
  healthy: {},
  initial: { Reason: 'Elb.InitialHealthChecking', Description: 'Initial health checks in progress' },
  unhealthy: { Reason: 'Target.FailedHealthChecks', Description: 'Health checks failed' },
  unused: { Reason: 'Target.InvalidState', Description: 'Target is in the stopped or terminated state' },
  draining: { Reason: 'Target.DeregistrationInProgress', Description: 'Target deregistration is in progress' },
};

const notInUse = {
  State: 'unused',
  Reason: 'Target.NotInUse',
  Description: 'Target group is not configured to receive traffic from the load balancer',
};

const describeHealth = ({ loadBalancerArn }: TargetGroup, target: Target) => ({
  Target: { Id: target.instance.id, Port: target.port },
  HealthCheckPort: String(target.port),
  TargetHealth: loadBalancerArn === undefined ? notInUse : { State: target.state, ...healthText[target.state] },
});

const describeUnregistered = ({ Id, Port }: TargetInput, group: TargetGroup) => ({
  Target: { Id, Port: Port ?? group.port },
  TargetHealth: { State: 'unused', Reason: 'Target.NotRegistered', Description: 'Target is not registered to the target group' },
});

/** No limit is published. Calls with some hundreds were rejected (kubernetes#101592); 200 was agreed upon with the service (aws-load-balancer-controller#1342). */
const mostInOneCall = 200;

const checkedLength = (inputs: readonly TargetInput[]): readonly TargetInput[] => {
  if (inputs.length <= mostInOneCall) return inputs;
  throw new ApiError('ValidationError', `The list of targets is too long: it holds ${inputs.length}, and ${mostInOneCall} are allowed`);
};

/** Elastic Load Balancing v2: target groups completely, load balancers only as far as they decide which target groups get requests. */
export const createElasticLoadBalancing = ({ instances, book, targets }: ElbDeps): ApiService => {
  const describe = (group: TargetGroup) => ({
    TargetGroupArn: group.arn,
    TargetGroupName: group.name,
    Protocol: group.protocol,
    Port: group.port,
    VpcId: group.vpcId,
    HealthCheckProtocol: group.protocol,
    HealthCheckPort: 'traffic-port',
    HealthCheckEnabled: true,
    HealthCheckIntervalSeconds: group.intervalSeconds,
    HealthCheckTimeoutSeconds: Math.min(5, group.intervalSeconds),
    HealthyThresholdCount: group.healthyThreshold,
    UnhealthyThresholdCount: group.unhealthyThreshold,
    HealthCheckPath: '/',
    Matcher: { HttpCode: '200' },
    LoadBalancerArns: group.loadBalancerArn === undefined ? [] : [group.loadBalancerArn],
    TargetType: 'instance',
    IpAddressType: 'ipv4',
  });
  const listed = (arn: string | undefined) => book.list().filter(({ loadBalancerArn }) => arn === undefined || arn === loadBalancerArn);
  const attributesOf = (group: TargetGroup) => ({ Attributes: [...group.attributes].map(([Key, Value]) => ({ Key, Value })) });
  const registrable = (ids: readonly TargetInput[]) => {
    const found = ids.map(({ Id }) => ({ id: Id, instance: instances.find(Id) }));
    const unknown = found.filter(({ instance }) => instance === undefined).map(({ id }) => `'${id}'`);
    if (unknown.length > 0) throw new ApiError('InvalidTarget', `The following targets are not valid: ${unknown.join(', ')}`);
    const idle = found.filter(({ instance }) => instance?.state !== 'running').map(({ id }) => `'${id}'`);
    if (idle.length > 0)
      throw new ApiError('InvalidTarget', `The following targets are not in a running state and cannot be registered: ${idle.join(', ')}`);
    return found.flatMap(({ instance }) => instance ?? []);
  };
  const checkDelay = (attributes: Attributes['Attributes']): void => {
    for (const { Key, Value } of attributes ?? []) {
      const seconds = Number(Value);
      if (Key !== 'deregistration_delay.timeout_seconds' || (seconds >= 0 && seconds <= 3600)) continue;
      throw new ApiError('ValidationError', `'${Key}' must be between '0' and '3600' inclusive`);
    }
  };
  return {
    service: 'elasticloadbalancing',
    operations: {
      ...createLoadBalancers(book, targets),
      CreateTargetGroup: operation<CreateInput>((input) => {
        const group = book.add({
          name: input.Name,
          protocol: input.Protocol ?? 'HTTP',
          port: input.Port ?? 80,
          vpcId: input.VpcId,
          intervalSeconds: input.HealthCheckIntervalSeconds ?? 30,
          healthyThreshold: input.HealthyThresholdCount ?? 5,
          unhealthyThreshold: input.UnhealthyThresholdCount ?? 2,
          tags: toTags(input.Tags),
        });
        return { TargetGroups: [describe(group)] };
      }),
      DescribeTargetGroups: operation<{ TargetGroupArns?: string[]; Names?: string[]; LoadBalancerArn?: string; PageSize?: number; Marker?: string }>(
        (input) => {
          const named = [...(input.TargetGroupArns ?? []).map(book.byArn), ...(input.Names ?? []).map(book.byName)];
          const page = pageOf(named.length > 0 ? named : listed(input.LoadBalancerArn), input.PageSize, input.Marker, 'ValidationError');
          return { TargetGroups: page.items.map(describe), NextMarker: page.next };
        },
      ),
      DescribeTargetGroupAttributes: operation<Attributes>((input) => attributesOf(book.byArn(input.TargetGroupArn))),
      ModifyTargetGroupAttributes: operation<Attributes>((input) => {
        const group = book.byArn(input.TargetGroupArn);
        checkDelay(input.Attributes);
        for (const { Key = '', Value = '' } of input.Attributes ?? []) group.attributes.set(Key, Value);
        return attributesOf(group);
      }),
      DeleteTargetGroup: operation<{ TargetGroupArn: string }>((input) => {
        book.remove(input.TargetGroupArn);
        return nothing;
      }),
      RegisterTargets: operation<{ TargetGroupArn: string; Targets: TargetInput[] }>((input) => {
        const group = book.byArn(input.TargetGroupArn);
        const found = registrable(checkedLength(input.Targets));
        const added = found.filter(({ id }) => !group.targets.has(id)).length;
        if (group.targets.size + added > group.mostTargets)
          throw new ApiError('TooManyTargets', `You have reached the limit on the number of targets for the target group '${group.arn}'`);
        for (const instance of found) targets.register(group, instance);
        return nothing;
      }),
      DeregisterTargets: operation<{ TargetGroupArn: string; Targets: TargetInput[] }>((input) => {
        const group = book.byArn(input.TargetGroupArn);
        // A target that is not registered is not an error.
        for (const { Id } of checkedLength(input.Targets)) {
          const target = group.targets.get(Id);
          if (target !== undefined) targets.deregister(group, target.instance);
        }
        return nothing;
      }),
      DescribeTargetHealth: operation<{ TargetGroupArn: string; Targets?: TargetInput[] }>((input) => {
        const group = book.byArn(input.TargetGroupArn);
        const asked = input.Targets?.length ? input.Targets : [...group.targets.keys()].map((Id) => ({ Id }));
        return {
          TargetHealthDescriptions: asked.map((wanted) => {
            const target = group.targets.get(wanted.Id);
            return target === undefined ? describeUnregistered(wanted, group) : describeHealth(group, target);
          }),
        };
      }),
    },
  };
};
