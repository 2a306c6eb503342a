import { describe, expect, it } from 'vitest';
import type { History } from '../../sandbox/judge/history.ts';
import { joinedAreNoted, joiningMembersRun, leavingDoNotJoin } from '../../sandbox/judge/rules/auto-scaling/joining.ts';
import { details, throttled } from './details.ts';
import { react, type Script, twoServe, user } from './histories.ts';

const joins = (script: Script, by = react('of-1')): void => script.at(102, { kind: 'joined', instance: 'i-1', asg: 'web-asg', by });

describe('who leaves does not join', () => {
  const found = (write: (script: Script) => void, by = react('of-1')) =>
    details(leavingDoNotJoin, (script) => {
      twoServe(script);
      script.react(100, 104, 'of-1');
      joins(script, by);
      write(script);
    });
  const text = ['i-1 joins web-asg, and it leaves'];
  it('holds for a member that stays, or that another function lets leave later', () => {
    expect(found(() => undefined)).toEqual([]);
    expect(found((script) => script.claim(103, 'i-1', 'of-2'))).toEqual([]);
    expect(found((script) => script.claim(90, 'i-1', 'of-0', 'waiting'))).toEqual([]);
  });
  it('breaks for one that left before, or that the same function lets leave', () => {
    expect(found((script) => script.claim(90, 'i-1', 'of-0'))).toEqual(text);
    expect(found((script) => script.claim(90, 'i-1', 'of-0', 'draining'))).toEqual(text);
    expect(found((script) => script.claim(103, 'i-1', 'of-1'))).toEqual(text);
  });
  it('says nothing of a user, and of a member that was put back', () => {
    expect(found((script) => script.claim(90, 'i-1', 'of-0'), user as never)).toEqual([]);
    const back = (script: Script): void => {
      script.claim(80, 'i-1', 'of-0');
      script.at(95, { kind: 'item-written', table: 'state', group: 'web', item: 'past#i-1', bytes: 500, by: react('of-0') });
    };
    expect(found(back)).toEqual([]);
  });
});

describe('who joins runs', () => {
  const found = (second: number) =>
    details(joiningMembersRun, (script) => {
      twoServe(script);
      script.launch(95, 'i-3');
      script.at(100, { kind: 'running', instance: 'i-3' });
      const call = { invocation: 'of-1', function: 'react', service: 'autoscaling', operation: 'AttachInstances', askedAtMs: 1_000 * second };
      script.at(second, { kind: 'called', ...call, outcome: 'ok', applied: true, isMutating: true, putsIn: ['i-3'] });
    });
  it('holds once the instance runs, and breaks before', () => {
    expect(found(101)).toEqual([]);
    expect(found(98)).toEqual(['AttachInstances names i-3, and it does not run yet']);
  });
});

describe('who joins carries a tag that says so', () => {
  const found = (write: (script: Script) => void = () => undefined, changes: Partial<History> = {}, injected = false) =>
    details(
      joinedAreNoted,
      (script) => {
        twoServe(script);
        script.react(100, 104, 'of-1', [], injected);
        joins(script);
        write(script);
      },
      changes,
    );
  const tagged =
    (second: number, asg = 'web-asg') =>
    (script: Script) =>
      script.at(second, { kind: 'tagged', instance: 'i-1', tags: { 'holdfast:joined': `${asg} 102000` }, by: react('of-1') });
  const text = ['i-1 joined web-asg, and no tag says so'];
  it('holds with the tag, and breaks without it', () => {
    expect(found(tagged(103))).toEqual([]);
    expect(found()).toEqual(text);
    expect(found(tagged(170))).toEqual(text);
    expect(found(tagged(103, 'other-asg'))).toEqual(text);
  });
  it('says nothing after a fault, and of an instance that is gone', () => {
    expect(found(undefined, throttled('CreateTags'))).toEqual([]);
    expect(found(undefined, throttled('DescribeInstances'))).toEqual(text);
    expect(found(undefined, {}, true)).toEqual([]);
    expect(found((script) => script.end(120, 'i-1'))).toEqual([]);
  });
  // The call waited for others that were coming, and the policy was deleted three seconds later (22300224 of faulty).
  it('says nothing where the group is let go in that minute, and breaks where that was before or comes later', () => {
    const letGo = (second: number, group = 'web') => found((script) => script.at(second, { kind: 'policy-in-force', group }));
    expect([letGo(103), letGo(161)]).toEqual([[], []]);
    expect([letGo(163), letGo(110, 'api')]).toEqual([text, text]);
  });
});
