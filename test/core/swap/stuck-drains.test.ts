import { describe, expect, it } from 'vitest';
import { tightened } from '../../../core/swap/claim.ts';
import { mayBeUnstarted, type TakingOver, takenOver } from '../../../core/swap/stuck-drains.ts';
import type { Swap } from '../../../core/swap/swap.ts';
import { nowMs, swapOf } from '../views.ts';

const taking = (rest: Partial<TakingOver> = {}): TakingOver => ({
  nowMs,
  timeoutMs: 60_000,
  shown: new Set(['i-1']),
  drainFor: (kind) => `${kind}-new`,
  stoppedDrains: [],
  ...rest,
});
const swap = (rest: Partial<Swap> = {}): Swap => swapOf('i-1', { claimedAtMs: nowMs - 900_000, ...rest });
const hook = { asg: 'web-asg', hook: 'drain', token: 't', expiresAtMs: nowMs + 600_000, timeoutMs: 600_000 };
const order = { drain: 'mend-new', drainOrderedAtMs: nowMs };

describe('a drain that has not ended two minutes after it was due', () => {
  const due = { claimedAtMs: nowMs - 240_000, deadlineMs: nowMs - 120_000 };
  it.each(['leaving', 'draining'] as const)('is taken over while its swap is %s', (state) => {
    expect(takenOver(swap({ ...due, state }), taking())).toEqual(order);
    expect(takenOver(swap({ ...due, state, deadlineMs: nowMs - 119_999 }), taking())).toBeUndefined();
  });
  it('has twice its time-out from its order, whatever the deadline', () => {
    expect(takenOver(swap({ ...due, drainOrderedAtMs: nowMs - 239_999 }), taking())).toBeUndefined();
    expect(takenOver(swap({ ...due, drainOrderedAtMs: nowMs - 240_000 }), taking())).toEqual(order);
  });
  it('is left alone while heartbeats keep its hook', () => {
    const held = swap({ ...due, hooks: [hook] });
    expect(takenOver(held, taking())).toBeUndefined();
    const unheld = { ...held, hooks: [{ ...hook, expiresAtMs: nowMs + 270_000 }] };
    expect(takenOver(unheld, taking())).toEqual({ ...order, drain: 'hook-new' });
    // Another drain was ordered, to complete the hook of the drained member.
    const drained = { state: 'drained', drainedAtMs: nowMs - 240_000, drainOrderedAtMs: nowMs - 230_000 } as const;
    expect(takenOver({ ...unheld, ...drained }, taking())).toEqual({ ...order, drain: 'hook-new' });
    expect(takenOver({ ...held, ...drained }, taking())).toBeUndefined();
    expect(takenOver({ ...unheld, ...drained, drainOrderedAtMs: nowMs - 240_000 }, taking())).toBeUndefined();
  });
});

it('a swap whose instance had ended before its first signal gets no drain, although its hook has no heartbeats', () => {
  const { drain: _, deadlineMs: _due, ...first } = swap({ reason: 'hook', state: 'leaving', hooks: [{ ...hook, expiresAtMs: nowMs + 270_000 }] });
  expect(takenOver(first, taking())).toEqual({ ...order, drain: 'hook-new' });
  expect(takenOver(first, taking({ ended: new Set(['i-1']) }))).toBeUndefined();
  expect(takenOver({ ...first, drain: 'd' }, taking({ ended: new Set(['i-1']) }))).toEqual({ ...order, drain: 'hook-new' });
});

describe('the end by which a new drain is named', () => {
  const endsAt = (changes: Partial<Swap>): readonly (number | undefined)[] => {
    const asked: (number | undefined)[] = [];
    const { deadlineMs: _, ...open } = swap({ reason: 'scale-in', busyUntilMs: nowMs + 1_000, ...changes });
    takenOver(open, taking({ drainFor: (_kind, endsAtMs) => `${asked.push(endsAtMs)}`, stoppedDrains: ['web-1-d0'] }));
    return asked;
  };
  it('is when connections close, while the member drains', () => {
    expect(endsAt({ state: 'draining' })).toEqual([nowMs + 1_000]);
  });
  it('is none once the member has drained, so that members without connections share a drain', () => {
    expect(endsAt({ state: 'drained', drainedAtMs: nowMs - 120_000 })).toEqual([undefined]);
  });
});

