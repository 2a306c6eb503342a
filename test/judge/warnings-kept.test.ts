import { describe, expect, it } from 'vitest';
import type { Actor, HistoryEvent } from '../../sandbox/judge/history.ts';
import { warningsAreKept } from '../../sandbox/judge/rules/drains/warnings-kept.ts';
import { details } from './details.ts';
import { policy, react, type Script, twoServe } from './histories.ts';

type Ended = Extract<HistoryEvent, { readonly kind: 'invocation-ended' }>;

const ended = (script: Script, more: Partial<Ended> = {}): void =>
  script.at(103, {
    ...{ kind: 'invocation-ended', invocation: 'of-a', function: 'react', startedAtMs: 101_000, timeoutMs: 30_000 },
    ...{ again: [], injected: true, ...more },
  });

/** i-1 is warned at 100. A function receives the message at 101 and ends at 103. */
const lost = (
  end: (script: Script) => void,
  write: (script: Script) => void = () => undefined,
  document: object = policy,
  happenedAtMs = 100_000,
): readonly string[] =>
  details(warningsAreKept, (script) => {
    twoServe(script);
    script.policy(1, 1, document as typeof policy);
    script.warn(100, 'i-1');
    script.at(101, { kind: 'invocation-began', invocation: 'of-a', function: 'react' });
    script.at(101, {
      ...{ kind: 'delivered', invocation: 'of-a', function: 'react', message: 'm-1', happenedAtMs },
      told: { about: 'warning', instance: 'i-1' },
    });
    write(script);
    end(script);
  });

const text = 'a function let the warning about i-1 be deleted, and no swap of i-1 was written';

describe('no warning is lost with its message', () => {
  it('where the swap is written before the function ends, whatever met the function', () => {
    expect(lost(ended, (script) => script.claim(102, 'i-1', 'of-a'))).toEqual([]);
    expect(lost(ended, (script) => script.claim(99, 'i-1', 'of-b'))).toEqual([]);
    expect(lost(ended)).toEqual([text]);
    expect(lost(ended, (script) => script.claim(102, 'i-2', 'of-a'))).toEqual([text]);
    expect(lost((script) => ended(script, { injected: false }))).toEqual([text]);
  });
  it('or where the message comes again', () => {
    expect(lost((script) => ended(script, { again: ['m-1'] }))).toEqual([]);
    expect(lost((script) => ended(script, { error: { type: 'Error', message: 'a fault' } }))).toEqual([]);
    expect(lost(() => undefined)).toEqual([]);
    expect(lost((script) => ended(script, { again: ['m-2'] }))).toEqual([text]);
  });
  it('says nothing of a message that is much older than the warning', () => {
    expect(lost(ended, undefined, policy, 99_500)).toEqual([text]);
    expect(lost(ended, undefined, policy, -3_500_000)).toEqual([]);
  });
  it('says nothing of groups that do not act, and of members that are gone', () => {
    expect(lost(ended, undefined, { ...policy, mode: 'observe' })).toEqual([]);
    expect(lost(ended, undefined, { ...policy, mode: 'pause' })).toEqual([]);
    expect(lost(ended, (script) => script.letGo(102))).toEqual([]);
    expect(lost(ended, (script) => script.end(102, 'i-1'))).toEqual([]);
  });
  it('or where no describe need show the instance, and the message is young', () => {
    const young = (launchedS: number, by: Actor, again: readonly string[] = [], endS = 103) =>
      details(warningsAreKept, (script) => {
        twoServe(script);
        script.launch(launchedS, 'i-3', { by });
        script.warn(100, 'i-3', 240);
        script.at(101, { kind: 'invocation-began', invocation: 'of-a', function: 'react' });
        script.at(101, {
          ...{ kind: 'delivered', invocation: 'of-a', function: 'react', message: 'm-1', happenedAtMs: 100_000 },
          told: { about: 'warning', instance: 'i-3' },
        });
        script.at(endS, {
          ...{ kind: 'invocation-ended', invocation: 'of-a', function: 'react', startedAtMs: 101_000, timeoutMs: 30_000 },
          ...{ again, injected: false },
        });
      });
    const found = 'a function let the warning about i-3 be deleted, and no swap of i-3 was written';
    expect([young(99.5, react('i-0')), young(99.5, react('i-0'), ['m-1'])]).toEqual([[found], []]);
    // Nothing but a describe shows whose instance it is that others launched.
    expect(young(99.5, { kind: 'asg', asg: 'web-asg', why: 'size' })).toEqual([]);
    // After two minutes, such a message is about nobody's instance.
    expect([young(99.5, react('i-0'), [], 218), young(99.5, react('i-0'), [], 221)]).toEqual([[found], []]);
  });
});
