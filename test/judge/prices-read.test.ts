import { describe, expect, it } from 'vitest';
import { pricesAreRead } from '../../sandbox/judge/rules/launches/prices-read.ts';
import type { Told } from '../../sandbox/judge/world/message.ts';
import { details } from './details.ts';
import { policy, react, type Script } from './histories.ts';

const limited = { ...policy, defaults: { ...policy.defaults, maxPriceUsdPerHour: 0.05 } };

const reads = (script: Script, second: number, outcome = 'ok'): void =>
  script.at(second, {
    ...{ kind: 'called', invocation: 'i-read', function: 'react', service: 'ec2', operation: 'DescribeSpotPriceHistory' },
    ...{ askedAtMs: 1_000 * second, outcome, applied: true, isMutating: false },
  });

/** A decision at second 1,000, by a function that began five seconds before. */
const decides = (write: (script: Script) => void, document: object = limited, told: readonly Told[] = []): readonly string[] =>
  details(pricesAreRead, (script) => {
    script.policy(0, 1, { ...document });
    write(script);
    script.react(995, 1_002, 'i-1', told);
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
  it('says nothing of a look that only a tick caused, while the state follows a policy that needs none (18400024)', () => {
    const tick: Told = { about: 'tick', groups: ['web'] };
    const edited = (script: Script): void => {
      script.desired(10, 2, 1);
      script.policy(994, 2, limited);
    };
    expect(decides(edited, policy, [tick])).toEqual([]);
    expect(decides(edited, policy, [tick, { about: 'warning', instance: 'i-1' }])).toEqual(broken);
    expect(
      decides(
        (script) => {
          script.policy(900, 2, limited);
          script.desired(910, 2, 2);
        },
        policy,
        [tick],
      ),
    ).toEqual(broken);
  });
  it('says nothing of an account with several groups', () => {
    expect(decides((script) => script.policy(0, 1, { ...limited, group: 'api' }, 'api'))).toEqual([]);
  });
});