describe('a drain that a user stopped', () => {
  const stopped = taking({ stoppedDrains: ['web-1-d0'] });
  it('is taken over at once', () => {
    const young = swap({ claimedAtMs: nowMs, state: 'draining' });
    expect(takenOver(young, stopped)).toEqual(order);
    expect(takenOver({ ...young, drain: 'another' }, stopped)).toBeUndefined();
  });
  it('is taken over after its member has drained only for a hook that is to be completed', () => {
    const drained = swap({ claimedAtMs: nowMs, state: 'drained', drainedAtMs: nowMs - 1 });
    expect(takenOver(drained, stopped)).toBeUndefined();
    expect(takenOver({ ...drained, hooks: [hook] }, stopped)).toEqual({ ...order, drain: 'hook-new' });
    expect(takenOver({ ...drained, state: 'gone', hooks: [hook] }, stopped)).toBeUndefined();
  });
  it('is taken over for a member that it kept, because its end says so', () => {
    const kept = swap({ claimedAtMs: nowMs, state: 'drained', keptUntilMs: nowMs + 3_600_000 });
    expect(takenOver(kept, stopped)).toEqual(order);
    expect(takenOver(kept, taking())).toBeUndefined();
    expect(takenOver({ ...kept, state: 'gone' }, stopped)).toBeUndefined();
  });
});

describe('a warned member that got no drain, because a describe showed it as stopped', () => {
  const { drain: _, ...undrained } = swap({ state: 'leaving', claimedAtMs: nowMs - 7_000, deadlineMs: nowMs + 113_000 });
  const running = { running: new Set(['i-1']) };
  it('gets the drain of its warning once a look shows that it runs', () => {
    const asked: unknown[] = [];
    const drainFor: TakingOver['drainFor'] = (kind, deadlineMs) => {
      asked.push(deadlineMs);
      return `${kind}-new`;
    };
    expect(takenOver(undrained, taking({ ...running, drainFor }))).toEqual({ drain: 'interruption-new', drainOrderedAtMs: nowMs });
    expect(asked).toContain(nowMs + 113_000);
    expect(takenOver({ ...undrained, reason: 'hook' }, taking(running))).toMatchObject({ drain: 'hook-new' });
  });
  it('gets none while it is stopped, when its end was received, or after its deadline', () => {
    expect(takenOver(undrained, taking())).toBeUndefined();
    expect(takenOver(undrained, taking({ ...running, ended: new Set(['i-1']) }))).toBeUndefined();
    expect(takenOver({ ...undrained, deadlineMs: nowMs }, taking(running))).toBeUndefined();
  });
  it('keeps the drain that it has', () => {
    expect(takenOver({ ...undrained, drain: 'd' }, taking(running))).toBeUndefined();
  });
});

describe('an instance that runs on after its drain', () => {
  it('that EC2 stopped is ours to end five minutes after its deadline', () => {
    const drained = swap({ state: 'drained', deadlineMs: nowMs - 300_000 });
    expect(takenOver(drained, taking())).toEqual({ ...order, reason: 'unwanted' });
    expect(takenOver({ ...drained, deadlineMs: nowMs - 299_999 }, taking())).toBeUndefined();
  });
  it('that EC2 had stopped before its first signal came is ours to end after the same time, whatever the time-out of drains', () => {
    const { drain: _, ...undrained } = swap({ state: 'leaving', claimedAtMs: nowMs - 300_000, deadlineMs: nowMs - 300_000 });
    const ended = { ...order, reason: 'unwanted' };
    for (const timeoutMs of [20_000, 600_000]) {
      expect(takenOver(undrained, taking({ timeoutMs }))).toEqual(ended);
      expect(takenOver({ ...undrained, deadlineMs: nowMs - 299_999 }, taking({ timeoutMs }))).toBeUndefined();
      // It is stopped, and may start again while too few others serve.
      expect(takenOver(undrained, taking({ timeoutMs, shown: new Set() }))).toBeUndefined();
    }
  });
  it('that EC2 announced to take has fifteen minutes to be put back into service, and is ours to end then', () => {
    const drained = swap({ state: 'drained', deadlineMs: nowMs - 900_000 });
    const spared = taking({ spared: new Set(['i-1']) });
    expect(takenOver(drained, spared)).toEqual({ ...order, reason: 'unwanted' });
    expect(takenOver({ ...drained, deadlineMs: nowMs - 899_999 }, spared)).toBeUndefined();
  });
  it('that is ours to end is ended two minutes after it had drained, for the reason that it had', () => {
    const { deadlineMs: _, ...drained } = swap({ reason: 'scale-in', state: 'drained', drainedAtMs: nowMs - 120_000 });
    expect(takenOver(drained, taking())).toEqual({ ...order, reason: 'scale-in' });
    expect(takenOver({ ...drained, drainedAtMs: nowMs - 119_999 }, taking())).toBeUndefined();
  });
  it('is left alone when it is kept, or when no describe shows it', () => {
    const drained = swap({ state: 'drained', deadlineMs: nowMs - 900_000 });
    expect(takenOver({ ...drained, keptUntilMs: nowMs + 1 }, taking())).toBeUndefined();
    expect(takenOver(drained, taking({ shown: new Set() }))).toBeUndefined();
  });
});

