import { describe, expect, it } from 'vitest';
import { newMembersAreKnown } from '../../sandbox/judge/rules/memory/new-members.ts';
import type { StateMemory } from '../../sandbox/judge/said/state-memory.ts';
import { details, throttled } from './details.ts';
import { policy, react, type Script, twoServe } from './histories.ts';

/** EC2 gives i-3 to a function at 102 s, which ends at 104 s. The instance runs from 110 s on, and serves from 120 s on. */
const launched = (script: Script, injected = false): void => {
  twoServe(script);
  script.react(100, 104, 'of-3', [], injected);
  script.launch(102, 'i-3', { by: react('of-3') });
};
const both: Partial<StateMemory> = { newcomers: ['i-3'], arriving: ['i-3'] };

describe('what the state says of new members is true', () => {
  const pending = (memory: Partial<StateMemory>, second = 106, injected = false): readonly string[] =>
    details(newMembersAreKnown, (script) => {
      launched(script, injected);
      script.at(110, { kind: 'running', instance: 'i-3' });
      script.react(105, 107, 'later');
      script.remembers(second, memory, 1, 'later');
    });
  it('holds where the state knows an instance that is pending', () => {
    expect(pending(both)).toEqual([]);
  });
  it('breaks where the state has forgotten it', () => {
    expect(pending({ arriving: ['i-3'] })).toEqual(['i-3 is pending, and is not among the instances that come up in the state']);
    expect(pending({ newcomers: ['i-3'] })).toEqual(['i-3 is pending, and is not among the instances that no look has found serving in the state']);
  });
  it('says nothing before the function has ended, after a fault, and once the instance runs', () => {
    expect(pending({}, 103)).toEqual([]);
    expect(pending({}, 106, true)).toEqual([]);
    expect(pending({}, 111)).toEqual([]);
  });

  it('holds where the list was full when the instance came, also once others have left the list', () => {
    const others = (count: number) => Array.from({ length: count }, (_, index) => `i-n${index}`);
    const found = (atFirst: number) =>
      details(newMembersAreKnown, (script) => {
        launched(script);
        script.at(110, { kind: 'running', instance: 'i-3' });
        script.react(105, 109, 'later');
        script.remembers(103, { newcomers: others(atFirst), arriving: ['i-3'] }, 1, 'of-3');
        script.remembers(107, { newcomers: others(50), arriving: ['i-3'] }, 2, 'later');
      });
    expect(found(100)).toEqual([]);
    expect(found(99)).toEqual(['i-3 is pending, and is not among the instances that come up in the state']);
  });

  const serving = (memory: Partial<StateMemory>, second: number, changes = {}): readonly string[] =>
    details(
      newMembersAreKnown,
      (script) => {
        launched(script);
        script.at(110, { kind: 'running', instance: 'i-3' });
        script.serves(120, 'i-3');
        script.react(second, second + 2, 'later');
        script.remembers(second + 1, memory, 1, 'later');
      },
      changes,
    );
  it('breaks where a member that has served for long is still new', () => {
    expect(serving({}, 290)).toEqual([]);
    expect(serving({ newcomers: ['i-3'] }, 290)).toEqual(['i-3 serves, and is still among the instances that come up in the state']);
    expect(serving({ arriving: ['i-3'] }, 290)).toEqual(['i-3 serves, and is still among the instances that no look has found serving in the state']);
  });
  it('says nothing of an instance in an Auto Scaling group that the policy names no more, once the group was let go and taken up', () => {
    const left = (asg: string) =>
      details(newMembersAreKnown, (script) => {
        launched(script);
        script.at(110, { kind: 'running', instance: 'i-3' });
        script.at(115, { kind: 'joined', instance: 'i-3', asg: 'web-asg', by: react('of-3') });
        script.serves(120, 'i-3');
        script.letGo(121);
        script.policy(122, 2, { ...policy, asg });
        script.react(290, 292, 'later');
        script.remembers(291, { arriving: ['i-3'] }, 2, 'later');
      });
    expect(left('other-asg')).toEqual([]);
    expect(left('web-asg')).toHaveLength(1);
  });
  it('gives two ticks to find it, and more where faults meet looks', () => {
    expect(serving(both, 260)).toEqual([]);
    expect(serving(both, 290, throttled('DescribeTargetHealth'))).toEqual([]);
  });
  it('breaks where a member that has served for long is still among those that never served', () => {
    expect(serving({ unserved: ['i-3'] }, 290)).toEqual(['i-3 serves, and is still among the members that never served in the state']);
    expect(serving({ unserved: ['i-3'] }, 200)).toEqual([]);
  });

  const ended = (second: number, restartsAt?: number): readonly string[] =>
    details(newMembersAreKnown, (script) => {
      twoServe(script);
      script.at(100, { kind: 'ending', instance: 'i-1', by: { kind: 'ec2' } }, { kind: 'ended', instance: 'i-1', state: 'stopped' });
      if (restartsAt !== undefined) script.at(restartsAt, { kind: 'running', instance: 'i-1' });
      script.remembers(second, { ended: ['i-1'] });
    });
  it('breaks where the state says that an instance has ended, and it never did', () => {
    expect(ended(90)).toEqual(['the state says that i-1 has ended, and it runs']);
    expect(ended(101)).toEqual([]);
    // An older describe may show its end when it runs again.
    expect(ended(130, 120)).toEqual([]);
  });
  it('holds from when a warm pool begins to stop an instance, also where it joins its Auto Scaling group later', () => {
    const pooled = (second: number): readonly string[] =>
      details(newMembersAreKnown, (script) => {
        twoServe(script);
        script.launch(20, 'i-3', { by: { kind: 'ec2' } });
        script.at(21, { kind: 'running', instance: 'i-3' });
        script.at(30, { kind: 'ending', instance: 'i-3', by: { kind: 'ec2' } });
        script.at(40, { kind: 'ended', instance: 'i-3', state: 'stopped' });
        script.at(90, { kind: 'joined', instance: 'i-3', asg: 'web-asg', by: { kind: 'ec2' } });
        script.remembers(second, { ended: ['i-3'] });
      });
    expect(pooled(31)).toEqual([]);
    expect(pooled(29)).toEqual(['the state says that i-3 has ended, and it runs']);
  });
});
