import { describe, expect, it } from 'vitest';
import {
  isGiven,
  isKnown,
  isRaiseShown,
  type MaximaLearned,
  mayBeRaisedYet,
  notedBy,
  openRaises,
  ownersMax,
  type RaisedMax,
  raisedAfter,
  raisedTo,
} from '../../../core/view/raised-max.ts';

const at = (max: number) => ({ name: 'web', max });

describe('a maximum that is raised', () => {
  it('is first the value that its owner gave it', () => {
    expect(raisedTo([], at(6), 8)).toEqual({ asg: 'web', fromMax: 6, toMax: 8 });
  });

  it('stays known by every value that we gave it, each once', () => {
    const twice = raisedTo([{ asg: 'web', fromMax: 6, toMax: 8 }], at(8), 9);
    expect(twice).toEqual({ asg: 'web', fromMax: 6, toMax: 9, earlier: [8] });
    const again = raisedTo([twice], at(8), 8);
    expect(again).toEqual({ asg: 'web', fromMax: 6, toMax: 8, earlier: [9] });
    expect([6, 7, 8, 9, 10].filter((max) => isGiven(again, max))).toEqual([8, 9]);
    expect([6, 7, 8, 9, 10].filter((max) => isKnown(again, max))).toEqual([6, 8, 9]);
  });

  it("is its owner's anew once they change it", () => {
    expect(raisedTo([{ asg: 'web', fromMax: 6, toMax: 8 }], at(7), 9)).toEqual({ asg: 'web', fromMax: 7, toMax: 9 });
  });

  it('returns the value of its owner while it is raised', () => {
    const raised = [{ asg: 'web', fromMax: 6, toMax: 9, earlier: [8] }];
    expect([6, 8, 9, 12].map((max) => ownersMax(raised, at(max)))).toEqual([6, 6, 6, 12]);
    expect(ownersMax([], at(8))).toBe(8);
    expect(ownersMax([{ asg: 'other', fromMax: 2, toMax: 8 }, ...raised], at(8))).toBe(6);
    expect(raisedTo([{ asg: 'other', fromMax: 2, toMax: 8 }], at(8), 9)).toEqual({ asg: 'web', fromMax: 8, toMax: 9 });
  });
});

describe('the note of a raise', () => {
  const raise = { asg: 'web', fromMax: 6, toMax: 8 };
  it('says when it was made, and when the one before it was', () => {
    expect(notedBy('run', raise, [], 5_000)).toEqual({ ...raise, atMs: 5_000, by: 'run' });
    expect(
      notedBy(
        'run',
        raise,
        [
          { ...raise, atMs: 2_000 },
          { ...raise, asg: 'other', atMs: 3_000 },
        ],
        5_000,
      ),
    ).toEqual({ ...raise, atMs: 5_000, by: 'run', beforeMs: 2_000 });
    expect(notedBy('run', raise, [{ ...raise, asg: 'other', atMs: 3_000 }], 5_000)).toEqual({ ...raise, atMs: 5_000, by: 'run' });
  });
  it('says when another run noted it before, however often its own run did', () => {
    const first = notedBy('run', raise, [{ ...raise, atMs: 2_000, by: 'other' }], 5_000);
    expect(notedBy('run', raise, [first], 6_000)).toMatchObject({ atMs: 6_000, beforeMs: 2_000 });
    const alone = notedBy('run', raise, [notedBy('run', raise, [], 5_000)], 6_000);
    expect(alone).toEqual({ ...raise, atMs: 6_000, by: 'run' });
    expect(mayBeRaisedYet({ ...alone, answeredAtMs: 6_000 }, 6_000)).toBe(false);
    expect(mayBeRaisedYet(alone, 6_000)).toBe(true);
    expect(notedBy('next', raise, [alone], 7_000)).toMatchObject({ beforeMs: 6_000 });
  });
  it('does not say so of a run whose call AWS has answered, but of the one before that', () => {
    const answered = { ...raise, atMs: 5_000, by: 'run', answeredAtMs: 5_100 };
    expect(notedBy('next', raise, [answered], 7_000)).toEqual({ ...raise, atMs: 7_000, by: 'next' });
    expect(notedBy('next', raise, [{ ...answered, beforeMs: 2_000 }], 7_000)).toMatchObject({ beforeMs: 2_000 });
  });

  it('is needed until no function that made it can run any more', () => {
    const note = { ...raise, atMs: 100_000, beforeMs: 90_000 };
    expect([134_999, 135_000].map((nowMs) => mayBeRaisedYet(note, nowMs))).toEqual([true, false]);
    const answered = { ...note, answeredAtMs: 100_100 };
    expect([124_999, 125_000].map((nowMs) => mayBeRaisedYet(answered, nowMs))).toEqual([true, false]);
    expect(mayBeRaisedYet(raise, 0)).toBe(false);
  });

  it('is not in every describe before 20 s after the answer, or after the time of the function that made it', () => {
    const note = { ...raise, atMs: 100_000 };
    expect([154_999, 155_000].map((nowMs) => isRaiseShown(note, nowMs))).toEqual([false, true]);
    expect([121_999, 122_000].map((nowMs) => isRaiseShown({ ...note, answeredAtMs: 102_000 }, nowMs))).toEqual([false, true]);
    expect(isRaiseShown(raise, 0)).toBe(true);
  });

  it('stays for 20 s after the maximum was put back, because a describe may be older', () => {
    const notes = [
      { ...raise, asg: 'raised' },
      { ...raise, putBackAtMs: 100_000 },
    ];
    expect(openRaises(notes, 119_999)).toEqual(notes);
    expect(openRaises(notes, 120_000)).toEqual(notes.slice(0, 1));
  });
});

