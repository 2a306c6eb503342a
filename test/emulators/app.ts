import { App, Aspects, CliCredentialsStackSynthesizer, Stack } from 'aws-cdk-lib';
import { CfnAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import { CfnPolicy } from 'aws-cdk-lib/aws-iam';
import type { IConstruct } from 'constructs';
import { HoldfastStack } from '../../lib/stack.ts';

/** Stands in for the metric of an alarm over an expression: MiniStack's CloudFormation has no metric math. Nothing else of the stack is changed. */
const plainMetrics = {
  visit(node: IConstruct): void {
    if (!(node instanceof CfnAlarm) || node.metrics === undefined) return;
    node.addPropertyDeletionOverride('Metrics');
    node.addPropertyOverride('Namespace', 'Holdfast');
    node.addPropertyOverride('MetricName', 'StandIn');
    node.addPropertyOverride('Statistic', 'Sum');
    node.addPropertyOverride('Period', 60);
  },
};

/** Takes from `react` the right to write items of the state table. */
const withoutStateWrites = {
  visit(node: IConstruct): void {
    if (!(node instanceof CfnPolicy) || !node.node.path.includes('react-role')) return;
    const { Statement } = Stack.of(node).resolve(node.policyDocument) as { Statement: { readonly Action: string | readonly string[] }[] };
    const kept = Statement.filter(({ Action }) => ![Action].flat().includes('dynamodb:PutItem'));
    if (kept.length === Statement.length) throw new Error('react has no statement that lets it write items: nothing was taken away.');
    node.addPropertyOverride('PolicyDocument.Statement', kept);
  },
};

const app = new App();
const isOn = (name: string): boolean => String(app.node.tryGetContext(name) ?? false) === 'true';

/** `-c cli-credentials=true`: with `AUTH=true` MiniStack cannot assume the roles of the bootstrap. `-c denied=true`: `react` may not write state. */
const stack = new HoldfastStack(app, 'holdfast', {
  onlyTagged: isOn('only-tagged'),
  ...(isOn('cli-credentials') && { synthesizer: new CliCredentialsStackSynthesizer() }),
});
Aspects.of(stack).add(plainMetrics);
if (isOn('denied')) Aspects.of(stack).add(withoutStateWrites);
