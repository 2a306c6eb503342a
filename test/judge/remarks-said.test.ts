import { describe, expect, it } from 'vitest';
import { remarksAreTrue } from '../../sandbox/judge/rules/said/remarks-said.ts';
import { details } from './details.ts';
import { policy, react, type Script, twoServe, user } from './histories.ts';

/** What is false in the remarks of a decision whose function looked at 100 and stored it at 102. */
const said = (remark: object, write: (script: Script) => void = () => undefined, document: object = policy): readonly string[] =>
  details(
    remarksAreTrue,
    (script) => {
      twoServe(script);
      script.policy(0, 1, { ...document });
      write(script);
      script.at(102, { kind: 'item-written', table: 'state', group: 'web', item: 'decision#d-1', bytes: 500, by: react('of-a') });
    },
    {
      stored: {
        ...{ states: {}, swaps: [], deadLetters: 0, staleMessages: 0 },
        decisions: [{ id: 'd-1', group: 'web', atMs: 100_000, view: { nowMs: 100_000 }, rounds: [{ remarks: [remark] }] }],
      },
    },
  );

const about = (code: string, more: object = {}) => ({ code, instances: ['i-3'], count: 1, ...more });
const wrong = (code: string): readonly string[] => [`decision d-1 remarks ${code} of i-3, which was not so`];
const wrongAtAll = (code: string): readonly string[] => [`decision d-1 remarks ${code}, which was not so`];

/** i-3 is launched by Holdfast at 60 from a pool, and serves from this second on. */
const third =
  (servesAt?: number, more: (script: Script) => void = () => undefined) =>
  (script: Script): void => {
    script.launch(60, 'i-3', { by: react('of-3'), pool: 'spot-a' });
    if (servesAt !== undefined) script.serves(servesAt, 'i-3');
    more(script);
  };

