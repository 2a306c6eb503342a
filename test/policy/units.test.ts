import { describe, expect, it } from 'vitest';
import { canonicalText } from '../../core/policy/canonical.ts';
import { mergeDefaults } from '../../core/policy/merge-defaults.ts';
import { nearestName, pathText } from '../../core/policy/problem.ts';
import { parseDurationMs } from '../../core/units/duration.ts';
import { parseSignedPercentage } from '../../core/units/percentage.ts';

describe('units', () => {
  it.each([
    ['30s', 30_000],
    ['5m', 300_000],
    ['2h', 7_200_000],
    ['0s', 0],
    ['5', undefined],
    ['1.5h', undefined],
    ['-5m', undefined],
    ['1h30m', undefined],
    ['5d', undefined],
    ['', undefined],
  ])('the duration %j is %j milliseconds', (text, ms) => {
    expect(parseDurationMs(text)).toBe(ms);
  });

  it.each([
    ['+20%', 20],
    ['-12.5%', -12.5],
    ['20%', undefined],
    ['+20', undefined],
    ['+%', undefined],
  ])('the signed percentage %j is %j', (text, percent) => {
    expect(parseSignedPercentage(text)).toBe(percent);
  });
});

describe('defaults', () => {
  it('are merged field by field to any depth, and lists are replaced', () => {
    const defaults = { a: { x: 1, y: { z: 1 } }, list: [1, 2], only: true };
    expect(mergeDefaults(defaults, { a: { y: { w: 2 } }, list: [3] })).toEqual({ a: { x: 1, y: { z: 1, w: 2 } }, list: [3], only: true });
  });
});

describe('texts', () => {
  it('put names that are not plain into quotes in a path', () => {
    expect(pathText(['pools', 'm7g.large', 'subnets', 0])).toBe('pools["m7g.large"].subnets[0]');
  });

  it.each([
    ['lauchTemplate', 'launchTemplate'],
    ['LAUNCHTEMPLATE', 'launchTemplate'],
    ['x', undefined],
    ['somethingElse', undefined],
  ])('the nearest known name to %s is %s', (written, nearest) => {
    expect(nearestName(written, ['market', 'launchTemplate', 'cap'])).toBe(nearest);
  });

  it('of equal content are equal', () => {
    expect(canonicalText({ b: [{ d: 1, c: undefined }], a: 'x' })).toBe('{"a":"x","b":[{"d":1}]}');
  });
});
