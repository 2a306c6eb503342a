import { App, CliCredentialsStackSynthesizer, Stack } from 'aws-cdk-lib';
import { CfnAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import { CfnPolicy } from 'aws-cdk-lib/aws-iam';
import { CfnQueue, CfnQueuePolicy } from 'aws-cdk-lib/aws-sqs';
import { HoldfastStack } from '../../lib/stack.ts';

/** The stack as it deploys to AWS, except for the few things that MiniStack cannot take; each is said here, and nothing else is changed. */
const app = new App();
const isOn = (name: string): boolean => String(app.node.tryGetContext(name) ?? false) === 'true';

/** For MiniStack with `AUTH=true`, which cannot assume the roles that the bootstrap makes. */
const isJudged = isOn('judged');
const synthesizer = isJudged ? { synthesizer: new CliCredentialsStackSynthesizer() } : {};
const stack = new HoldfastStack(app, 'holdfast', { onlyTagged: isOn('only-tagged'), ...synthesizer });

type Statement = { readonly Effect: string; readonly Action: string | readonly string[]; readonly Condition?: Readonly<Record<string, unknown>> };

const statementsOf = ({ policyDocument }: CfnPolicy | CfnQueuePolicy): readonly Statement[] =>
  (Stack.of(stack).resolve(policyDocument) as { readonly Statement: readonly Statement[] }).Statement;

const setStatements = (policy: CfnPolicy | CfnQueuePolicy, statements: readonly object[]): void => {
  if (statements.length > 0) policy.addPropertyOverride('PolicyDocument.Statement', statements);
  else policy.node.scope?.node.tryRemoveChild(policy.node.id);
};

/** Its CloudFormation has no metric math: a plain metric replaces that of an alarm over an expression. */
const givePlainMetric = (alarm: CfnAlarm): void => {
  if (alarm.metrics === undefined) return;
  alarm.addPropertyDeletionOverride('Metrics');
  for (const [name, value] of Object.entries({ Namespace: 'Holdfast', MetricName: 'StandIn', Statistic: 'Sum', Period: 60 })) {
    alarm.addPropertyOverride(name, value);
  }
};

/** The check of dead letters waits for two attempts, and not for the hour that a signal is given. */
const giveUpSoon = (queue: CfnQueue): void => {
  if (queue.redrivePolicy !== undefined) queue.addPropertyOverride('RedrivePolicy.maxReceiveCount', 2);
};

const all = stack.node.findAll();
for (const node of all) if (node instanceof CfnQueue) giveUpSoon(node);
for (const node of all) if (node instanceof CfnAlarm) givePlainMetric(node);

/** Loopback has no TLS. Where policies are judged, those of the queues would deny every message, as they must. */
const isAboutTls = ({ Effect, Condition }: Statement): boolean =>
  Effect === 'Deny' && JSON.stringify(Condition ?? {}).includes('aws:SecureTransport');

/** Of these services MiniStack judges the action alone: it asks for no resource and knows neither tags nor the source of an event. */
const isJudgedByAction = ({ Action }: Statement): boolean =>
  [Action].flat().every((action) => /^(ec2|events|elasticloadbalancing|autoscaling):/.test(action));
const byActionAlone = ({ Condition: _, ...rest }: Statement) => ({ ...rest, Resource: '*' });

/** The removed grant: `react` may not write items any more. */
const isRemoved = (policy: CfnPolicy, { Action }: Statement): boolean =>
  isOn('denied') && policy.node.path.includes('react-role') && [Action].flat().includes('dynamodb:PutItem');

/** AWS judges SendMessageBatch by the right to SendMessage. MiniStack asks for a right of its own, which AWS does not have. */
const withBatches = ({ Action, ...rest }: Statement) => {
  const actions = [Action].flat();
  return { ...rest, Action: actions.includes('sqs:SendMessage') ? [...actions, 'sqs:SendMessageBatch'] : Action };
};

const asJudged = (policy: CfnPolicy): readonly object[] =>
  statementsOf(policy).flatMap((statement) => {
    if (isRemoved(policy, statement)) return [];
    return isJudgedByAction(statement) ? byActionAlone(statement) : withBatches(statement);
  });

if (isJudged) {
  for (const node of all) {
    if (node instanceof CfnPolicy) setStatements(node, asJudged(node));
    if (node instanceof CfnQueuePolicy) {
      const kept = statementsOf(node).filter((statement) => !isAboutTls(statement));
      setStatements(node, kept);
    }
  }
}
