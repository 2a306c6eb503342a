import { describe, expect, it } from 'vitest';
import type { History } from '../../sandbox/judge/history.ts';
import { endedInTime } from '../../sandbox/judge/rules/drains/ended-in-time.ts';
import { details, throttled } from './details.ts';
import { type Script, twoServe } from './histories.ts';

/** Chosen at 100, and taken out of service at 102. The deregistration delay is 20 s. */
const ended = (endSecond: number | undefined, write: (script: Script) => void = () => undefined, changes: Partial<History> = {}) =>
  details(
    endedInTime,
    (script) => {
      twoServe(script);
      script.member('i-3');
      write(script);
      script.claim(100, 'i-3', 'of-1');
      script.takeOut(102, 'i-3');
      if (endSecond !== undefined) script.end(endSecond, 'i-3', { kind: 'function', function: 'end-drain', invocation: 'of-2' });
    },
    changes,
  );

describe('a member that leaves by choice is ended soon after its connections', () => {
  it('holds when it is ended after its delay, and a while later', () => {
    expect(ended(123)).toEqual([]);
    expect(ended(136)).toEqual([]);
  });
  it('breaks when it runs on', () => {
    expect(ended(138)).toEqual(['i-3 runs on for 36 s after it was taken out of service']);
    expect(ended(undefined)).toHaveLength(1);
  });
  it('waits for the others of its drain', () => {
    const shared = (script: Script): void => {
      for (const instance of ['i-2', 'i-3'])
        script.at(101, {
          ...{ kind: 'item-written', table: 'state', group: 'web', item: `swap#${instance}`, bytes: 500 },
          ...{ by: { kind: 'function', function: 'react', invocation: 'of-1' }, swap: { reason: 'scale-in', state: 'leaving', drain: 'd-1' } },
        });
      script.takeOut(150, 'i-2');
      script.end(175, 'i-2', { kind: 'function', function: 'end-drain', invocation: 'of-2' });
    };
    expect(ended(184, shared)).toEqual([]);
    expect(ended(186, shared)).toHaveLength(1);
  });
  it('says nothing while faults, a policy, EC2, its user or its Auto Scaling group have a part in it', () => {
    expect(ended(400, undefined, throttled('TerminateInstances'))).toEqual([]);
    expect(ended(400, (script) => script.policy(130, 2))).toEqual([]);
    expect(ended(400, (script) => script.warn(150, 'i-3'))).toEqual([]);
    expect(ended(400, (script) => script.refuse(124, 'i-3'))).toEqual([]);
    expect(ended(400, (script) => script.at(90, { kind: 'joined', instance: 'i-3', asg: 'web-asg', by: { kind: 'user' } }))).toEqual([]);
    expect(ended(400, (script) => script.at(90, { kind: 'step', step: 'drains-stopped', instances: [], groups: [], asgs: [] }))).toEqual([]);
    expect(ended(400, undefined, throttled('PutParameter'))).toHaveLength(1);
  });
});
