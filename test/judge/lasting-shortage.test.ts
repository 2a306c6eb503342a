import { expect, it } from 'vitest';
import { chronicleOf } from '../../sandbox/judge/chronicle.ts';
import { lastingShortagesTold, missingAreRequested } from '../../sandbox/judge/rules/launches/lasting-shortage.ts';
import { details } from './details.ts';
import { historyOf, policy, react, type Script, twoServe } from './histories.ts';

type Case = {
  readonly endedS?: number;
  readonly told?: string;
  readonly injected?: boolean;
  readonly refused?: boolean;
  readonly write?: (script: Script) => void;
};

/** One of two ends, EC2 refuses another one at 905, and a tick looks at 1,000. */
const untold = ({ endedS = 900, told, injected = false, refused = true, write = () => undefined }: Case) => {
  const history = historyOf((script) => {
    twoServe(script);
    script.end(endedS, 'i-1');
    if (refused) script.refuseCapacity(905, 'i-0');
    write(script);
    script.react(1_000, 1_002, 'i-a', [{ about: 'tick', groups: ['web'] }], injected);
    if (told !== undefined) script.at(1_002, { kind: 'announced', detailType: 'Holdfast Capacity Exhausted', detail: { group: told } });
  });
  return lastingShortagesTold(chronicleOf(history)).map(({ detail }) => detail);
};

it('a shortage that lasts is sent to the bus by a look that finds it', () => {
  expect(untold({})).toEqual(['web has been short for a while, and a look did not send that to the bus']);
  expect(untold({ told: 'web' })).toEqual([]);
  expect(untold({ told: 'api' })).toHaveLength(1);
});

it('a shortage that another look sent within the minute before need not be sent again', () => {
  const toldAt = (second: number, group = 'web') =>
    untold({ write: (script) => script.at(second, { kind: 'announced', detailType: 'Holdfast Capacity Exhausted', detail: { group } }) });
  expect(toldAt(935)).toEqual([]);
  expect(toldAt(933)).toHaveLength(1);
  expect(toldAt(935, 'api')).toHaveLength(1);
});

it('a shortage of a moment, one that nothing refused, and a look that met a fault are no such thing', () => {
  expect(untold({ endedS: 920 })).toEqual([]);
  expect(untold({ refused: false })).toEqual([]);
  expect(untold({ injected: true })).toEqual([]);
});

it('a refusal is why a group is short until it has its size again, or while the offering still rests from it', () => {
  const refusedBefore = (refusedS: readonly number[], shortS = 0) =>
    untold({
      refused: false,
      write: (script) => {
        if (shortS > 0) script.desired(shortS, 3);
        for (const second of refusedS) script.refuseCapacity(second, 'i-0');
      },
    });
  expect(refusedBefore([700])).toEqual([]);
  expect(refusedBefore([850])).toHaveLength(1);
  // The third refusal in a row lets the offering rest for twelve minutes.
  expect(refusedBefore([100, 290, 660])).toHaveLength(1);
  // One was missing all the time.
  expect(refusedBefore([700], 600)).toHaveLength(1);
});

it('what is launched, or may have been, is no shortage', () => {
  expect(untold({ write: (script) => script.launch(1_003, 'i-3', { by: react('i-b'), askedS: 1_001 }) })).toEqual([]);
  const lost = (outcome: string) =>
    untold({
      write: (script) =>
        script.at(950, {
          kind: 'called',
          invocation: 'i-b',
          function: 'react',
          service: 'ec2',
          operation: 'CreateFleet',
          askedAtMs: 949_000,
          outcome,
          applied: true,
          isMutating: true,
          launch: { group: 'web', count: 1 },
        }),
    });
  expect(lost('lost')).toEqual([]);
  expect(lost('ok')).toHaveLength(1);
});

it('a group that is paused, or launches as often as its policy allows, need not send it', () => {
  expect(untold({ write: (script) => script.policy(800, 2, { ...policy, mode: 'pause' }) })).toEqual([]);
  expect(
    untold({
      write: (script) => {
        script.policy(800, 2, { ...policy, launches: { atMost: 2, within: '30m' } });
        script.launch(700, 'i-3', { by: react('i-b') });
        script.end(720, 'i-3');
      },
    }),
  ).toEqual([]);
});

it('what EC2 refuses is requested again within two and a half minutes', () => {
  const requested = (askedS?: number, group = 'web') =>
    details(missingAreRequested, (script) => {
      twoServe(script);
      script.end(700, 'i-1');
      script.refuseCapacity(705, 'i-0');
      if (askedS !== undefined)
        script.at(askedS + 1, {
          kind: 'called',
          invocation: 'i-b',
          function: 'react',
          service: 'ec2',
          operation: 'CreateFleet',
          askedAtMs: 1_000 * askedS,
          outcome: 'ok',
          applied: true,
          isMutating: true,
          launch: { group, count: 1 },
        });
      script.react(1_000, 1_002, 'i-a', [{ about: 'tick', groups: ['web'] }]);
    });
  expect(requested()).toEqual(['web is short, and nothing was requested for a while']);
  expect(requested(900)).toEqual([]);
  expect(requested(840)).toHaveLength(1);
  expect(requested(900, 'api')).toHaveLength(1);
});

const died = { kind: 'ending', by: { kind: 'ec2' }, code: 'Client.InternalError' } as const;

it('nothing need be requested where the shares, prices and early ends leave no pool', () => {
  const requested = (document: object, write: (script: Script) => void = () => undefined) =>
    details(missingAreRequested, (script) => {
      script.policy(0, 1, { ...policy, ...document });
      script.desired(0, 2);
      script.member('i-1', { pool: 'spot-a' });
      script.member('i-2', { pool: 'spot-b' });
      script.end(700, 'i-1');
      script.refuseCapacity(705, 'i-0');
      write(script);
      script.react(1_000, 1_002, 'i-a', [{ about: 'tick', groups: ['web'] }]);
    });
  const priced = (maxPriceUsdPerHour: number) => ({
    pools: Object.fromEntries(Object.entries(policy.pools).map(([name, pool]) => [name, { ...pool, maxPriceUsdPerHour }])),
  });
  // i-2 is the one of type `t` that half of two allows.
  expect(requested({ maxShare: { instanceType: '50%' } })).toEqual([]);
  expect(requested({ maxShare: { instanceType: '100%' } })).toHaveLength(1);
  expect(requested(priced(0.02))).toEqual([]);
  expect(requested(priced(0.03))).toHaveLength(1);
  const onlyA = { capacity: 'spot-a' };
  const dies = (tells: number) => (script: Script) => {
    script.launch(650, 'i-d', { pool: 'spot-a' });
    script.at(660, { ...died, instance: 'i-d' }, { kind: 'ended', instance: 'i-d', state: 'terminated' });
    const detail = { group: 'web', pool: 'spot-a', awsCode: died.code, instances: ['i-d'] };
    script.at(tells, { kind: 'announced', detailType: 'Holdfast Boots Failed', detail });
  };
  // Its first rest lasts a minute.
  expect(requested(onlyA, dies(960))).toEqual([]);
  expect(requested(onlyA, dies(780))).toHaveLength(1);
  expect(requested({}, dies(960))).toHaveLength(1);
});
