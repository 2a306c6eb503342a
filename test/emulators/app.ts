import { App, CliCredentialsStackSynthesizer, Stack } from 'aws-cdk-lib';
import { CfnAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import { CfnPolicy } from 'aws-cdk-lib/aws-iam';
import { CfnQueuePolicy } from 'aws-cdk-lib/aws-sqs';
import { HoldfastStack } from '../../lib/stack.ts';

/** The stack as it deploys to AWS, but for the few things that MiniStack cannot take; each is said here, and nothing else is changed. */
const app = new App();
const isOn = (name: string): boolean => String(app.node.tryGetContext(name) ?? false) === 'true';

/** With `AUTH=true` MiniStack cannot assume the roles that the bootstrap makes. */
const synthesizer = isOn('cli-credentials') ? { synthesizer: new CliCredentialsStackSynthesizer() } : {};
const stack = new HoldfastStack(app, 'holdfast', { onlyTagged: isOn('only-tagged'), ...synthesizer });

type Statement = { readonly Effect: string; readonly Action: string | readonly string[]; readonly Condition?: Readonly<Record<string, unknown>> };

const statementsOf = ({ policyDocument }: CfnPolicy | CfnQueuePolicy): readonly Statement[] =>
  (Stack.of(stack).resolve(policyDocument) as { readonly Statement: readonly Statement[] }).Statement;

const keepStatements = (policy: CfnPolicy | CfnQueuePolicy, isKept: (statement: Statement) => boolean): void => {
  const kept = statementsOf(policy).filter(isKept);
  if (kept.length > 0) policy.addPropertyOverride('PolicyDocument.Statement', kept);
  else policy.node.scope?.node.tryRemoveChild(policy.node.id);
};

/** Its CloudFormation has no metric math: a plain metric stands in for that of an alarm over an expression. */
const givePlainMetric = (alarm: CfnAlarm): void => {
  if (alarm.metrics === undefined) return;
  alarm.addPropertyDeletionOverride('Metrics');
  for (const [name, value] of Object.entries({ Namespace: 'Holdfast', MetricName: 'StandIn', Statistic: 'Sum', Period: 60 })) {
    alarm.addPropertyOverride(name, value);
  }
};

const all = stack.node.findAll();
for (const node of all) if (node instanceof CfnAlarm) givePlainMetric(node);

/** Loopback has no TLS. Where policies are judged, those of the queues would deny every message, as they must. */
if (isOn('plain-http')) {
  const isAboutTls = ({ Effect, Condition }: Statement): boolean =>
    Effect === 'Deny' && JSON.stringify(Condition ?? {}).includes('aws:SecureTransport');
  for (const node of all) if (node instanceof CfnQueuePolicy) keepStatements(node, (statement) => !isAboutTls(statement));
}

/** The removed grant: `react` may not write items any more. */
if (isOn('denied')) {
  for (const node of all) {
    if (!(node instanceof CfnPolicy) || !node.node.path.includes('react-role')) continue;
    keepStatements(node, ({ Action }) => ![Action].flat().includes('dynamodb:PutItem'));
  }
}
