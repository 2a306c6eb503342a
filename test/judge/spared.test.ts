import { describe, expect, it } from 'vitest';
import { sparedServeAgain } from '../../sandbox/judge/rules/drains/spared.ts';
import { details, faultOf, throttled } from './details.ts';
import { policy, react, type Script, spec, twoServe } from './histories.ts';

/** A member that EC2 announced to take at 100 s, took no work from 200 s on, and was spared at 220 s. */
const spared = (script: Script): void => {
  twoServe(script);
  script.warn(100, 'i-1');
  script.react(101, 103, 'i-9', [{ about: 'warning', instance: 'i-1' }]);
  script.claim(102, 'i-1', 'i-9');
  script.takeOut(200, 'i-1');
  script.at(220, { kind: 'spared', instance: 'i-1' });
};
const back = (script: Script, second: number): void =>
  script.at(second, { kind: 'item-written', table: 'state', group: 'web', item: 'past#i-1', bytes: 500, by: react('i-10') });
const inService = (script: Script, second: number): void => script.at(second, { kind: 'in-service', instance: 'i-1', targetGroup: 'web' });
const broken = (write: (script: Script) => void, changes = {}) => {
  const script = (one: Script): void => {
    spared(one);
    write(one);
  };
  return details(sparedServeAgain, script, { endedAtMs: 2_000_000, ...changes });
};

describe('a warning that does not come true is taken back', () => {
  it('holds for a member that works again five minutes after its deadline', () => {
    const found = broken((script) => {
      back(script, 530);
      inService(script, 550);
    });
    expect(found).toEqual([]);
  });
  it('breaks for one that stays out of service', () => {
    expect(broken(() => {})).toEqual(['EC2 did not take i-1, and it is not put back into service']);
  });
  it('breaks so, unless a fault meets what takes it in again', () => {
    for (const fault of [throttled('Query'), throttled('DescribeTargetHealth'), faultOf({ on: 'event', kind: 'drop' })])
      expect(broken(() => {}, fault)).toEqual([]);
    for (const call of ['PutEvents', 'DescribeSpotPriceHistory', 'CreateTags']) expect(broken(() => {}, throttled(call))).toHaveLength(1);
  });
  it('breaks for one that cannot be put back and is not ended either, ten minutes later', () => {
    const ends = (second: number) => (script: Script) => script.at(second, { kind: 'ending', instance: 'i-1', by: react('i-10') });
    expect(broken(() => {}, { ...throttled('RegisterTargets'), endedAtMs: 1_000_000 })).toEqual([]);
    const idle = ['EC2 did not take i-1, which cannot be put back into service, and it is not ended'];
    const fault = throttled('RegisterTargets');
    expect(broken(() => {}, fault)).toEqual(idle);
    expect(broken(ends(1_150), fault)).toEqual([]);
    expect(broken((script) => back(script, 900), fault)).toEqual([]);
    for (const call of ['TerminateInstances', 'Query']) expect(broken(() => {}, throttled(call))).toEqual([]);
    expect(broken((script) => script.warn(1_000, 'i-1'), fault)).toEqual([]);
  });
  it('breaks for one that is back in name alone', () => {
    expect(broken((script) => back(script, 530))).toEqual(['i-1 was put back, and takes no work']);
  });
  it('breaks so for one of a group without a launching hook, whatever hooks other Auto Scaling groups of the world have', () => {
    const hooked = (document: object) => {
      const hooks = [{ name: 'warm-up', transition: 'launching' as const, heartbeatSeconds: 3_600, defaultResult: 'CONTINUE' as const }];
      const autoScalingGroups = spec.autoScalingGroups.map((one) => ({ ...one, hooks }));
      const write = (script: Script): void => {
        script.policy(2, 2, { ...policy, ...document });
        spared(script);
        back(script, 530);
      };
      return details(sparedServeAgain, write, { endedAtMs: 2_000_000, spec: { ...spec, autoScalingGroups } });
    };
    expect(hooked({})).toEqual(['i-1 was put back, and takes no work']);
    expect(hooked({ asg: 'web-asg' })).toEqual([]);
  });
  it('breaks for one that is put back while EC2 may yet take it', () => {
    const found = broken((script) => {
      back(script, 240);
      inService(script, 250);
    });
    expect(found).toEqual(['i-1 was put back 140 s after its warning']);
  });
  it('holds for one that EC2 warns again as it is put back, unless a function had received that warning before the look began', () => {
    const again = (heardAt: number, lookedAt: number) =>
      broken((script) => {
        script.warn(525, 'i-1');
        script.react(heardAt, heardAt + 2, 'i-8', [{ about: 'warning', instance: 'i-1' }]);
        script.react(lookedAt, 532, 'i-10', [{ about: 'tick', groups: ['web'] }]);
        back(script, 530);
        inService(script, 550);
        script.takeOut(600, 'i-1');
      });
    expect(again(529, 528)).toEqual([]);
    expect(again(531, 529)).toEqual([]);
    expect(again(526, 527)).toEqual(['i-1 was put back 5 s after its warning']);
  });
  it('breaks for one that Holdfast ends because of the warning', () => {
    expect(broken((script) => script.end(525, 'i-1', react('i-10')))).toEqual(['i-1 was ended, because EC2 had announced to take it and did not']);
  });
});
