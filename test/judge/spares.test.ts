import { describe, expect, it } from 'vitest';
import { needlessLaunch } from '../../sandbox/judge/rules/launches/needless-launch.ts';
import { earlierTierFirst } from '../../sandbox/judge/rules/launches/placement.ts';
import { sparesServe } from '../../sandbox/judge/rules/launches/spares.ts';
import { needlessRemoval } from '../../sandbox/judge/rules/removals/needless-removal.ts';
import { sizeIsHeld } from '../../sandbox/judge/rules/rest.ts';
import { returnsWhileWhole } from '../../sandbox/judge/rules/returns/returns.ts';
import { details } from './details.ts';
import { policy, react, type Script } from './histories.ts';

type Write = (script: Script) => void;

/** Two members on spot, and a policy that wants two, and so many to spare. */
const two =
  (spare: number, change: object = {}): Write =>
  (script) => {
    script.policy(0, 1, { ...policy, spare, ...change });
    script.desired(0, 2);
    script.member('i-1', { pool: 'spot-a' });
    script.member('i-2', { pool: 'spot-b' });
  };

/** Two members on demand and one on spot, where the size is one. */
const beyondOnDemand =
  (spare: number): Write =>
  (script) => {
    script.policy(0, 1, { ...policy, spare });
    script.desired(0, 1);
    for (const [instance, pool] of Object.entries({ 'i-1': 'od-b', 'i-2': 'od-b', 'i-3': 'spot-a' })) script.member(instance, { pool });
  };

const launches =
  (second: number, instance: string, pool: string, invocation = `i-${second}`): Write =>
  (script) => {
    script.react(second - 2, second + 2, invocation);
    script.launch(second, instance, { pool, by: react(invocation) });
  };

const serves =
  (second: number, instance: string): Write =>
  (script) =>
    script.serves(second, instance);

const all =
  (...parts: readonly Write[]): Write =>
  (script) => {
    for (const part of parts) part(script);
  };

describe('a launch above the size', () => {
  it('may be a spare on spot, as many as the policy wants', () => {
    const beside = (spare: number) => details(needlessLaunch, all(two(spare), launches(100, 'i-3', 'spot-a')));
    expect([beside(0), beside(1)].map((found) => found.length)).toEqual([1, 0]);
    const second = all(two(1), launches(100, 'i-3', 'spot-a'), launches(110, 'i-4', 'spot-b'));
    expect(details(needlessLaunch, second)).toHaveLength(1);
  });
  it('is no spare on demand', () => {
    expect(details(needlessLaunch, all(two(1), launches(100, 'i-3', 'od-b')))).toEqual([
      'with this launch, 3 members stay, expected at most 2, and 0 to spare for one on on-demand',
    ]);
  });
  it('may be on demand for the size, beside a spare of the same function', () => {
    const lost: Write = (script) => script.end(90, 'i-1');
    const both = all(two(1), lost, launches(100, 'i-3', 'spot-a', 'i-x'), launches(101, 'i-4', 'od-b', 'i-x'));
    expect(details(needlessLaunch, both)).toEqual([]);
    const apart = all(two(1), lost, launches(100, 'i-3', 'spot-a', 'i-x'), launches(120, 'i-4', 'od-b', 'i-y'));
    expect(details(needlessLaunch, apart)).toHaveLength(1);
  });
  it('is no return where it is a spare', () => {
    const oneOnDemand: Write = (script) => {
      script.policy(0, 1, { ...policy, spare: 1 });
      script.desired(0, 2);
      script.member('i-1', { pool: 'spot-a' });
      script.member('i-2', { pool: 'od-b' });
      script.at(40, { kind: 'out-of-service', instance: 'i-1', targetGroup: 'web', why: 'unhealthy', by: { kind: 'ec2' } });
    };
    expect(details(returnsWhileWhole, all(oneOnDemand, launches(100, 'i-3', 'spot-b')))).toEqual([]);
    expect(details(returnsWhileWhole, all(oneOnDemand, launches(100, 'i-3', 'spot-b'), launches(110, 'i-4', 'spot-b')))).toHaveLength(1);
  });
  it('passes over an earlier tier on demand where it may be a spare, and nowhere else', () => {
    const onDemandFirst = { capacity: { tiered: ['od-b', { spread: ['spot-a', 'spot-b'] }] } };
    const found = (spare: number, ...more: readonly Write[]) =>
      details(earlierTierFirst, all(two(spare, onDemandFirst), ...more, launches(100, 'i-3', 'spot-a'))).filter((text) => text.startsWith('i-3'))
        .length;
    expect(found(0)).toBe(1);
    expect(found(1)).toBe(0);
    // Its function knew that the size lacked a member.
    const warned: Write = (script) => {
      script.warn(90, 'i-1');
      script.react(91, 92, 'i-w', [{ about: 'warning', instance: 'i-1' }]);
    };
    expect(found(1, warned)).toBe(1);
    expect(found(1, (script) => script.warn(90, 'i-1'))).toBe(0);
    // Another one of the same function may be for the size.
    expect(found(1, warned, (script) => script.launch(100, 'i-4', { pool: 'od-b', by: react('i-100') }))).toBe(0);
  });
  it('has the excuses of a spare, or those of a move, and never both', () => {
    const tree = { capacity: { tiered: ['spot-a', 'od-b', 'spot-b'] }, return: { after: '10m' } };
    /** i-2 is in the worst place, and the first tier was warned about lately: a move leaves that out, and a spare does not. */
    const found = (spare: number, pool: string) =>
      details(earlierTierFirst, (script) => {
        script.policy(0, 1, { ...policy, ...tree, spare });
        script.desired(0, 2);
        script.member('i-1', { pool: 'od-b' });
        script.member('i-2', { pool: 'spot-b' });
        script.member('i-0', { pool: 'spot-a' });
        script.warn(40, 'i-0');
        script.react(41, 42, 'i-w', [{ about: 'warning', instance: 'i-0' }]);
        script.end(160, 'i-0');
        launches(400, 'i-3', pool)(script);
      }).filter((text) => text.startsWith('i-3')).length;
    expect(found(1, 'od-b')).toBe(0);
    expect(found(1, 'spot-b')).toBe(1);
    expect(found(1, 'spot-a')).toBe(0);
  });
});