describe('a swap that waits for its turn', () => {
  const waiting = swap({ state: 'waiting', reason: 'maintenance' });
  it('begins once its instance is stopped, because that does no work', () => {
    expect(takenOver(waiting, taking())).toBeUndefined();
    expect(takenOver(waiting, taking({ stopped: new Set(['i-1']) }))).toEqual({ ...order, state: 'leaving' });
    expect(takenOver(waiting, taking({ stopped: new Set(['i-2']) }))).toBeUndefined();
  });
  it('is the only one that the stop of an instance begins', () => {
    const stopped = taking({ stopped: new Set(['i-1']) });
    for (const state of ['leaving', 'draining', 'drained', 'gone'] as const)
      expect(takenOver(swap({ state, claimedAtMs: nowMs }), stopped)).toBeUndefined();
  });
});

describe('a drain that may never have been started', () => {
  const since = { drainStartedAtMs: nowMs - 60_000, drainOrderedAtMs: nowMs - 30_000 };
  it('is that of a member which is still in service', () => {
    expect(mayBeUnstarted(swap({ state: 'leaving' }), nowMs)).toBe(true);
    expect(mayBeUnstarted(swap({ state: 'waiting' }), nowMs)).toBe(false);
  });
  it('is one that was ordered after its member went out of service, for two minutes', () => {
    expect(mayBeUnstarted(swap({ state: 'draining', ...since }), nowMs)).toBe(true);
    expect(mayBeUnstarted(swap({ state: 'draining', ...since, drainOrderedAtMs: nowMs - 60_000 }), nowMs)).toBe(false);
    const old = (orderedMs: number) =>
      mayBeUnstarted(swap({ state: 'draining', drainStartedAtMs: nowMs - 200_000, drainOrderedAtMs: orderedMs }), nowMs);
    expect(old(nowMs - 119_999)).toBe(true);
    expect(old(nowMs - 120_000)).toBe(false);
  });
  it('is one that was ordered after its member had drained', () => {
    expect(mayBeUnstarted(swap({ state: 'drained', ...since, drainedAtMs: nowMs - 20_000 }), nowMs)).toBe(false);
    expect(mayBeUnstarted(swap({ state: 'drained', ...since, drainedAtMs: nowMs - 40_000 }), nowMs)).toBe(true);
    expect(mayBeUnstarted(swap({ state: 'drained', ...since }), nowMs)).toBe(true);
  });
  it('is one that was ordered for a hook after its member had drained by a clock that is ahead', () => {
    const ahead = swap({ state: 'drained', drainStartedAtMs: nowMs - 400, drainedAtMs: nowMs + 19_000 });
    const fact = { instance: 'i-1', reason: 'hook', atMs: nowMs, hook } as const;
    const hooked = { ...ahead, ...tightened(ahead, fact, { nowMs, drainFor: (kind) => `${kind}-new` }) };
    expect(hooked.drain).toBe('hook-new');
    expect(mayBeUnstarted(hooked, nowMs + 60_000)).toBe(true);
    const again = { ...hooked, ...takenOver(hooked, taking({ stoppedDrains: ['hook-new'] })) };
    expect(mayBeUnstarted(again, nowMs + 60_000)).toBe(true);
  });
});

describe('a drain that goes on', () => {
  it('is not taken over before its member has been drained for two minutes, whatever its deadline', () => {
    const drained = swap({ state: 'drained', deadlineMs: nowMs - 300_000, drainOrderedAtMs: nowMs - 119_999 });
    expect(takenOver(drained, taking())).toBeUndefined();
    expect(takenOver({ ...drained, drainOrderedAtMs: nowMs - 120_000 }, taking())).toEqual({ ...order, reason: 'unwanted' });
  });
  it('is not taken over while its member waits for its turn, or once it is gone', () => {
    const long = { claimedAtMs: nowMs - 9_000_000, deadlineMs: nowMs - 8_000_000 };
    expect(takenOver(swap({ ...long, state: 'waiting' }), taking())).toBeUndefined();
    expect(takenOver(swap({ ...long, state: 'gone' }), taking())).toBeUndefined();
    expect(takenOver(swap({ ...long, state: 'gone' }), taking({ stoppedDrains: ['web-1-d0'] }))).toBeUndefined();
  });
});
