import { describe, expect, it } from 'vitest';
import { alarmChanges, followAlarms } from '../../../core/group-state/follow-alarms.ts';
import type { AlarmFact } from '../../../core/scaling/lasting-alarms.ts';
import { group, nowMs, state } from '../views.ts';

const minuteMs = 60_000;
const up = { kind: 'instances', by: 2 } as const;
const far = { kind: 'instances', by: 5 } as const;
const down = { kind: 'instances', by: -1 } as const;
const steps = {
  side: 'above',
  of: [
    { beyond: 0, adjust: up },
    { beyond: 10, adjust: far },
  ],
} as const;
const scaled = group({
  scaling: [
    { alarm: 'busy', adjust: up, cooldownMs: 2 * minuteMs, steps },
    { alarm: 'idle', adjust: down, cooldownMs: 0 },
  ] as never,
});
const of = (alarm: string, rest: Partial<AlarmFact> = {}): AlarmFact => ({ alarm, atMs: nowMs, isOn: true, ...rest });
const changes = (alarms: readonly AlarmFact[], before = state(), atMs = nowMs) => alarmChanges(before, scaled, { alarms }, atMs);
const follow = (alarms: readonly AlarmFact[], before = state(), atMs = nowMs) => followAlarms(before, scaled, { alarms }, atMs);

describe('an alarm that goes off', () => {
  it('adjusts the size by the step that its metric has reached', () => {
    expect(changes([of('busy', { fromThreshold: 12 })])).toEqual([
      { code: 'alarm', alarm: 'busy', atMs: nowMs, adjust: far, fromThreshold: 12, from: 10, to: 15 },
    ]);
    expect(changes([of('busy')])).toEqual([{ code: 'alarm', alarm: 'busy', atMs: nowMs, adjust: up, from: 10, to: 12 }]);
    expect(changes([of('idle', { fromThreshold: 3 })])[0]).not.toHaveProperty('fromThreshold');
  });

  it('acts after those that went off before it, on the size that they left', () => {
    const both = [of('idle', { atMs: nowMs - 1_000 }), of('busy', { atMs: nowMs - 2_000 })];
    expect(changes(both).map((change) => change.code === 'alarm' && [change.alarm, change.from, change.to])).toEqual([
      ['busy', 10, 12],
      ['idle', 12, 11],
    ]);
    expect(follow(both)).toMatchObject({ desired: 11, alarms: { busy: nowMs, idle: nowMs } });
  });

  it('does nothing where its actions are suppressed or muted, nor when it is over', () => {
    expect(changes([of('busy', { quiet: 'muted' })])).toEqual([{ code: 'alarm-quiet', alarm: 'busy', why: 'muted' }]);
    expect(changes([of('busy', { isOn: false })])).toEqual([]);
    expect(follow([of('busy', { quiet: 'muted' })])).toMatchObject({ desired: 10, alarms: {} });
  });

  it('acts although a later change of the same alarm, which came with it, is muted', () => {
    const both = [of('busy', { quiet: 'muted' }), of('busy', { atMs: nowMs - 2_000 })];
    expect(changes(both)).toMatchObject([
      { code: 'alarm', alarm: 'busy', from: 10, to: 12 },
      { code: 'alarm-quiet', alarm: 'busy' },
    ]);
    expect(follow(both)).toMatchObject({ desired: 12, alarms: { busy: nowMs }, alarmStates: { busy: { quiet: 'muted' } } });
  });

  it('does not count as lasting if it went off before the state item was restored, because it may be over', () => {
    const restored = state({ renewedAtMs: nowMs });
    expect(follow([of('busy', { atMs: nowMs - 60 * 1_000 })], restored)).toMatchObject({ desired: 12, alarms: { busy: nowMs } });
    expect(follow([of('busy', { atMs: nowMs - 60 * 1_000 })], restored).alarmStates).toBeUndefined();
    expect(follow([of('busy')], restored).alarmStates).toMatchObject({ busy: { isOn: true } });
  });

  it('rests for its cooldown, and the same event is not followed twice without one', () => {
    const acted = (alarm: string, atMs: number) => state({ alarms: { [alarm]: atMs } });
    expect(changes([of('busy')], acted('busy', nowMs - 2 * minuteMs + 1))).toEqual([{ code: 'alarm-cooling', alarm: 'busy', untilMs: nowMs + 1 }]);
    expect(changes([of('busy')], acted('busy', nowMs - 2 * minuteMs))).toMatchObject([{ code: 'alarm' }]);
    expect(changes([of('idle')], acted('idle', nowMs))).toMatchObject([{ code: 'alarm-cooling' }]);
    expect(changes([of('idle', { atMs: nowMs + 1 })], acted('idle', nowMs))).toMatchObject([{ code: 'alarm' }]);
  });

  it('counts for an hour', () => {
    expect(changes([of('busy', { atMs: nowMs - 60 * minuteMs })])).toMatchObject([{ code: 'alarm' }]);
    expect(changes([of('busy', { atMs: nowMs - 60 * minuteMs - 1 })])).toMatchObject([{ code: 'alarm-late' }]);
  });

  it('is known afterwards by its latest message', () => {
    expect(follow([of('busy', { fromThreshold: 12 })]).alarmStates).toEqual({ busy: { atMs: nowMs, isOn: true, fromThreshold: 12 } });
    expect(follow([]).alarmStates).toBeUndefined();
  });
});

describe('an alarm that stays on', () => {
  const lasting = (rest: object = {}, atMs = nowMs) =>
    changes([], state({ alarmStates: { busy: { atMs: nowMs - 5 * minuteMs, isOn: true, ...rest } } }), atMs);

  it('acts again after its cooldown', () => {
    expect(lasting({ fromThreshold: 12 })).toEqual([
      { code: 'alarm', alarm: 'busy', atMs: nowMs - 5 * minuteMs, adjust: far, fromThreshold: 12, from: 10, to: 15, lasts: true },
    ]);
    expect(lasting()[0]).not.toHaveProperty('fromThreshold');
    expect(lasting({ isOn: false })).toEqual([]);
    expect(lasting({ quiet: 'muted' })).toEqual([]);
  });

  it('does nothing at the largest size', () => {
    expect(changes([], state({ desired: 20, alarmStates: { busy: { atMs: nowMs - 5 * minuteMs, isOn: true } } }))).toEqual([]);
  });

  it('does nothing while another alarm has just acted', () => {
    const before = state({ alarmStates: { busy: { atMs: nowMs - 5 * minuteMs, isOn: true } } });
    expect(changes([of('idle', { atMs: nowMs - 6 * minuteMs })], before).map((change) => 'alarm' in change && change.alarm)).toEqual(['idle']);
    expect(changes([of('idle', { atMs: nowMs - 6 * minuteMs, quiet: 'muted' })], before).map(({ code }) => code)).toEqual(['alarm-quiet', 'alarm']);
  });
});
