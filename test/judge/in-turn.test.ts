import { describe, expect, it } from 'vitest';
import type { History } from '../../sandbox/judge/history.ts';
import { refusedInTurn } from '../../sandbox/judge/rules/launches/in-turn.ts';
import { details, faultOf, throttled } from './details.ts';
import { policy, react, type Script, twoServe } from './histories.ts';

const request = (script: Script, second: number, pool: string, outcome = 'ok'): void =>
  script.at(second, {
    ...{ kind: 'called', invocation: `of-${second}`, function: 'react', service: 'ec2', operation: 'CreateFleet', askedAtMs: 1_000 * second },
    ...{ outcome, applied: true, isMutating: true, launch: { group: 'web', pool, count: 1 } },
  });
const refuse = (script: Script, second: number, market: 'spot' | 'on-demand', zone: string, code = 'InsufficientInstanceCapacity'): void =>
  script.at(second, { kind: 'refused', invocation: `of-${second}`, group: 'web', instanceType: 't', zone, market, code });

type Case = {
  readonly asked?: readonly string[];
  readonly spotACode?: string;
  readonly spotARefusedS?: number;
  readonly document?: object;
  readonly write?: (script: Script) => void;
  readonly endedS?: number;
  readonly outcome?: string;
  readonly changes?: Partial<History>;
};

/** One of two ends and spot-a refuses at 605. Each minute one of these pools is requested and refused. A tick looks at 1,000. */
const found = ({
  asked = ['spot-b', 'od-b', 'spot-b', 'od-b', 'spot-b', 'od-b'],
  spotACode,
  spotARefusedS = 605,
  document,
  write = () => undefined,
  endedS = 600,
  outcome = 'ok',
  changes,
}: Case) =>
  details(
    refusedInTurn,
    (script) => {
      twoServe(script);
      if (document !== undefined) script.policy(0, 2, { ...policy, ...document });
      script.end(endedS, 'i-1');
      refuse(script, spotARefusedS, 'spot', 'z-a', spotACode);
      for (const [index, pool] of asked.entries()) {
        const second = 660 + 60 * index;
        request(script, second, pool, outcome);
        refuse(script, second, pool === 'od-b' ? 'on-demand' : 'spot', pool === 'spot-a' ? 'z-a' : 'z-b');
      }
      write(script);
      script.react(1_000, 1_002, 'i-a', [{ about: 'tick', groups: ['web'] }]);
    },
    { endedAtMs: 1_100_000, ...changes },
  );

describe('each refused pool has its turn', () => {
  const text = 'web is short, and spot-a was not requested while 2 others were';
  it('breaks where one pool is left out, and holds where all take turns', () => {
    expect(found({})).toEqual([text]);
    expect(found({ asked: ['spot-b', 'od-b', 'spot-a', 'spot-b', 'od-b', 'spot-a'] })).toEqual([]);
  });
  it('breaks where one pool is requested again and again', () => expect(found({ asked: Array(6).fill('spot-b') })).toHaveLength(1));
  it('says nothing of a pool that nothing refused, or that was refused lately', () => {
    expect(found({ spotARefusedS: 800 })).toEqual([]);
    expect(found({ spotACode: 'InsufficientFreeAddressesInSubnet' })).toEqual([]);
    expect(found({ spotACode: 'MaxSpotInstanceCountExceeded' })).toEqual([]);
  });
  it('says nothing of a group that has been short for less than all turns take', () => expect(found({ endedS: 760 })).toEqual([]));
  it('says nothing where a policy may keep launches from a pool', () => {
    expect(found({ document: { maxShare: { zone: '50%' } } })).toEqual([]);
    expect(found({ document: { spare: 1 } })).toEqual([]);
    expect(found({ document: { onDemand: { floor: 1 } } })).toEqual([]);
    expect(found({ document: { breaker: { interruptions: 2, within: '5m', hold: '10m' } } })).toEqual([]);
    const capped = { ...policy.pools, 'spot-a': { ...policy.pools['spot-a'], cap: 2 } };
    expect(found({ document: { pools: capped } })).toEqual([]);
    const dear = { ...policy.pools, 'spot-a': { ...policy.pools['spot-a'], maxPriceUsdPerHour: 0.05 } };
    expect(found({ document: { pools: dear } })).toEqual([]);
    expect(
      found({ document: { capacity: { weighted: ['spot-a', 'spot-b', 'od-b'].map((use, index) => ({ use, weight: Math.min(1, index) })) } } }),
    ).toEqual([]);
  });
  it('says nothing where other news of the pools came, or requests failed otherwise', () => {
    expect(found({ write: (script) => script.warn(700, 'i-2') })).toEqual([]);
    expect(found({ write: (script) => script.advise(700, 'i-2') })).toEqual([]);
    expect(found({ outcome: 'RequestLimitExceeded' })).toEqual([]);
    const died = (script: Script): void => {
      script.launch(620, 'i-9', { pool: 'spot-a', by: react('of-9') });
      script.at(625, { kind: 'ending', instance: 'i-9', by: { kind: 'ec2' }, code: 'Client.InternalError' });
    };
    expect(found({ write: died })).toEqual([]);
  });
  it('says nothing where faults meet looks or launches, and breaks where they meet other calls', () => {
    expect(found({ changes: throttled('CreateFleet') })).toEqual([]);
    expect(found({ changes: faultOf({ on: 'call', kind: 'throttle', match: { service: 'dynamodb' } }) })).toEqual([]);
    expect(found({ changes: throttled('PutEvents') })).toEqual([text]);
  });
});
