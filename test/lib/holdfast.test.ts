import { App, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { EventBus } from 'aws-cdk-lib/aws-events';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { beforeAll, describe, expect, test } from 'vitest';
import { assemble } from '../../assembly/assemble.ts';
import { Holdfast, type HoldfastProps } from '../../lib/holdfast.ts';
import { HoldfastStack } from '../../lib/stack.ts';

// The construct takes the functions' bundles from where the build puts them.
beforeAll(async () => {
  await assemble();
});

/** Without the template validation, which the tests of `bin/app.ts` cover. */
const quietApp = (): App => new App({ builtinCloudFormationValidation: false });

const templateOf = (props: (stack: Stack) => HoldfastProps): Template => {
  const stack = new Stack(quietApp(), 'test');
  new Holdfast(stack, 'Holdfast', props(stack));
  return Template.fromStack(stack);
};

const namedThings = ['AlarmName', 'DashboardName', 'FunctionName', 'LogGroupName', 'Name', 'QueueName', 'StateMachineName', 'TableName'];

const namesIn = (template: Template): readonly string[] =>
  Object.values(template.toJSON().Resources as Record<string, { Type: string; Properties?: Record<string, unknown> }>).flatMap(
    ({ Type, Properties }) => namedThings.flatMap((key) => (typeof Properties?.[key] === 'string' ? [`${Type} ${Properties[key]}`] : [])),
  );

describe('the Holdfast construct', () => {
  test('two deployments in one app share no name', () => {
    const app = quietApp();
    const [first, second] = [new HoldfastStack(app, 'holdfast'), new HoldfastStack(app, 'holdfast-b')].map((stack) =>
      namesIn(Template.fromStack(stack)),
    );
    expect(first?.length).toBeGreaterThan(40);
    expect(second?.length).toBe(first?.length);
    expect(first?.filter((name) => second?.includes(name))).toEqual([]);
  });

  test('two deployments can be in one stack', () => {
    const stack = new Stack(quietApp(), 'both');
    new Holdfast(stack, 'First', { name: 'first' });
    new Holdfast(stack, 'Second', { name: 'second' });
    Template.fromStack(stack).resourceCountIs('AWS::DynamoDB::Table', 4);
  });

  test.each(['', 'Holdfast', '-web', 'a_b', '7days', 'a'.repeat(32)])('the name %j is refused with what is allowed', (name) => {
    expect(() => new Holdfast(new Stack(quietApp(), 'test'), 'Holdfast', { name })).toThrow(/lower case letters, digits and dashes/);
  });

  test('the name is in the functions’ environment and limits what they can launch and end', () => {
    const template = templateOf(() => ({ name: 'blue' }));
    template.allResourcesProperties('AWS::Lambda::Function', { Environment: { Variables: Match.objectLike({ HOLDFAST_NAME: 'blue' }) } });
    const policies = JSON.stringify(template.findResources('AWS::IAM::Policy'));
    expect(policies).toContain('"ec2:ResourceTag/holdfast:group":"blue/*"');
    expect(policies).not.toContain('holdfast/*');
  });

  test('onlyTagged limits changes of Auto Scaling groups and target groups to those that carry the tag', () => {
    const policies = templateOf(() => ({ onlyTagged: true })).findResources('AWS::IAM::Policy') as Record<
      string,
      { Properties: { PolicyDocument: { Statement: { Action: string | string[]; Condition?: unknown }[] } } }
    >;
    const changing = Object.values(policies)
      .flatMap(({ Properties }) => Properties.PolicyDocument.Statement)
      .filter(({ Action }) => [Action].flat().some((action) => /^(autoscaling|elasticloadbalancing):(?!Describe)/.test(action)));
    expect(changing.length).toBeGreaterThan(3);
    for (const { Condition } of changing) expect(Condition).toEqual({ StringEquals: { 'aws:ResourceTag/holdfast:managed': 'holdfast' } });
  });

  test('topics that hooks notify may send to the queue, and no others', () => {
    const topic = 'arn:aws:sns:eu-west-1:111122223333:hooks';
    const sending = (template: Template) =>
      Object.values(template.findResources('AWS::SQS::QueuePolicy') as Record<string, { Properties: { PolicyDocument: { Statement: object[] } } }>)
        .flatMap(({ Properties }) => Properties.PolicyDocument.Statement)
        .filter((statement) => JSON.stringify(statement).includes('sns.amazonaws.com'));
    expect(sending(templateOf(() => ({ hookTopicArns: [topic] })))).toEqual([
      expect.objectContaining({ Effect: 'Allow', Action: 'sqs:SendMessage', Condition: { ArnEquals: { 'aws:SourceArn': [topic] } } }),
    ]);
    expect(sending(templateOf(() => ({})))).toEqual([]);
  });

  test('parameters that images come from are read by name', () => {
    const policies = JSON.stringify(templateOf(() => ({ imageParameters: ['/images/*', 'golden'] })).findResources('AWS::IAM::Policy'));
    expect(policies).toContain(':parameter/images/*');
    expect(policies).toContain(':parameter/golden');
  });

  test('an alarm topic receives every alarm', () => {
    const template = templateOf((stack) => ({ alarmTopic: new Topic(stack, 'Pager') }));
    template.allResourcesProperties('AWS::CloudWatch::Alarm', { AlarmActions: [Match.anyValue()] });
  });

  test('a bus of one’s own carries rules and announcements', () => {
    const template = templateOf((stack) => ({ eventBus: new EventBus(stack, 'Bus', { eventBusName: 'fleet' }) }));
    template.resourcePropertiesCountIs(
      'AWS::Events::Rule',
      { EventPattern: Match.anyValue(), EventBusName: Match.objectLike({ Ref: Match.anyValue() }) },
      9,
    );
  });

  test('retention and removal follow the props', () => {
    const template = templateOf(() => ({ logRetention: RetentionDays.ONE_WEEK, removalPolicy: RemovalPolicy.DESTROY }));
    template.allResourcesProperties('AWS::Logs::LogGroup', { RetentionInDays: 7 });
    template.allResources('AWS::DynamoDB::Table', { DeletionPolicy: 'Delete' });
  });
});
