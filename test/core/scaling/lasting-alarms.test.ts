import { describe, expect, it } from 'vitest';
import type { ScalingRule } from '../../../core/group/group.ts';
import { alarmChanges, followAlarms } from '../../../core/group-state/follow-alarms.ts';
import { type AlarmFact, knownAlarms, lastingAlarm } from '../../../core/scaling/lasting-alarms.ts';
import type { GroupState } from '../../../core/view/view.ts';
import { group, nowMs, state } from '../views.ts';

const minuteMs = 60_000;
const rule = (alarm: string, by: number, cooldownMs = 2 * minuteMs): ScalingRule => ({ alarm, adjust: { kind: 'instances', by }, cooldownMs });
const web = group({ scaling: [rule('high', 2), rule('low', -1)] });
const fact = (alarm: string, atMs: number, rest: Partial<AlarmFact> = {}): AlarmFact => ({ alarm, atMs, isOn: true, ...rest });
const off = (alarm: string, atMs: number): AlarmFact => fact(alarm, atMs, { isOn: false });

/** The sizes after looks, each with what it heard. */
const sizes = (looks: readonly (readonly [minute: number, ...heard: readonly AlarmFact[]])[], of = web): readonly number[] => {
  let now: GroupState = state();
  return looks.map(([minute, ...alarms]) => {
    now = followAlarms(now, of, { alarms }, nowMs + minute * minuteMs);
    return now.desired;
  });
};
const at = (minute: number): number => nowMs + minute * minuteMs;

describe('an alarm that stays in ALARM', () => {
  it('acts again after each cooldown, without another event', () => {
    expect(sizes([[0, fact('high', at(0))], [1], [2], [3], [4]])).toEqual([12, 12, 14, 14, 16]);
  });
  it('acts no more once it is over', () => {
    expect(sizes([[0, fact('high', at(0))], [1, off('high', at(1))], [2], [9]])).toEqual([12, 12, 12, 12]);
  });
  it('that returned within the cooldown acts after it', () => {
    expect(sizes([[0, fact('high', at(0))], [0.5, off('high', at(0.5))], [1, fact('high', at(1))], [2]])).toEqual([12, 12, 12, 14]);
  });
  it('that went off before the policy came back acts once: its end may have come while no policy named it', () => {
    const back = { ...web, backAtMs: at(1) };
    expect(sizes([[2, fact('high', at(0))], [4], [6]], back)).toEqual([12, 12, 12]);
    // Clocks differ by seconds.
    expect(sizes([[2, fact('high', at(1) - 5_000)], [4]], back)).toEqual([12, 14]);
  });
  it('stops at the bound, and records nothing there', () => {
    const full = group({ size: { min: 0, max: 13, desired: 10 }, scaling: web.scaling });
    expect(sizes([[0, fact('high', at(0))], [2], [4]], full)).toEqual([12, 13, 13]);
    const there = state({ desired: 13, alarmStates: { high: { atMs: at(0), isOn: true } } });
    expect(alarmChanges(there, full, { alarms: [] }, at(9))).toEqual([]);
  });
  it('records that it lasts, and since when', () => {
    const there = state({ alarms: { high: at(0) }, alarmStates: { high: { atMs: at(-1), isOn: true } } });
    expect(alarmChanges(there, web, { alarms: [] }, at(3))).toMatchObject([
      { code: 'alarm', alarm: 'high', from: 10, to: 12, lasts: true, atMs: at(-1) },
    ]);
  });
  it('acts at most once a minute, however short its cooldown', () => {
    const eager = group({ scaling: [rule('high', 1, 0)] });
    expect(sizes([[0, fact('high', at(0))], [0.5], [1], [1.5]], eager)).toEqual([11, 11, 12, 12]);
  });
  it('of two, the one that went off last acts, so that they do not undo each other', () => {
    expect(sizes([[0, fact('high', at(0))], [1, fact('low', at(1))], [3], [5]])).toEqual([12, 11, 10, 9]);
  });
  it('acts no more after the event of its end, at any age of this event', () => {
    expect(sizes([[0, fact('high', at(0))], [89], [90, off('high', at(1))], [92]])).toEqual([12, 14, 14, 14]);
  });
  it('acts for a day at most after the last word about it', () => {
    expect(sizes([[0, fact('high', at(0))], [24 * 60 - 1], [24 * 60 + 9]])).toEqual([12, 14, 14]);
  });
});

