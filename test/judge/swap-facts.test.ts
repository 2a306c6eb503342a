import { describe, expect, it } from 'vitest';
import type { Actor } from '../../sandbox/judge/history.ts';
import { swapsNameTruly } from '../../sandbox/judge/rules/said/swap-facts.ts';
import type { SwapFacts } from '../../sandbox/judge/said/swap-facts.ts';
import { details } from './details.ts';
import { react, type Script, twoServe, user } from './histories.ts';

const facts: SwapFacts = { offering: 't/z-a/spot', hooks: [] };
const says = (script: Script, second: number, change: Partial<SwapFacts>, by: Actor = react('of-1')): void =>
  script.at(second, {
    ...{ kind: 'item-written', table: 'state', group: 'web', item: 'swap#i-1', bytes: 500, by },
    swap: { reason: 'interruption', state: 'leaving', facts: { ...facts, ...change } },
  });

const found = (write: (script: Script) => void): readonly string[] =>
  details(swapsNameTruly, (script) => {
    twoServe(script);
    script.warn(100, 'i-1');
    write(script);
  });

const waits = (script: Script, second: number, hook: string): void =>
  script.at(second, { kind: 'hook-waits', instance: 'i-1', asg: 'web-asg', hook, expiresAtMs: 900_000 });

describe('what a swap says of its instance is true', () => {
  it('holds for the offering, the deadline and the Auto Scaling group that it has', () => {
    expect(found((script) => says(script, 101, { deadlineMs: 220_000 }))).toEqual([]);
    expect(found((script) => says(script, 101, { offering: 'unknown' }))).toEqual([]);
    expect(
      found((script) => {
        script.at(90, { kind: 'joined', instance: 'i-1', asg: 'web-asg', by: react('of-0') });
        says(script, 101, { asg: 'web-asg' });
      }),
    ).toEqual([]);
  });
  it('holds for the Auto Scaling group that launched it, also into its warm pool', () => {
    const launchedBy = (asg: string) =>
      details(swapsNameTruly, (script) => {
        twoServe(script);
        script.launch(50, 'i-9', { by: { kind: 'asg', asg, why: 'size' } });
        script.warn(100, 'i-9');
        script.at(101, {
          ...{ kind: 'item-written', table: 'state', group: 'web', item: 'swap#i-9', bytes: 500, by: react('of-1') },
          swap: { reason: 'interruption', state: 'leaving', facts: { ...facts, asg: 'web-asg' } },
        });
      });
    expect(launchedBy('web-asg')).toEqual([]);
    expect(launchedBy('other-asg')).toEqual(['the swap of i-9 names web-asg, which never held it']);
  });
  it('breaks for others', () => {
    expect(found((script) => says(script, 101, { offering: 't/z-b/spot' }))).toEqual([
      'the swap of i-1 names the offering t/z-b/spot, and it is t/z-a/spot',
    ]);
    expect(found((script) => says(script, 101, { deadlineMs: 280_000 }))).toEqual(['the swap of i-1 names a deadline that nobody announced']);
    expect(found((script) => says(script, 101, { asg: 'web-asg' }))).toEqual(['the swap of i-1 names web-asg, which never held it']);
  });
  it('breaks where it comes to name the time of a warning, and another reason', () => {
    const saysOf = (script: Script, second: number, reason: string, change: Partial<SwapFacts>, state = 'leaving'): void =>
      script.at(second, {
        ...{ kind: 'item-written', table: 'state', group: 'web', item: 'swap#i-1', bytes: 500, by: react('of-1') },
        swap: { reason, state, facts: { ...facts, ...change } },
      });
    const warnedAs = (reason: string, state?: string) =>
      found((script) => {
        saysOf(script, 90, 'rebalance', {}, 'waiting');
        saysOf(script, 101, reason, { deadlineMs: 220_000 }, state);
      });
    expect(warnedAs('interruption')).toEqual([]);
    expect(warnedAs('hook')).toEqual([]);
    expect(warnedAs('rebalance', 'drained')).toEqual([]);
    expect(warnedAs('rebalance')).toEqual(['the swap of i-1 names the time of a warning, and rebalance as its reason']);
    // Holdfast ends it, because EC2 did not take it.
    expect(
      found((script) => {
        saysOf(script, 101, 'interruption', { deadlineMs: 220_000 });
        saysOf(script, 600, 'unwanted', { deadlineMs: 220_000 });
      }),
    ).toEqual([]);
  });
  it('knows a deadline from a message that came later than the warning', () => {
    const repeated = (script: Script): void =>
      script.at(130, {
        ...{ kind: 'delivered', invocation: 'of-1', function: 'react', message: 'm-1' },
        ...{ told: { about: 'warning', instance: 'i-1' }, happenedAtMs: 128_000 },
      });
    const write = (script: Script): void => {
      repeated(script);
      says(script, 131, { deadlineMs: 248_000 });
    };
    expect(found(write)).toEqual([]);
    const putOff = ['the swap of i-1 puts off a deadline that has not come'];
    const twice = (script: Script): void => {
      says(script, 101, { deadlineMs: 220_000 });
      write(script);
    };
    expect(found(twice)).toEqual(putOff);
  });
  it('may name another deadline once the first is over', () => {
    const again = (script: Script): void => {
      says(script, 101, { deadlineMs: 220_000 });
      script.warn(400, 'i-1');
      says(script, 401, { deadlineMs: 520_000 });
    };
    expect(found(again)).toEqual([]);
  });
  it('keeps each hook for as long as the instance waits on it', () => {
    const hooks = (overSecond?: number) =>
      found((script) => {
        waits(script, 90, 'one');
        waits(script, 91, 'two');
        says(script, 101, { hooks: ['one'] });
        if (overSecond !== undefined)
          script.at(overSecond, { kind: 'hook-over', instance: 'i-1', asg: 'web-asg', hook: 'one', how: 'completed', by: react('of-1') });
        says(script, 110, { hooks: ['two'] });
      });
    expect(hooks()).toEqual(['the swap of i-1 no longer names one, which waits']);
    expect(hooks(105)).toEqual([]);
  });
  it('compares a swap with what the same group wrote before, not with the swap of another group', () => {
    const other = (script: Script): void => {
      waits(script, 90, 'one');
      script.at(100, {
        ...{ kind: 'item-written', table: 'state', group: 'old', item: 'swap#i-1', bytes: 500, by: react('of-1') },
        swap: { reason: 'interruption', state: 'gone', facts: { ...facts, hooks: ['one'] } },
      });
    };
    expect(
      found((script) => {
        other(script);
        says(script, 101, { hooks: [] });
      }),
    ).toEqual([]);
    expect(
      found((script) => {
        says(script, 95, { hooks: ['one'] });
        other(script);
        says(script, 101, { hooks: [] });
      }),
    ).toEqual(['the swap of i-1 no longer names one, which waits']);
  });
  it('says nothing of a table that was restored, and of what others write', () => {
    const lost = (script: Script): void => {
      waits(script, 90, 'one');
      says(script, 101, { hooks: ['one'] });
      script.at(105, { kind: 'step', step: 'state-restored', instances: [], groups: [], asgs: [] });
      says(script, 110, {});
    };
    expect(found(lost)).toEqual([]);
    expect(found((script) => says(script, 101, { deadlineMs: 280_000 }, user))).toEqual([]);
  });
  it('breaks for a hook of which it says that it waits for longer than it does', () => {
    const ends = (endsMs: number, second = 150) =>
      found((script) => {
        script.at(100, { kind: 'hook-waits', instance: 'i-1', asg: 'web-asg', hook: 'drain', expiresAtMs: 130_000 });
        script.at(115, { kind: 'hook-waits', instance: 'i-1', asg: 'web-asg', hook: 'drain', expiresAtMs: 145_000 });
        says(script, second, { hooks: ['drain'], hookEnds: { drain: endsMs } });
      });
    expect(ends(145_000, 116)).toEqual([]);
    expect(ends(130_000, 116)).toEqual([]);
    // A look found the hook without its message, and so does not know for how long it waits. It says that it ends now.
    expect(ends(160_000, 160)).toEqual([]);
    expect(ends(190_000, 160)).toHaveLength(1);
    expect(ends(160_000, 116)).toEqual(['the swap of i-1 says that drain waits for longer than it does']);
    // Before the heartbeat, the hook did not wait so long.
    expect(ends(145_000, 110)).toHaveLength(1);
  });
  it('counts a heartbeat, and the wait, by the time-out of a hook that was put again while the instance waited', () => {
    const ends = (endsMs: number, putAt: number, { hook = 'drain', asg = 'web-asg', second = 116 } = {}) =>
      found((script) => {
        const waiting = { kind: 'hook-waits', instance: 'i-1', asg: 'web-asg', hook: 'drain' } as const;
        script.at(100, { ...waiting, expiresAtMs: 130_000 });
        if (second > 115) script.at(115, { ...waiting, expiresAtMs: 145_000 });
        script.at(putAt, { kind: 'hook-written', asg, hook, timeoutMs: 120_000 });
        says(script, second, { hooks: ['drain'], hookEnds: { drain: endsMs } });
      });
    expect(ends(235_000, 105)).toEqual([]);
    expect(ends(250_000, 105)).toHaveLength(1);
    // It was put before the instance waited, or after the heartbeat. No heartbeat was sent, or another hook was put.
    expect(ends(235_000, 99)).toHaveLength(1);
    expect(ends(235_000, 115.5)).toHaveLength(1);
    expect(ends(225_000, 105, { second: 110 })).toHaveLength(1);
    expect(ends(235_000, 105, { hook: 'other' })).toHaveLength(1);
    expect(ends(235_000, 105, { asg: 'other-asg' })).toHaveLength(1);
    // The time-out was read after the hook was put again, and the wait counts by it from its beginning (22210038 of outages).
    expect(ends(220_000, 105, { second: 110 })).toEqual([]);
    expect(ends(220_000, 111, { second: 110 })).toHaveLength(1);
  });
});
