import { describe, expect, it } from 'vitest';
import { nothingLeftNoted } from '../../sandbox/judge/rules/memory/left-in-state.ts';
import { details } from './details.ts';
import { policy, type Script, twoServe, user } from './histories.ts';

const left = (state: object, { write = (_: Script): void => undefined, changes = {} } = {}) =>
  details(
    nothingLeftNoted,
    (script) => {
      twoServe(script);
      write(script);
    },
    { stored: { states: { web: state }, swaps: [], decisions: [], deadLetters: 0, staleMessages: 0 }, ...changes },
  );
const notes = (what: string): readonly string[] => [`at rest, the state of web notes ${what}`];
const old = { asg: 'old-asg', min: 0, max: 4, desired: 0, suspended: [], by: user } as const;

describe('the state notes nothing that is over', () => {
  it('holds for a state without such notes', () => {
    expect(left({ added: [], suspended: [], chosen: [], asgGaps: {}, strays: {}, unserved: {}, uncovered: 0 })).toEqual([]);
    expect(left({ strays: { 'i-1': {} }, unserved: { 'i-2': {} } })).toEqual([]);
  });
  it('breaks for work that is under way', () => {
    expect(left({ added: [{ asg: 'web-asg' }] })).toEqual(notes('that members were attached to web-asg'));
    const lowered = (agoMs: number) => left({ added: [{ asg: 'web-asg', takenDownAtMs: 700_000 - agoMs }] });
    expect(lowered(100_000)).toEqual([]);
    expect(lowered(200_000)).toEqual(notes('that members were attached to web-asg'));
    expect(left({ suspended: [{ asg: 'web-asg' }] })).toEqual(notes('that processes of web-asg are suspended'));
    const resumed = (agoMs: number) => left({ suspended: [{ asg: 'web-asg', resumedAtMs: 700_000 - agoMs }] });
    expect(resumed(100_000)).toEqual([]);
    expect(resumed(200_000)).toEqual(notes('that processes of web-asg are suspended'));
    expect(left({ chosen: [{ instance: 'i-1' }] })).toEqual(notes('that i-1 was chosen to leave'));
    const wantsNone = (script: Script): void => script.at(50, { kind: 'asg-changed', ...old, asg: 'web-asg' });
    expect(left({ asgGaps: { 'web-asg': {} } }, { write: wantsNone })).toEqual(notes('that web-asg holds too few'));
    expect(left({ unreplaced: ['i-1'] })).toEqual(notes('that nobody takes the place of i-1'));
    expect(left({ uncovered: 1 })).toEqual(notes('that 1 members are missing'));
  });
  it('knows an Auto Scaling group that does hold too few', () => {
    const wants = (script: Script): void =>
      script.at(50, { kind: 'asg-changed', asg: 'web-asg', min: 0, max: 4, desired: 3, suspended: [], by: user });
    expect(left({ asgGaps: { 'web-asg': {} } }, { write: wants })).toEqual([]);
  });
  it('breaks for instances that have ended', () => {
    const ended = (script: Script): void => script.end(100, 'i-1');
    expect(left({ strays: { 'i-1': {} } }, { write: ended })).toEqual(notes('i-1 as a stray, and it has ended'));
    expect(left({ unserved: { 'i-1': {} } }, { write: ended })).toEqual(notes('that i-1 does not serve, and it has ended'));
  });
  it('breaks for Auto Scaling groups that hold nobody, and that no policy names', () => {
    const gone = notes('old-asg as a group that may hold members, and it holds none');
    expect(left({ holders: ['old-asg'] })).toEqual(gone);
    expect(left({ holders: ['old-asg'], raised: [{ asg: 'old-asg' }] })).toEqual([]);
    const holds = (script: Script): void => {
      script.at(50, { kind: 'asg-changed', ...old });
      script.at(60, { kind: 'joined', instance: 'i-1', asg: 'old-asg', by: user });
    };
    expect(left({ holders: ['old-asg'] }, { write: holds })).toEqual([]);
  });
  it('breaks for a swap that is closed for long, unless it is history', () => {
    const closed = (item: string, goneAtMs: number) => {
      const swap = { group: 'web', instance: 'i-1', state: 'gone', item, goneAtMs };
      const stored = { states: { web: {} }, swaps: [swap], decisions: [], deadLetters: 0, staleMessages: 0 };
      return left({}, { changes: { stored, endedAtMs: 1_000_000 } });
    };
    expect(closed('swap#i-1', 200_000)).toEqual(notes('the swap of i-1, which is closed for long'));
    expect(closed('swap#i-1', 300_000)).toEqual([]);
    expect(closed('past#i-1', 200_000)).toEqual([]);
  });
  it('says nothing without rest, and of groups that do not act', () => {
    expect(left({ uncovered: 1 }, { changes: { restAtMs: undefined } })).toEqual([]);
    expect(left({ uncovered: 1 }, { write: (script) => script.policy(100, 2, { ...policy, mode: 'pause' }) })).toEqual([]);
  });
});