describe('an alarm whose actions are suppressed or muted', () => {
  it.each(['suppressed', 'muted'] as const)('does not act while it is %s, and that is recorded', (quiet) => {
    const heard = [fact('high', at(0), { quiet })];
    expect(alarmChanges(state(), web, { alarms: heard }, at(0))).toEqual([{ code: 'alarm-quiet', alarm: 'high', why: quiet }]);
    expect(sizes([[0, ...heard], [3], [5, fact('high', at(5))]])).toEqual([10, 10, 12]);
  });
});

describe('what is known of alarms', () => {
  const known = (...heard: readonly AlarmFact[]) => knownAlarms({}, heard, web, at(0));
  it('is the latest change, in whatever order the events come', () => {
    expect(known(off('high', at(-1)), fact('high', at(-2)))).toEqual({ high: { atMs: at(-1), isOn: false } });
  });
  it('is nothing of an hour ago, and nothing of other alarms', () => {
    expect(known(fact('high', at(-61)), fact('other', at(0)))).toEqual({});
    expect(knownAlarms({ gone: { atMs: at(-1), isOn: true } }, [], web, at(0))).toEqual({});
  });
});

describe('an alarm with steps that stays in ALARM', () => {
  const of = [
    { beyond: 0, adjust: { kind: 'instances', by: 1 } as const },
    { beyond: 10, adjust: { kind: 'instances', by: 4 } as const },
  ];
  const stepped = group({ scaling: [{ ...rule('high', 1), steps: { side: 'above', of } }] });

  it('acts again by the distance of its event', () => {
    expect(sizes([[0, fact('high', at(0), { fromThreshold: 12 })], [1], [2]], stepped)).toEqual([14, 14, 18]);
    expect(sizes([[0, fact('high', at(0), { fromThreshold: 2 })], [1], [2]], stepped)).toEqual([11, 11, 12]);
  });
  it('records how far it was from its threshold, and which adjustment followed', () => {
    expect(alarmChanges(state(), stepped, { alarms: [fact('high', at(0), { fromThreshold: 12 })] }, at(0))).toMatchObject([
      { code: 'alarm', adjust: { by: 4 }, fromThreshold: 12, from: 10, to: 14 },
    ]);
    expect(alarmChanges(state(), web, { alarms: [fact('high', at(0), { fromThreshold: 12 })] }, at(0))[0]).not.toHaveProperty('fromThreshold');
  });
});

describe('an alarm at the bounds of its times', () => {
  const hourMs = 60 * minuteMs;
  const known = (alarms: readonly AlarmFact[], now: number) => Object.keys(knownAlarms({}, alarms, web, now));

  it('is known up to an hour after it went off', () => {
    expect(known([fact('high', nowMs)], nowMs + hourMs)).toEqual(['high']);
    expect(known([fact('high', nowMs)], nowMs + hourMs + 1)).toEqual([]);
  });

  it('lasts for less than a day', () => {
    const acts = (now: number) => lastingAlarm(web, { known: { high: { atMs: nowMs, isOn: true } }, actedAtMs: {}, nowMs: now })?.alarm;
    expect([acts(nowMs + 24 * hourMs - 1), acts(nowMs + 24 * hourMs)]).toEqual(['high', undefined]);
  });

  it('acts alone, the one that went off last', () => {
    const both = (high: number, low: number) =>
      lastingAlarm(web, { known: { high: { atMs: high, isOn: true }, low: { atMs: low, isOn: true } }, actedAtMs: {}, nowMs: nowMs + hourMs })?.alarm;
    expect([both(nowMs, nowMs + 1), both(nowMs + 1, nowMs)]).toEqual(['low', 'high']);
  });
});
