import { ApiError } from '../../api.ts';
import { type Operations, operation } from '../operation.ts';
import { pageOf } from '../paging.ts';
import type { TargetGroup } from './target-group.ts';
import type { TargetGroupBook } from './target-group-book.ts';
import type { Targets } from './targets.ts';

type LoadBalancer = {
  readonly name: string;
  readonly arn: string;
  readonly type: string;
  readonly scheme: string;
  readonly subnets: readonly string[];
};
type Listener = {
  readonly arn: string;
  readonly loadBalancerArn: string;
  readonly port: number;
  readonly protocol: string;
  readonly group: TargetGroup;
};
type Action = {
  readonly Type?: string;
  readonly TargetGroupArn?: string;
  readonly ForwardConfig?: { readonly TargetGroups?: readonly { readonly TargetGroupArn?: string }[] };
};
type CreateInput = { Name: string; Type?: string; Scheme?: string; Subnets?: string[] };
type ListenerInput = { LoadBalancerArn: string; Protocol?: string; Port?: number; DefaultActions?: Action[] };

const prefixes: Readonly<Record<string, string>> = { application: 'app', network: 'net', gateway: 'gwy' };

const targetGroupOf = ([action]: readonly Action[]): string => {
  const arn = action?.TargetGroupArn ?? action?.ForwardConfig?.TargetGroups?.[0]?.TargetGroupArn;
  if (action?.Type !== 'forward' || arn === undefined)
    throw new ApiError('ValidationError', 'The sandbox forwards to one target group and to nothing else.');
  return arn;
};

const describe = ({ name, arn, type, scheme, subnets }: LoadBalancer, vpcId: string) => ({
  LoadBalancerArn: arn,
  LoadBalancerName: name,
  Scheme: scheme,
  Type: type,
  VpcId: vpcId,
  IpAddressType: 'ipv4',
  State: { Code: 'active' },
  AvailabilityZones: subnets.map((SubnetId) => ({ SubnetId })),
});

const describeListener = ({ arn, loadBalancerArn, port, protocol, group }: Listener) => ({
  ListenerArn: arn,
  LoadBalancerArn: loadBalancerArn,
  Port: port,
  Protocol: protocol,
  DefaultActions: [{ Type: 'forward', TargetGroupArn: group.arn }],
});

/** Load balancers and their listeners, which send requests to a target group. A target group serves one load balancer, as with AWS. */
export const createLoadBalancers = (book: TargetGroupBook, targets: Targets): Operations => {
  const own = { name: 'sandbox', arn: book.loadBalancerArn, type: 'application', scheme: 'internet-facing', subnets: [] };
  const all: LoadBalancer[] = [own];
  const listeners: Listener[] = [];
  const byArn = (arn: string): LoadBalancer => {
    const found = all.find((one) => one.arn === arn);
    if (found === undefined) throw new ApiError('LoadBalancerNotFound', `One or more load balancers not found: '${arn}'`);
    return found;
  };
  const byName = (name: string): LoadBalancer => {
    const found = all.find((one) => one.name === name);
    if (found === undefined) throw new ApiError('LoadBalancerNotFound', `Load balancers '[${name}]' not found`);
    return found;
  };
  return {
    CreateLoadBalancer: operation<CreateInput>(({ Name, Type = 'application', Scheme = 'internet-facing', Subnets = [] }) => {
      if (all.some(({ name }) => name === Name)) {
        throw new ApiError('DuplicateLoadBalancerName', `A load balancer with the same name '${Name}' exists, but with different settings`);
      }
      const made = { name: Name, arn: book.newArn(`loadbalancer/${prefixes[Type] ?? 'app'}/${Name}`), type: Type, scheme: Scheme, subnets: Subnets };
      all.push(made);
      return { LoadBalancers: [describe(made, book.vpcId)] };
    }),
    DescribeLoadBalancers: operation<{ LoadBalancerArns?: string[]; Names?: string[]; PageSize?: number; Marker?: string }>((input) => {
      const named = [...(input.LoadBalancerArns ?? []).map(byArn), ...(input.Names ?? []).map(byName)];
      const page = pageOf(named.length > 0 ? named : all, input.PageSize, input.Marker, 'ValidationError');
      return { LoadBalancers: page.items.map((one) => describe(one, book.vpcId)), NextMarker: page.next };
    }),
    CreateListener: operation<ListenerInput>(({ LoadBalancerArn, Protocol = 'HTTP', Port = 80, DefaultActions = [] }) => {
      const { arn: loadBalancerArn } = byArn(LoadBalancerArn);
      const group = book.byArn(targetGroupOf(DefaultActions));
      if (listeners.some((one) => one.loadBalancerArn === loadBalancerArn && one.port === Port)) {
        throw new ApiError('DuplicateListener', 'A listener already exists on this port for this load balancer');
      }
      if (group.loadBalancerArn !== undefined && group.loadBalancerArn !== loadBalancerArn) {
        throw new ApiError(
          'TargetGroupAssociationLimit',
          `The following target groups cannot be associated with more than one load balancer: ${group.arn}`,
        );
      }
      const arn = book.newArn(loadBalancerArn.replace(/^.*:loadbalancer/, 'listener'));
      const made = { arn, loadBalancerArn, port: Port, protocol: Protocol, group };
      listeners.push(made);
      targets.use(group, loadBalancerArn);
      return { Listeners: [describeListener(made)] };
    }),
    DescribeListeners: operation<{ LoadBalancerArn?: string; PageSize?: number; Marker?: string }>((input) => {
      const arn = input.LoadBalancerArn === undefined ? undefined : byArn(input.LoadBalancerArn).arn;
      const found = listeners.filter(({ loadBalancerArn }) => arn === undefined || loadBalancerArn === arn);
      const page = pageOf(found, input.PageSize, input.Marker, 'ValidationError');
      return { Listeners: page.items.map(describeListener), NextMarker: page.next };
    }),
  };
};
