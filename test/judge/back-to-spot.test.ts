import { describe, expect, it } from 'vitest';
import { onDemandIsGone, spreadsEvenOut } from '../../sandbox/judge/rules/returns/back-to-spot.ts';
import { nobodyReturnsTooSoon } from '../../sandbox/judge/rules/returns/too-soon.ts';
import { nothingRemembered } from '../../sandbox/judge/said/state-memory.ts';
import { details } from './details.ts';
import { policy, react, type Script, user } from './histories.ts';

type Write = (script: Script) => void;

const all =
  (...parts: readonly Write[]): Write =>
  (script) => {
    for (const part of parts) part(script);
  };

const hour = 3_600;

/** One member on spot, one on demand. */
const oneOnDemand =
  (change: object = {}): Write =>
  (script) => {
    script.policy(0, 1, { ...policy, size: 2, ...change });
    script.desired(0, 2);
    script.member('i-1', { pool: 'spot-a' });
    script.member('i-2', { pool: 'od-b' });
  };

const spotGives =
  (second: number, capacity: number): Write =>
  (script) => {
    for (const zone of ['z-a', 'z-b'])
      script.at(second, { kind: 'offering', instanceType: 't', zone, market: 'spot', capacity, priceUsdPerHour: 0.03 });
  };

describe('on-demand is gone in time after spot is back', () => {
  const found = (until: number, ...parts: readonly Write[]) => details(onDemandIsGone, all(...parts), { endedAtMs: 1_000 * until });

  it('breaks once the group was quiet for long enough, and not before', () => {
    expect(found(hour, oneOnDemand())).toEqual(['i-2 is on demand, and t/z-a/spot has capacity for one in an earlier tier']);
    expect(found(600, oneOnDemand())).toEqual([]);
  });
  it('holds while spot gives nothing, and breaks when it has given for long enough', () => {
    expect(found(hour, spotGives(0, 1), oneOnDemand())).toHaveLength(1);
    expect(found(hour, spotGives(0, 0), oneOnDemand())).toEqual([]);
    expect(found(2 * hour, spotGives(0, 0), oneOnDemand(), spotGives(hour, 5))).toHaveLength(1);
    expect(found(2 * hour, spotGives(0, 0), oneOnDemand(), spotGives(2 * hour - 300, 5))).toEqual([]);
  });
  it('holds where the member moved', () => {
    const moved: Write = (script) => {
      script.react(700, 704, 'i-m');
      script.launch(702, 'i-3', { pool: 'spot-b', by: react('i-m') });
      script.serves(730, 'i-3');
      script.claim(760, 'i-2', 'i-n', 'leaving');
      script.takeOut(761, 'i-2', react('i-n'));
      script.end(800, 'i-2', react('i-n'));
    };
    expect(found(hour, oneOnDemand(), moved)).toEqual([]);
  });
  it('holds for hours where an Auto Scaling group launched in exchange for others, because it may have undone moves', () => {
    const launched =
      (why: 'zones' | 'distribution' | 'risk' | 'size' | 'health'): Write =>
      (script) => {
        script.policy(0, 1, { ...policy, size: 2, asg: 'web-asg' });
        script.desired(0, 2);
        script.member('i-1', { pool: 'spot-a', asg: 'web-asg' });
        script.member('i-2', { pool: 'od-b', asg: 'web-asg', by: { kind: 'asg', asg: 'web-asg', why } });
      };
    expect(found(hour, launched('size'))).toHaveLength(1);
    expect(found(hour, launched('zones'))).toEqual([]);
    expect(found(hour, launched('distribution'))).toEqual([]);
    // Capacity Rebalancing replaces a member at risk by another one. A group that replaces an unhealthy one undoes no move.
    expect(found(hour, launched('risk'))).toEqual([]);
    expect(found(hour, launched('health'))).toHaveLength(1);
    const late: Write = (script) => script.desired(4 * hour, 2, 2);
    expect(found(5 * hour, launched('zones'), late, (script) => script.at(4 * hour, { kind: 'running', instance: 'i-1' }))).toHaveLength(1);
  });
  it('holds where the policy lets no member move, owes the member on demand, or does not act', () => {
    expect(found(hour, oneOnDemand({ return: false }))).toEqual([]);
    expect(found(hour, oneOnDemand({ onDemand: { floor: 1 } }))).toEqual([]);
    expect(found(hour, oneOnDemand({ mode: 'pause' }))).toEqual([]);
  });
  it('goes by the windows in which members may move', () => {
    const inWindow = (until: number, window: string, timezone = 'UTC') => found(until, oneOnDemand({ return: { window, timezone } }));
    expect(inWindow(2 * hour, '01:00-02:00')).toHaveLength(1);
    expect(inWindow(2 * hour, '02:00-03:00', 'Europe/Berlin')).toHaveLength(1);
    expect(inWindow(hour, '01:00-02:00')).toEqual([]);
    expect(inWindow(2 * hour, '02:00-03:00')).toEqual([]);
    // It was open only while the group was not quiet yet, or for a moment.
    expect(inWindow(2 * hour, '00:00-00:10')).toEqual([]);
    expect(inWindow(2 * hour, '01:00-01:02')).toEqual([]);
  });
  it('counts what Holdfast launched where others set the size, and nothing that the group launched', () => {
    const outside = { ...policy, asg: 'web-asg', size: { from: 'asg', min: 0, max: 6 }, scaling: [] };
    const sized =
      (by: ReturnType<typeof react> | typeof group, change: object = {}): Write =>
      (script) => {
        script.policy(0, 1, { ...outside, ...change });
        script.desired(0, 2);
        script.member('i-1', { pool: 'spot-a', asg: 'web-asg' });
        script.member('i-2', { pool: 'od-b', asg: 'web-asg', by });
      };
    const group = { kind: 'asg', asg: 'web-asg', why: 'size' } as const;
    expect(found(hour, sized(react('i-0')))).toEqual(['i-2 is on demand, and t/z-a/spot has capacity for one in an earlier tier']);
    expect(found(hour, sized(react('i-0'), { return: false }))).toEqual([]);
    expect(found(hour, sized(group))).toEqual([]);
  });
  it('waits for as long as the policy sets', () => {
    expect(found(hour, oneOnDemand({ return: { after: '2h' } }))).toEqual([]);
    expect(found(3 * hour, oneOnDemand({ return: { after: '2h' } }))).toHaveLength(1);
  });
  it('waits for the time of the budget after the table was restored, because what had moved is forgotten', () => {
    const restored: Write = (script) => script.at(3_000, { kind: 'step', step: 'state-restored', instances: [], groups: [], asgs: [] });
    const hourly = oneOnDemand({ return: { every: '1h' } });
    expect([found(1.5 * hour, hourly), found(3 * hour, hourly, restored)]).toMatchObject([{ length: 1 }, { length: 1 }]);
    expect(found(1.5 * hour, hourly, restored)).toEqual([]);
    // Due before the restore, and again after it.
    expect(found(1.5 * hour, oneOnDemand({ return: { every: '5m' } }), restored)).toHaveLength(2);
  });
  it('waits for a look after three losses had stopped all moves for an hour, and for no other losses', () => {
    const lost =
      (...seconds: readonly number[]): Write =>
      (script) => {
        for (const second of seconds) {
          script.launch(second - 200, `i-${second}`, { pool: 'spot-a' });
          script.warn(second, `i-${second}`);
          script.end(second + 120, `i-${second}`);
        }
      };
    const busyUntil =
      (last: number): Write =>
      (script) => {
        for (let second = 100; second <= last; second += 50) script.at(second, { kind: 'running', instance: 'i-1' });
      };
    const lostAt = (until: number, ...seconds: readonly number[]) => found(until, oneOnDemand(), lost(...seconds), busyUntil(4_850));
    expect(lostAt(5_700, 2_800, 3_600)).toHaveLength(1);
    expect(lostAt(5_700, 2_000, 2_800, 3_600)).toEqual([]);
    expect(lostAt(5_800, 2_000, 2_800, 3_600)).toHaveLength(1);
  });
  it('holds where on-demand is the member’s first tier', () => {
    expect(found(hour, oneOnDemand({ capacity: { tiered: ['od-b', { spread: ['spot-a', 'spot-b'] }] } }))).toEqual([]);
  });
  it('holds while the group is short', () => {
    const fails: Write = (script) =>
      script.at(40, { kind: 'out-of-service', instance: 'i-1', targetGroup: 'web', why: 'unhealthy', by: { kind: 'ec2' } });
    expect(found(hour, oneOnDemand(), fails)).toEqual([]);
  });
});

