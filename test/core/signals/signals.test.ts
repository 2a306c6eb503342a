import { describe, expect, it } from 'vitest';
import { alarm } from '../../../core/signals/alarm.ts';
import { reservationInterruption } from '../../../core/signals/reservation-interruption.ts';
import { scheduledChange } from '../../../core/signals/scheduled-change.ts';
import { stateChange } from '../../../core/signals/state-change.ts';
import { describeLagMs, spotNoticeMs } from '../../../core/times/times.ts';
import { nowMs } from '../views.ts';

const instance = 'i-0123456789abcdef0';
const timeOf = (text: string | undefined): number | undefined => (text === undefined ? undefined : Date.parse(text));
const owner = { group: 'web', state: 'running', launchedAtMs: nowMs - 3_600_000 } as never;
const dead = { group: 'web', state: 'terminated', launchedAtMs: nowMs - 3_600_000 } as never;
const hourMs = 3_600_000;

describe('an alarm', () => {
  const read = (state: object, rest: object = {}) => {
    const found = alarm.read({ alarmName: 'busy', state: { value: 'ALARM', ...state }, ...rest }, nowMs, timeOf);
    return found.kind === 'signals' ? found.signals[0] : found;
  };
  const distance = (data: object | string) => {
    const found = read({ reasonData: typeof data === 'string' ? data : JSON.stringify(data) });
    return found !== undefined && 'fromThreshold' in found ? found.fromThreshold : undefined;
  };

  it('says how far its metric is from its threshold, by the latest value', () => {
    const at = (minute: number, value?: number) => ({ timestamp: `2026-11-20T12:0${minute}:00.000+0000`, ...(value !== undefined && { value }) });
    expect(distance({ threshold: 70, evaluatedDatapoints: [at(1, 80), at(3, 91), at(2, 85)] })).toBe(21);
    expect(distance({ threshold: 70, evaluatedDatapoints: [at(1, 80), at(3)] })).toBe(10);
    expect(distance({ threshold: 70, recentDatapoints: [80, 95] })).toBe(25);
    expect(distance({ threshold: 70, recentDatapoints: [80], evaluatedDatapoints: [at(1, 60)] })).toBe(-10);
  });

  it('counts without that distance where CloudWatch says none', () => {
    expect([distance({ threshold: 70 }), distance({ recentDatapoints: [1] }), distance('no JSON'), distance('null')]).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
    expect(read({ reasonData: null })).toEqual({ kind: 'alarm', alarm: 'busy', state: 'ALARM', atMs: nowMs });
  });

  it('is quiet where another suppresses its actions, or where it is muted', () => {
    expect(read({ actionsSuppressedBy: 'other' }, { muteDetail: {} })).toMatchObject({ quiet: 'suppressed' });
    expect(read({}, { muteDetail: { by: 'rule' } })).toMatchObject({ quiet: 'muted' });
    for (const found of [read({ actionsSuppressedBy: null }), read({ actionsSuppressedBy: '' }), read({}, { muteDetail: null })])
      expect(found).not.toHaveProperty('quiet');
  });

  it('adds its change to the facts of its group, and is stored as a cause', () => {
    const of = { kind: 'alarm', alarm: 'busy', state: 'ALARM', atMs: nowMs } as const;
    expect(alarm.adds(of, undefined)).toEqual({ alarms: [{ alarm: 'busy', atMs: nowMs, isOn: true }] });
    expect(alarm.adds({ ...of, state: 'OK', quiet: 'muted', fromThreshold: 0 }, undefined)).toEqual({
      alarms: [{ alarm: 'busy', atMs: nowMs, isOn: false, quiet: 'muted', fromThreshold: 0 }],
    });
    expect([alarm.causeOf(of), alarm.causeOf({ ...of, state: 'OK' })]).toEqual([
      { alarm: 'busy', atMs: nowMs },
      { alarm: 'busy', atMs: nowMs, state: 'OK' },
    ]);
    expect([alarm.about(of), alarm.isOver(of, undefined, nowMs + 9 * hourMs)]).toEqual([{ alarm: 'busy' }, false]);
  });
});

