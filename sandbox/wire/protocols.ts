/** Exports of an SDK client: among them one schema for every operation (`CreateFleet$`) and every modelled error. */
export type SchemaModule = Readonly<Record<string, unknown>>;

/** The protocol of one service. Versions, targets and namespaces are those of the services' API models. */
export type ServiceProtocol = {
  /** As in IAM actions. */
  readonly service: string;
  /** `ec2`: flattened lists, capitalised names, its own error form. `query`: the AWS query protocol. `json`: AWS JSON. */
  readonly style: 'ec2' | 'query' | 'json';
  /** First part of `x-amz-target` (json), or the `Version` parameter (ec2, query): tells the services apart. */
  readonly key: string;
  /** Namespace of the service's API model. */
  readonly model: string;
  /** XML namespace of answers (ec2, query) or Smithy namespace of errors (json). */
  readonly namespace: string;
  readonly jsonVersion?: '1.0' | '1.1';
  /** Absent: inputs and outputs are passed on as the JSON of the wire. */
  readonly load?: () => Promise<SchemaModule>;
};

/** In live time, each schema module is loaded with the first call that needs it: EC2's alone costs a fifth of a second. */
export const serviceProtocols: readonly ServiceProtocol[] = [
  {
    service: 'ec2',
    model: 'com.amazonaws.ec2',
    style: 'ec2',
    key: '2016-11-15',
    namespace: 'http://ec2.amazonaws.com/doc/2016-11-15/',
    load: () => import('@aws-sdk/client-ec2'),
  },
  {
    service: 'autoscaling',
    model: 'com.amazonaws.autoscaling',
    style: 'query',
    key: '2011-01-01',
    namespace: 'http://autoscaling.amazonaws.com/doc/2011-01-01/',
    load: () => import('@aws-sdk/client-auto-scaling'),
  },
  {
    service: 'elasticloadbalancing',
    model: 'com.amazonaws.elasticloadbalancingv2',
    style: 'query',
    key: '2015-12-01',
    namespace: 'http://elasticloadbalancing.amazonaws.com/doc/2015-12-01/',
    load: () => import('@aws-sdk/client-elastic-load-balancing-v2'),
  },
  {
    service: 'sts',
    model: 'com.amazonaws.sts',
    style: 'query',
    key: '2011-06-15',
    namespace: 'https://sts.amazonaws.com/doc/2011-06-15/',
    load: () => import('./sts-schemas.ts'),
  },
  {
    service: 'dynamodb',
    model: 'com.amazonaws.dynamodb',
    style: 'json',
    key: 'DynamoDB_20120810',
    namespace: 'com.amazonaws.dynamodb.v20120810',
    jsonVersion: '1.0',
  },
  {
    service: 'sqs',
    model: 'com.amazonaws.sqs',
    style: 'json',
    key: 'AmazonSQS',
    namespace: 'com.amazonaws.sqs',
    jsonVersion: '1.0',
    load: () => import('@aws-sdk/client-sqs'),
  },
  {
    service: 'states',
    model: 'com.amazonaws.sfn',
    style: 'json',
    key: 'AWSStepFunctions',
    namespace: 'com.amazonaws.sfn',
    jsonVersion: '1.0',
    load: () => import('@aws-sdk/client-sfn'),
  },
  {
    service: 'events',
    model: 'com.amazonaws.eventbridge',
    style: 'json',
    key: 'AWSEvents',
    namespace: 'com.amazonaws.eventbridge',
    jsonVersion: '1.1',
    load: () => import('@aws-sdk/client-eventbridge'),
  },
];

const byKey = new Map(serviceProtocols.map((protocol) => [protocol.key, protocol]));
export const protocolByKey = (key: string): ServiceProtocol | undefined => byKey.get(key);

const byModel = new Map(serviceProtocols.map((protocol) => [protocol.model, protocol]));
export const protocolOfModel = (namespace: string): ServiceProtocol | undefined => byModel.get(namespace);
