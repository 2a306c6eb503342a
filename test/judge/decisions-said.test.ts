import { describe, expect, it } from 'vitest';
import type { History } from '../../sandbox/judge/history.ts';
import { decisionsAreTrue } from '../../sandbox/judge/rules/said/decisions.ts';
import { details } from './details.ts';
import { policy, react, type Script, twoServe } from './histories.ts';

type Against = Readonly<Record<string, unknown>>;

/** What is wrong in a decision of 100, with this against an offering. */
const said = (
  against: Against,
  write: (script: Script) => void = () => undefined,
  record: Readonly<Record<string, unknown>> = {},
  changes: Partial<History> = {},
): readonly string[] =>
  details(
    decisionsAreTrue,
    (script) => {
      twoServe(script);
      write(script);
      script.at(102, { kind: 'item-written', table: 'state', group: 'web', item: 'decision#d-1', bytes: 500, by: react('i-a') });
    },
    {
      ...changes,
      stored: {
        states: {},
        swaps: [],
        decisions: [{ id: 'd-1', group: 'web', atMs: 100_000, causes: [], rounds: [{ rejected: [{ pool: 'spot-a', ...against }] }], ...record }],
        deadLetters: 0,
        staleMessages: 0,
      },
    },
  );

const offering = 't/z-a/spot';

describe('a decision that records how many members serve', () => {
  const counted = (serving: number, write: (script: Script) => void = () => undefined) =>
    said({}, write, { view: { nowMs: 100_000, serving }, rounds: [] });
  it('counts those that were in service at some time of the look', () => {
    expect(counted(2)).toEqual([]);
    expect(counted(1)).toEqual([]);
    expect(counted(3)).toEqual(['decision d-1 says 1 more members in service, which did not happen']);
    // In service for a tenth of a second, between two whole seconds.
    const served = (second: number) =>
      counted(3, (script) => {
        script.member('i-3');
        script.at(31, { kind: 'out-of-service', instance: 'i-3', targetGroup: 'web', why: 'unhealthy', by: { kind: 'script' } });
        script.at(second, { kind: 'in-service', instance: 'i-3', targetGroup: 'web' });
        script.at(second + 0.1, { kind: 'out-of-service', instance: 'i-3', targetGroup: 'web', why: 'unhealthy', by: { kind: 'script' } });
      });
    expect(served(99.4)).toEqual([]);
    expect(served(50.4)).toHaveLength(1);
    expect(counted(2, (script) => script.takeOut(90, 'i-1'))).toEqual([]);
    expect(counted(2, (script) => script.takeOut(40, 'i-1'))).toHaveLength(1);
  });
  it('may count what came to serve within the error of its clock, which was wrong from the start and was set wrong as well', () => {
    const fault = { on: 'clock', kind: 'step', withinMs: 2_000 } as const;
    const joinsAt =
      (second: number) =>
      (script: Script): void => {
        script.launch(80, 'i-3');
        script.serves(second, 'i-3');
      };
    const wrong = (second: number, clockErrorMs: number, faults: History['faults']) =>
      said({}, joinsAt(second), { view: { nowMs: 97_000, serving: 3 }, rounds: [] }, { clockErrorMs, faults });
    const steps = [{ fault, fromMs: 0, untilMs: 200_000 }];
    expect(wrong(101, 3_000, steps)).toEqual([]);
    expect(wrong(101, 3_000, [])).toHaveLength(1);
    expect(wrong(101, 0, steps)).toHaveLength(1);
    expect(wrong(103, 3_000, steps)).toHaveLength(1);
  });
  it('counts an instance without a target group that was stopped and runs again, until it ends', () => {
    const again = (runsS: number, endsS?: number) =>
      counted(3, (script) => {
        script.policy(2, 2, { ...policy, drain: { timeout: '30s' } });
        script.launch(3, 'i-3');
        script.at(10, { kind: 'running', instance: 'i-3' });
        script.at(40, { kind: 'ending', instance: 'i-3', by: { kind: 'ec2' } });
        script.at(45, { kind: 'ended', instance: 'i-3', state: 'stopped' });
        script.at(runsS, { kind: 'running', instance: 'i-3' });
        if (endsS !== undefined) script.end(endsS, 'i-3');
      });
    expect([again(60), again(60, 110)]).toEqual([[], []]);
    expect([again(101), again(60, 65)].map(({ length }) => length)).toEqual([1, 1]);
  });
  it('counts an instance that serves again after it was stopped, and no other that was stopped', () => {
    const again = (runsS: number | undefined, servesS?: number, endsS?: number) =>
      counted(3, (script) => {
        script.member('i-3');
        script.at(40, { kind: 'ending', instance: 'i-3', by: { kind: 'ec2' } });
        script.at(45, { kind: 'ended', instance: 'i-3', state: 'stopped' });
        if (runsS !== undefined) script.at(runsS, { kind: 'running', instance: 'i-3' });
        if (servesS !== undefined) script.at(servesS, { kind: 'in-service', instance: 'i-3', targetGroup: 'web' });
        if (endsS !== undefined) script.end(endsS, 'i-3');
      });
    expect([again(60, 70), again(60, 70, 110)]).toEqual([[], []]);
    expect([again(undefined), again(60), again(60, 101), again(50, 55, 60)].map(({ length }) => length)).toEqual([1, 1, 1, 1]);
  });
  it('counts no member that is only registered', () => {
    const joins = (servesAt: number) => (script: Script) => {
      script.launch(80, 'i-3');
      script.serves(servesAt, 'i-3');
    };
    expect(counted(3, joins(99))).toEqual([]);
    expect(counted(3, joins(101))).toHaveLength(1);
  });
  it('counts a member that runs when no target group shows whether it serves, and no other member', () => {
    const runs = (runsAt: number, loadBalancers: readonly string[]) => (script: Script) => {
      script.policy(20, 2, { ...policy, drain: { timeout: '30s', loadBalancers } });
      script.launch(80, 'i-3');
      script.at(runsAt, { kind: 'running', instance: 'i-3' });
    };
    expect(counted(3, runs(99, []))).toEqual([]);
    expect(counted(3, runs(101, []))).toHaveLength(1);
    expect(counted(3, runs(99, policy.drain.loadBalancers))).toHaveLength(1);
  });
});

