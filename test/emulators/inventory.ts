import type { AwsCli } from './aws-cli.ts';

/** Everything of the deployment that an account holds, by kind; a kind that holds nothing is missing. */
export const inventory = async (aws: AwsCli, name: string): Promise<Readonly<Record<string, readonly string[]>>> => {
  const named = (all: readonly string[] | null): readonly string[] =>
    (all ?? []).filter((one) => one.split(/[/:]/).some((part) => part.startsWith(name)));
  const live = "StackSummaries[?StackStatus!='DELETE_COMPLETE'].StackName";
  const found: readonly (readonly [string, readonly string[]])[] = [
    ['stacks', named(await aws('cloudformation', 'list-stacks', '--query', live))],
    ['functions', named(await aws('lambda', 'list-functions', '--query', 'Functions[].FunctionName'))],
    ['event sources', named(await aws('lambda', 'list-event-source-mappings', '--query', 'EventSourceMappings[].FunctionArn'))],
    ['queues', named(await aws('sqs', 'list-queues', '--query', 'QueueUrls'))],
    ['state machines', named(await aws('stepfunctions', 'list-state-machines', '--query', 'stateMachines[].name'))],
    ['rules', named(await aws('events', 'list-rules', '--query', 'Rules[].Name'))],
    ['alarms', named(await aws('cloudwatch', 'describe-alarms', '--query', 'MetricAlarms[].AlarmName'))],
    ['dashboards', named(await aws('cloudwatch', 'list-dashboards', '--query', 'DashboardEntries[].DashboardName'))],
    ['log groups', named(await aws('logs', 'describe-log-groups', '--query', 'logGroups[].logGroupName'))],
    ['roles', named(await aws('iam', 'list-roles', '--query', 'Roles[].RoleName'))],
    ['tables', named(await aws('dynamodb', 'list-tables', '--query', 'TableNames'))],
  ];
  return Object.fromEntries(found.filter(([, names]) => names.length > 0).map(([kind, names]) => [kind, names.toSorted()]));
};
