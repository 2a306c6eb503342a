import { describe, expect, it } from 'vitest';
import type { Actor } from '../../sandbox/judge/history.ts';
import { loweredNoFurther } from '../../sandbox/judge/rules/auto-scaling/lowered.ts';
import { details } from './details.ts';
import { policy, react, type Script, user } from './histories.ts';

const attached = { ...policy, asg: 'web-asg' };

type Change = { readonly by?: Actor; readonly weights?: Readonly<Record<string, number>>; readonly isGone?: boolean };

const size = (script: Script, second: number, desired: number, change: Change = {}): void =>
  script.at(second, { kind: 'asg-changed', asg: 'web-asg', min: 0, max: 9, desired, suspended: [], by: user, ...change });

/** Three members, of an Auto Scaling group that wants so many, and a change of that number at 200 s. */
const found = (from: number, to: number, change: Change = {}, write: (script: Script) => void = () => undefined, document: object = attached) =>
  details(loweredNoFurther, (script) => {
    script.policy(0, 1, document as never);
    size(script, 0, from);
    for (const instance of ['i-1', 'i-2', 'i-3']) script.member(instance, { asg: 'web-asg' });
    write(script);
    size(script, 200, to, { by: react('i-a'), ...change });
  });

describe('no desired capacity is lowered below what its group holds', () => {
  it('breaks where Auto Scaling would have to end a member, and holds where it only launches fewer', () => {
    expect(found(5, 2)).toEqual(['the desired capacity of web-asg was lowered from 5 to 2, and it holds 3 instances']);
    expect(found(5, 3)).toEqual([]);
    expect(found(3, 5)).toEqual([]);
  });
  it('holds for the call that ends a member, and for a member that no describe had to show', () => {
    const ends = (second: number) => (script: Script) =>
      script.at(second, { kind: 'left', instance: 'i-1', asg: 'web-asg', how: 'terminating', by: react('i-a') });
    expect(found(3, 1, {}, ends(200))).toEqual([]);
    expect(found(3, 1, {}, ends(190))).toHaveLength(1);
    const young = (second: number) => (script: Script) =>
      script.launch(second, 'i-4', { asg: 'web-asg', by: { kind: 'asg', asg: 'web-asg', why: 'size' } });
    expect(found(5, 3, {}, young(199))).toEqual([]);
    expect(found(5, 3, {}, young(150))).toHaveLength(1);
  });
  it('says nothing where others changed it, where others set the size, and where it was lower before', () => {
    expect(found(5, 2, { by: user })).toEqual([]);
    expect(found(2, 1)).toEqual([]);
    expect(found(5, 2, {}, undefined, { ...attached, size: { min: 1, max: 6, from: 'asg' } })).toEqual([]);
    expect(found(5, 2, { weights: { t: 2 } })).toEqual([]);
    expect(found(5, 2, { isGone: true })).toEqual([]);
    expect(found(5, 2, {}, (script) => script.letGo(100))).toEqual([]);
  });
});
