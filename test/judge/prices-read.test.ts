import { describe, expect, it } from 'vitest';
import { pricesAreRead } from '../../sandbox/judge/rules/launches/prices-read.ts';
import { details } from './details.ts';
import { policy, react, type Script } from './histories.ts';

const limited = { ...policy, defaults: { ...policy.defaults, maxPriceUsdPerHour: 0.05 } };

const reads = (script: Script, second: number, outcome = 'ok'): void =>
  script.at(second, {
    ...{ kind: 'called', invocation: 'i-read', function: 'react', service: 'ec2', operation: 'DescribeSpotPriceHistory' },
    ...{ askedAtMs: 1_000 * second, outcome, applied: true, isMutating: false },
  });

/** A decision at second 1,000, by a function that began five seconds before. */
const decides = (write: (script: Script) => void, document: object = limited): readonly string[] =>
  details(pricesAreRead, (script) => {
    script.policy(0, 1, { ...document });
    write(script);
    script.react(995, 1_002, 'i-1');
    script.at(1_000, { kind: 'item-written', table: 'state', group: 'web', item: 'decision#d-1', bytes: 500, by: react('i-1') });
  });

const broken = ['decision#d-1 was decided, and spot prices had not been read for five minutes'];

describe('spot prices are read every five minutes', () => {
  it('holds after a read, and after one that failed', () => {
    expect(decides((script) => reads(script, 700))).toEqual([]);
    expect(decides((script) => reads(script, 998))).toEqual([]);
    expect(decides((script) => reads(script, 700, 'RequestLimitExceeded'))).toEqual([]);
  });
  it('breaks without one, and where the last one is older', () => {
    expect(decides(() => undefined)).toEqual(broken);
    expect(decides((script) => reads(script, 600))).toEqual(broken);
    expect(decides(() => undefined, { ...policy, capacity: { cheapest: ['spot-a', 'od-b'] } })).toEqual(broken);
  });
  it('says nothing of a policy that needs none, or that came to need them while its function ran', () => {
    expect(decides(() => undefined, policy)).toEqual([]);
    expect(decides((script) => script.policy(997, 2, limited), policy)).toEqual([]);
  });
  it('says nothing of an account with several groups', () => {
    expect(decides((script) => script.policy(0, 1, { ...limited, group: 'api' }, 'api'))).toEqual([]);
  });
});
