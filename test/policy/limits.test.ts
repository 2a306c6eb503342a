import { describe, expect, it } from 'vitest';
import { validatePolicy } from '../../core/policy/validate.ts';
import { judge } from '../../functions/accept-policy/judge.ts';
import { readDocument } from '../../functions/accept-policy/read-document.ts';

const many = (count: number, name: (index: number) => string): readonly string[] => Array.from({ length: count }, (_, index) => name(index));
const pool = { market: 'spot', subnets: ['subnet-a'] };
const policy = (change: Readonly<Record<string, unknown>> = {}) => ({
  group: 'web',
  size: 1,
  capacity: 'a',
  defaults: { launchTemplate: 'web', instanceTypes: ['m7g.large'] },
  pools: { a: pool },
  ...change,
});
const problemsOf = (document: unknown): readonly string[] => {
  const validation = validatePolicy(document);
  return validation.kind === 'invalid' ? validation.problems.map(({ message }) => message) : [];
};

describe('limits of a policy', () => {
  it('keeps documents to 100,000 characters, whatever they hold', () => {
    expect(problemsOf(policy({ tags: { team: 'x'.repeat(100_000) } }))).toEqual([
      'the policy: expected a document of at most 100000 characters, found a larger document.',
    ]);
  });

  it('counts what YAML repeats by reference', () => {
    const line = many(200, () => '*a').join(', ');
    const reading = readDocument(`a: &a ${'x'.repeat(900)}\nb: [${many(99, () => '*a').join(', ')}]\nc: [${line}]`);
    const laughs = reading.kind === 'read' ? problemsOf(reading.document) : ['unreadable'];
    expect(laughs).toHaveLength(1);
  });

  it('comes to an end with documents that name thousands of pools wrongly', () => {
    const pools = Object.fromEntries(many(1_500, (index) => `pool-${index}`).map((name) => [name, pool]));
    const document = policy({ pools, capacity: { spread: many(3_000, (index) => `poll-${index}`) } });
    expect(problemsOf(document).length).toBeGreaterThan(0);
  });

  it.each([
    ['pools', { pools: Object.fromEntries(many(301, (index) => `p${index}`).map((name) => [name, pool])), capacity: 'p1' }, 'at most 300 pools'],
    ['instance types', { defaults: { launchTemplate: 'web', instanceTypes: many(301, (index) => `m7g.x${index}`) } }, 'a list of at most 300'],
    [
      'alarms',
      { size: { min: 0, max: 9 }, scaling: many(51, (index) => `a${index}`).map((alarm) => ({ alarm, adjust: 1 })) },
      'a list of at most 50',
    ],
    [
      'target groups',
      { drain: { loadBalancers: many(51, (index) => `arn:aws:elasticloadbalancing:eu-west-1:123456789012:targetgroup/t${index}/1`) } },
      'a list of at most 50',
    ],
    ['members', { size: { min: 0, max: 10_001 } }, 'a whole number from 0 to 10000'],
  ])('bounds %s', (_, change, allowed) => {
    const problems = problemsOf(policy(change));
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(allowed);
  });

  it('shortens long names in its messages', () => {
    for (const message of problemsOf(policy({ ['x'.repeat(50_000)]: 1, pools: { ['é'.repeat(20_000)]: { a: 1 } } }))) {
      expect(message.length).toBeLessThan(2_500);
    }
  });

  it.each(['[', '{a: ', '- ', '"', '!', '&a ', '*a ', '{}', '? a\n: b\n', 'a: b: ', "'"])('comes to an end with text made of %s', (part) => {
    expect(['read', 'unreadable']).toContain(readDocument(part.repeat(Math.floor(100_000 / part.length))).kind);
  });

  it('reads text of many keys, and finds the one that is repeated', () => {
    const keys = many(8_000, (index) => `k${index}: 1`);
    expect(readDocument(keys.join('\n')).kind).toBe('read');
    const repeated = readDocument([...keys, 'k7: 2'].join('\n'));
    expect(repeated).toMatchObject({ problems: [{ found: 'text that is not YAML (Map keys must be unique at line 8001, column 1)' }] });
  });

  it('reads no text of more than 100,000 characters', () => {
    expect(readDocument(' '.repeat(100_001)).kind).toBe('unreadable');
  });

  it('refuses what would be too large to store once defaults are in every pool', async () => {
    const types = many(300, (index) => `m7g.${'x'.repeat(30)}${index}`);
    const pools = Object.fromEntries(many(300, (index) => `p${index}`).map((name) => [name, pool]));
    const document = policy({ pools, capacity: 'p1', defaults: { launchTemplate: 'web', instanceTypes: types } });
    const ports = {
      store: { registry: async () => [] } as never,
      resolver: { lookUp: async () => ({ subnets: { 'subnet-a': 'eu-west-1a' }, asgs: {}, launchTemplates: { web: 1 } }) },
    };
    const verdict = await judge('web', { document, others: [] }, ports);
    expect(verdict).toMatchObject({
      kind: 'unacceptable',
      problems: [{ found: expect.stringMatching(/^\d+ KB with defaults in every pool$/), allowed: 'at most 300 KB' }],
    });
  });
});
