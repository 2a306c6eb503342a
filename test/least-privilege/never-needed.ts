/** Rights that no run here uses, each with the reason why it is there all the same. A right that comes into use, or goes, must leave this list. */
export type NeverNeeded = { readonly roles: readonly string[]; readonly actions: readonly string[]; readonly reason: string };

const everyFunction = ['react', 'tick', 'accept-policy', 'begin-drain', 'check-drain', 'end-drain'];

export const neverNeeded: readonly NeverNeeded[] = [
  {
    roles: everyFunction,
    actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
    reason: 'Lambda writes the log of a function with the function’s role, outside of any call that a run here makes.',
  },
  {
    roles: ['react'],
    actions: ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'],
    reason: 'Lambda polls the queue with the function’s role. The sandbox polls by itself, and refuses a stack whose roles lack these.',
  },
  {
    roles: ['react'],
    actions: ['sqs:GetQueueUrl'],
    reason: 'The CDK grants it together with polling; it concerns the deployment’s own queue alone.',
  },
  {
    roles: ['react'],
    actions: ['sqs:ChangeMessageVisibility'],
    reason: 'Needed when a signal could not be acted on for minutes, or names an instance that EC2 does not show yet (test/react).',
  },
  {
    roles: ['accept-policy'],
    actions: ['dynamodb:ListStreams', 'dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator'],
    reason: 'Lambda polls the stream with the function’s role. The sandbox polls by itself, and refuses a stack whose roles lack the last three.',
  },
  {
    roles: ['accept-policy'],
    actions: ['sqs:SendMessage', 'sqs:GetQueueAttributes', 'sqs:GetQueueUrl'],
    reason: 'Lambda puts batches that it gave up into the dead-letter queue of policies with the function’s role; no run gives one up.',
  },
  {
    roles: ['react'],
    actions: ['iam:CreateServiceLinkedRole'],
    reason: 'Needed once in the life of an account, at its first spot request and its first fleet.',
  },
  {
    roles: ['begin-drain'],
    actions: ['autoscaling:DescribeLifecycleHooks', 'autoscaling:RecordLifecycleActionHeartbeat'],
    reason: 'Needed when the heartbeat of a hook falls due while its drain still waits for a replacement (test/drain).',
  },
  {
    roles: ['end-drain'],
    actions: ['ec2:DescribeInstanceStatus'],
    reason: 'Needed when a drain that could not begin asks at its end who serves, by status checks (test/lib/rights-in-practice.test.ts).',
  },
  {
    roles: ['drain-workflow'],
    actions: [
      'logs:CreateLogDelivery',
      'logs:GetLogDelivery',
      'logs:UpdateLogDelivery',
      'logs:DeleteLogDelivery',
      'logs:ListLogDeliveries',
      'logs:PutResourcePolicy',
      'logs:DescribeResourcePolicies',
      'logs:DescribeLogGroups',
    ],
    reason: 'Step Functions delivers the log of executions with the state machine’s role, outside of any call that a run here makes.',
  },
];