describe('what a decision remarks is true', () => {
  it('of members that serve now', () => {
    expect(said(about('serves'), third(95))).toEqual([]);
    expect(said(about('serves'), third(110))).toEqual(wrong('serves'));
    expect(said(about('serves'))).toEqual(wrong('serves'));
  });

  it('of members that were detached, advised to leave, or outlived a warning', () => {
    const leaves = (script: Script): void =>
      script.at(
        90,
        { kind: 'joined', instance: 'i-3', asg: 'web-asg', by: user },
        { kind: 'left', instance: 'i-3', asg: 'web-asg', how: 'detached', by: user },
      );
    expect(said(about('detached'), third(80, leaves))).toEqual([]);
    expect(said(about('detached'), third(80))).toEqual(wrong('detached'));
    const warned = (script: Script): void => script.warn(85, 'i-3');
    expect(said(about('put-back'), third(80, warned))).toEqual([]);
    expect(said(about('put-back'), third(80))).toEqual(wrong('put-back'));
    const stopped = (script: Script): void => {
      script.warn(61, 'i-3');
      script.at(62, { kind: 'ended', instance: 'i-3', state: 'stopped' });
    };
    const again = (script: Script): void => {
      stopped(script);
      script.at(88, { kind: 'running', instance: 'i-3' });
    };
    expect([said(about('put-back'), third(undefined, again)), said(about('put-back'), third(undefined, stopped))]).toEqual([[], wrong('put-back')]);
    const advised = (script: Script): void => script.advise(85, 'i-3');
    const ignored = { ...policy, rebalance: { act: false } };
    expect(said(about('advice-not-followed'), third(80, advised), ignored)).toEqual([]);
    expect(said(about('advice-not-followed'), third(80), ignored)).toEqual(wrong('advice-not-followed'));
    expect(said(about('advice-not-followed'), third(80, advised), { ...policy, rebalance: { act: true } })).toEqual(
      wrongAtAll('advice-not-followed'),
    );
  });

  it('of members that ended before they served, or never served, and of their pool', () => {
    const died = (script: Script): void => script.end(95, 'i-3', { kind: 'script' });
    expect(said(about('boots-failed', { pool: 'spot-a' }), third(undefined, died))).toEqual([]);
    expect(said(about('boots-failed', { pool: 'spot-b' }), third(undefined, died))).toEqual(wrong('boots-failed'));
    expect(said(about('boots-failed', { pool: 'spot-a' }), third())).toEqual(wrong('boots-failed'));
    expect(said(about('given-up', { pool: 'spot-a' }), third())).toEqual([]);
    expect(said(about('given-up', { pool: 'spot-b' }), third())).toEqual(wrong('given-up'));
  });

  it('of what the policy says, and of the minimum of an Auto Scaling group', () => {
    expect(said({ code: 'spares-missing', count: 1, of: 2 }, undefined, { ...policy, spare: 2 })).toEqual([]);
    expect(said({ code: 'spares-missing', count: 1, of: 3 }, undefined, { ...policy, spare: 2 })).toEqual(wrongAtAll('spares-missing'));
    expect(said({ code: 'shares-full', count: 1 }, undefined, { ...policy, maxShare: { zone: '50%' } })).toEqual([]);
    expect(said({ code: 'shares-full', count: 1 })).toEqual(wrongAtAll('shares-full'));
    expect(said({ code: 'paused', missing: 1, surplus: 0 })).toEqual(wrongAtAll('paused'));
    expect(said({ code: 'on-demand-short', owed: 2, held: 1 })).toEqual([]);
    expect(said({ code: 'on-demand-short', owed: 1, held: 2 })).toEqual(wrongAtAll('on-demand-short'));
    const has = (min: number) => (script: Script) =>
      script.at(50, { kind: 'asg-changed', asg: 'web-asg', min, max: 4, desired: 2, suspended: [], by: user });
    const kept = { code: 'kept-by-minimum', count: 1, asgs: [{ asg: 'web-asg', min: 2 }] };
    expect(said(kept, has(2))).toEqual([]);
    expect(said(kept, has(1))).toEqual(wrongAtAll('kept-by-minimum'));
    const turnsOn = (script: Script) =>
      script.at(50, { kind: 'asg-changed', asg: 'web-asg', min: 1, max: 4, desired: 2, suspended: [], unfit: ['weights'], by: user });
    const unfit = (...found: readonly string[]) => ({ code: 'asg-unfit', asgs: [{ asg: 'web-asg', found }] });
    expect(said(unfit('weights'), turnsOn)).toEqual([]);
    expect(said(unfit('weights', 'capacity-rebalancing'), turnsOn)).toEqual(wrongAtAll('asg-unfit'));
    expect(said(unfit('weights'))).toEqual(wrongAtAll('asg-unfit'));
    // Only an Auto Scaling group keeps a member, and no more than its minimum.
    expect(said({ ...kept, asgs: [] }, has(2))).toEqual(wrongAtAll('kept-by-minimum'));
    expect(said({ ...kept, count: 3 }, has(2))).toEqual(wrongAtAll('kept-by-minimum'));
  });

  it('of the minimum that an Auto Scaling group had when the run began, until it changes', () => {
    const kept = { code: 'kept-by-minimum', count: 1, asgs: [{ asg: 'web-asg', min: 1 }] };
    const changesAt =
      (second: number) =>
      (script: Script): void =>
        script.at(second, { kind: 'asg-changed', asg: 'web-asg', min: 2, max: 4, desired: 2, suspended: [], by: user });
    expect(said(kept)).toEqual([]);
    expect(said(kept, changesAt(101))).toEqual([]);
    expect(said(kept, changesAt(20))).toEqual(wrongAtAll('kept-by-minimum'));
    expect(said({ ...kept, asgs: [{ asg: 'web-asg', min: 2 }] })).toEqual(wrongAtAll('kept-by-minimum'));
  });

  it('and it counts as many as it names', () => {
    expect(said(about('serves', { count: 2 }), third(95))).toEqual(wrongAtAll('serves'));
  });
});
