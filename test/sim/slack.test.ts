import { expect, it } from 'vitest';
import { historyOf, policy, react, type Script, twoServe } from '../judge/histories.ts';
import { plantCapacity } from './slack/capacity.ts';
import { plantLeaving } from './slack/leaving.ts';

/** EC2 takes a member in two minutes. It is taken out of service, whether it served before or had not become healthy yet. */
const taken =
  (cameAt: number | undefined) =>
  (script: Script): void => {
    twoServe(script);
    script.at(60, {
      kind: 'launched',
      instance: 'i-9',
      instanceType: 't',
      zone: 'z-a',
      subnet: 'subnet-a',
      market: 'spot',
      priceUsdPerHour: 0.03,
      tags: { 'holdfast:group': 'holdfast/web', 'holdfast:pool': 'spot-a' },
      by: react('i-0'),
    });
    if (cameAt !== undefined) script.at(cameAt, { kind: 'in-service', instance: 'i-9', targetGroup: 'web' });
    script.warn(100, 'i-9');
    script.takeOut(130, 'i-9');
    script.end(220, 'i-9');
  };

const planted = (cameAt: number | undefined, kind: string): number =>
  plantLeaving(historyOf(taken(cameAt))).filter((one) => one.kind === kind).length;

it('plants a deregistration that did not happen, and a late one, only for a member that served when it was warned', () => {
  for (const kind of ['a deregistration that did not happen', 'a drain that began late']) {
    expect(planted(80, kind)).toBe(1);
    expect(planted(undefined, kind)).toBe(0);
  }
});

it('plants a launch on demand instead of spot only where none is owed on demand', () => {
  const instead = (owed: number, onDemand: number) =>
    plantCapacity(
      historyOf((script) => {
        script.policy(0, 1, { ...policy, onDemand: { floor: owed } });
        script.desired(0, 3);
        script.member('i-1', { pool: onDemand > 0 ? 'od-b' : 'spot-a', by: { kind: 'user' }, tags: { 'holdfast:group': 'holdfast/web' } });
        script.react(99, 105, 'i-a');
        for (const one of ['i-2', 'i-3']) {
          const tags = { 'holdfast:reservation': `d-r0-${one}` };
          const stored = { kind: 'item-written', table: 'state', group: 'web', item: `request#d-r0-${one}`, bytes: 500, by: react('i-a') } as const;
          script.at(100, { ...stored, request: { pool: 'spot-b', count: 1 } });
          script.launch(102, one, { pool: 'spot-b', by: react('i-a'), askedS: 101, tags });
        }
      }),
    ).filter(({ kind }) => kind === 'an on-demand launch instead of spot').length;
  expect(instead(0, 0)).toBe(2);
  expect(instead(1, 0)).toBe(0);
  expect(instead(1, 1)).toBe(2);
});
