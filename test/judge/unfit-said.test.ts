import { describe, expect, it } from 'vitest';
import type { Actor } from '../../sandbox/judge/history.ts';
import { unfitIsSaid } from '../../sandbox/judge/rules/said/unfit-said.ts';
import { details } from './details.ts';
import { policy, react, type Script, user } from './histories.ts';

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

const named = { unfit: [{ asg: 'web-asg', found: ['launch-suspended'] }] };
type Closing = {
  readonly document?: object;
  readonly state?: object;
  readonly by?: Actor;
  readonly remarkedAt?: number;
  readonly resumedAt?: number;
  readonly changes?: object;
};

/** Somebody suspends Launch at 100 s. */
const closed = ({ document = outside, state = {}, by = user, remarkedAt, resumedAt, changes = {} }: Closing) => {
  const remarks = [{ code: 'asg-unfit', asgs: named.unfit }];
  const view = (atSecond: number) => ({ nowMs: 1_000 * atSecond });
  const decisions = remarkedAt === undefined ? [] : [{ id: 'd1', group: 'web', view: view(remarkedAt), rounds: [{ remarks }] }];
  return details(
    unfitIsSaid,
    (script: Script) => {
      const now = { kind: 'asg-changed', asg: 'web-asg', min: 1, max: 9, desired: 2 } as const;
      script.policy(0, 1, { ...document });
      script.at(100, { ...now, suspended: ['Launch'], by });
      if (resumedAt !== undefined) script.at(resumedAt, { ...now, suspended: [], by });
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
  it('holds for Launch that its owner suspends, whoever sets the size, and takes no suspension of Holdfast for it', () => {
    expect([closed({ state: named, remarkedAt: 130 }), closed({ document: policy, state: named, remarkedAt: 130 })]).toEqual([[], []]);
    expect(closed({ by: react('i-0'), state: {} })).toEqual([]);
    expect(closed({ by: react('i-0'), state: named, remarkedAt: 130 })).toEqual([
      'at rest, web-asg has launch-suspended off, and the state of web says the opposite',
    ]);
  });
  it('breaks where nobody remarks in time that an owner suspends Launch, also where it runs again', () => {
    const late = ['the owner of web-asg suspends Launch, and no decision of web remarks it'];
    expect(closed({ resumedAt: 400, remarkedAt: 130 })).toEqual([]);
    expect([closed({ resumedAt: 400 }), closed({ resumedAt: 400, remarkedAt: 390 })]).toEqual([late, late]);
    expect(closed({ resumedAt: 150 })).toEqual([]);
    expect(closed({ state: {}, remarkedAt: 130 })).toEqual(['at rest, web-asg has launch-suspended on, and the state of web says the opposite']);
    expect(closed({ state: named, remarkedAt: 60 })).toHaveLength(2);
  });
  it('holds for weights, whoever sets the size, and breaks where nobody remarks them in time', () => {
    const found = (document: object, remarkedAt?: number, asg = 'web-asg') => {
      const asgs = [{ asg, found: ['weights'] }];
      const view = { nowMs: 1_000 * (remarkedAt ?? 0) };
      const decisions = remarkedAt === undefined ? [] : [{ id: 'd1', group: 'web', view, rounds: [{ remarks: [{ code: 'asg-unfit', asgs }] }] }];
      const now = { kind: 'asg-changed', asg, min: 1, max: 9, desired: 2, suspended: [], by: user } as const;
      return details(
        unfitIsSaid,
        (script: Script) => {
          script.policy(0, 1, { ...document });
          script.at(100, { ...now, unfit: ['weights'], weights: { t: 3 } });
          script.at(400, now);
        },
        { stored: { states: { web: {} }, swaps: [], decisions, deadLetters: 0, staleMessages: 0 } },
      );
    };
    const attached = { ...policy, asg: 'web-asg' };
    const { asg: _none, pools, ...rest } = { ...attached, pools: { 'spot-a': { market: 'spot', asg: 'spot-a' } } };
    const late = (asg: string) => [`the sizes of ${asg} count weights, and no decision of web remarks it`];
    expect([found(outside, 130), found(attached, 130)]).toEqual([[], []]);
    expect([found(outside), found(attached), found(attached, 390)]).toEqual([late('web-asg'), late('web-asg'), late('web-asg')]);
    expect(found({ ...rest, pools, capacity: 'spot-a' }, undefined, 'spot-a')).toEqual(late('spot-a'));
    expect(found(policy)).toEqual([]);
  });
  // The owner took the weights away and gave others two seconds later, and no look came between (22300163 of outside).
  it('counts an earlier remark where the setting was off for a time in which no tick had to find that', () => {
    const again = ({ offAt = 200, onAt = 260, remarkedAt = 130, tickAt = 0, injected = false }) => {
      const asgs = [{ asg: 'web-asg', found: ['weights'] }];
      const decisions = [{ id: 'd1', group: 'web', view: { nowMs: 1_000 * remarkedAt }, rounds: [{ remarks: [{ code: 'asg-unfit', asgs }] }] }];
      const now = { kind: 'asg-changed', asg: 'web-asg', min: 1, max: 9, desired: 2, suspended: [], by: user } as const;
      return details(
        unfitIsSaid,
        (script: Script) => {
          script.policy(0, 1, { ...outside });
          script.at(100, { ...now, unfit: ['weights'] });
          script.at(offAt, now);
          script.at(onAt, { ...now, unfit: ['weights'] });
          script.react(tickAt, tickAt + 2, 'i-tick', [{ about: 'tick', groups: ['web'] }], injected);
        },
        { stored: { states: { web: { unfit: asgs } }, swaps: [], decisions, deadLetters: 0, staleMessages: 0 } },
      );
    };
    const unsaid = ['no decision of web remarks that web-asg has weights', 'the sizes of web-asg count weights, and no decision of web remarks it'];
    expect([again({}), again({ tickAt: 190 }), again({ tickAt: 259 }), again({ tickAt: 230, injected: true })]).toEqual([[], [], [], []]);
    expect(again({ tickAt: 230 })).toEqual(unsaid);
    expect(again({ remarkedAt: 60 })).toEqual(unsaid);
  });
  it('does not ask for a remark where every look of that time met a fault', () => {
    const hindering = { fault: { on: 'call', kind: 'error', code: 'x', status: 500 }, fromMs: 150_000, untilMs: 300_000 };
    expect(closed({ resumedAt: 400, changes: { faults: [hindering] } })).toEqual([]);
  });
  it('says nothing without rest, and of a group whose policy sets the size', () => {
    expect(said({}, { changes: { restAtMs: undefined } })).toEqual([]);
    expect(said({}, { document: policy })).toEqual([]);
  });
});
