import { describe, expect, it } from 'vitest';
import { goneAsgsAreTold } from '../../sandbox/judge/rules/said/gone-said.ts';
import { remarksAreTrue } from '../../sandbox/judge/rules/said/remarks-said.ts';
import { details } from './details.ts';
import { policy, type Script, user } from './histories.ts';

const numbers = { kind: 'asg-changed', asg: 'web-asg', min: 0, max: 4, desired: 2, suspended: [], by: user } as const;
const attached = { ...policy, asg: 'web-asg', scaling: [] };
const told = (is: 'Gone' | 'Back', second: number, decision = `of-${second}`, asg = 'web-asg') => ({
  second,
  event: { kind: 'announced', detailType: `Holdfast Auto Scaling Group ${is}`, detail: { group: 'web', decision, asgs: [asg] } } as const,
});
type Told = ReturnType<typeof told>;

/** The group is deleted at 100, and is there again at 500 unless `backS` says otherwise. */
const gone = (events: readonly Told[], { backS = 500 as number | null, write = (_: Script): void => {}, changes = {} } = {}) =>
  details(
    goneAsgsAreTold,
    (script: Script) => {
      script.policy(0, 1, attached);
      script.at(100, { ...numbers, isGone: true });
      if (backS !== null) script.at(backS, numbers);
      for (const { second, event } of events) script.at(second, event);
      write(script);
    },
    { endedAtMs: 1_000_000, restAtMs: undefined, ...changes },
  );
const [goneInTime, backInTime] = [told('Gone', 130), told('Back', 560)];

describe('an Auto Scaling group that is gone', () => {
  it('is told, and so is that there is one of that name again', () => {
    expect(gone([goneInTime, backInTime])).toEqual([]);
    expect(gone([])).toEqual(['web-asg is gone, and no event tells it']);
    expect(gone([goneInTime])).toEqual(['there is a group web-asg again, and no event tells it']);
    expect(gone([told('Gone', 400), backInTime])).toEqual(['web-asg is gone, and no event tells it']);
    expect(gone([goneInTime], { backS: null })).toEqual([]);
    expect(gone([told('Gone', 130, 'd', 'other'), backInTime])).toHaveLength(2);
  });

  it('is told once', () => {
    const again = 'an event says that web-asg is gone, and that is no news';
    expect(gone([goneInTime, told('Gone', 300), backInTime])).toEqual([again]);
    expect(gone([goneInTime, told('Gone', 131, 'of-130'), backInTime])).toEqual([]);
    expect(gone([goneInTime, backInTime, told('Back', 700)])).toEqual(['an event says that web-asg is back, and that is no news']);
  });

  it('is told only if it is gone', () => {
    expect(gone([told('Gone', 50), goneInTime, backInTime])).toContain('an event says that web-asg is gone, and it is not');
    expect(gone([goneInTime, told('Back', 300), told('Gone', 310), backInTime])).toEqual(['an event says that web-asg is back, and it is not']);
  });

  it('gets no launch that is first requested after it was told', () => {
    const call = {
      kind: 'called',
      invocation: 'i-a',
      function: 'react',
      service: 'autoscaling',
      operation: 'LaunchInstances',
      applied: false,
    } as const;
    const asked = (atS: readonly number[], asg = 'web-asg', token = (second: number) => `t-${second}`) =>
      gone([goneInTime, backInTime], {
        write: (script) => {
          for (const second of atS)
            script.at(second, {
              ...call,
              askedAtMs: 1_000 * second,
              outcome: 'ValidationError',
              isMutating: true,
              launch: { asg, count: 1, token: token(second) },
            });
        },
      });
    expect(asked([110, 400])).toEqual(['1 launches are requested of web-asg, which is gone']);
    expect([asked([110, 180, 510]), asked([400], 'other-asg'), asked([110, 400], 'web-asg', () => 't')]).toEqual([[], [], []]);
  });

  it('needs no event where it is there again soon, where the policy is gone too, or where faults hinder looks', () => {
    expect(gone([], { backS: 200 })).toEqual([]);
    expect(gone([], { write: (script) => script.letGo(110) })).toEqual([]);
    expect(gone([], { write: (script) => script.policy(110, 2, policy) })).toEqual([]);
    const fault = { on: 'call', kind: 'error', code: 'ThrottlingException', match: { service: 'events' } } as const;
    expect(gone([], { backS: null, changes: { faults: [{ fault, fromMs: 90_000, untilMs: 200_000 }] } })).toEqual([]);
    expect(gone([], { backS: null, changes: { faults: [{ fault, fromMs: 400_000, untilMs: 500_000 }] } })).toHaveLength(1);
  });

  it('is in the state of the group at rest, and no other one is', () => {
    const atRest = (goneAsgs: object | undefined, backS: number | null = null) =>
      gone([goneInTime, ...(backS === null ? [] : [backInTime])], {
        backS,
        changes: { restAtMs: 900_000, stored: { states: { web: { goneAsgs } }, swaps: [], decisions: [], deadLetters: 0, staleMessages: 0 } },
      });
    const said = { 'web-asg': { sinceMs: 110_000, isTold: true } };
    expect([atRest(said), atRest(undefined, 500)]).toEqual([[], []]);
    expect(atRest(undefined)).toEqual(['at rest, the state of web says that web-asg is there, and it is not']);
    expect(atRest({ 'web-asg': { sinceMs: 110_000 } })).toHaveLength(1);
    expect(atRest(said, 500)).toEqual(['at rest, the state of web says that web-asg is gone, and it is not']);
  });
});

it('what a decision remarks about Auto Scaling groups is true at some moment of its look', () => {
  const remarked = (code: string, atS: number) =>
    details(
      remarksAreTrue,
      (script: Script) => {
        script.policy(0, 1, attached);
        script.at(100, { ...numbers, isGone: true });
        script.at(500, numbers);
        script.at(atS, { kind: 'item-written', table: 'state', group: 'web', item: 'decision#d-1', bytes: 1, by: user });
      },
      {
        endedAtMs: 1_000_000,
        stored: {
          states: {},
          swaps: [],
          decisions: [{ id: 'd-1', group: 'web', view: { nowMs: 1_000 * atS }, rounds: [{ remarks: [{ code, asgs: ['web-asg'] }] }] }],
          deadLetters: 0,
          staleMessages: 0,
        },
      },
    ).length;
  expect([remarked('asg-gone', 90), remarked('asg-gone', 300), remarked('asg-gone', 900)]).toEqual([1, 0, 1]);
  expect([remarked('asg-back', 90), remarked('asg-back', 300), remarked('asg-back', 900)]).toEqual([0, 1, 0]);
});
