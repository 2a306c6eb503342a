// biome-ignore-all lint/suspicious/noTemplateCurlyInString: Fn::Sub has placeholders of its own.
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { closedTargets } from '../../../sandbox/platform/permissions.ts';
import { pollerNeeds } from '../../../sandbox/platform/poller-rights.ts';
import { readAssembly } from '../../../sandbox/platform/template/assembly.ts';
import type { Template } from '../../../sandbox/platform/template/intrinsics.ts';
import { resolveStack } from '../../../sandbox/platform/template/stack.ts';

const place = { accountId: '123456789012', region: 'eu-west-1' };
const stackOf = (template: Template, parameters: Readonly<Record<string, string>> = {}) =>
  resolveStack(template, { name: 'test', place, parameters });
const queue = (name: string) => ({ Type: 'AWS::SQS::Queue', Properties: { QueueName: name } });
const outputOf = (Value: unknown, more: Partial<Template> = {}, parameters = {}): unknown =>
  stackOf({ Resources: { Q: queue('signals') }, ...more, Outputs: { it: { Value } } }, parameters).outputs.it;

describe('intrinsic functions', () => {
  it.each([
    ['Ref of a resource', { Ref: 'Q' }, 'https://sqs.eu-west-1.amazonaws.com/123456789012/signals'],
    ['Ref of a pseudo parameter', { Ref: 'AWS::Region' }, 'eu-west-1'],
    ['Fn::GetAtt', { 'Fn::GetAtt': ['Q', 'Arn'] }, 'arn:aws:sqs:eu-west-1:123456789012:signals'],
    ['Fn::GetAtt as text', { 'Fn::GetAtt': 'Q.QueueName' }, 'signals'],
    ['Fn::Join', { 'Fn::Join': ['-', ['a', { Ref: 'AWS::AccountId' }]] }, 'a-123456789012'],
    ['Fn::Sub', { 'Fn::Sub': '${AWS::Region}/${Q.Arn}/${!literal}' }, 'eu-west-1/arn:aws:sqs:eu-west-1:123456789012:signals/${literal}'],
    ['Fn::Sub with variables', { 'Fn::Sub': ['${x}-${AWS::StackName}', { x: { Ref: 'AWS::Partition' } }] }, 'aws-test'],
    ['Fn::Select of Fn::Split', { 'Fn::Select': [5, { 'Fn::Split': [':', { 'Fn::GetAtt': ['Q', 'Arn'] }] }] }, 'signals'],
    ['Fn::If', { 'Fn::If': ['Yes', 'a', 'b'] }, 'a'],
    ['Fn::If of a value that is left out', { a: { 'Fn::If': ['No', 1, { Ref: 'AWS::NoValue' }] }, b: 2 }, { b: 2 }],
    ['Fn::FindInMap', { 'Fn::FindInMap': ['M', { Ref: 'AWS::Region' }, 'k'] }, 'v'],
    ['Fn::Base64', { 'Fn::Base64': 'x' }, 'eA=='],
  ])('%s', (_, value, expected) => {
    const more = {
      Conditions: { Yes: { 'Fn::Equals': [{ Ref: 'AWS::Region' }, 'eu-west-1'] }, No: { 'Fn::Not': [{ Condition: 'Yes' }] } },
      Mappings: { M: { 'eu-west-1': { k: 'v' } } },
    };
    expect(outputOf(value, more)).toEqual(expected);
  });

  it('take parameters from the caller, or their defaults', () => {
    const more = { Parameters: { Name: { Type: 'String', Default: 'holdfast' }, Must: { Type: 'String' } } };
    expect(outputOf({ Ref: 'Name' }, more)).toBe('holdfast');
    expect(outputOf({ Ref: 'Name' }, more, { Name: 'other' })).toBe('other');
    expect(() => outputOf({ Ref: 'Must' }, more)).toThrow('Parameter Must has neither a value nor a default');
  });

  it('that are not known are named, like attributes and resources', () => {
    expect(() => outputOf({ 'Fn::Cidr': [] })).toThrow('Fn::Cidr');
    expect(() => outputOf({ 'Fn::GetAtt': ['Q', 'Colour'] })).toThrow('attribute Colour of AWS::SQS::Queue Q');
    expect(() => outputOf({ Ref: 'Missing' })).toThrow('Missing');
  });
});

