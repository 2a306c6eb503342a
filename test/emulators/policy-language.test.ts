import { beforeAll, describe, expect, test } from 'vitest';
import type { Statement } from '../../sandbox/iam/statement.ts';
import { type Asked, differences, type Oracle, openOracle } from './policy-oracle.ts';

const action = 'ec2:TerminateInstances';
const instance = (id: string): string => `arn:aws:ec2:us-east-1:123456789012:instance/${id}`;
const allow = (more: Partial<Statement> = {}): Statement => ({ Effect: 'Allow', Action: action, Resource: '*', ...more });
const deny = (more: Partial<Statement> = {}): Statement => ({ ...allow(more), Effect: 'Deny' });
const asks = (statements: readonly Statement[], context: Asked['question']['context'] = {}, id = 'i-1'): Asked => ({
  statements,
  question: { action, resource: instance(id), context },
});

const tag = 'aws:ResourceTag/team';
const under = (operator: string, key: string, wanted: string | readonly string[]) => allow({ Condition: { [operator]: { [key]: wanted } } });

/** Every operator with what it wants, and what the request may have: something on each side of the line, and nothing. */
const operators: readonly (readonly [key: string, operators: readonly string[], wanted: string | readonly string[], given: readonly string[]])[] = [
  [tag, ['StringEquals', 'StringNotEquals', 'StringEqualsIgnoreCase', 'StringNotEqualsIgnoreCase'], 'Web', ['Web', 'web', 'db', '']],
  [tag, ['StringLike', 'StringNotLike'], ['we?', 'd*'], ['web', 'webs', 'db', 'd', 'we?', 'x']],
  ['aws:MultiFactorAuthAge', ['NumericEquals', 'NumericNotEquals', 'NumericLessThan', 'NumericLessThanEquals'], '10', ['9', '10', '10.0', '11']],
  ['aws:MultiFactorAuthAge', ['NumericGreaterThan', 'NumericGreaterThanEquals'], '10', ['9', '10', '11']],
  [
    'aws:CurrentTime',
    ['DateEquals', 'DateNotEquals', 'DateLessThan', 'DateLessThanEquals'],
    '2026-01-02T00:00:00Z',
    ['2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'],
  ],
  ['aws:CurrentTime', ['DateGreaterThan', 'DateGreaterThanEquals'], '2026-01-02T00:00:00Z', ['2026-01-02T00:00:00Z', '2026-01-03T00:00:00Z']],
  ['aws:SecureTransport', ['Bool'], 'true', ['true', 'false']],
  [
    'aws:PrincipalArn',
    ['ArnEquals', 'ArnNotEquals', 'ArnLike', 'ArnNotLike'],
    'arn:aws:iam::*:role/holdfast-*',
    ['arn:aws:iam::123456789012:role/holdfast-react', 'arn:aws:iam::123456789012:role/other', 'arn:aws:iam::1:2:role/holdfast-x'],
  ],
];

const single: readonly Asked[] = operators.flatMap(([key, names, wanted, given]) =>
  names.flatMap((name) =>
    [name, `${name}IfExists`].flatMap((operator) => [
      ...given.map((value) => asks([under(operator, key, wanted)], { [key.toLowerCase()]: [value] })),
      asks([under(operator, key, wanted)]),
    ]),
  ),
);

const nulls: readonly Asked[] = ['true', 'false'].flatMap((wanted) => [
  asks([under('Null', tag, wanted)], { [tag.toLowerCase()]: ['web'] }),
  asks([under('Null', tag, wanted)]),
]);

const createTags = (operator: string, keys: readonly string[]): Asked => ({
  statements: [{ ...under(operator, 'aws:TagKeys', ['a', 'b*']), Action: 'ec2:CreateTags' }],
  question: { action: 'ec2:CreateTags', resource: instance('i-1'), context: { ...(keys.length > 0 && { 'aws:tagkeys': keys }) } as never },
});

const ofMany = ['ForAllValues:StringEquals', 'ForAnyValue:StringEquals', 'ForAllValues:StringLike', 'ForAnyValue:StringLike'].flatMap((operator) =>
  [['a'], ['a', 'b'], ['a', 'x'], ['x', 'y'], []].map((keys) => createTags(operator, keys)),
);

const statements: readonly Asked[] = [
  asks([allow(), deny()]),
  asks([deny(), allow()]),
  asks([deny({ Resource: instance('i-2') }), allow()]),
  asks([deny({ Condition: { StringEquals: { [tag]: 'web' } } }), allow()], { [tag.toLowerCase()]: ['web'] }),
  asks([deny({ Condition: { StringEquals: { [tag]: 'web' } } }), allow()]),
  asks([]),
  asks([{ Effect: 'Allow', NotAction: 'ec2:*', Resource: '*' }]),
  asks([{ Effect: 'Allow', NotAction: 'sqs:*', Resource: '*' }]),
  asks([{ Effect: 'Allow', Action: action, NotResource: instance('i-1') }]),
  asks([{ Effect: 'Allow', Action: action, NotResource: instance('i-2') }]),
  ...['ec2:terminateinstances', 'EC2:Terminate*', 'ec2:Term?nateInstances', '*', 'ec2:TerminateInstance', 'sqs:*'].map((Action) =>
    asks([allow({ Action })]),
  ),
  ...[instance('*'), instance('i-?'), instance('i-??'), instance('I-1'), 'arn:aws:ec2:*:*:*', 'arn:aws:ec2:eu-*:123456789012:instance/*'].map(
    (Resource) => asks([allow({ Resource })]),
  ),
  asks([allow({ Condition: { StringEquals: { [tag]: 'web' }, Bool: { 'aws:SecureTransport': 'true' } } })], { [tag.toLowerCase()]: ['web'] }),
];

describe('the language of policies, by our evaluator and by iam-simulate', () => {
  let oracle: Oracle;
  beforeAll(async () => {
    oracle = await openOracle();
  });

  test.each([
    ['every condition operator with IfExists and without, on values and on none', single],
    ['Null', nulls],
    ['ForAllValues and ForAnyValue', ofMany],
    ['allow and deny, actions and resources with wildcards, NotAction and NotResource', statements],
  ])('agree on %s', async (_, questions) => {
    expect(await differences(oracle, questions)).toEqual([]);
  });
});
