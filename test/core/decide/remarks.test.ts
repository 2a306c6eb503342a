import { describe, expect, it } from 'vitest';
import { remarks } from '../../../core/decide/remarks.ts';
import type { Draft } from '../../../core/decide/rule.ts';
import type { View } from '../../../core/view/view.ts';
import { group, nowMs, state } from '../views.ts';
import { proposed } from './situations.ts';

const said = (rest: Partial<View>, soFar: Partial<Draft> = {}) => proposed(remarks, rest, soFar).remarks;
const ids = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => `i-${index}`);
const quiet = { detached: [], adviceNotFollowed: [] };

describe('remarks', () => {
  it('are none where a look finds nothing new', () => {
    expect(said({})).toEqual([]);
    expect(said({ news: { ...quiet, adviceOverBudget: [], putBack: [], serves: [], failedBoots: [], givenUp: [], breakers: [] } })).toEqual([]);
  });

  it.each([
    ['detached', 'detached', 50],
    ['advice-not-followed', 'adviceNotFollowed', 50],
    ['advice-over-budget', 'adviceOverBudget', 50],
    ['put-back', 'putBack', 50],
    ['serves', 'serves', 1_500],
  ])('%s names the first instances and counts all', (code, field, most) => {
    const instances = ids(most + 1);
    expect(said({ news: { ...quiet, [field]: instances } })).toEqual([{ code, instances: ids(most), count: most + 1 }]);
    expect(said({ news: { ...quiet, [field]: ['i-0'] } })).toEqual([{ code, instances: ['i-0'], count: 1 }]);
  });

  it('report a pool whose boots failed: why, until when it rests, and which instances ended', () => {
    const failed = {
      pool: 'spot-a',
      template: 'web',
      code: 'Client.InternalError',
      message: 'no key',
      atMs: nowMs,
      restsUntilMs: nowMs + 60_000,
      streak: 1,
    };
    expect(said({ news: { ...quiet, failedBoots: [{ ...failed, instances: ids(201) }] } })).toEqual([
      {
        code: 'boots-failed',
        pool: 'spot-a',
        awsCode: 'Client.InternalError',
        awsMessage: 'no key',
        untilMs: nowMs + 60_000,
        instances: ids(200),
        count: 201,
      },
    ]);
  });

  it('report a pool whose members never served: why, until when it rests, and which were given up', () => {
    const givenUp = { pool: 'spot-a', why: 'unhealthy' as never, untilMs: nowMs + 600_000 };
    expect(said({ news: { ...quiet, givenUp: [{ ...givenUp, instances: ids(51) }] } })).toEqual([
      { code: 'given-up', ...givenUp, instances: ids(50), count: 51 },
    ]);
  });

  it('include the news of breakers unchanged', () => {
    const news = { code: 'breaker-opened', key: 'x' } as never;
    expect(said({ news: { ...quiet, breakers: [news] } })).toEqual([news]);
  });

  it('name the Auto Scaling groups whose minimum keeps members: also one that holds more, because what is above it leaves now', () => {
    const asg = { max: 20, desired: 3, holds: [], suspended: [] };
    const asgs = [
      { ...asg, name: 'at', min: 3, held: 3 },
      { ...asg, name: 'below', min: 4, held: 3 },
      { ...asg, name: 'above', min: 2, held: 3 },
      { ...asg, name: 'none', min: 0, held: 0 },
    ];
    expect(said({ asgs }, { keptByMinimum: 2 })).toEqual([
      {
        code: 'kept-by-minimum',
        count: 2,
        asgs: [
          { asg: 'at', min: 3 },
          { asg: 'below', min: 4 },
          { asg: 'above', min: 2 },
        ],
      },
    ]);
  });

  it('report members that a minimum keeps when their number changes, and not that there are none any more', () => {
    const kept = (now: number | undefined, before?: number) =>
      said({ state: state(before === undefined ? {} : { keptByMinimum: before }) }, now === undefined ? {} : { keptByMinimum: now })?.length;
    expect([kept(1), kept(1, 1), kept(2, 1), kept(0, 1), kept(undefined, 1)]).toEqual([1, 0, 1, 0, 0]);
  });

  describe('of missing spares', () => {
    const spares = (missing: number, rest: { before?: number; placed?: number; unplaced?: number } = {}) =>
      said(
        { group: group({ spare: 2 }), state: state(rest.before === undefined ? {} : { sparesMissing: rest.before }) },
        { spares: { placed: rest.placed ?? 0, missing }, unplaced: rest.unplaced ?? 0 },
      );
    it('come when their number changes', () => {
      expect(spares(2)).toEqual([{ code: 'spares-missing', count: 2, of: 2 }]);
      expect(spares(1, { before: 2 })).toEqual([{ code: 'spares-missing', count: 1, of: 2 }]);
      expect(spares(2, { before: 2 })).toEqual([]);
      expect(spares(0, { before: 2 })).toEqual([]);
    });
    it('wait while some are launched, and while members of the size are missing', () => {
      expect(spares(1, { placed: 1 })).toEqual([]);
      expect(spares(2, { unplaced: 1 })).toEqual([]);
    });
  });
});
