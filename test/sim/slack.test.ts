import { expect, it } from 'vitest';
import { historyOf, react, type Script, twoServe } from '../judge/histories.ts';
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