describe('spares serve while spot gives', () => {
  it('breaks when none comes', () => {
    expect(details(sparesServe, two(1), { endedAtMs: 900_000 })).toHaveLength(1);
    expect(details(sparesServe, two(0), { endedAtMs: 900_000 })).toEqual([]);
  });
  it('holds when one serves in time', () => {
    expect(details(sparesServe, all(two(1), launches(100, 'i-3', 'spot-a'), serves(130, 'i-3')), { endedAtMs: 900_000 })).toEqual([]);
  });
  it('holds while a share is full with members that EC2 advises to replace and that nobody has claimed: the budget for advice may be spent', () => {
    const full = { maxShare: { instanceType: '100%' }, rebalance: { act: true, atMostPerHour: 0 } };
    const advised = (...claims: readonly Write[]) =>
      details(
        sparesServe,
        all(two(1, full), (script) => script.advise(90, 'i-1'), ...claims),
        { endedAtMs: 900_000 },
      ).length;
    expect(details(sparesServe, two(1, full), { endedAtMs: 900_000 })).toEqual([]);
    expect(advised()).toBe(0);
    // A member that is claimed makes room for what replaces it.
    expect(advised((script) => script.claim(92, 'i-1', 'i-91', 'waiting'))).toBe(1);
  });
  it('holds while spot gives none, and breaks when it gave one for long enough', () => {
    const capacity =
      (second: number, count: number): Write =>
      (script) => {
        for (const zone of ['z-a', 'z-b'])
          script.at(second, { kind: 'offering', instanceType: 't', zone, market: 'spot', capacity: count, priceUsdPerHour: 0.03 });
      };
    expect(details(sparesServe, all(capacity(1, 0), two(1)), { endedAtMs: 900_000 })).toEqual([]);
    expect(details(sparesServe, all(capacity(1, 0), two(1), capacity(300, 5)), { endedAtMs: 900_000 })).toHaveLength(1);
    expect(details(sparesServe, all(capacity(1, 0), two(1), capacity(800, 5)), { endedAtMs: 900_000 })).toEqual([]);
  });
  it('holds while each offering on spot rests because EC2 took spares there back at once, and not while another one gives', () => {
    const taken =
      (second: number, instance: string, pool: string): Write =>
      (script) => {
        launches(second, instance, pool)(script);
        script.warn(second + 10, instance);
        script.react(second + 11, second + 12, `w-${instance}`, [{ about: 'warning', instance }]);
        script.end(second + 40, instance);
      };
    const missing = (endS: number, ...more: readonly Write[]) => details(sparesServe, all(two(1), ...more), { endedAtMs: 1_000 * endS }).length;
    const ofFirst = [taken(300, 'i-3', 'spot-a'), taken(320, 'i-4', 'spot-a')];
    const ofSecond = [taken(340, 'i-5', 'spot-b'), taken(360, 'i-6', 'spot-b')];
    expect(missing(700, ...ofFirst, ...ofSecond)).toBe(0);
    expect(missing(700, ...ofFirst)).toBe(1);
    expect(missing(1_200, ...ofFirst, ...ofSecond)).toBe(1);
    expect(missing(1_200, ...ofFirst, ...ofSecond, launches(560, 'i-7', 'spot-a'), serves(590, 'i-7'))).toBe(0);
  });
});

describe('spares of a pool whose instances never served', () => {
  const givesUp =
    (second: number, pool: string): Write =>
    (script) =>
      script.at(second, { kind: 'announced', detailType: 'Holdfast Members Given Up', detail: { group: 'web', pool, decision: 'd' } });
  const missing = (...more: readonly Write[]) => details(sparesServe, all(two(1), ...more), { endedAtMs: 900_000 }).length;
  it('are not bought during its rest', () => {
    expect(missing(givesUp(90, 'spot-a'), givesUp(90, 'spot-b'))).toBe(0);
  });
  it('are bought in other pools, and after its rest', () => {
    expect(missing(givesUp(90, 'spot-a'))).toBe(1);
    const later = details(sparesServe, all(two(1), givesUp(90, 'spot-a'), givesUp(90, 'spot-b')), { endedAtMs: 1_400_000 });
    expect(later).toHaveLength(1);
  });
});

