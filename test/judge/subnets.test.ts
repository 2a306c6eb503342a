import { expect, it } from 'vitest';
import { fullSubnetsRest } from '../../sandbox/judge/rules/launches/subnets.ts';
import { details } from './details.ts';
import { policy, type Script, spec, twoServe } from './histories.ts';

const wide = { ...spec, subnets: [...spec.subnets, { id: 'subnet-a2', zone: 'z-a' }] };
const twoSubnets = { ...policy, pools: { ...policy.pools, 'spot-a': { market: 'spot', subnets: ['subnet-a', 'subnet-a2'] } } };

const full = (script: Script, second: number, invocation: string, subnet = 'subnet-a'): void => {
  script.react(second - 1, second + 1, invocation);
  script.at(second, {
    kind: 'refused',
    invocation,
    group: 'web',
    instanceType: 't',
    zone: 'z-a',
    subnet,
    market: 'spot',
    code: 'InsufficientFreeAddressesInSubnet',
  });
};

/** Refused at 100, and again so much later. */
const again = (second: number, write: (script: Script) => void = () => undefined, document: typeof policy = twoSubnets): readonly string[] =>
  details(
    fullSubnetsRest,
    (script) => {
      twoServe(script);
      script.policy(10, 2, document);
      full(script, 100, 'i-a');
      write(script);
      full(script, second, 'i-b');
    },
    { spec: wide },
  );

it('a full subnet is left alone for three minutes, while its zone has another one', () => {
  expect(again(160)).toEqual(['subnet-a was requested again, and it had no free address']);
  expect(again(290)).toEqual([]);
  expect(again(102)).toEqual([]);
});

it('the only subnet of a zone, or one of several that are all full, may be requested again', () => {
  expect(again(160, () => undefined, policy)).toEqual([]);
  expect(again(160, (script) => full(script, 130, 'i-c', 'subnet-a2'))).toEqual([]);
});

it('what was learned goes with the policy, and a request whose response was lost is repeated', () => {
  expect(again(160, (script) => script.policy(130, 3, twoSubnets))).toEqual([]);
  const lost = (script: Script): void =>
    script.at(90, {
      kind: 'called',
      invocation: 'i-0',
      function: 'react',
      service: 'ec2',
      operation: 'CreateFleet',
      askedAtMs: 89_000,
      outcome: 'lost',
      applied: true,
      isMutating: true,
      launch: { group: 'web', count: 1 },
    });
  expect(again(160, lost)).toEqual([]);
});
