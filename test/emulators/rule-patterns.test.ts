import { TestEventPatternCommand } from '@aws-sdk/client-eventbridge';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEventBridgeClient } from '../../aws/calls/clients.ts';
import { rulePatterns } from '../lib/signal-rules.ts';
import { ruleMatches } from '../react/rule-matches.ts';
import { needUrl } from './emulators.ts';

const client = createEventBridgeClient({
  endpoint: needUrl('ministack'),
  region: 'us-east-1',
  credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
});

let patterns: Awaited<ReturnType<typeof rulePatterns>>;
beforeAll(async () => {
  patterns = await rulePatterns();
});
afterAll(() => client.destroy());

const matches = async (pattern: object, event: object): Promise<boolean> => {
  const command = new TestEventPatternCommand({ EventPattern: JSON.stringify(pattern), Event: JSON.stringify(event) });
  return (await client.send(command)).Result === true;
};

describe('the rules of the template, by TestEventPattern', () => {
  it.each(ruleMatches)('take $what: $rule', async ({ event, rule }) => {
    const taking: string[] = [];
    for (const [name, pattern] of patterns) if (await matches(pattern, event)) taking.push(name);
    expect(taking).toEqual(rule === undefined ? [] : [rule]);
  });
});
