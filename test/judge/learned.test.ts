import { describe, expect, it } from 'vitest';
import { lessonsAreTrue } from '../../sandbox/judge/rules/memory/learned.ts';
import type { StoredLesson } from '../../sandbox/judge/said/state-memory.ts';
import { details } from './details.ts';
import { react, type Script, twoServe } from './histories.ts';

const offering = 't/z-a/spot';
const lesson = (kind: string, atSecond: number, restSeconds = 180): StoredLesson => ({
  ...{ offering, kind, code: kind === 'refused' ? 'InsufficientInstanceCapacity' : kind },
  ...{ atMs: 1_000 * atSecond, coolingUntilMs: 1_000 * (atSecond + restSeconds) },
});

const learned = (lessons: readonly StoredLesson[], write: (script: Script) => void = () => undefined): readonly string[] =>
  details(lessonsAreTrue, (script) => {
    twoServe(script);
    write(script);
    script.remembers(120, { lessons });
  });

const told =
  (about: 'warning' | 'advice', atSecond = 101) =>
  (script: Script) =>
    script.react(atSecond, 104, 'of-1', [{ about, instance: 'i-1' }]);

describe('what a group has learned of its offerings happened', () => {
  it('holds for a warning and for advice that came', () => {
    expect(learned([lesson('interrupted', 102)], told('warning'))).toEqual([]);
    expect(learned([lesson('advised', 102)], told('advice'))).toEqual([]);
    expect(learned([lesson('interrupted', 102)], (script) => script.end(100, 'i-1'))).toEqual([]);
  });
  it('breaks where none came, where it came about another offering, or long before', () => {
    const none = (what: string) => [`the state says that ${offering} rests after ${what}, and there was none`];
    expect(learned([lesson('interrupted', 102)])).toEqual(none('a warning'));
    expect(learned([lesson('interrupted', 102)], told('advice'))).toEqual(none('a warning'));
    expect(learned([lesson('advised', 102)], told('warning'))).toEqual(none('advice to leave'));
    expect(learned([lesson('advised', 102)], (script) => script.react(101, 104, 'of-2', [{ about: 'advice', instance: 'i-2' }]))).toHaveLength(1);
    expect(learned([lesson('advised', 300)], told('advice'))).toContain(none('advice to leave')[0]);
  });
  it('breaks where a rest is longer or shorter', () => {
    expect(learned([lesson('advised', 102, 1_800)], told('advice'))).toEqual([
      `${offering} rests for 1800 s after advice to leave, and not for 180 s`,
    ]);
    expect(learned([lesson('interrupted', 102, 60)], told('warning'))).toHaveLength(1);
  });

  const given = (refusedSecond: number, injected = false, code = 'InsufficientInstanceCapacity') =>
    learned([{ ...lesson('refused', refusedSecond), code }], (script) => {
      script.react(100, 104, 'of-3', [], injected);
      script.refuseCapacity(refusedSecond, 'of-4');
      script.launch(102, 'i-3', { by: react('of-3') });
    });
  it('breaks where an offering is refused still after EC2 gave it', () => {
    expect(given(60)).toEqual([`EC2 gave i-3 of ${offering}, and the state still refuses it`]);
  });
  it('says nothing of a refusal since, after a fault, and of an offering that EC2 takes back at once', () => {
    expect(given(103)).toEqual([]);
    expect(given(60, true)).toEqual([]);
    expect(given(60, false, 'Holdfast.TakenAtOnce')).toEqual([`the state says that ${offering} was refused (Holdfast.TakenAtOnce), and it was not`]);
  });
  it('breaks where EC2 never refused an offering, or another one', () => {
    const none = [`the state says that ${offering} was refused (InsufficientInstanceCapacity), and it was not`];
    const refused = (key: string, refusedSecond?: number, learnedSecond = 102) =>
      learned([{ ...lesson('refused', learnedSecond), offering: key }], (script) => {
        if (refusedSecond !== undefined) script.refuseCapacity(refusedSecond, 'of-4');
      });
    expect([refused(offering, 101), refused('subnet/subnet-a')]).toEqual([[], []]);
    expect([refused(offering), refused(offering, 119, 60)]).toEqual([none, none]);
    expect(refused('t/z-b/spot', 101)).toHaveLength(1);
  });
  it('breaks where EC2 took one launch of an offering back at once, and holds where it took two in a row', () => {
    const taken = (launches: readonly number[]) =>
      learned([{ ...lesson('refused', 102), code: 'Holdfast.TakenAtOnce' }], (script) => {
        for (const second of launches) {
          script.launch(second, `i-${second}`, { by: react(`of-${second}`) });
          script.warn(second + 10, `i-${second}`);
          script.react(second + 11, second + 14, `told-${second}`, [{ about: 'warning', instance: `i-${second}` }]);
        }
      });
    expect(taken([60, 90])).toEqual([]);
    expect(taken([90])).toHaveLength(1);
  });
  it('counts an instance of a warm pool from its last start, as EC2 shows its launch time, and any other from its launch (24250034)', () => {
    const takenSince = (isDrawn: boolean) =>
      learned([{ ...lesson('refused', 102), code: 'Holdfast.TakenAtOnce' }], (script) => {
        script.launch(10, 'i-8', { by: react('of-8') });
        if (isDrawn) {
          script.at(20, { kind: 'ending', instance: 'i-8', by: { kind: 'ec2' } }, { kind: 'ended', instance: 'i-8', state: 'stopped' });
          script.at(90, { kind: 'joined', instance: 'i-8', asg: 'web-asg', by: { kind: 'ec2' } });
        }
        script.launch(60, 'i-7', { by: react('of-7') });
        for (const [second, instance] of [[70, 'i-7'] as const, [100, 'i-8'] as const]) {
          script.warn(second, instance);
          script.react(second + 1, second + 4, `told-${second}`, [{ about: 'warning', instance }]);
        }
      });
    expect([takenSince(true).length, takenSince(false).length]).toEqual([0, 1]);
  });
});
