import { describe, expect, it } from 'vitest';
import { versionsAsNamed } from '../../sandbox/judge/rules/launches/template-versions.ts';
import type { LaunchedVersion } from '../../sandbox/world/instance.ts';
import { details } from './details.ts';
import { onlyVersion, policy, react, twoServe } from './histories.ts';

const second: LaunchedVersion = { ...onlyVersion, version: '2', isDefault: false, isLatest: true };
const first: LaunchedVersion = { ...onlyVersion, isLatest: false };

type Launch = { readonly template: LaunchedVersion; readonly asg?: boolean; readonly editedAtS?: number };

/** What is found of a launch at 100 s, by an invocation since 99 s, from a pool that names this. */
const from = (launchTemplate: string, { template, asg = false, editedAtS }: Launch) =>
  details(versionsAsNamed, (script) => {
    twoServe(script);
    const { subnets: _own, ...market } = policy.pools['spot-a'];
    const pools = asg ? { ...policy.pools, 'spot-a': { ...market, asg: 'web-asg' } } : policy.pools;
    script.policy(50, 2, { ...policy, pools, defaults: { ...policy.defaults, launchTemplate } });
    if (editedAtS !== undefined) script.policy(editedAtS, 3, { ...policy, defaults: { ...policy.defaults, launchTemplate: 'web:2' } });
    script.react(99, 102, 'i-a');
    script.launch(100, 'i-3', { pool: 'spot-a', by: react('i-a'), template });
  });

describe('launches use the version that the policy names', () => {
  it('is the default version where it names none', () => {
    expect(from('web', { template: first })).toEqual([]);
    expect(from('web', { template: second })).toEqual(['i-3 is of web in version 2, and its pool names web:$Default']);
    expect(from('web:$Default', { template: second })).toHaveLength(1);
    expect(from('web', { template: { ...second, isDefault: true } })).toEqual([]);
  });
  it('is the latest version, or the one of a number', () => {
    expect(from('web:$Latest', { template: second })).toEqual([]);
    expect(from('web:$Latest', { template: first })).toHaveLength(1);
    expect(from('web:1', { template: first })).toEqual([]);
    expect(from('web:1', { template: second })).toHaveLength(1);
    expect(from('web:2', { template: second })).toEqual([]);
  });
  it('is one of the template that it names, by name or id', () => {
    expect(from('lt-0123456789abcdef0', { template: first })).toEqual([]);
    expect(from('lt-0123456789abcdef0:1', { template: second })).toHaveLength(1);
    expect(from('batch', { template: first })).toEqual(['i-3 is of web in version 1, and its pool names batch:$Default']);
  });
  it('may be that of any policy that was in force since the function looked, and of no other', () => {
    expect(from('web:1', { template: second, editedAtS: 99.5 })).toEqual([]);
    expect(from('web:1', { template: first, editedAtS: 99.5 })).toEqual([]);
    expect(from('web:1', { template: first, editedAtS: 60 })).toHaveLength(1);
    expect(from('web:1', { template: second, editedAtS: 101 })).toHaveLength(1);
  });
  it('is no matter of a pool through an Auto Scaling group', () => {
    expect(from('web:1', { template: second, asg: true })).toEqual([]);
  });
  it('breaks for a launch without a template', () => {
    const found = details(versionsAsNamed, (script) => {
      twoServe(script);
      script.react(99, 102, 'i-a');
      script.at(100, {
        ...{ kind: 'launched', instance: 'i-3', instanceType: 't', zone: 'z-a', subnet: 'subnet-a', market: 'spot', priceUsdPerHour: 0.03 },
        tags: { 'holdfast:group': 'holdfast/web', 'holdfast:pool': 'spot-a', 'holdfast:reservation': 'r' },
        by: react('i-a'),
      } as never);
    });
    expect(found).toEqual(['i-3 is of no template in version none, and its pool names web:$Default']);
  });
});
