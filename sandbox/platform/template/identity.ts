import { createHash } from 'node:crypto';
import type { Place } from '../../api.ts';

/** What a resource is called and what others may refer to. */
export type Identity = {
  /** Value of `Ref`. */
  readonly ref: string;
  /** Last part of the name, by which API calls find the resource. */
  readonly name: string;
  /** Values of `Fn::GetAtt`. */
  readonly attributes: Readonly<Record<string, string>>;
};

type Naming = {
  readonly logicalId: string;
  readonly stack: string;
  readonly properties: Readonly<Record<string, unknown>>;
  readonly place: Place;
  readonly queueOrigin?: string;
};
type Identify = (naming: Naming) => Identity;

/** The name that the template gives, or one that follows from the stack and the logical id: the same at every start. */
const named = (naming: Naming, property: string): string => {
  const given = naming.properties[property];
  if (typeof given === 'string') return given;
  const digest = createHash('sha256').update(`${naming.stack}/${naming.logicalId}`).digest('hex').slice(0, 8);
  return `${naming.stack}-${naming.logicalId}-${digest}`;
};

const arn = ({ place }: Naming, service: string, rest: string, regional = true): string =>
  `arn:aws:${service}:${regional ? place.region : ''}:${place.accountId}:${rest}`;

const byName =
  (property: string, service: string, rest: (name: string) => string): Identify =>
  (naming) => {
    const name = named(naming, property);
    return { ref: name, name, attributes: { Arn: arn(naming, service, rest(name)) } };
  };

const byArn =
  (property: string, service: string, rest: (name: string) => string, nameAttribute: string): Identify =>
  (naming) => {
    const name = named(naming, property);
    const own = arn(naming, service, rest(name));
    return { ref: own, name, attributes: { Arn: own, [nameAttribute]: name } };
  };

const table: Identify = (naming) => {
  const { ref, name, attributes } = byName('TableName', 'dynamodb', (own) => `table/${own}`)(naming);
  return { ref, name, attributes: { ...attributes, StreamArn: `${attributes.Arn}/stream/2026-01-01T00:00:00.000` } };
};

const queue: Identify = (naming) => {
  const name = named(naming, 'QueueName');
  const origin = naming.queueOrigin ?? `https://sqs.${naming.place.region}.amazonaws.com`;
  const ref = `${origin}/${naming.place.accountId}/${name}`;
  return { ref, name, attributes: { Arn: arn(naming, 'sqs', name), QueueName: name, QueueUrl: ref } };
};

const role: Identify = (naming) => {
  const name = named(naming, 'RoleName');
  return { ref: name, name, attributes: { Arn: arn(naming, 'iam', `role/${name}`, false), RoleId: `AROA${name}` } };
};

const rule: Identify = (naming) => {
  const bus = naming.properties.EventBusName;
  return byName('Name', 'events', (name) => `rule/${typeof bus === 'string' && bus !== 'default' ? `${bus}/` : ''}${name}`)(naming);
};

const topic: Identify = (naming) => {
  const name = named(naming, 'TopicName');
  const ref = arn(naming, 'sns', name);
  return { ref, name, attributes: { TopicArn: ref, TopicName: name } };
};

const managedPolicy: Identify = (naming) => {
  const name = named(naming, 'ManagedPolicyName');
  const ref = arn(naming, 'iam', `policy/${name}`, false);
  return { ref, name, attributes: { PolicyArn: ref } };
};

const plain =
  (property: string): Identify =>
  (naming) => {
    const name = named(naming, property);
    return { ref: name, name, attributes: {} };
  };

/** Every resource type that the sandbox can run, or may pass over because nothing at run time depends on it. */
const identities: Readonly<Record<string, Identify>> = {
  'AWS::DynamoDB::Table': table,
  'AWS::DynamoDB::GlobalTable': table,
  'AWS::SQS::Queue': queue,
  'AWS::SQS::QueuePolicy': plain('Id'),
  'AWS::Events::Rule': rule,
  'AWS::Events::EventBus': byName('Name', 'events', (name) => `event-bus/${name}`),
  'AWS::Events::EventBusPolicy': plain('StatementId'),
  'AWS::Lambda::Function': byName('FunctionName', 'lambda', (name) => `function:${name}`),
  'AWS::Lambda::EventSourceMapping': plain('Id'),
  'AWS::Lambda::Permission': plain('Id'),
  'AWS::Lambda::EventInvokeConfig': plain('Id'),
  'AWS::StepFunctions::StateMachine': byArn('StateMachineName', 'states', (name) => `stateMachine:${name}`, 'Name'),
  'AWS::IAM::Role': role,
  'AWS::IAM::Policy': plain('PolicyName'),
  'AWS::IAM::ManagedPolicy': managedPolicy,
  'AWS::Logs::LogGroup': byName('LogGroupName', 'logs', (name) => `log-group:${name}:*`),
  'AWS::Logs::ResourcePolicy': plain('PolicyName'),
  'AWS::Logs::MetricFilter': plain('FilterName'),
  'AWS::CloudWatch::Alarm': byName('AlarmName', 'cloudwatch', (name) => `alarm:${name}`),
  'AWS::CloudWatch::CompositeAlarm': byName('AlarmName', 'cloudwatch', (name) => `alarm:${name}`),
  'AWS::CloudWatch::Dashboard': plain('DashboardName'),
  'AWS::SNS::Topic': topic,
  'AWS::SNS::TopicPolicy': plain('Id'),
  'AWS::SNS::Subscription': plain('Id'),
  'AWS::SSM::Parameter': plain('Name'),
  'AWS::CDK::Metadata': plain('Id'),
};

/**
 * Names a resource. Returns the values of `Ref` and `Fn::GetAtt` for it.
 * @throws naming the type, when it is not one that the sandbox knows.
 */
export const identify = (type: string, naming: Naming): Identity => {
  const own = identities[type];
  if (own === undefined) throw new Error(`The sandbox does not know the resource type ${type} (resource ${naming.logicalId}).`);
  return own(naming);
};
