import type { Stack, StackResource } from './template/stack.ts';

/** Something that Lambda does on behalf of a function, with the function's role. */
export type PollerNeed = { readonly mapping: string; readonly role: string; readonly action: string; readonly resource: string };

type Properties = Readonly<Record<string, unknown>>;

const queueActions = ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'];
const streamActions = ['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator'];

const destinationOf = ({ DestinationConfig }: Properties): unknown =>
  ((DestinationConfig as Properties | undefined)?.OnFailure as Properties | undefined)?.Destination;

const needsOf = (mapping: StackResource, role: string): readonly PollerNeed[] => {
  const source = String(mapping.properties.EventSourceArn);
  const need = (action: string, resource: string): PollerNeed => ({ mapping: mapping.logicalId, role, action, resource });
  const reading = (source.includes(':sqs:') ? queueActions : streamActions).map((action) => need(action, source));
  const destination = destinationOf(mapping.properties);
  return destination === undefined ? reading : [...reading, need('sqs:SendMessage', String(destination))];
};

/** What the roles of functions must allow for their event source mappings to work at all: AWS refuses to create a mapping without them. */
export const pollerNeeds = (stack: Stack): readonly PollerNeed[] => {
  const functions = stack.resources.filter(({ type }) => type === 'AWS::Lambda::Function');
  return stack.resources
    .filter(({ type }) => type === 'AWS::Lambda::EventSourceMapping')
    .flatMap((mapping) => {
      const { FunctionName } = mapping.properties;
      const fn = functions.find(({ ref, attributes }) => ref === FunctionName || attributes.Arn === FunctionName);
      return fn === undefined ? [] : needsOf(mapping, String(fn.properties.Role).split('/').at(-1) as string);
    });
};