describe('the notes after a run', () => {
  const note = { asg: 'web', fromMax: 6, toMax: 8, atMs: 100_000, by: 'run' };
  const nothing = { answered: [], putBack: [], changed: [] };
  const learnedBy = (notes: readonly RaisedMax[], learned: Partial<MaximaLearned>, nowMs = 101_000) =>
    raisedAfter('run', notes, { ...nothing, ...learned }, nowMs);

  it('say when AWS has answered its own raise, and nothing about that of another run', () => {
    const other = { ...note, asg: 'other', by: 'other' };
    expect(learnedBy([note, other], { answered: ['web', 'other'] })).toEqual([{ ...note, answeredAtMs: 101_000 }, other]);
    const answered = [{ ...note, answeredAtMs: 100_100 }];
    expect(learnedBy(answered, { answered: ['web'] })).toBe(answered);
  });

  it('say when a maximum was put back for good: AWS has answered the raise, or no function can carry it out any more', () => {
    const notes = [note];
    expect(learnedBy(notes, { putBack: ['web'] })).toBe(notes);
    const answered = { ...note, answeredAtMs: 101_000 };
    expect(learnedBy(notes, { answered: ['web'], putBack: ['web'] })).toEqual([{ ...answered, putBackAtMs: 101_000 }]);
    expect(learnedBy(notes, { putBack: ['web'] }, 135_000)).toEqual([{ ...note, putBackAtMs: 135_000 }]);
    const put = [{ ...answered, putBackAtMs: 101_000 }];
    expect(learnedBy(put, { putBack: ['web'] }, 110_000)).toBe(put);
    const together = { ...answered, putBackAtMs: 101_000, withSize: true };
    expect(learnedBy(notes, { answered: ['web'], putBack: ['web'], withSize: ['web'] })).toEqual([together]);
    const before = { ...note, beforeMs: 99_000 };
    expect(learnedBy([before], { answered: ['web'], putBack: ['web'] })).toEqual([{ ...before, answeredAtMs: 101_000 }]);
  });

  it('have none of a maximum that its owner has changed, unless a function may still raise it', () => {
    const notes = [note];
    expect(learnedBy(notes, { changed: ['web'] })).toBe(notes);
    expect(learnedBy(notes, { changed: ['web'] }, 135_000)).toEqual([]);
    expect(learnedBy(notes, { changed: ['other'] }, 135_000)).toBe(notes);
  });
});
