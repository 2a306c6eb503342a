import { describe, expect, it } from 'vitest';
import { isGiven, isKnown, ownersMax, raisedTo } from '../../../core/view/raised-max.ts';

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

  it("tells its owner's value while it stands raised", () => {
    const raised = [{ asg: 'web', fromMax: 6, toMax: 9, earlier: [8] }];
    expect([6, 8, 9, 12].map((max) => ownersMax(raised, at(max)))).toEqual([6, 6, 6, 12]);
    expect(ownersMax([], at(8))).toBe(8);
  });
});
