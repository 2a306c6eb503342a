import { describe, expect, it } from 'vitest';
import { chronicleOf } from '../../sandbox/judge/chronicle.ts';
import { placedInPools } from '../../sandbox/judge/rules/launches/placement.ts';
import { historyOf, policy, react, type Script, twoServe } from './histories.ts';

const { 'spot-a': _dropped, ...pools } = policy.pools;
const withoutSpotA = { ...policy, pools, capacity: { tiered: ['spot-b', 'od-b'] } };

/** `LaunchInstances` tags after the launch. */
const laterTagged = (script: Script): void => {
  script.launch(142, 'i-3', { pool: 'spot-a', by: react('i-b'), tags: { 'holdfast:reservation': '' } });
  const tags = { 'holdfast:group': 'holdfast/web', 'holdfast:pool': 'spot-a', 'holdfast:reservation': 'r-i-3' };
  script.at(143, { kind: 'tagged', instance: 'i-3', tags, by: react('i-b') });
};
const atOnce = (script: Script): void => script.launch(142, 'i-3', { pool: 'spot-a', by: react('i-b') });

const found = (write: (script: Script) => void, launch = atOnce): number =>
  placedInPools.broken(
    chronicleOf(
      historyOf((script) => {
        twoServe(script);
        script.react(101, 103, 'i-a');
        write(script);
        script.policy(110, 2, withoutSpotA);
        script.react(140, 143, 'i-b');
        launch(script);
      }),
    ),
  ).length;

const request = (item: string) => (script: Script) =>
  script.at(102, { kind: 'item-written', table: 'state', group: 'web', item, bytes: 400, by: react('i-a') });

describe('a request that is repeated', () => {
  it('is judged by the policies since it was first made', () => {
    expect(found(request('request#r-i-3'))).toBe(0);
    expect(found(request('request#r-i-3'), laterTagged)).toBe(0);
    expect(found(request('request#r-i-4'), laterTagged)).toBe(1);
  });

  it('is judged by the policy of now where it had launched already', () => {
    const again = (script: Script): void => {
      request('request#r-i-3')(script);
      script.launch(103, 'i-2b', { pool: 'spot-b', by: react('i-a'), tags: { 'holdfast:reservation': 'r-i-3' } });
    };
    expect(found(again)).toBe(1);
  });

  it('is judged by the policy of now where it was never made before', () => {
    expect(found(() => undefined)).toBe(1);
    expect(found(request('request#r-i-4'))).toBe(1);
  });
});
