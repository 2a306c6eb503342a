import { describe, expect, it } from 'vitest';
import type { History } from '../../sandbox/judge/history.ts';
import { nothingIsDatedBehind } from '../../sandbox/judge/rules/memory/dated-behind.ts';
import { datedBehind } from '../../sandbox/judge/said/dated-behind.ts';
import { toItem } from '../../sandbox/platform/tables/plain-items.ts';
import { details } from './details.ts';
import { react, type Script } from './histories.ts';

const nowMs = 100_000;
const item = (fields: object) => toItem({ group: 'web', item: 'swap#i-9', ...fields });
const behind = (before: object | undefined, after: object) => {
  const found = datedBehind({ before: before && item(before), after: item(after) }, react('of-a'), nowMs);
  return found?.kind === 'dated-behind' ? `${found.field} ${found.saidMs}` : undefined;
};

describe('a time long before its write', () => {
  it('is found in a swap that says it newly', () => {
    expect(behind(undefined, { claimedAtMs: 93_000 })).toBe('claimedAtMs 93000');
    expect(behind({ claimedAtMs: 20_000 }, { claimedAtMs: 20_000, drainStartedAtMs: 90_000, goneAtMs: 80_000 })).toBe('goneAtMs 80000');
  });
  it('is none that was there before, that is about others, or that is near', () => {
    expect(behind({ claimedAtMs: 20_000 }, { claimedAtMs: 20_000, drain: 'd' })).toBeUndefined();
    expect(behind(undefined, { claimedAtMs: 94_000, warnedAtMs: 20_000, drainedAtMs: 30_000 })).toBeUndefined();
    const state = toItem({ group: 'web', item: 'state', claimedAtMs: 1 });
    expect(datedBehind({ before: undefined, after: state }, react('of-a'), nowMs)).toBeUndefined();
  });
});

/** A function is called at 100, and says at 104 that it did something then. */
const said = (saidS: number, field = 'claimedAtMs', write = (_: Script): void => undefined, changes: Partial<History> = {}) =>
  details(
    nothingIsDatedBehind,
    (script) => {
      write(script);
      script.react(100, 105, 'of-a', [{ about: 'warning', instance: 'i-9' }]);
      script.at(104, { kind: 'dated-behind', group: 'web', item: 'swap#i-9', field, saidMs: 1_000 * saidS, by: react('of-a') });
    },
    changes,
  );

describe('nothing is dated before its function was called', () => {
  it('holds for what is at most six seconds earlier', () => {
    expect(said(94)).toEqual([]);
    expect(said(93)).toEqual(['claimedAtMs of swap#i-9 is dated 7.0 s before react was called']);
  });
  it('allows a wrong clock to a function that repeats another, and to no other one', () => {
    const wrong = { clockErrorMs: 3_000 };
    const heard = (message: string) => (script: Script) =>
      script.at(50, {
        ...{ kind: 'delivered', invocation: 'of-b', function: 'react', message },
        ...{ told: { about: 'warning', instance: 'i-9' }, happenedAtMs: 50_000 },
      });
    expect(said(90, 'claimedAtMs', undefined, wrong)).toHaveLength(1);
    expect(said(90, 'claimedAtMs', heard('another'), wrong)).toHaveLength(1);
    expect(said(90, 'claimedAtMs', heard('of-a-0'), wrong)).toEqual([]);
    expect(said(87, 'claimedAtMs', heard('of-a-0'), wrong)).toHaveLength(1);
    expect(said(90, 'claimedAtMs', heard('of-a-0'))).toHaveLength(1);
  });
  it('counts a drain from an earlier call that was to take the member out', () => {
    const called = (atS: number) => (script: Script) =>
      script.at(atS, {
        ...{ kind: 'called', invocation: 'of-b', function: 'begin-drain', service: 'elasticloadbalancing', operation: 'DeregisterTargets' },
        ...{ askedAtMs: 1_000 * atS, outcome: 'ok', applied: true, isMutating: true, takesOut: ['i-9'] },
      });
    expect(said(60, 'drainStartedAtMs', called(60))).toEqual([]);
    expect(said(60, 'claimedAtMs', called(60))).toHaveLength(1);
    expect(said(60, 'drainStartedAtMs', called(101))).toHaveLength(1);
  });
});