describe('a decision that records why it passed an offering over', () => {
  it('names a refusal that came, with its code, for this offering', () => {
    const refused = { code: 'refused', offering, awsCode: 'InsufficientInstanceCapacity' };
    expect(said(refused, (script) => script.refuseCapacity(90, 'i-0'))).toEqual([]);
    expect(said(refused)).toEqual(['decision d-1 says t/z-a/spot refused (InsufficientInstanceCapacity), which did not happen']);
    expect(said(refused, (script) => script.refuseCapacity(110, 'i-0'))).toHaveLength(1);
    expect(said({ ...refused, awsCode: 'Unsupported' }, (script) => script.refuseCapacity(90, 'i-0'))).toHaveLength(1);
    expect(said({ ...refused, offering: 't/z-b/spot' }, (script) => script.refuseCapacity(90, 'i-0'))).toHaveLength(1);
  });

  it('calls it a refusal where EC2 takes what it has launched', () => {
    const taken = { code: 'refused', offering, awsCode: 'Holdfast.TakenAtOnce' };
    expect(said(taken, (script) => script.warn(90, 'i-1'))).toEqual([]);
    expect(said(taken, (script) => script.refuseCapacity(90, 'i-0'))).toHaveLength(1);
  });

  it('takes a quota for the whole market, and no other', () => {
    const quota = (market: 'spot' | 'on-demand') =>
      said({ code: 'refused', offering: `t/z-b/${market}`, awsCode: 'MaxSpotInstanceCountExceeded' }, (script) =>
        script.at(90, {
          kind: 'refused',
          invocation: 'i-0',
          group: 'web',
          instanceType: 't',
          zone: 'z-a',
          market: 'spot',
          code: 'MaxSpotInstanceCountExceeded',
        }),
      );
    expect(quota('spot')).toEqual([]);
    expect(quota('on-demand')).toHaveLength(1);
  });

  it('takes a lack of addresses for both markets in its zone, and for no other zone', () => {
    const awsCode = 'InsufficientFreeAddressesInSubnet';
    const full = (script: Script) =>
      script.at(90, { kind: 'refused', invocation: 'i-0', group: 'web', instanceType: 't', zone: 'z-a', market: 'spot', code: awsCode });
    const passedOver = (key: string) => said({ code: 'refused', offering: key, awsCode }, full);
    expect(passedOver('t/z-a/on-demand')).toEqual([]);
    expect(passedOver('u/z-a/spot')).toEqual([]);
    expect(passedOver('t/z-b/on-demand')).toHaveLength(1);
    const refusals = [{ offering: { instanceType: 't', zone: 'z-a', market: 'on-demand' }, code: awsCode }];
    expect(said({ code: 'no-offering' }, full, { outcome: { launches: [{ refusals }] } })).toHaveLength(1);
  });

  it('names an interruption where EC2 takes a member, and advice where it advises', () => {
    const interrupted = { code: 'interrupted', offering };
    expect(said(interrupted, (script) => script.warn(90, 'i-1'))).toEqual([]);
    expect(said(interrupted, (script) => script.warn(90, 'i-2'))).toHaveLength(1);
    expect(said(interrupted, (script) => script.advise(90, 'i-1'))).toHaveLength(1);
    expect(said({ code: 'advised', offering }, (script) => script.advise(90, 'i-1'))).toEqual([]);
    expect(said({ code: 'advised', offering }, (script) => script.warn(90, 'i-1'))).toHaveLength(1);
  });

  it('names a price that there was, above the limit that there is', () => {
    const limited = { ...policy, pools: { ...policy.pools, 'spot-a': { market: 'spot', subnets: ['subnet-a'], maxPriceUsdPerHour: 0.02 } } };
    const priced = (priceUsdPerHour: number, limitUsdPerHour: number) =>
      said({ code: 'over-price', offering, priceUsdPerHour, limitUsdPerHour }, (script) => {
        script.policy(50, 2, limited);
        script.at(60, { kind: 'offering', instanceType: 't', zone: 'z-a', market: 'spot', capacity: 10, priceUsdPerHour: 0.025 });
      });
    expect(priced(0.025, 0.02)).toEqual([]);
    expect(priced(0.04, 0.02)).toHaveLength(1);
    expect(priced(0.025, 0.03)).toHaveLength(1);
    expect(priced(0.025, 0.021)).toHaveLength(1);
  });

  it('names the cap of the pool, and as many as fill it', () => {
    const capped = (held: number, cap: number) =>
      said({ code: 'at-cap', held, cap }, (script) =>
        script.policy(50, 2, { ...policy, pools: { ...policy.pools, 'spot-a': { market: 'spot', subnets: ['subnet-a'], cap: 3 } } }),
      );
    expect(capped(3, 3)).toEqual([]);
    expect(capped(2, 3)).toHaveLength(1);
    expect(capped(4, 4)).toHaveLength(1);
  });
});

it('a decision has the refusals of its launches', () => {
  const outcome = {
    code: 'carried-out',
    launches: [{ refusals: [{ offering: { instanceType: 't', zone: 'z-a', market: 'spot' }, code: 'InsufficientInstanceCapacity' }] }],
  };
  expect(said({ code: 'no-offering' }, (script) => script.refuseCapacity(101, 'i-a'), { outcome })).toEqual([]);
  expect(said({ code: 'no-offering' }, () => undefined, { outcome })).toHaveLength(1);
});

it('a decision names signals that its function was given', () => {
  const caused = (code: string) =>
    said({ code: 'no-offering' }, (script) => script.react(99, 103, 'i-a', [{ about: 'alarm', alarm: 'high' }]), { causes: [{ code }] });
  expect(caused('alarm')).toEqual([]);
  expect(caused('rebalance')).toEqual(['decision d-1 says cause rebalance, which did not happen']);
});
