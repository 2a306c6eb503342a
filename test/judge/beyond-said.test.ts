import { describe, expect, it } from 'vitest';
import { beyondIsSaid } from '../../sandbox/judge/rules/said/beyond-said.ts';
import { details } from './details.ts';
import { policy, type Script, user } from './histories.ts';

const outside = { ...policy, asg: 'web-asg', size: { from: 'asg', min: 0, max: 6 }, scaling: [] };

/** Somebody sets this size at 100. The state at the end says this of a size beyond the maximum, which is 6. */
const said = (size: number, state: object, { document = outside as object, changes = {} } = {}) =>
  details(
    beyondIsSaid,
    (script: Script) => {
      script.policy(0, 1, { ...document });
      script.at(
        100,
        { kind: 'asg-changed', asg: 'web-asg', min: 1, max: 9, desired: size, suspended: [], by: user },
        { kind: 'size-written', asg: 'web-asg', found: 2, size, how: 'set', covers: [], by: user },
      );
    },
    { stored: { states: { web: state }, swaps: [], decisions: [], deadLetters: 0, staleMessages: 0 }, ...changes },
  );

describe('a size beyond the maximum is said', () => {
  it('holds where the state says it, and where there is none', () => {
    expect(said(8, { beyondMax: 8 })).toEqual([]);
    expect(said(5, {})).toEqual([]);
  });
  it('breaks for another size, or none', () => {
    expect(said(8, {})).toEqual(['at rest, others want 8 of web, its maximum is 6, and its state says nothing']);
    expect(said(8, { beyondMax: 7 })).toHaveLength(1);
    expect(said(5, { beyondMax: 8 })).toHaveLength(1);
  });
  it('says nothing without rest, of a group that does not act, and of one whose policy sets the size', () => {
    expect(said(8, {}, { changes: { restAtMs: undefined } })).toEqual([]);
    expect(said(8, {}, { document: { ...outside, mode: 'observe' } })).toEqual([]);
    expect(said(8, {}, { document: policy })).toEqual([]);
  });
});