describe('spreads even out in time', () => {
  const found = (until: number, ...parts: readonly Write[]) => details(spreadsEvenOut, all(...parts), { endedAtMs: 1_000 * until });
  const held =
    (pools: readonly string[], change: object = {}): Write =>
    (script) => {
      script.policy(0, 1, { ...policy, size: pools.length, ...change });
      script.desired(0, pools.length);
      for (const [index, pool] of pools.entries()) script.member(`i-${index}`, { pool });
    };
  const uneven = ['spot-a', 'spot-a', 'spot-b', 'spot-a'];

  it('breaks once the group was quiet for long enough, and not before', () => {
    expect(found(hour, held(uneven))).toEqual(['i-0 is in a part with two members more than the part of t/z-b/spot, which has capacity for one']);
    expect(found(600, held(uneven))).toEqual([]);
  });
  it('holds where the parts are one apart', () => {
    expect(found(hour, held(uneven.slice(1)))).toEqual([]);
  });
  it('holds while the leaner part gives nothing', () => {
    const gone: Write = (script) =>
      script.at(0, { kind: 'offering', instanceType: 't', zone: 'z-b', market: 'spot', capacity: 1, priceUsdPerHour: 0.03 });
    expect(found(hour, gone, held(uneven))).toEqual([]);
  });
  it('holds where the policy lets no member move, and in a later tier', () => {
    expect(found(hour, held(uneven, { return: false }))).toEqual([]);
    expect(found(hour, held(uneven, { capacity: { tiered: ['od-b', { spread: ['spot-a', 'spot-b'] }] } }))).toEqual([]);
  });
  describe('and so do shares', () => {
    const weights = (a: number, b: number, c = 0) => ({
      pools: { ...policy.pools, 'spot-c': { market: 'spot', subnets: ['subnet-b'] } },
      capacity: { tiered: [{ weighted: [a, b, c].map((weight, index) => ({ use: `spot-${'abc'[index]}`, weight })) }, 'od-b'] },
    });
    const two = ['spot-a', 'spot-a', 'spot-a', 'spot-b'];

    it('breaks while a child is a whole member above its share, another one below, and that one gives', () => {
      expect(found(hour, held(two, weights(1, 1)))).toEqual([
        'i-0 is in a child that is a whole member above its share, and not in t/z-b/spot, which has capacity for one',
      ]);
      expect(found(600, held(two, weights(1, 1)))).toEqual([]);
      expect(found(hour, held(two, weights(3, 1)))).toEqual([]);
      expect(found(hour, held(two.slice(1), weights(1, 1)))).toEqual([]);
    });
    it('counts for the shares of what may give', () => {
      const full: Write = (script) =>
        script.at(0, { kind: 'offering', instanceType: 't', zone: 'z-b', market: 'spot', capacity: 1, priceUsdPerHour: 0.03 });
      expect(found(hour, full, held(two, weights(1, 1)))).toEqual([]);
      expect(found(hour, held([...two, 'spot-c', 'spot-c'], weights(1, 1, 1)))).toHaveLength(1);
    });
    it('holds where no member may move, and where the child below is on demand', () => {
      expect(found(hour, held(two, { ...weights(1, 1), return: false }))).toEqual([]);
      const onDemand = { capacity: { weighted: ['spot-a', 'od-b'].map((use) => ({ use, weight: 1 })) } };
      expect(found(hour, held(['spot-a', 'spot-a', 'spot-a'], onDemand))).toEqual([]);
      expect(found(hour, held(['od-b', 'od-b', 'od-b'], onDemand))).toHaveLength(1);
    });
  });
  it('waits for longer where EC2 took members of the group twice within a day, wherever they were', () => {
    /** Of each pool one member is warned so many seconds after the beginning. */
    const lost =
      (...taken: readonly (readonly [second: number, pool: string])[]): Write =>
      (script) => {
        for (const [second, pool] of taken) {
          const id = `i-${pool}-${second}`;
          script.launch(second - 1_900, id, { pool });
          script.warn(second, id);
          script.end(second + 120, id);
        }
      };
    const at = (...taken: readonly (readonly [number, string])[]) => found(2 * hour, held(uneven), lost(...taken));
    expect(at([2_000, 'spot-b'], [4_000, 'spot-b'])).toEqual([]);
    expect(at([2_000, 'spot-a'], [4_000, 'spot-b'])).toEqual([]);
    expect(at([2_000, 'spot-b'], [2_001, 'spot-b'], [2_060, 'spot-a'])).toHaveLength(1);
    expect(at([2_000, 'spot-b'])).toHaveLength(1);
    expect(at()).toHaveLength(1);
  });
});

