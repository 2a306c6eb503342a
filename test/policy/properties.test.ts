import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { canonicalText } from '../../core/policy/canonical.ts';
import { namesIn, type Resolution } from '../../core/policy/resolution.ts';
import { resolveGroup } from '../../core/policy/resolve.ts';
import type { Policy } from '../../core/policy/schema.ts';
import { validatePolicy } from '../../core/policy/validate.ts';
import { poolsBelow } from '../../core/selector/selector.ts';
import { fullDocument, shuffledKeys, validDocument } from './documents.ts';

const accepted = (document: unknown): Policy => {
  const result = validatePolicy(document);
  if (result.kind === 'invalid') throw new Error(result.problems.map(({ message }) => message).join('\n'));
  return result.policy;
};

/** An account in which every name exists. */
const knowingAll = (policy: Policy): Resolution => {
  const { subnets, launchTemplates } = namesIn(policy);
  return {
    asgs: {},
    subnets: Object.fromEntries(subnets.map((id) => [id, `eu-west-1${id.at(-1)}`])),
    launchTemplates: Object.fromEntries(launchTemplates.map((name) => [name, 9])),
  };
};

const draws = fc.infiniteStream(fc.nat());
const drawFrom = (stream: Iterator<number>) => (size: number) => (stream.next().value as number) % size;

describe('any policy made by the rules', () => {
  it('is accepted, and accepted again unchanged once its defaults are filled in', () =>
    fc.assert(
      fc.property(validDocument, (document) => {
        const policy = accepted(document);
        expect(accepted(policy)).toEqual(policy);
      }),
    ));

  it('survives being written as YAML and as JSON', () =>
    fc.assert(
      fc.property(validDocument, (document) => {
        expect(accepted(parse(stringify(document)))).toEqual(accepted(document));
        expect(accepted(JSON.parse(JSON.stringify(document)))).toEqual(accepted(document));
      }),
    ));

  it('becomes the same group whatever the order of its keys', () =>
    fc.assert(
      fc.property(validDocument, draws, (document, stream) => {
        const [policy, shuffled] = [accepted(document), accepted(shuffledKeys(document, drawFrom(stream)))];
        const [one, other] = [policy, shuffled].map((each) => resolveGroup(each, knowingAll(each), 1));
        expect(canonicalText(other)).toBe(canonicalText(one));
      }),
    ));

  it('resolves, with a pool for every name in its tree', () =>
    fc.assert(
      fc.property(validDocument, (document) => {
        const policy = accepted(document);
        const resolved = resolveGroup(policy, knowingAll(policy), 7);
        if (resolved.kind !== 'resolved') throw new Error('not resolved');
        expect(resolved.group.policyVersion).toBe(7);
        expect(Object.keys(resolved.group.pools)).toEqual(expect.arrayContaining([...poolsBelow(resolved.group.capacity)]));
      }),
    ));
});

describe('anything at all', () => {
  const broken = fc
    .tuple(
      fc.constantFrom(...Object.keys(fullDocument)),
      fc.anything({ withBigInt: true, withMap: true, withSet: true, withDate: true, withTypedArray: true }),
    )
    .map(([field, value]) => ({ ...fullDocument, [field]: value }));

  it('is judged without an exception, and what is invalid has a reason', () =>
    fc.assert(
      fc.property(fc.oneof(fc.anything({ withBigInt: true, withNullPrototype: true, withSet: true, withMap: true }), broken), (document) => {
        const result = validatePolicy(document);
        if (result.kind === 'invalid')
          expect(result.problems.every(({ message, found, allowed }) => message !== '' && found !== '' && allowed !== '')).toBe(true);
        expect(result.kind === 'valid' || result.problems.length > 0).toBe(true);
      }),
      { numRuns: 500 },
    ));

  it('has the same problems in the same order whatever the order of its keys', () =>
    fc.assert(
      fc.property(fc.tuple(broken, fc.jsonValue()), draws, ([document, extra], stream) => {
        const whole = JSON.parse(JSON.stringify({ ...document, extra }, (_, value) => (typeof value === 'bigint' ? String(value) : value)));
        expect(validatePolicy(shuffledKeys(whole, drawFrom(stream)))).toEqual(validatePolicy(whole));
      }),
    ));
});