describe('spares below a breaker', () => {
  const guarded = { breaker: { interruptions: 2, within: '5m', hold: '10m' } };
  const opens =
    (second: number, untilSecond: number, breaker = 'spot'): Write =>
    (script) =>
      script.at(second, {
        kind: 'announced',
        detailType: 'Holdfast Breaker Opened',
        detail: { group: 'web', breaker, why: 'interruptions', untilMs: untilSecond * 1_000 },
      });
  const missing = (endS: number, ...more: readonly Write[]) =>
    details(sparesServe, all(two(2, guarded), ...more), { endedAtMs: 1_000 * endS }).length;
  it('are not bought while it is open, and are in time after', () => {
    expect(missing(900, opens(70, 690))).toBe(0);
    expect(missing(900, opens(70, 300))).toBe(1);
    expect(missing(1_200, opens(70, 690))).toBe(1);
    expect(missing(900, opens(70, 690, 'spot/x'))).toBe(1);
  });
  it('come one at a time while it is half-open', () => {
    const one = [opens(70, 690), launches(700, 'i-3', 'spot-a'), serves(730, 'i-3')];
    expect(missing(1_200, ...one)).toBe(0);
    expect(missing(1_500, ...one)).toBe(1);
    expect(missing(1_200, ...one, (script) => script.end(740, 'i-3'))).toBe(1);
  });
});

describe('nobody is removed without need', () => {
  const removed =
    (instance: string): Write =>
    (script) => {
      script.react(198, 202, 'i-r');
      script.claim(200, instance, 'i-r', 'leaving');
      script.takeOut(201, instance, react('i-r'));
      script.end(230, instance, react('i-r'));
    };
  it('keeps spares on spot, as many as the policy wants', () => {
    const found = (spare: number, ...more: readonly Write[]) =>
      details(needlessRemoval, all(two(spare), launches(100, 'i-3', 'spot-a'), serves(130, 'i-3'), ...more, removed('i-3'))).length;
    expect([found(0), found(1)]).toEqual([0, 1]);
    expect(found(1, launches(110, 'i-4', 'spot-b'), serves(140, 'i-4'))).toBe(0);
  });
  it('keeps no spare in a share that holds more than its limit', () => {
    const found = (instance: string, maxShare: object) =>
      details(needlessRemoval, all(two(1, { maxShare }), launches(100, 'i-3', 'spot-a'), serves(130, 'i-3'), removed(instance)));
    expect(found('i-3', { zone: '50%' })).toEqual([]);
    expect(found('i-2', { zone: '50%' })).toHaveLength(1);
    expect(found('i-3', { zone: '100%' })).toHaveLength(1);
    expect(details(needlessRemoval, all(two(1, { maxShare: { instanceType: '50%' } }), removed('i-2')))).toHaveLength(1);
  });
  it('keeps one on spot also where those above the size are on demand, unless it fails its checks', () => {
    const found = (spare: number, instance: string, ...more: readonly Write[]) =>
      details(needlessRemoval, all(beyondOnDemand(spare), ...more, removed(instance))).length;
    expect([found(1, 'i-3'), found(2, 'i-3')]).toEqual([0, 1]);
    expect(found(2, 'i-2')).toBe(0);
    const fails: Write = (script) => script.at(150, { kind: 'out-of-service', instance: 'i-3', targetGroup: 'web', why: 'unhealthy' } as never);
    expect(found(2, 'i-3', fails)).toBe(0);
  });
  it('keeps no member on demand above the size', () => {
    expect(details(needlessRemoval, all(two(1), launches(100, 'i-3', 'od-b'), serves(130, 'i-3'), removed('i-3')))).toEqual([]);
  });
});

describe('the size at rest', () => {
  it('has room for the spares of the policy, on spot', () => {
    const third = (pool: string) => all(two(1), launches(100, 'i-3', pool), serves(130, 'i-3'));
    expect(details(sizeIsHeld, third('spot-a'))).toEqual([]);
    expect(details(sizeIsHeld, all(two(0), launches(100, 'i-3', 'spot-a'), serves(130, 'i-3')))).toHaveLength(1);
    expect(details(sizeIsHeld, all(third('spot-a'), launches(140, 'i-4', 'spot-b'), serves(170, 'i-4')))).toHaveLength(1);
  });
  it('has room for a spare beside members on demand that nobody can end', () => {
    const found = (spare: number, refused: readonly string[]) =>
      details(
        sizeIsHeld,
        all(beyondOnDemand(spare), (script) => {
          for (const instance of refused) script.refuse(100, instance);
        }),
      );
    expect(found(2, ['i-1', 'i-2'])).toEqual([]);
    expect(found(1, ['i-1', 'i-2'])).toHaveLength(1);
    expect(found(2, ['i-1'])).toHaveLength(1);
    expect(found(2, ['i-1', 'i-3'])).toHaveLength(1);
  });
});