describe('no member is returned twice within its back-off', () => {
  /** EC2 warns a member of spot-a after this many seconds, and Holdfast receives the warning. */
  const lost =
    (second: number, instance: string, livedSeconds: number, injected = false): Write =>
    (script) => {
      script.launch(second - livedSeconds, instance, { pool: 'spot-a' });
      script.warn(second, instance);
      script.react(second + 1, second + 3, `i-${instance}`, [{ about: 'warning', instance }], injected);
      script.end(second + 120, instance);
    };
  const moves =
    (second: number): Write =>
    (script) => {
      script.react(second - 1, second + 2, 'i-m');
      script.launch(second, 'i-9', { pool: 'spot-a', by: react('i-m') });
    };
  const found = (...parts: readonly Write[]) =>
    details(nobodyReturnsTooSoon, all(oneOnDemand(), ...parts), { endedAtMs: 20_000_000 }).filter((text) => text.startsWith('i-9'));

  it('is for the time that the policy waits after a warning', () => {
    expect(found(lost(2_000, 'i-5', 1_800), moves(2_590))).toHaveLength(1);
    expect(found(lost(2_000, 'i-5', 1_800), moves(2_610))).toEqual([]);
  });
  it('is for that time after a refusal that its decision knew, or for the rest of that, up to ten minutes', () => {
    const refused =
      (restMinutes: number, more: object = {}): Write =>
      (script) => {
        const lesson = { offering: 't/z-a/spot', kind: 'refused', code: 'InsufficientInstanceCapacity', atMs: 2_000_000 };
        const lessons = [{ ...lesson, coolingUntilMs: 2_000_000 + restMinutes * 60_000, ...more }];
        const written = { kind: 'state-written', group: 'web', version: 9, policyVersion: 1, desired: 2, bytes: 1_000, by: react('i-m') } as const;
        script.at(2_399, { ...written, lastReservation: 'r-i-9', memory: { ...nothingRemembered, lessons } });
      };
    const waits = (after: string): Write => oneOnDemand({ return: { after } });
    expect(found(waits('9m'), refused(3), moves(2_400))).toHaveLength(1);
    expect(found(waits('6m'), refused(3), moves(2_400))).toEqual([]);
    expect(found(waits('6m'), refused(12), moves(2_400))).toHaveLength(1);
    expect(found(waits('6m'), refused(12), moves(2_610))).toEqual([]);
    for (const other of [{ offering: 't/z-b/spot' }, { kind: 'advised' }]) expect(found(waits('9m'), refused(3, other), moves(2_400))).toEqual([]);
  });
  it('is twice that after a life that was too short, and four times after the second one', () => {
    expect(found(lost(2_000, 'i-5', 600), moves(3_190))).toHaveLength(1);
    expect(found(lost(2_000, 'i-5', 600), moves(3_210))).toEqual([]);
    const second = [lost(2_000, 'i-5', 600), lost(4_000, 'i-6', 600)];
    expect(found(...second, moves(6_390))).toHaveLength(1);
    expect(found(...second, moves(6_410))).toEqual([]);
  });
  it('counts from the latest of several losses that are one, whether the first was surely stored or not', () => {
    for (const injected of [false, true]) {
      const two = [lost(2_000, 'i-5', 600, injected), lost(2_100, 'i-6', 600)];
      expect(found(...two, moves(3_290))).toHaveLength(1);
      expect(found(...two, moves(3_310))).toEqual([]);
    }
  });
  it('counts no loss of a time in which the policy let nobody return', () => {
    const without =
      (fromS: number, untilS: number): Write =>
      (script) => {
        script.policy(fromS, 2, { ...policy, size: 2, return: false });
        script.policy(untilS, 3, { ...policy, size: 2 });
      };
    expect(found(without(1_900, 2_100), lost(2_000, 'i-5', 1_800), moves(2_590))).toEqual([]);
    expect(found(without(1_900, 1_999), lost(2_000, 'i-5', 1_800), moves(2_590))).toHaveLength(1);
    expect(found(without(2_010, 2_100), lost(2_000, 'i-5', 1_800), moves(2_590))).toHaveLength(1);
  });
  it('does not count a message about a warning that EC2 never sent', () => {
    const told =
      (isSent: boolean): Write =>
      (script) => {
        script.launch(1_400, 'i-5', { pool: 'spot-a' });
        if (isSent) script.warn(2_000, 'i-5');
        script.react(2_001, 2_002, 'i-told', [{ about: 'warning', instance: 'i-5' }]);
      };
    expect(found(told(true), moves(2_300))).toHaveLength(1);
    expect(found(told(false), moves(2_300))).toEqual([]);
  });
  it('begins anew after a life that was long enough', () => {
    expect(found(lost(2_000, 'i-5', 600), lost(4_000, 'i-6', 1_500), moves(4_610))).toEqual([]);
  });
  it('ends all moves after three such lives within an hour', () => {
    const three = [2_000, 2_800, 3_600].map((second, index) => lost(second, `i-${5 + index}`, 200));
    const elsewhere =
      (second = 5_595): Write =>
      (script) => {
        script.react(second - 5, second + 2, 'i-m');
        script.launch(second, 'i-9', { pool: 'spot-b', by: react('i-m') });
      };
    expect(found(...three, elsewhere())).toHaveLength(1);
    expect(found(...three.slice(1), elsewhere())).toEqual([]);
    // One that follows the first within three minutes is the same loss, also when that one is an hour old.
    const four = [...three, lost(2_150, 'i-8', 200)];
    expect(found(...four, elsewhere())).toHaveLength(1);
    expect(found(...four, elsewhere(5_650))).toEqual([]);
    expect(found(...three, lost(2_300, 'i-8', 200), elsewhere(5_650))).toHaveLength(1);
  });
  it('is not required of an instance that its Auto Scaling group had begun to end before the warning', () => {
    const ends =
      (second: number): Write =>
      (script) =>
        script.at(second, { kind: 'hook-waits', instance: 'i-5', asg: 'web-asg', hook: 'drain', expiresAtMs: 4_000_000 });
    expect(found(lost(2_000, 'i-5', 600), ends(1_900), moves(2_300))).toEqual([]);
    expect(found(lost(2_000, 'i-5', 600), ends(2_050), moves(2_300))).toHaveLength(1);
  });
  it('is not required of an instance that its user had taken out of its Auto Scaling group before the warning', () => {
    const leaves =
      (second: number, by = user): Write =>
      (script) => {
        script.at(1_500, { kind: 'joined', instance: 'i-5', asg: 'web-asg', by: user });
        script.at(second, { kind: 'left', instance: 'i-5', asg: 'web-asg', how: 'detached', by });
      };
    expect(found(lost(2_000, 'i-5', 600), leaves(1_900), moves(2_300))).toEqual([]);
    expect(found(lost(2_000, 'i-5', 600), leaves(2_050), moves(2_300))).toHaveLength(1);
    expect(found(lost(2_000, 'i-5', 600), leaves(1_900, react('i-d')), moves(2_300))).toHaveLength(1);
  });
  it('is not judged where the warning may not be stored, or where the state was lost', () => {
    expect(found(lost(2_000, 'i-5', 600, true), moves(2_300))).toEqual([]);
    const forgets: Write = (script) => script.at(2_200, { kind: 'state-deleted', group: 'web', by: { kind: 'user' } });
    expect(found(lost(2_000, 'i-5', 600), forgets, moves(2_300))).toEqual([]);
  });
});
