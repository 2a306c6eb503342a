import { expect, test } from 'vitest';
import { conditionsHold, parseOperator } from '../../../sandbox/iam/condition.ts';
import { evaluate } from '../../../sandbox/iam/evaluate.ts';
import { parseStatements, type Statement } from '../../../sandbox/iam/statement.ts';

const question = { action: 'ec2:TerminateInstances', resource: 'arn:aws:ec2:eu-west-1:123456789012:instance/i-1', context: {} };
const allowAll: Statement = { Effect: 'Allow', Action: '*', Resource: '*' };

test.each<[string, Statement[], string]>([
  ['nothing said is denied', [], 'denied-implicitly'],
  ['an allow that covers action and resource', [allowAll], 'allowed'],
  ['action names ignore case', [{ Effect: 'Allow', Action: 'EC2:terminate*', Resource: '*' }], 'allowed'],
  ['resources heed case', [{ Effect: 'Allow', Action: '*', Resource: 'arn:aws:ec2:*:*:INSTANCE/*' }], 'denied-implicitly'],
  ['a question mark stands for one character', [{ Effect: 'Allow', Action: '*', Resource: 'arn:aws:ec2:*:*:instance/i-?' }], 'allowed'],
  ['one of several actions and resources', [{ Effect: 'Allow', Action: ['s3:*', 'ec2:*'], Resource: ['arn:x', '*:instance/*'] }], 'allowed'],
  ['a dot is a dot', [{ Effect: 'Allow', Action: '*', Resource: 'arn:aws:ec2:eu.west.1:*' }], 'denied-implicitly'],
  ['NotAction covers what it does not name', [{ Effect: 'Allow', NotAction: 'iam:*', Resource: '*' }], 'allowed'],
  ['NotResource leaves out what it names', [{ Effect: 'Allow', Action: '*', NotResource: '*:instance/*' }], 'denied-implicitly'],
  ['a deny wins over an allow before it', [allowAll, { Effect: 'Deny', Action: 'ec2:*', Resource: '*' }], 'denied-explicitly'],
  ['a deny for something else does not', [allowAll, { Effect: 'Deny', Action: 's3:*', Resource: '*' }], 'allowed'],
])('%s', (_, statements, kind) => {
  expect(evaluate(statements, question).kind).toBe(kind);
});

const context = {
  'aws:requesttag/team': ['web'],
  'aws:tagkeys': ['team', 'name'],
  'autoscaling:maxsize': ['10'],
  'aws:securetransport': ['true'],
  arn: ['arn:aws:ec2:eu-west-1:1:instance/i-1'],
};

test.each<[string, Statement['Condition'], boolean]>([
  ['StringEquals, key names ignore case', { StringEquals: { 'aws:RequestTag/Team': 'web' } }, true],
  ['StringEquals, one of several values', { StringEquals: { 'aws:RequestTag/team': ['db', 'web'] } }, true],
  ['StringEquals, missing key', { StringEquals: { 'aws:RequestTag/other': 'web' } }, false],
  ['StringEqualsIfExists, missing key', { StringEqualsIfExists: { 'aws:RequestTag/other': 'web' } }, true],
  ['StringEqualsIfExists, wrong value', { StringEqualsIfExists: { 'aws:RequestTag/team': 'db' } }, false],
  ['StringNotEquals, missing key', { StringNotEquals: { 'aws:RequestTag/other': 'web' } }, true],
  ['StringNotEquals, none of several', { StringNotEquals: { 'aws:RequestTag/team': ['db', 'web'] } }, false],
  ['StringLike', { StringLike: { 'aws:RequestTag/team': 'w*' } }, true],
  ['StringNotLike', { StringNotLike: { 'aws:RequestTag/team': 'w*' } }, false],
  ['StringEqualsIgnoreCase', { StringEqualsIgnoreCase: { 'aws:RequestTag/team': 'WEB' } }, true],
  ['every operator must hold', { StringEquals: { 'aws:RequestTag/team': 'web' }, Bool: { 'aws:SecureTransport': 'false' } }, false],
  ['every key must hold', { StringEquals: { 'aws:RequestTag/team': 'web', 'aws:RequestTag/other': 'x' } }, false],
  ['ForAllValues holds when every value is allowed', { 'ForAllValues:StringEquals': { 'aws:TagKeys': ['team', 'name', 'extra'] } }, true],
  ['ForAllValues fails on one that is not', { 'ForAllValues:StringEquals': { 'aws:TagKeys': ['team'] } }, false],
  ['ForAllValues holds without values', { 'ForAllValues:StringEquals': { 'aws:Nothing': ['team'] } }, true],
  ['ForAnyValue holds with one', { 'ForAnyValue:StringEquals': { 'aws:TagKeys': ['name'] } }, true],
  ['ForAnyValue fails without values', { 'ForAnyValue:StringNotEquals': { 'aws:Nothing': ['name'] } }, false],
  ['Null true: the key must be missing', { Null: { 'aws:RequestTag/team': 'true' } }, false],
  ['Null false: the key must be there', { Null: { 'aws:RequestTag/team': 'false' } }, true],
  ['numbers compare as numbers', { NumericLessThanEquals: { 'autoscaling:MaxSize': '9' } }, false],
  ['ArnLike stays within the parts', { ArnLike: { arn: 'arn:aws:*:instance/i-1' } }, false],
  ['ArnLike', { ArnLike: { arn: 'arn:aws:ec2:*:*:instance/*' } }, true],
  ['ArnNotEquals', { ArnNotEquals: { arn: 'arn:aws:ec2:*:*:volume/*' } }, true],
])('condition: %s', (_, condition, holds) => {
  expect(conditionsHold(condition, context)).toBe(holds);
});

test('an operator that is not simulated is named', () => {
  expect(() => parseOperator('IpAddress')).toThrow('IpAddress');
});

test('statements are read as templates hold them, and unknown elements are refused', () => {
  const [statement] = parseStatements([{ Effect: 'Allow', Action: '*', Resource: ['*'], Condition: { Bool: { 'aws:SecureTransport': true } } }]);
  expect(statement?.Condition).toEqual({ Bool: { 'aws:SecureTransport': 'true' } });
  expect(() => parseStatements([{ Effect: 'Allow', Action: '*', Principal: '*' }])).toThrow(/Principal/);
});
