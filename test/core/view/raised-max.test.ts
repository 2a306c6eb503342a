import { describe, expect, it } from 'vitest';
import { isGiven, isKnown, mayBeRaisedYet, notedBy, ownersMax, raisedTo } from '../../../core/view/raised-max.ts';

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
    expect(mayBeRaisedYet(alone, 6_000, true)).toBe(false);
    expect(mayBeRaisedYet(alone, 6_000, false)).toBe(true);
    expect(notedBy('next', raise, [alone], 7_000)).toMatchObject({ beforeMs: 6_000 });
  });

  it('is needed until no function that made it can run any more', () => {
    const note = { ...raise, atMs: 100_000, beforeMs: 90_000 };
    expect([134_999, 135_000].map((nowMs) => mayBeRaisedYet(note, nowMs, false))).toEqual([true, false]);
    expect([124_999, 125_000].map((nowMs) => mayBeRaisedYet(note, nowMs, true))).toEqual([true, false]);
    expect(mayBeRaisedYet(raise, 0, false)).toBe(false);
  });
});
