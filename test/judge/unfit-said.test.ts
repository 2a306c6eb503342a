import { describe, expect, it } from 'vitest';
import { unfitIsSaid } from '../../sandbox/judge/rules/unfit-said.ts';
import { details } from './details.ts';
import { policy, type Script, user } from './histories.ts';

const outside = { ...policy, asg: 'web-asg', size: { from: 'asg', min: 0, max: 6 }, scaling: [] };
const rebalancing = [{ asg: 'web-asg', found: ['capacity-rebalancing'] }];

type How = {
  readonly document?: object;
  readonly remarkedAt?: number;
  readonly offAt?: number;
  readonly isGone?: boolean;
  readonly changes?: object;
};

/** The owner turns Capacity Rebalancing on at 100. The state says this at the end, and a decision that looked at that second remarks it. */
const said = (state: object, { document = outside, remarkedAt, offAt, isGone, changes = {} }: How = {}) => {
  const look = (atSecond: number) => ({ nowMs: 1_000 * atSecond });
  const decisions =
    remarkedAt === undefined
      ? []
      : [{ id: 'd1', group: 'web', view: look(remarkedAt), rounds: [{ remarks: [{ code: 'asg-unfit', asgs: rebalancing }] }] }];
  const now = { kind: 'asg-changed', asg: 'web-asg', min: 1, max: 9, desired: 2, suspended: [], by: user } as const;
  return details(
    unfitIsSaid,
    (script: Script) => {
      script.policy(0, 1, { ...document });
      script.at(100, { ...now, unfit: ['capacity-rebalancing'] });
      if (offAt !== undefined) script.at(offAt, now);
      if (isGone) script.at(120, { ...now, unfit: ['capacity-rebalancing'], isGone });
    },
    { stored: { states: { web: state }, swaps: [], decisions, deadLetters: 0, staleMessages: 0 }, ...changes },
  );
};

describe('a setting that acceptance refuses is said', () => {
  it('holds where the state names it and a decision remarked it', () => {
    expect(said({ unfit: rebalancing }, { remarkedAt: 130 })).toEqual([]);
    expect(said({}, { offAt: 150, remarkedAt: 130 })).toEqual([]);
    expect(said({}, { isGone: true })).toEqual([]);
  });
  it('breaks where the state says the opposite, or no decision since remarks it', () => {
    expect(said({}, { remarkedAt: 130 })).toEqual(['at rest, web-asg has capacity-rebalancing on, and the state of web says the opposite']);
    expect(said({ unfit: rebalancing }, { offAt: 150, remarkedAt: 130 })).toHaveLength(1);
    expect(said({ unfit: rebalancing })).toEqual(['no decision of web remarks that web-asg has capacity-rebalancing']);
    expect(said({ unfit: rebalancing }, { remarkedAt: 60 })).toHaveLength(1);
  });
  it('says nothing without rest, and of a group whose policy sets the size', () => {
    expect(said({}, { changes: { restAtMs: undefined } })).toEqual([]);
    expect(said({}, { document: policy })).toEqual([]);
  });
});
