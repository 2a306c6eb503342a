import { beforeAll, describe, expect, it } from 'vitest';
import { type EventPattern, matchesPattern } from '../../sandbox/platform/events/event-pattern.ts';
import { ruleMatches } from '../react/rule-matches.ts';
import { rulePatterns } from './signal-rules.ts';

let patterns: Awaited<ReturnType<typeof rulePatterns>>;
beforeAll(async () => {
  patterns = await rulePatterns();
});

describe('the rules of the template', () => {
  it.each(ruleMatches)('take $what: $rule', ({ event, rule }) => {
    const taking = [...patterns].filter(([, pattern]) => matchesPattern(pattern as EventPattern, event as never)).map(([name]) => name);
    expect(taking).toEqual(rule === undefined ? [] : [rule]);
  });

  it('are all met by a sample', () => {
    const met = new Set(ruleMatches.map(({ rule }) => rule));
    expect([...patterns.keys()].filter((name) => !met.has(name))).toEqual([]);
  });
});
