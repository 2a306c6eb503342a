import { describe, expect, it } from 'vitest';
import type { History } from '../../sandbox/judge/history.ts';
import { guardedKeepWorking } from '../../sandbox/judge/rules/removals/kept-at-work.ts';
import { details, throttled } from './details.ts';
import { type LaunchOptions, policy, react, type Script, user } from './histories.ts';

const protect = (script: Script, second: number, isOn = true, from: 'termination' | 'scale-in' = 'termination'): void =>
  script.at(second, { kind: 'protection', instance: 'i-1', from, isOn, by: user });

type Case = {
  readonly write?: (script: Script) => void;
  readonly options?: LaunchOptions;
  readonly document?: typeof policy & { readonly asg?: string };
  readonly changes?: Partial<History>;
};

/** An invocation begins at second 100, and takes i-1 out of service at second 102. */
const found = ({ write = (script) => protect(script, 60), options = { pool: 'od-b' }, document = policy, changes }: Case = {}) =>
  details(
    guardedKeepWorking,
    (script) => {
      script.policy(0, 1, document);
      script.desired(0, 1);
      script.member('i-1', options);
      script.member('i-2', { pool: 'spot-b' });
      script.react(80, 82, 'of-1');
      script.claim(81, 'i-1', 'of-1');
      script.react(100, 104, 'of-2');
      write(script);
      script.takeOut(102, 'i-1', react('of-2'));
    },
    changes,
  );

describe('who EC2 will not end keeps its work', () => {
  it('breaks where a protected member on demand is taken out of service', () =>
    expect(found()).toEqual(['i-1 is taken out of service, although its user protects it from termination']));
  it('holds for one that nobody protects, or not against termination, or no longer', () => {
    expect(found({ write: () => undefined })).toEqual([]);
    expect(found({ write: (script) => protect(script, 60, true, 'scale-in') })).toEqual([]);
    const taken = (script: Script): void => {
      protect(script, 60);
      protect(script, 90, false);
    };
    expect(found({ write: taken })).toEqual([]);
  });
  it('says nothing of a protection that came after the function had begun', () =>
    expect(found({ write: (script) => protect(script, 101) })).toEqual([]));
  it('says nothing of what an Auto Scaling group ends, or what AWS retires', () => {
    const joined = (script: Script): void => {
      protect(script, 60);
      script.at(40, { kind: 'joined', instance: 'i-1', asg: 'web-asg', by: react('i-0') });
    };
    expect(found({ write: joined })).toEqual([]);
    expect(found({ document: { ...policy, asg: 'web-asg' } })).toEqual([]);
    const retired = (script: Script): void => {
      protect(script, 60);
      script.at(70, { kind: 'scheduled', instance: 'i-1', startsAtMs: 900_000 });
    };
    expect(found({ write: retired })).toEqual([]);
  });
  it('says nothing where a fault meets the call that reports it, and breaks where it meets another', () => {
    expect(found({ changes: throttled('DescribeInstanceAttribute') })).toEqual([]);
    expect(found({ changes: throttled('DescribeInstances') })).toHaveLength(1);
  });
  it('says nothing of a member that EC2 takes', () => {
    const warned = (script: Script): void => {
      protect(script, 60);
      script.warn(85, 'i-1');
    };
    expect(found({ write: warned })).toEqual([]);
  });
});
