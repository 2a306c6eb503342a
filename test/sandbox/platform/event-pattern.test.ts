import { describe, expect, it } from 'vitest';
import { checkPattern, type EventPattern, matchesPattern } from '../../../sandbox/platform/events/event-pattern.ts';
import { targetInput } from '../../../sandbox/platform/events/input-transformer.ts';
import { nextFiring } from '../../../sandbox/platform/events/schedule.ts';

const event = {
  version: '0',
  id: '1',
  'detail-type': 'EC2 Instance State-change Notification',
  source: 'aws.ec2',
  account: '123456789012',
  time: '2026-01-01T00:00:00Z',
  region: 'eu-west-1',
  resources: ['arn:aws:ec2:eu-west-1:123456789012:instance/i-1', 'second'],
  detail: { state: 'running', count: 5, ip: '10.0.1.7', empty: null, nested: { name: 'Web-1' }, list: [{ a: 1 }, { a: 2 }] },
} as const;

const table: readonly (readonly [string, EventPattern, boolean])[] = [
  ['an exact value', { source: ['aws.ec2'] }, true],
  ['any of several values', { detail: { state: ['stopped', 'running'] } }, true],
  ['no value of the list', { detail: { state: ['stopped'] } }, false],
  ['a number only as a number', { detail: { count: ['5'] } }, false],
  ['null', { detail: { empty: [null] } }, true],
  ['any element of a list', { resources: ['second'] }, true],
  ['an object within a list', { detail: { list: { a: [2] } } }, true],
  ['every field, not any', { source: ['aws.ec2'], detail: { state: ['stopped'] } }, false],
  ['a field that is missing', { detail: { other: ['x'] } }, false],
  ['prefix', { detail: { nested: { name: [{ prefix: 'Web' }] } } }, true],
  ['prefix without case', { detail: { nested: { name: [{ prefix: { 'equals-ignore-case': 'wEB' } }] } } }, true],
  ['suffix', { 'detail-type': [{ suffix: 'Notification' }] }, true],
  ['suffix that differs', { 'detail-type': [{ suffix: 'Warning' }] }, false],
  ['equals-ignore-case', { detail: { nested: { name: [{ 'equals-ignore-case': 'WEB-1' }] } } }, true],
  ['wildcard', { resources: [{ wildcard: 'arn:aws:ec2:*:instance/*' }] }, true],
  ['wildcard that differs', { resources: [{ wildcard: 'arn:*:volume/*' }] }, false],
  ['a star taken literally', { detail: { state: [{ wildcard: 'run\\*' }] } }, false],
  ['anything-but', { detail: { state: [{ 'anything-but': 'stopped' }] } }, true],
  ['anything-but a list', { detail: { state: [{ 'anything-but': ['stopped', 'running'] }] } }, false],
  ['anything-but a prefix', { detail: { state: [{ 'anything-but': { prefix: 'run' } }] } }, false],
  ['anything-but, of a field that is missing', { detail: { other: [{ 'anything-but': 'x' }] } }, false],
  ['numeric range', { detail: { count: [{ numeric: ['>', 0, '<=', 5] }] } }, true],
  ['numeric range that excludes', { detail: { count: [{ numeric: ['<', 5] }] } }, false],
  ['numeric on text', { detail: { state: [{ numeric: ['=', 1] }] } }, false],
  ['cidr', { detail: { ip: [{ cidr: '10.0.0.0/16' }] } }, true],
  ['cidr that excludes', { detail: { ip: [{ cidr: '10.1.0.0/16' }] } }, false],
  ['exists', { detail: { state: [{ exists: true }] } }, true],
  ['exists only on leaves', { detail: { nested: [{ exists: true }] } }, false],
  ['does not exist', { detail: { other: [{ exists: false }] } }, true],
  ['does not exist, within an object that is missing', { detail: { away: { field: [{ exists: false }] } } }, true],
  ['$or', { detail: { $or: [{ state: ['stopped'] }, { count: [{ numeric: ['>', 4] }] }] } }, true],
  ['$or of nothing that holds', { detail: { $or: [{ state: ['stopped'] }, { count: [1] }] } }, false],
];

describe('event patterns', () => {
  it.each(table)('match %s', (_, pattern, expected) => {
    checkPattern(pattern);
    expect(matchesPattern(pattern, event)).toBe(expected);
  });

  it('refuse an operator that does not exist, and a leaf that is no list', () => {
    expect(() => checkPattern({ source: [{ like: 'x' }] })).toThrow('Unrecognized match type like');
    expect(() => checkPattern({ source: 'aws.ec2' })).toThrow('source must be an object or a non-empty array');
    expect(() => checkPattern({ detail: { state: [] } })).toThrow('detail.state must be an object or a non-empty array');
    expect(() => checkPattern({})).toThrow('at least one field');
  });
});

describe('what a target is given', () => {
  const arn = 'arn:aws:events:eu-west-1:123456789012:rule/one';
  const bus = { ...event, version: '0' as const };

  it('is the event as it is, a constant, a part, or a filled template', () => {
    expect(JSON.parse(targetInput({}, bus, arn))).toEqual(bus);
    expect(targetInput({ Input: '{"a":1}' }, bus, arn)).toBe('{"a":1}');
    expect(targetInput({ InputPath: '$.detail.nested' }, bus, arn)).toBe('{"name":"Web-1"}');
    const InputTransformer = {
      InputPathsMap: { state: '$.detail.state', first: '$.resources[0]', count: '$.detail.count', missing: '$.detail.none' },
      InputTemplate:
        '{"says": "it is <state> in <first>", "count": <count>, "rule": "<aws.events.rule-name>", "all": <aws.events.event>, "gone": "<missing>"}',
    };
    expect(JSON.parse(targetInput({ InputTransformer }, bus, arn))).toEqual({
      says: 'it is running in arn:aws:ec2:eu-west-1:123456789012:instance/i-1',
      count: 5,
      rule: 'one',
      all: bus,
      gone: '',
    });
  });
});

describe('schedules', () => {
  const at = (text: string): number => Date.parse(text);
  const start = at('2026-01-01T10:00:20Z');
  const next = (expression: string, after = start): string => new Date(nextFiring(expression, start, after) ?? 0).toISOString();

  it('of a rate count from their start', () => {
    expect(next('rate(1 minute)')).toBe('2026-01-01T10:01:20.000Z');
    expect(next('rate(5 minutes)', at('2026-01-01T10:05:20Z'))).toBe('2026-01-01T10:10:20.000Z');
    expect(next('rate(1 day)')).toBe('2026-01-02T10:00:20.000Z');
  });

  it('of cron follow the clock, in UTC', () => {
    expect(next('cron(0/15 * * * ? *)')).toBe('2026-01-01T10:15:00.000Z');
    expect(next('cron(30 8 ? * MON-FRI *)')).toBe('2026-01-02T08:30:00.000Z');
    expect(next('cron(0 0 1 MAR ? 2027)')).toBe('2027-03-01T00:00:00.000Z');
  });

  it('that are not known are named', () => {
    expect(() => next('at(2026-01-01T00:00:00)')).toThrow('at(2026-01-01T00:00:00)');
    expect(() => next('cron(0 0 L * ? *)')).toThrow('cron(0 0 L * ? *)');
  });
});
