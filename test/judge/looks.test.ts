import { describe, expect, it } from 'vitest';
import { looksCome, ticksCome } from '../../sandbox/judge/rules/said/looks.ts';
import { details, faultOf, throttled } from './details.ts';
import { react, type Script } from './histories.ts';

const decision = { id: 'd-1', group: 'web', atMs: 100_000, rounds: [], outcome: { code: 'carried-out', wakeAtMs: 112_000 } };
const stored = (decisions: readonly unknown[]) => ({ stored: { states: {}, swaps: [], decisions, deadLetters: 0, staleMessages: 0 } });

describe('looks come when they are arranged', () => {
  const told = (second: number | undefined, changes = {}, write: (script: Script) => void = (script) => script.policy(100, 1)) =>
    details(
      looksCome,
      (script) => {
        write(script);
        if (second !== undefined) script.react(second, second + 2, 'i-1', [{ about: 'policy', group: 'web' }]);
      },
      changes,
    );
  it('after a policy came into force, or went out of it', () => {
    const untold = ['no function received a message about version 1 within 10 s'];
    expect(told(105)).toEqual([]);
    expect(told(111)).toEqual(untold);
    expect(told(undefined)).toEqual(untold);
    // One that was received before is about an earlier policy.
    expect(told(99)).toEqual(untold);
    expect(told(undefined, {}, (script) => script.letGo(100))).toEqual(['no function received a message that it is let go within 10 s']);
  });
  it('unless a fault meets the message, or the run ends first', () => {
    for (const fault of [throttled('SendMessage'), throttled('PutItem'), faultOf({ on: 'event', kind: 'drop' })])
      expect(told(undefined, fault)).toEqual([]);
    expect(told(undefined, throttled('DescribeTargetHealth'))).toHaveLength(1);
    expect(told(undefined, { endedAtMs: 105_000 })).toEqual([]);
  });

  const looked = (
    second: number | undefined,
    { injected = false, groups = ['web'], decisions = [decision] as readonly unknown[], more = {}, write = (_: Script): void => undefined } = {},
  ) =>
    details(
      looksCome,
      (script) => {
        script.react(100, 103, 'i-1', [{ about: 'tick', groups: ['web'] }], injected);
        script.at(102, { kind: 'item-written', table: 'state', group: 'web', item: 'decision#d-1', bytes: 500, by: react('i-1') });
        if (second !== undefined) script.react(second, second + 1, 'i-2', [{ about: 'tick', groups }]);
        write(script);
      },
      { ...stored(decisions), ...more },
    );
  const none = ['decision d-1 arranged a look, and 10 s after its time none has come'];
  it('by the time that a decision names, whatever causes the look', () => {
    expect(looked(112)).toEqual([]);
    expect(looked(104)).toEqual([]);
    expect(looked(123)).toEqual(none);
    expect(looked(undefined)).toEqual(none);
    expect(looked(112, { groups: ['other'] })).toEqual(none);
  });
  it('also where a message about an instance causes it', () => {
    const wrote = (second: number, invocation: string) => looked(undefined, { write: (script) => script.remembers(second, {}, 1, invocation) });
    expect(wrote(113, 'i-2')).toEqual([]);
    expect(wrote(123, 'i-2')).toEqual(none);
    // The function of the decision itself does not look again, and a function of a drain does not look at the group.
    expect(wrote(113, 'i-1')).toEqual(none);
    const drain = { kind: 'function', function: 'check-drain', invocation: 'i-3' } as const;
    expect(looked(undefined, { write: (script) => script.desired(113, 2, 1, drain) })).toEqual(none);
  });
  it('unless a fault met the function, or its decision arranged none', () => {
    expect(looked(undefined, { injected: true })).toEqual([]);
    expect(looked(undefined, { decisions: [{ ...decision, outcome: { code: 'carried-out' } }] })).toEqual([]);
    expect(looked(undefined, { more: throttled('SendMessage') })).toEqual([]);
    expect(looked(undefined, { more: { endedAtMs: 115_000 } })).toEqual([]);
  });
  it('by the next tick where clocks are wrong, because a look that has come may be taken for one that will', () => {
    const wrong = { more: { clockErrorMs: 3_000 } };
    expect(looked(180, wrong)).toEqual([]);
    for (const second of [undefined, 190])
      expect(looked(second, wrong)).toEqual(['decision d-1 arranged a look, and 70 s after its time none has come']);
    expect(looked(180, { more: { clockErrorMs: 0 } })).toEqual(none);
    expect(told(undefined, { clockErrorMs: 3_000 })).toHaveLength(1);
  });
  it('by the next tick where a function was killed that had noted a wake, and not where another one noted a wake since', () => {
    const noted =
      (second: number, invocation: string, group = 'web') =>
      (script: Script) =>
        script.at(second, { kind: 'item-written', table: 'state', group, item: 'wake', bytes: 58, by: react(invocation) });
    const killed = (second: number | undefined, { injected = true, group = 'web', write = (_: Script): void => undefined } = {}) =>
      looked(second, {
        write: (script) => {
          script.react(95, 99, 'i-9', [], injected);
          noted(98, 'i-9', group)(script);
          write(script);
        },
      });
    expect(killed(180)).toEqual([]);
    expect(killed(190)).toEqual(['decision d-1 arranged a look, and 70 s after its time none has come']);
    expect(killed(180, { injected: false })).toEqual(none);
    expect(killed(180, { group: 'other' })).toEqual(none);
    expect(killed(180, { write: noted(102, 'i-1') })).toEqual(none);
  });
});

describe('each group has its ticks', () => {
  const ticked = (seconds: readonly number[], write: (script: Script) => void = () => undefined, changes = {}) =>
    details(
      ticksCome,
      (script) => {
        script.policy(0, 1);
        for (const second of seconds) script.react(second, second + 1, `i-${second}`, [{ about: 'tick', groups: ['web'] }]);
        write(script);
      },
      { endedAtMs: 400_000, ...changes },
    );
  const silent = ['no function was told for 130 s to look at the group'];
  it('one in each minute, where one may be missing', () => {
    expect(ticked([70, 130, 190, 250, 310])).toEqual([]);
    expect(ticked([70, 190, 310])).toEqual([]);
    expect(ticked([70, 250, 310])).toEqual(silent);
    expect(ticked([])).toEqual(silent);
    expect(ticked([70, 130], undefined, { endedAtMs: 250_000 })).toEqual([]);
  });
  it('also after it was let go, and not before it was in force', () => {
    expect(ticked([70, 130], (script) => script.letGo(140))).toEqual(silent);
    expect(details(ticksCome, (script) => script.letGo(10), { endedAtMs: 400_000 })).toEqual([]);
  });
  it('unless a fault meets the function of the tick, or its messages', () => {
    expect(ticked([70, 130], undefined, throttled('SendMessageBatch'))).toEqual([]);
    const tick = (more: object) => (script: Script) => {
      script.at(190, { kind: 'invocation-began', invocation: 'i-tick', function: 'tick' });
      script.at(191, {
        ...{ kind: 'invocation-ended', invocation: 'i-tick', function: 'tick', startedAtMs: 190_000, timeoutMs: 30_000 },
        ...{ again: [], injected: false, ...more },
      });
    };
    expect(ticked([70, 130, 330], tick({ injected: true }))).toEqual([]);
    expect(ticked([70, 130, 330], tick({ error: { type: 'Error', message: 'no' } }))).toEqual([]);
    expect(ticked([70, 130, 330], tick({}))).toEqual(silent);
  });
});