describe('a stack', () => {
  it('puts every resource after those that it depends on', () => {
    const { resources } = stackOf({
      Resources: {
        C: { ...queue('c'), DependsOn: ['B'] },
        B: { Type: 'AWS::SQS::Queue', Properties: { QueueName: 'b', RedrivePolicy: { deadLetterTargetArn: { 'Fn::GetAtt': ['A', 'Arn'] } } } },
        A: queue('a'),
      },
    });
    expect(resources.map(({ logicalId }) => logicalId)).toEqual(['A', 'B', 'C']);
    expect(resources[1]?.properties).toEqual({ QueueName: 'b', RedrivePolicy: { deadLetterTargetArn: 'arn:aws:sqs:eu-west-1:123456789012:a' } });
  });

  it('refuses a circle and a type that it does not support', () => {
    const circle = { Resources: { A: { ...queue('a'), DependsOn: 'B' }, B: { ...queue('b'), DependsOn: 'A' } } };
    expect(() => stackOf(circle)).toThrow('Circular dependency: A → B → A');
    expect(() => stackOf({ Resources: { T: { Type: 'AWS::EC2::VPC' } } })).toThrow('AWS::EC2::VPC (resource T)');
  });

  it('leaves out resources whose condition does not hold', () => {
    const { resources } = stackOf({
      Conditions: { No: { 'Fn::Equals': [1, 2] } },
      Resources: { A: { ...queue('a'), Condition: 'No' }, B: queue('b') },
    });
    expect(resources.map(({ logicalId }) => logicalId)).toEqual(['B']);
  });

  it('gives resources without a name one that stays the same', () => {
    const template = { Resources: { R: { Type: 'AWS::IAM::Role' } } };
    const [first, second] = [stackOf(template), stackOf(template)];
    expect(first.resources[0]?.name).toMatch(/^test-R-[0-9a-f]{8}$/);
    expect(first).toEqual(second);
  });

  it('reports rules that may not deliver to their targets', () => {
    const rule = { Type: 'AWS::Events::Rule', Properties: { Name: 'r', Targets: [{ Id: 'T', Arn: { 'Fn::GetAtt': ['Q', 'Arn'] } }] } };
    const policy = (service: string) => ({
      Type: 'AWS::SQS::QueuePolicy',
      Properties: {
        Queues: [{ Ref: 'Q' }],
        PolicyDocument: {
          Statement: [
            {
              Effect: 'Allow',
              Principal: { Service: service },
              Action: 'sqs:SendMessage',
              Condition: { ArnEquals: { 'aws:SourceArn': { 'Fn::GetAtt': ['R', 'Arn'] } } },
            },
          ],
        },
      },
    });
    const open = { Q: queue('q'), R: rule, P: policy('events.amazonaws.com') };
    expect(closedTargets(stackOf({ Resources: open }))).toEqual([]);
    expect(closedTargets(stackOf({ Resources: { Q: queue('q'), R: rule } }))[0]).toContain('Rule r may not deliver');
    expect(closedTargets(stackOf({ Resources: { ...open, P: policy('sns.amazonaws.com') } }))).toHaveLength(1);
  });

  it('lists what the roles of functions must allow for their mappings to work', () => {
    const { template } = readAssembly(join(import.meta.dirname, 'fixtures', 'assembly'));
    const needs = pollerNeeds(stackOf(template)).map(({ role, action, resource }) => `${role} ${action} ${resource.split(':')[2]}`);
    expect(needs).toContain('intake-role sqs:ReceiveMessage sqs');
    expect(needs).toContain('follow-role dynamodb:GetRecords dynamodb');
    expect(needs).toHaveLength(6);
  });
});

describe('an assembly', () => {
  const directory = join(import.meta.dirname, 'fixtures', 'assembly');

  it('gives its stack and the code of its functions', () => {
    const assembly = readAssembly(directory);
    expect(assembly.stackName).toBe('shop');
    expect(assembly.assetDirectory('code.zip')).toBe(join(directory, 'asset.code'));
    expect(() => assembly.assetDirectory('none.zip')).toThrow('none.zip');
  });

  it('that does not exist, or has no such stack, gives an error', () => {
    expect(() => readAssembly(join(directory, 'none'))).toThrow('There is no synthesized app');
    expect(() => readAssembly(directory, 'other')).toThrow('holds no stack called other');
  });
});