describe('a change that AWS Health announces', () => {
  const detail = {
    service: 'EC2',
    eventTypeCode: 'AWS_EC2_INSTANCE_STOP_SCHEDULED',
    eventTypeCategory: 'scheduledChange',
    affectedEntities: [{ entityValue: instance }],
  };
  const read = (rest: object = {}) => scheduledChange.read({ ...detail, ...rest }, nowMs, timeOf);
  const of = { kind: 'scheduled-change', instance, startsAtMs: nowMs + hourMs, atMs: nowMs } as const;

  it('begins and ends as the event says, or now', () => {
    expect(read()).toEqual({ kind: 'signals', signals: [{ kind: 'scheduled-change', instance, startsAtMs: nowMs, atMs: nowMs }] });
    const window = { startTime: '2026-11-20T12:00:00Z', endTime: '2026-11-20T13:00:00Z' };
    expect(read(window)).toMatchObject({ signals: [{ startsAtMs: Date.parse(window.startTime), endsAtMs: Date.parse(window.endTime) }] });
  });

  it('is ignored, with the reason, where it is of no instance of EC2 that it disturbs', () => {
    const why = (rest: object) => {
      const found = read(rest);
      return found.kind === 'ignored' ? found.why : found.kind;
    };
    for (const rest of [{ service: 'RDS' }, { eventTypeCategory: 'issue' }, { eventTypeCode: 'AWS_EC2_OTHER' }])
      expect(why(rest)).toBe('it ends or interrupts no instance');
    expect(why({ statusCode: 'closed' })).toBe('the scheduled change is over');
    expect([why({ affectedEntities: [{ entityValue: `x${instance}` }] }), why({ affectedEntities: undefined })]).toEqual([
      'it names no instance',
      'it names no instance',
    ]);
    expect(why({ statusCode: 'upcoming' })).toBe('signals');
  });

  it('is over when its window is, which is a day where none is known', () => {
    expect([scheduledChange.isOver(of, owner, nowMs + 25 * hourMs), scheduledChange.isOver(of, owner, nowMs + 25 * hourMs + 1)]).toEqual([
      false,
      true,
    ]);
    expect(scheduledChange.isOver({ ...of, endsAtMs: nowMs + 2 * hourMs }, owner, nowMs + 2 * hourMs + 1)).toBe(true);
  });

  it('lets its instance leave for maintenance until then', () => {
    const leaving = { instance, reason: 'maintenance', atMs: nowMs, untilMs: nowMs + 25 * hourMs };
    expect(scheduledChange.adds(of, undefined)).toEqual({ leaving: [leaving] });
    expect(scheduledChange.adds(of, owner)).toEqual({ leaving: [{ ...leaving, owner }] });
    expect([scheduledChange.about(of), scheduledChange.causeOf(of)]).toEqual([{ instance }, { instances: [], count: 0 }]);
  });
});

describe('a capacity reservation that is taken back', () => {
  const of = { kind: 'reservation-interruption', instance, deadlineMs: nowMs + spotNoticeMs, atMs: nowMs } as const;

  it('ends its instance at the time of the event, or two minutes after it', () => {
    const read = (rest: object) => reservationInterruption.read({ 'instance-id': instance, ...rest }, nowMs, timeOf);
    expect(read({})).toEqual({ kind: 'signals', signals: [of] });
    expect(read({ 'instance-termination-time': '2026-11-20T12:00:00Z' })).toMatchObject({
      signals: [{ deadlineMs: Date.parse('2026-11-20T12:00:00Z') }],
    });
  });

  it('lets it leave as interrupted', () => {
    const leaving = { instance, reason: 'interruption', atMs: nowMs, deadlineMs: of.deadlineMs };
    expect(reservationInterruption.adds(of, undefined)).toEqual({ leaving: [leaving] });
    expect(reservationInterruption.adds(of, owner)).toEqual({ leaving: [{ ...leaving, owner }] });
    expect(reservationInterruption.about(of)).toEqual({ instance });
  });

  it('is over once describes must show the end and show the instance alive', () => {
    const over = (seen: typeof owner, atMs: number) => reservationInterruption.isOver(of, seen, atMs);
    const lateMs = of.deadlineMs + describeLagMs;
    expect([over(owner, lateMs), over(owner, lateMs + 1), over(dead, lateMs + 1)]).toEqual([false, true, false]);
  });
});

describe('a change of state', () => {
  const of = (state: 'pending' | 'running' | 'stopping' | 'stopped' | 'shutting-down' | 'terminated', atMs = nowMs) =>
    ({ kind: 'state-change', instance, state, atMs }) as const;

  it('adds the instances that run, that have ended, and that were only stopped', () => {
    expect(stateChange.adds(of('pending'), owner)).toEqual({});
    expect(stateChange.adds(of('running'), owner)).toEqual({ ran: [instance] });
    const inAsg = { group: 'web', asg: 'web-asg', state: 'running' } as never;
    expect(stateChange.adds(of('running'), inAsg)).toEqual({ ran: [instance], ranInAsg: [instance] });
    for (const state of ['shutting-down', 'terminated'] as const) expect(stateChange.adds(of(state), owner)).toEqual({ ended: [instance] });
    for (const state of ['stopping', 'stopped'] as const)
      expect(stateChange.adds(of(state), owner)).toEqual({ ended: [instance], stopped: [instance] });
  });

  it('is over where the instance lives and describes have shown that for long enough, or was launched since', () => {
    const over = (atMs: number, seen = owner) => stateChange.isOver(of('stopped', atMs), seen, nowMs);
    expect([over(nowMs - describeLagMs), over(nowMs - describeLagMs - 1), over(nowMs - describeLagMs - 1, dead)]).toEqual([false, true, false]);
    const launched = { group: 'web', state: 'running', launchedAtMs: nowMs - 10 } as never;
    expect([over(nowMs - 10, launched), over(nowMs - 11, launched)]).toEqual([false, true]);
  });

  it('is stored as a cause with its state, and read unless it is pending', () => {
    expect(stateChange.causeOf(of('stopped'))).toEqual({ state: 'stopped', instances: [], count: 0 });
    expect(stateChange.about(of('stopped'))).toEqual({ instance });
    expect(stateChange.read({ 'instance-id': instance, state: 'pending' }, nowMs, timeOf)).toEqual({
      kind: 'ignored',
      why: 'pending: its launch is known already',
    });
    expect(stateChange.read({ 'instance-id': instance, state: 'running' }, nowMs, timeOf)).toEqual({ kind: 'signals', signals: [of('running')] });
    expect(stateChange.read({ 'instance-id': instance, state: 'other' }, nowMs, timeOf)).toMatchObject({
      kind: 'invalid',
      why: expect.stringContaining('detail.state'),
    });
  });
});
