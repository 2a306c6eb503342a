import { expect } from 'vitest';
import type { AwsCli } from '../aws-cli.ts';
import { eventually } from '../eventually.ts';

const policyOf = (name: string, size: number): string => `
group: ${name}
size: ${size}
asg: ${name}
capacity: { tiered: [{ spread: [a, b] }, c] }
defaults: { launchTemplate: ${name}, instanceTypes: [m7g.large] }
pools:
  a: { market: spot, subnets: [subnet-a] }
  b: { market: spot, subnets: [subnet-b] }
  c: { market: on-demand, subnets: [subnet-c] }
drain: { timeout: 30s }
`;

const template = JSON.stringify({ ImageId: 'ami-0123456789abcdef0', InstanceType: 'm7g.large' });
const subnets = ['subnet-a', 'subnet-b', 'subnet-c'];

type Member = { readonly InstanceId: string; readonly LifecycleState: string };

/** What an operator does by commands with one group that is attached to an Auto Scaling group; everything that is made bears its name. */
export const createCliSession = (aws: AwsCli, name: string) => {
  const key = (item: string) => JSON.stringify({ group: { S: name }, item: { S: item } });
  const described = async () => (await aws('autoscaling', 'describe-auto-scaling-groups', '--auto-scaling-group-names', name)).AutoScalingGroups[0];
  /** The record of a replaced member. After a while it becomes one of the past. */
  const swapOf = async (id: string) => {
    for (const item of [`swap#${id}`, `past#${id}`]) {
      const { Item } = (await aws('dynamodb', 'get-item', '--table-name', 'holdfast-state', '--key', key(item), '--consistent-read')) ?? {};
      if (Item !== undefined) return Item;
    }
    return undefined;
  };
  const healthy = (arn: string): Promise<readonly string[]> => {
    const query = "TargetHealthDescriptions[?TargetHealth.State=='healthy'].Target.Id";
    return aws('elbv2', 'describe-target-health', '--target-group-arn', arn, '--query', query);
  };

  const createTargetGroup = async (): Promise<string> => {
    const vpc: string = await aws('ec2', 'describe-subnets', '--subnet-ids', 'subnet-a', '--query', 'Subnets[0].VpcId');
    const checks = ['--health-check-interval-seconds', '5', '--healthy-threshold-count', '2'];
    const made = ['--name', name, '--protocol', 'HTTP', '--port', '80', '--vpc-id', vpc, ...checks];
    const arn: string = await aws('elbv2', 'create-target-group', ...made, '--query', 'TargetGroups[0].TargetGroupArn');
    const balancer: string = await aws(
      ...['elbv2', 'create-load-balancer', '--name', name, '--subnets', ...subnets],
      ...['--query', 'LoadBalancers[0].LoadBalancerArn'],
    );
    const forward = ['--protocol', 'HTTP', '--port', '80', '--default-actions', `Type=forward,TargetGroupArn=${arn}`];
    await aws('elbv2', 'create-listener', '--load-balancer-arn', balancer, ...forward);
    return arn;
  };

  return {
    described,

    /** Launch template, target group behind a load balancer, Auto Scaling group. Returns the target group. */
    async furnish(): Promise<string> {
      await aws('ec2', 'create-launch-template', '--launch-template-name', name, '--launch-template-data', template);
      const arn = await createTargetGroup();
      const sizes = ['--min-size', '0', '--max-size', '4', '--desired-capacity', '0'];
      const places = ['--launch-template', `LaunchTemplateName=${name}`, '--vpc-zone-identifier', subnets.join()];
      await aws('autoscaling', 'create-auto-scaling-group', '--auto-scaling-group-name', name, ...sizes, ...places, '--target-group-arns', arn);
      return arn;
    },

    putPolicy: (size: number) => {
      const item = JSON.stringify({ ...JSON.parse(key('policy')), policy: { S: policyOf(name, size) } });
      return aws('dynamodb', 'put-item', '--table-name', 'holdfast-groups', '--item', item);
    },

    status: (wanted: string) =>
      eventually(`${name} is ${wanted}`, async () => {
        const { Item } = (await aws('dynamodb', 'get-item', '--table-name', 'holdfast-groups', '--key', key('status'), '--consistent-read')) ?? {};
        return Item?.status.S === wanted && Item;
      }),

    /** The members in service, once there are as many as wanted, all of them healthy and none of them gone. */
    serving: (arn: string, wanted: number, gone?: string) =>
      eventually(`${wanted} members serve`, async () => {
        const { Instances } = (await described()) as { readonly Instances: readonly Member[] };
        const ids = Instances.filter(({ LifecycleState }) => LifecycleState === 'InService').map(({ InstanceId }) => InstanceId);
        const well = await healthy(arn);
        return ids.length === wanted && !ids.includes(gone ?? '') && ids.every((id) => well.includes(id)) && ids;
      }),

    /** The execution that drained an instance, once it has succeeded. */
    endedDrain: (id: string): Promise<string> =>
      eventually(`a drain of ${id} has ended`, async () => {
        const machine: string = await aws('stepfunctions', 'list-state-machines', '--query', 'stateMachines[0].stateMachineArn');
        const swap = await swapOf(id);
        if (swap?.drain === undefined) return undefined;
        const executionArn = `${machine.replace(':stateMachine:', ':execution:')}:${swap.drain.S}`;
        const { status } = await aws('stepfunctions', 'describe-execution', '--execution-arn', executionArn);
        return status === 'SUCCEEDED' && executionArn;
      }),

    /** Sort keys of everything that a table keeps for the group. */
    async items(table: 'groups' | 'state'): Promise<readonly string[]> {
      const values = ['--expression-attribute-names', '{"#g":"group"}', '--expression-attribute-values', JSON.stringify({ ':g': { S: name } })];
      const query = ['--table-name', `holdfast-${table}`, '--key-condition-expression', '#g = :g', ...values];
      return aws('dynamodb', 'query', ...query, '--query', 'Items[].item.S');
    },
  };
};

/** A drain's history from its start to its end, with what it must have done between. */
export const expectWholeDrain = (history: readonly string[]): void => {
  expect([history[0], history.at(-1)]).toEqual(['ExecutionStarted', 'ExecutionSucceeded']);
  expect(history).toEqual(expect.arrayContaining(['TaskSucceeded', 'ChoiceStateExited', 'WaitStateExited']));
};
