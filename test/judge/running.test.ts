import { describe, expect, it } from 'vitest';
import type { Actor, History } from '../../sandbox/judge/history.ts';
import { asgsPutBack, raisesEndSoon, strangeAsgs } from '../../sandbox/judge/rules/auto-scaling/put-back.ts';
import { callsAreBounded, idleWritesNothing, noStorm } from '../../sandbox/judge/rules/calls.ts';
import { functionsAnswer, functionsAreQuick, functionsWait, itemsAreSmall, rightsSuffice } from '../../sandbox/judge/rules/functions.ts';
import { requestedSoon } from '../../sandbox/judge/rules/launches/requested.ts';
import { servesAgain } from '../../sandbox/judge/rules/launches/serving.ts';
import { cameToRest, nobodyForgotten, nothingOpen, sizeIsHeld } from '../../sandbox/judge/rules/rest.ts';
import { toldOnTheBus } from '../../sandbox/judge/rules/said/announced.ts';
import { everythingExplained } from '../../sandbox/judge/rules/said/explained.ts';
import { excusesAreTrue, reasonsAreTrue } from '../../sandbox/judge/rules/said/said.ts';
import { timesAreTrue } from '../../sandbox/judge/rules/said/swap-ends.ts';
import { details } from './details.ts';
import { type LaunchOptions, policy, react, type Script, spec, twoServe, user } from './histories.ts';

const attached = { ...policy, asg: 'web-asg' };
const asg = (script: Script, second: number, max: number, by = react('i-a'), desired = 0): void =>
  script.at(second, { kind: 'asg-changed', asg: 'web-asg', min: 1, max, desired, suspended: [], by });

describe('Auto Scaling groups', () => {
  const left = (write: (script: Script) => void, changes = {}) =>
    details(
      asgsPutBack,
      (script) => {
        script.policy(0, 1, attached);
        script.member('i-1', { asg: 'web-asg' });
        write(script);
      },
      changes,
    );
  it('are left as their owners set them last', () => {
    const raised = (script: Script) => asg(script, 100, 6, react('i-a'), 1);
    expect(left(raised)).toEqual(['web-asg: its maximum is 6, its owner set 4']);
    expect(
      left((script) => {
        raised(script);
        asg(script, 200, 4, react('i-b'), 1);
      }),
    ).toEqual([]);
    expect(
      left((script) => {
        raised(script);
        asg(script, 150, 9, user, 1);
      }),
    ).toEqual([]);
    expect(
      left((script) => {
        asg(script, 150, 9, user, 1);
        asg(script, 200, 4, react('i-b'), 1);
      }),
    ).toEqual(['web-asg: its maximum is 4, its owner set 9']);
    expect(left((script) => asg(script, 100, 4, react('i-a'), 3))).toEqual(['web-asg: its desired capacity is 3, and it holds 1']);
  });
  it('are left with the processes suspended that their owner suspended last', () => {
    const numbers = { kind: 'asg-changed', asg: 'web-asg', min: 1, max: 4, desired: 1 } as const;
    const suspendedBy = (script: Script, second: number, suspended: readonly string[], by: typeof user | ReturnType<typeof react>): void =>
      script.at(second, { ...numbers, suspended, by });
    const ends = (resumed: readonly string[] | undefined) =>
      left((script) => {
        suspendedBy(script, 100, ['Launch', 'Terminate'], user);
        suspendedBy(script, 110, ['Launch'], react('i-a'));
        if (resumed !== undefined) script.at(120, { ...numbers, suspended: ['Launch'], resumed, by: user });
      });
    expect(ends(undefined)).toEqual(['web-asg: its suspended processes are Launch, its owner set Launch,Terminate']);
    expect(ends(['AZRebalance'])).toEqual(ends(undefined));
    expect(ends(['Terminate'])).toEqual([]);
    expect(ends(['Launch', 'Terminate'])).toEqual(['web-asg: its suspended processes are Launch, its owner set none']);
  });
  it('stay raised to a size that has outgrown the maximum, and no further', () => {
    const stays = (size: number, max: number, document: object = attached) => {
      const write = (script: Script) => {
        script.policy(2, 2, document as typeof attached);
        script.desired(3, size);
        asg(script, 100, max, react('i-a'), 1);
      };
      const stored = { ...swap({}).stored, swaps: [], states: { web: { raised: [{ asg: 'web-asg' }] } } };
      return [left(write).length, details(nothingOpen, write, { stored }).length];
    };
    expect(stays(6, 6)).toEqual([0, 0]);
    expect(stays(6, 7)).toEqual([1, 1]);
    expect(stays(4, 6)).toEqual([1, 1]);
    expect(stays(6, 6, policy)).toEqual([1, 1]);
  });
  it('stay raised where their group was let go while they wanted and held more, and no further', () => {
    const stays = ({ max = 5, desired = 5, held = 5, isLetGo = true }) => {
      const write = (script: Script) => {
        for (let index = 2; index <= held; index += 1) script.member(`i-${index}`, { asg: 'web-asg' });
        asg(script, 100, max, react('i-a'), desired);
        if (isLetGo) script.letGo(110);
      };
      const stored = { ...swap({}).stored, swaps: [], states: { web: { raised: [{ asg: 'web-asg' }] } } };
      const whole = (script: Script) => {
        script.policy(0, 1, attached);
        script.member('i-1', { asg: 'web-asg' });
        write(script);
      };
      return [left(write).length, details(nothingOpen, whole, { stored }).length];
    };
    expect(stays({})).toEqual([0, 0]);
    expect(stays({ max: 6 })).toEqual([1, 1]);
    expect(stays({ desired: 4, held: 4 })).toEqual([1, 1]);
    expect(stays({ held: 4 })).toEqual([1, 1]);
    expect(stays({ isLetGo: false })).toEqual([1, 1]);
  });
  it('stay raised where they are pools, as far as no pool with capacity has room', () => {
    const pools = ['a', 'b'].map((zone) => ({
      ...{ name: `pool-${zone}`, launchTemplate: 'web', subnets: [`subnet-${zone}`], instanceTypes: ['t'], market: 'spot' as const },
      ...{ min: 0, max: 2, desired: 0 },
    }));
    const document = { ...policy, capacity: { spread: ['a', 'b'] }, pools: { a: { asg: 'pool-a' }, b: { asg: 'pool-b' } } };
    const stays = ({ size = 3, max = 3, capacityInB = 0 }) =>
      details(
        asgsPutBack,
        (script) => {
          script.policy(0, 1, document as unknown as typeof policy);
          script.desired(0, size);
          for (const instance of ['i-1', 'i-2', 'i-3']) script.member(instance, { pool: 'spot-a', asg: 'pool-a' });
          script.at(50, { kind: 'asg-changed', asg: 'pool-a', min: 0, max, desired: 3, suspended: ['AZRebalance'], by: react('i-a') });
          script.at(50, { kind: 'offering', instanceType: 't', zone: 'z-b', market: 'spot', capacity: capacityInB, priceUsdPerHour: 0.03 });
        },
        { spec: { ...spec, autoScalingGroups: pools } },
      );
    expect(stays({})).toEqual([]);
    expect(stays({ capacityInB: 1 })).toEqual(['pool-a: its maximum is 3, its owner set 2']);
    expect(stays({ max: 4 })).toHaveLength(1);
    expect(stays({ size: 2 })).toHaveLength(1);
  });
  it('are raised for no longer than needed', () => {
    const raisedUntil = (second: number) =>
      details(
        raisesEndSoon,
        (script) => {
          script.policy(0, 1, attached);
          asg(script, 100, 6);
          asg(script, second, 4);
        },
        { endedAtMs: 1_000_000 },
      );
    expect(raisedUntil(250)).toEqual([]);
    expect(raisedUntil(400)).toHaveLength(1);
  });
  it('are raised while they hold more than their owners set, and for as long as they may refill themselves', () => {
    const raisedUntil = (second: number, leftAt: number) =>
      details(
        raisesEndSoon,
        (script) => {
          script.policy(0, 1, attached);
          for (const n of [1, 2, 3, 4, 5]) script.member(`i-${n}`, { asg: 'web-asg' });
          asg(script, 100, 6, react('i-a'), 5);
          if (leftAt > 0) script.at(leftAt, { kind: 'left', instance: 'i-1', asg: 'web-asg', how: 'terminating', by: { kind: 'ec2' } });
          asg(script, second, 4, react('i-b'), 4);
        },
        { endedAtMs: 1_000_000 },
      );
    expect(raisedUntil(900, 0)).toEqual([]);
    expect(raisedUntil(600, 400)).toEqual([]);
    expect(raisedUntil(800, 400)).toHaveLength(1);
  });
  it('are raised no longer than they may take to refill themselves, though they do so in the end', () => {
    const refilled = (second: number) =>
      details(
        raisesEndSoon,
        (script) => {
          script.policy(0, 1, attached);
          for (const n of [1, 2, 3, 4]) script.member(`i-${n}`, { asg: 'web-asg' });
          asg(script, 100, 6, react('i-a'), 5);
          script.launch(second, 'i-5', { asg: 'web-asg', by: { kind: 'asg', asg: 'web-asg', why: 'size' } });
          asg(script, second + 30, 4, react('i-b'), 4);
        },
        { endedAtMs: 1_000_000 },
      );
    expect(refilled(300)).toEqual([]);
    expect(refilled(500)).toHaveLength(1);
  });
  it('are raised while a member of Holdfast waits to join, and not for one that has left', () => {
    const raisedFor = (write: (script: Script) => void) =>
      details(
        raisesEndSoon,
        (script) => {
          script.policy(0, 1, attached);
          script.launch(80, 'i-5');
          asg(script, 100, 6);
          write(script);
          asg(script, 510, 4);
        },
        { endedAtMs: 1_000_000 },
      );
    const joins = (second: number) => (script: Script) => script.at(second, { kind: 'joined', instance: 'i-5', asg: 'web-asg', by: react('i-a') });
    expect(raisedFor(joins(500))).toEqual([]);
    expect(raisedFor(joins(95))).toHaveLength(1);
    const returns = (script: Script) => {
      joins(95)(script);
      script.at(105, { kind: 'left', instance: 'i-5', asg: 'web-asg', how: 'detached', by: user });
      joins(500)(script);
    };
    expect(raisedFor(returns)).toHaveLength(1);
  });
  it('are touched only where a policy names them', () => {
    const changed = (name: string) =>
      details(strangeAsgs, (script) => {
        script.policy(0, 1, attached);
        script.at(100, { kind: 'asg-changed', asg: name, min: 0, max: 1, desired: 1, suspended: [], by: react('i-a') });
      });
    expect(changed('web-asg')).toEqual([]);
    expect(changed('others')).toHaveLength(1);
  });
});

describe('time to serve', () => {
  const lost = (servesAtSecond: number, write: (script: Script) => void = () => undefined) =>
    details(
      servesAgain,
      (script) => {
        twoServe(script);
        script.end(100, 'i-1');
        write(script);
        script.launch(servesAtSecond - 30, 'i-3');
        script.serves(servesAtSecond, 'i-3');
      },
      { endedAtMs: 1_000_000 },
    );
  it('is counted from the trouble', () => {
    expect(lost(270)).toEqual([]);
    expect(lost(300)).toEqual(['1 serve, expected 2, 200 s after i-1 stopped serving']);
  });
  it('goes on while reads fail that only improve a decision, unless they alone show the loss', () => {
    const throttle = (operation: string | undefined, kind = 'throttle') => ({
      on: 'call',
      kind,
      match: operation === undefined ? {} : { operation },
    });
    const late = (fault: unknown, trouble: (script: Script) => void = (script) => script.end(100, 'i-1')) =>
      details(
        servesAgain,
        (script) => {
          twoServe(script);
          trouble(script);
          script.launch(400, 'i-3');
          script.serves(430, 'i-3');
        },
        { endedAtMs: 1_000_000, faults: [{ fault, fromMs: 0, untilMs: 390_000 }] as History['faults'] },
      );
    expect(late(throttle('DescribeTargetHealth'))).toEqual(['1 serve, expected 2, 330 s after i-1 stopped serving']);
    expect(late(throttle('DescribeSpotPriceHistory'))).toHaveLength(1);
    for (const fault of [throttle('DescribeInstances'), throttle(undefined), throttle('DescribeTargetHealth', 'delay'), { on: 'event' }])
      expect(late(fault)).toEqual([]);
    const unhealthy = (script: Script): void =>
      script.at(100, { kind: 'out-of-service', instance: 'i-1', targetGroup: 'web', why: 'unhealthy', by: { kind: 'ec2' } });
    expect(late(throttle('DescribeTargetHealth'), unhealthy)).toEqual([]);
  });
  it('begins for a member at risk that drains first when it has drained, but not while others are missing, or beyond maxSurge', () => {
    const drains = (servesAtSecond: number, order: string, more: (script: Script) => void = () => undefined, maxSurge = 1) =>
      details(
        servesAgain,
        (script) => {
          twoServe(script);
          script.policy(40, 2, { ...policy, drain: { ...policy.drain, timeout: '10m' }, swap: { order, maxSurge } });
          script.advise(90, 'i-1');
          more(script);
          script.takeOut(100, 'i-1', react('i-drain'));
          script.end(700, 'i-1', react('i-end'));
          script.launch(servesAtSecond - 30, 'i-3');
          script.serves(servesAtSecond, 'i-3');
        },
        { endedAtMs: 1_000_000, spec: { ...spec, targetGroups: spec.targetGroups.map((one) => ({ ...one, deregistrationDelaySeconds: 600 })) } },
      );
    expect(drains(870, 'drain-first')).toEqual([]);
    expect(drains(900, 'drain-first')).toEqual(['1 serve, expected 2, 200 s after i-1 had drained']);
    expect(drains(870, 'launch-first')).toEqual(['1 serve, expected 2, 600 s after i-1 stopped serving']);
    const alsoLost = (script: Script): void => {
      script.end(95, 'i-2');
      script.launch(100, 'i-4');
      script.serves(130, 'i-4');
    };
    expect(drains(870, 'drain-first', alsoLost)).toEqual(['1 serve, expected 2, 605 s after i-2 stopped serving']);
    expect(drains(870, 'drain-first', alsoLost, 2)).toEqual([]);
    expect(drains(900, 'drain-first', alsoLost, 2)).toEqual(['1 serve, expected 2, 200 s after i-1 had drained']);
    expect(drains(870, 'launch-first', alsoLost, 2)).toEqual(['1 serve, expected 2, 605 s after i-2 stopped serving']);
    expect(drains(870, 'drain-first', (script) => script.end(95, 'i-2'), 2)[0]).toBe('0 serve, expected 2, 605 s after i-2 stopped serving');
  });
  it('of a member that Holdfast ends stays when an unhealthy member serves again', () => {
    const flaps = (servesAtSecond: number, order: string, backAtSecond = 250) =>
      details(
        servesAgain,
        (script) => {
          twoServe(script);
          script.policy(40, 2, { ...policy, swap: { order, maxSurge: 2 } });
          script.advise(85, 'i-1');
          script.at(95, { kind: 'out-of-service', instance: 'i-2', targetGroup: 'web', why: 'unhealthy', by: { kind: 'ec2' } });
          script.takeOut(100, 'i-1', react('i-drain'));
          script.end(120, 'i-1', react('i-end'));
          script.at(backAtSecond, { kind: 'in-service', instance: 'i-2', targetGroup: 'web' });
          script.launch(servesAtSecond - 30, 'i-3');
          script.serves(servesAtSecond, 'i-3');
        },
        { endedAtMs: 1_000_000 },
      );
    expect(flaps(290, 'drain-first')).toEqual([]);
    expect(flaps(400, 'drain-first')).toEqual(['1 serve, expected 2, 280 s after i-1 had drained']);
    expect(flaps(270, 'launch-first')).toEqual([]);
    expect(flaps(400, 'launch-first')).toEqual(['1 serve, expected 2, 305 s after i-2 stopped serving']);
  });
  it('of a member at risk is no time of another one that Holdfast ends meanwhile', () => {
    const ends = (lastServesAtSecond: number, isAlsoAtRisk = false) =>
      details(
        servesAgain,
        (script) => {
          twoServe(script);
          for (const instance of ['i-3', 'i-4', 'i-5']) script.member(instance);
          script.policy(40, 2, { ...policy, swap: { order: 'drain-first', maxSurge: 3 } });
          script.desired(41, 5, 2);
          for (const instance of ['i-1', ...(isAlsoAtRisk ? ['i-3'] : [])]) script.advise(85, instance);
          for (const [second, instance] of [[95, 'i-2'] as const, [96, 'i-5'] as const]) script.end(second, instance);
          const replaced = [[130, 'i-6'] as const, [150, 'i-7'] as const, [lastServesAtSecond, 'i-8'] as const, [lastServesAtSecond, 'i-9'] as const];
          for (const [outAtSecond, instance] of [[100, 'i-1'] as const, [140, 'i-3'] as const]) {
            script.takeOut(outAtSecond, instance, react('i-drain'));
            script.end(outAtSecond + 20, instance, react('i-end'));
          }
          for (const [second, instance] of replaced) {
            script.launch(second - 20, instance);
            script.serves(second, instance);
          }
        },
        { endedAtMs: 1_000_000 },
      );
    expect(ends(270)).toEqual([]);
    expect(ends(290)).toEqual(['3 serve, expected 5, 195 s after i-2 stopped serving']);
    expect(ends(290, true)).toEqual([]);
    expect(ends(310, true)[0]).toBe('3 serve, expected 5, 190 s after i-1 had drained');
  });
  describe('of a warned member that serves on while others are lost', () => {
    const warnedSince = (
      firstServesAtSecond: number,
      lastServesAtSecond: number,
      { lostAtSecond = 150, isSmaller = false, areBothWarned = false } = {},
    ) =>
      details(
        servesAgain,
        (script) => {
          script.policy(0, 1);
          script.desired(0, 3);
          for (const instance of ['i-0', 'i-1', 'i-2']) script.member(instance, { pool: 'spot-a' });
          script.warn(100, 'i-1');
          if (areBothWarned) script.warn(101, 'i-0');
          script.end(lostAtSecond, 'i-2');
          if (isSmaller) script.desired(firstServesAtSecond, 2);
          else {
            script.launch(120, 'i-3');
            script.serves(firstServesAtSecond, 'i-3');
          }
          script.end(firstServesAtSecond + 10, 'i-1');
          if (areBothWarned) script.end(firstServesAtSecond + 10, 'i-0');
          for (const instance of areBothWarned ? ['i-4', 'i-5'] : ['i-4']) {
            script.launch(160, instance);
            script.serves(lastServesAtSecond, instance);
          }
        },
        { endedAtMs: 1_000_000 },
      );
    it('ends with the first new member after its warning, and the time of the other goes on', () => {
      expect(warnedSince(200, 320)).toEqual([]);
      expect(warnedSince(200, 340)).toEqual(['2 serve, expected 3, 190 s after i-2 stopped serving']);
    });
    it('goes on if that member came too late for it, if the other was lost before, or if only the size shrank', () => {
      const late = ['2 serve, expected 3, 220 s after i-1 was warned'];
      expect(warnedSince(290, 320)).toEqual(late);
      expect(warnedSince(200, 320, { lostAtSecond: 95 })).toEqual(late);
      expect(warnedSince(200, 320, { isSmaller: true })).toEqual(['1 serve, expected 2, 220 s after i-1 was warned']);
    });
    it('ends for one warned member with each new one', () => {
      expect(warnedSince(200, 270, { areBothWarned: true })).toEqual([]);
      expect(warnedSince(200, 320, { areBothWarned: true })).toEqual(['1 serve, expected 3, 219 s after i-0 was warned']);
    });
  });
  it('begins anew for each member at risk that drains first, once only such members are missing', () => {
    const inTurn = (servesAtSecond: number, lostToo = false, maxSurge = 1) =>
      details(
        servesAgain,
        (script) => {
          twoServe(script);
          script.policy(40, 2, { ...policy, swap: { order: 'drain-first', maxSurge } });
          for (const instance of ['i-1', 'i-2']) script.advise(90, instance);
          for (const [second, instance] of [[100, 'i-1'] as const, [155, 'i-2'] as const]) {
            if (lostToo && second === 100) script.end(100, instance);
            else {
              script.takeOut(second, instance, react('i-drain'));
              script.end(second + 20, instance, react('i-end'));
            }
          }
          script.launch(130, 'i-3');
          script.serves(160, 'i-3');
          script.launch(180, 'i-4');
          script.serves(servesAtSecond, 'i-4');
        },
        { endedAtMs: 1_000_000 },
      );
    expect(inTurn(340, false, 2)).toEqual([]);
    expect(inTurn(380, false, 2)).toEqual(['1 serve, expected 2, 205 s after i-2 had drained']);
    expect(inTurn(340)).toEqual(['1 serve, expected 2, 220 s after i-1 had drained']);
    expect(inTurn(340, true)).toEqual(['1 serve, expected 2, 240 s after i-1 stopped serving']);
    expect(inTurn(340, true, 2)).toEqual([]);
    expect(inTurn(380, true, 2)).toEqual(['1 serve, expected 2, 205 s after i-2 had drained']);
  });
  describe('of members that drain first, each before the ones before it are replaced,', () => {
    const rolling = (maxSurge: number, servesAtSeconds: readonly number[], isAtRisk = true) =>
      details(
        servesAgain,
        (script) => {
          twoServe(script);
          script.member('i-3');
          script.policy(40, 2, { ...policy, swap: { order: 'drain-first', maxSurge } });
          script.desired(41, 3, 2);
          for (const instance of ['i-1', 'i-3', ...(isAtRisk ? ['i-2'] : [])]) script.advise(85, instance);
          for (const [second, instance] of [[100, 'i-1'] as const, [150, 'i-2'] as const, [160, 'i-3'] as const]) {
            script.takeOut(second, instance, react('i-drain'));
            script.end(second + 20, instance, react('i-end'));
          }
          for (const [index, second] of servesAtSeconds.entries()) {
            script.launch(second - 30, `i-${index + 4}`);
            script.serves(second, `i-${index + 4}`);
          }
        },
        { endedAtMs: 1_000_000 },
      );
    it('is its own within maxSurge', () => {
      expect(rolling(3, [290, 340, 350])).toEqual([]);
      expect(rolling(3, [290, 340, 380])).toEqual(['2 serve, expected 3, 200 s after i-3 had drained']);
    });
    it('is that of the oldest beyond maxSurge', () => {
      expect(rolling(1, [290, 294, 298])).toEqual([]);
      expect(rolling(1, [290, 340, 350])).toEqual(['1 serve, expected 3, 220 s after i-1 had drained']);
      expect(rolling(2, [290, 298, 340])).toEqual([]);
      expect(rolling(2, [290, 340, 350])).toEqual(['1 serve, expected 3, 220 s after i-1 had drained']);
    });
    it('is that of a member that leaves for another reason, beyond maxSurge, and of the one that drained before it', () => {
      expect(rolling(3, [290, 298, 350], false)).toEqual([]);
      expect(rolling(3, [290, 340, 350], false)).toEqual(['1 serve, expected 3, 220 s after i-1 had drained']);
    });
  });
  it('is counted for the present desired size, and for the smaller of two where it is unclear which one others want', () => {
    const outside = { ...attached, size: { from: 'asg', min: 0, max: 6 }, scaling: [] };
    const wants = (document: object, write: (script: Script) => void) =>
      details(
        servesAgain,
        (script) => {
          script.policy(0, 1, { ...policy, ...document });
          for (const instance of ['i-1', 'i-2']) script.member(instance, { asg: 'web-asg' });
          write(script);
        },
        { endedAtMs: 1_000_000 },
      );
    const sized = (from: number, until: number) => (script: Script) => {
      script.desired(0, from);
      script.desired(100, until);
    };
    expect(wants({}, sized(2, 3))).toEqual(['2 serve, expected 3, 900 s after 3 are wanted']);
    expect(wants({}, sized(2, 2))).toEqual([]);
    expect(wants({}, () => undefined)).toEqual([]);
    const set = (lookedAt: number) => (script: Script) => {
      const look = { kind: 'called', invocation: 'i-a', function: 'react', service: 'autoscaling', operation: 'DescribeAutoScalingGroups' } as const;
      script.at(lookedAt, { ...look, askedAtMs: 1_000 * lookedAt, outcome: 'ok', applied: true, isMutating: false });
      asg(script, 100, 4, user, 3);
      script.at(100, { kind: 'size-written', asg: 'web-asg', found: 2, size: 3, how: 'set', covers: [], by: user });
      asg(script, 105, 4, react('i-a'), 2);
      script.policy(110, 2, outside);
    };
    expect(wants(outside, set(98))).toEqual([]);
    expect(wants(outside, set(104))).toHaveLength(1);
  });
  it('begins anew for a further loss, and not for an end of our own', () => {
    const further = (ours: boolean) =>
      lost(420, (script) => {
        if (ours) script.takeOut(250, 'i-2', react('i-a'));
        else script.end(250, 'i-2');
        script.launch(240, 'i-5');
        script.serves(270, 'i-5');
      });
    expect(further(false)).toEqual([]);
    expect(further(true)).toHaveLength(1);
  });
  it('holds where nothing could give', () => {
    const found = lost(500, (script) => {
      const none = (second: number, capacity: number | null) => {
        for (const zone of ['z-a', 'z-b'])
          for (const market of ['spot', 'on-demand'] as const)
            script.at(second, { kind: 'offering', instanceType: 't', zone, market, capacity, priceUsdPerHour: 1 });
      };
      none(99, 0);
      none(400, 10);
    });
    expect(found).toEqual([]);
  });
  it('requires replacements soon after a warning was received', () => {
    const asked = (second: number) =>
      details(requestedSoon, (script) => {
        twoServe(script);
        script.warn(100, 'i-1');
        script.react(101, 105, 'i-a', [{ about: 'warning', instance: 'i-1' }]);
        script.launch(second, 'i-3', { by: react('i-a') });
      });
    expect(asked(105)).toEqual([]);
    expect(asked(140)).toHaveLength(1);
  });
  it('does not count a member that the function had claimed as one that fills a share', () => {
    const asked = (second: number, claimedBy?: string) =>
      details(requestedSoon, (script) => {
        script.policy(0, 1, { ...policy, maxShare: { instanceType: '100%' } });
        script.desired(0, 2);
        for (const one of ['i-1', 'i-2']) script.member(one);
        script.warn(100, 'i-1');
        script.react(101, 105, 'i-a', [{ about: 'warning', instance: 'i-1' }]);
        if (claimedBy !== undefined) script.claim(102, 'i-1', claimedBy);
        script.launch(second, 'i-3', { by: react('i-a') });
      });
    for (const late of [120, 140, 200]) expect(asked(late, 'i-a')).toHaveLength(1);
    expect(asked(105, 'i-a')).toEqual([]);
    // Nobody says that the function which looked knew of it.
    for (const other of [undefined, 'i-other']) expect(asked(140, other)).toEqual([]);
  });
  it('requires the replacement of a member that ended unannounced soon after its event was received', () => {
    type Heard = {
      readonly state?: string;
      readonly by?: Actor;
      readonly atSecond?: number;
      readonly agoSeconds?: number;
      readonly injected?: boolean;
    };
    const asked = (second: number, { state = 'stopping', by, atSecond = 101, agoSeconds = 1, injected = false }: Heard = {}) =>
      details(requestedSoon, (script) => {
        twoServe(script);
        script.end(100, 'i-1', by);
        script.at(atSecond, { kind: 'invocation-began', invocation: 'i-a', function: 'react' });
        script.at(atSecond, {
          ...{ kind: 'delivered', invocation: 'i-a', function: 'react', message: 'i-a-0' },
          ...{ told: { about: 'state', instance: 'i-1', state }, happenedAtMs: 1_000 * (atSecond - agoSeconds) },
        });
        script.at(atSecond + 4, {
          ...{ kind: 'invocation-ended', invocation: 'i-a', function: 'react', startedAtMs: 1_000 * atSecond, timeoutMs: 30_000, again: [] },
          injected,
        });
        script.launch(second, 'i-3', { by: react('i-a') });
      });
    expect(asked(105)).toEqual([]);
    expect(asked(140)).toEqual([expect.stringContaining('after the end of i-1 was heard, 1 are still not requested')]);
    for (const state of ['stopped', 'shutting-down', 'terminated']) expect(asked(140, { state })).toHaveLength(1);
    expect(asked(140, { state: 'running' })).toEqual([]);
    // Holdfast ended it, a fault met the function, or the event is older than what describes show.
    expect(asked(140, { by: react('i-b') })).toEqual([]);
    expect(asked(140, { injected: true })).toEqual([]);
    expect([asked(340, { atSecond: 301, agoSeconds: 180 }).length, asked(340, { atSecond: 301, agoSeconds: 181 })]).toEqual([1, []]);
  });
  it('does not require a replacement for one whose end was reported before describes had to show it', () => {
    const asked = (launched: number, reported: number) =>
      details(requestedSoon, (script) => {
        twoServe(script);
        script.end(90, 'i-2');
        script.launch(launched, 'i-3', { by: react('i-0') });
        script.end(reported - 1, 'i-3');
        script.react(reported, reported, 'i-b', [{ about: 'state', instance: 'i-3', state: 'terminated' }]);
        script.end(100, 'i-1');
        script.react(101, 105, 'i-a', [{ about: 'state', instance: 'i-1', state: 'terminated' }]);
        script.launch(105, 'i-4', { by: react('i-a') });
      });
    // Describes show it a second after its launch, and a batch takes another.
    expect(asked(99, 101)).toEqual([]);
    expect(asked(96, 100)).toHaveLength(1);
  });
  it('counts a warned member whose swap still waits for its replacement, until a function without a fault received its warning', () => {
    const asked = (state?: string) =>
      details(requestedSoon, (script) => {
        script.policy(0, 1, { ...policy, size: { min: 1, max: 6, desired: 3 } });
        script.desired(0, 3);
        for (const instance of ['i-1', 'i-2', 'i-3']) script.member(instance);
        script.advise(60, 'i-1');
        script.react(61, 62, 'i-v', [{ about: 'advice', instance: 'i-1' }]);
        if (state !== undefined) script.claim(61, 'i-1', 'i-v', state);
        script.warn(90, 'i-1');
        const told = { about: 'warning', instance: 'i-1' } as const;
        script.at(91, { kind: 'invocation-began', invocation: 'i-w', function: 'react' });
        script.at(91, { kind: 'delivered', invocation: 'i-w', function: 'react', message: 'm', told, happenedAtMs: 90_000 });
        const ended = { invocation: 'i-w', function: 'react', startedAtMs: 91_000, timeoutMs: 30_000, injected: true };
        script.at(92, { kind: 'invocation-ended', ...ended, again: ['m'] });
        script.end(100, 'i-2');
        script.react(101, 105, 'i-a', [{ about: 'state', instance: 'i-2', state: 'terminated' }]);
        script.launch(104, 'i-4', { by: react('i-a') });
      });
    for (const stays of [undefined, 'waiting']) expect(asked(stays)).toEqual([]);
    for (const goes of ['leaving', 'draining', 'drained', 'withdrawn']) expect(asked(goes)).toHaveLength(1);
  });
  it('does not know of a warning whose message a function gave back because of a fault, until the message comes again', () => {
    const asked = ({ injected = true, givenBack = true, isClaimed = false } = {}) =>
      details(requestedSoon, (script) => {
        script.policy(0, 1, { ...policy, size: { min: 1, max: 6, desired: 3 } });
        script.desired(0, 3);
        for (const instance of ['i-1', 'i-2', 'i-3']) script.member(instance);
        script.warn(90, 'i-1');
        const told = { about: 'warning', instance: 'i-1' } as const;
        script.at(91, { kind: 'invocation-began', invocation: 'i-w', function: 'react' });
        script.at(91, { kind: 'delivered', invocation: 'i-w', function: 'react', message: 'm', told, happenedAtMs: 90_000 });
        if (isClaimed) script.claim(92, 'i-1', 'i-w');
        const ended = { invocation: 'i-w', function: 'react', startedAtMs: 91_000, timeoutMs: 30_000, injected };
        script.at(92, { kind: 'invocation-ended', ...ended, again: givenBack ? ['m'] : [] });
        script.end(100, 'i-2');
        script.react(101, 105, 'i-a', [{ about: 'state', instance: 'i-2', state: 'terminated' }]);
        script.launch(105, 'i-4', { by: react('i-a') });
        script.react(118, 122, 'i-b', [told]);
        script.launch(122, 'i-5', { by: react('i-b') });
      }).filter((detail) => detail.includes('after the end of i-2'));
    expect(asked()).toEqual([]);
    for (const known of [{ injected: false }, { givenBack: false }, { isClaimed: true }]) expect(asked(known)).toHaveLength(1);
  });
  it('requires replacements of a group that was let go once a function that no fault met received its next policy', () => {
    const asked = (second: number, { letGo = true, injected = false, other = false } = {}) =>
      details(requestedSoon, (script) => {
        twoServe(script);
        script.warn(100, 'i-1');
        if (letGo) script.letGo(90);
        script.react(101, 105, 'i-a', [{ about: 'warning', instance: 'i-1' }]);
        script.policy(120, 2);
        script.react(121, 125, 'i-b', [{ about: 'policy', group: other ? 'api' : 'web' }], injected);
        script.react(150, 152, 'i-c', [{ about: 'tick', groups: ['web'] }]);
        script.launch(second, 'i-3', { by: react('i-b') });
      });
    expect(asked(125)).toEqual([]);
    expect(asked(145)).toHaveLength(1);
    expect(asked(125, { letGo: false })).toHaveLength(1);
    expect(asked(151, { injected: true })).toEqual([]);
    expect(asked(151, { other: true })).toEqual([]);
    expect(asked(175, { injected: true })).toHaveLength(1);
  });
  it('gives a group that is let go during the request the time from its next policy on', () => {
    const asked = (second: number) =>
      details(requestedSoon, (script) => {
        twoServe(script);
        script.warn(100, 'i-1');
        script.react(101, 105, 'i-a', [{ about: 'warning', instance: 'i-1' }]);
        script.letGo(103);
        script.policy(108, 2);
        script.react(109, 113, 'i-b', [{ about: 'policy', group: 'web' }]);
        script.launch(second, 'i-3', { by: react('i-b') });
      });
    expect(asked(118)).toEqual([]);
    expect(asked(140)).toHaveLength(1);
  });
  /** i-2 leaves on advice, and EC2 warns i-1, which is replaced. */
  const drained = (order: string, also: (script: Script) => void = () => undefined) =>
    details(requestedSoon, (script) => {
      script.policy(0, 1, { ...policy, swap: { order, maxSurge: 2 } });
      script.desired(0, 2);
      script.member('i-1');
      script.member('i-2');
      script.advise(90, 'i-2');
      script.react(91, 93, 'i-b', [{ about: 'advice', instance: 'i-2' }]);
      script.claim(92, 'i-2', 'i-b');
      script.takeOut(95, 'i-2');
      script.warn(100, 'i-1');
      also(script);
      script.react(101, 105, 'i-a', [{ about: 'warning', instance: 'i-1' }]);
      script.launch(105, 'i-3', { by: react('i-a') });
    });
  it('requires the replacement of a member that drains first when that member has gone', () => {
    expect(drained('drain-first')).toEqual([]);
    expect(drained('launch-first')).toHaveLength(1);
  });
  it('requires it at once when the warning of EC2 about that member was heard, and not before', () => {
    const warns = (script: Script): void => script.warn(100, 'i-2');
    const hears = (script: Script): void => {
      warns(script);
      script.react(101, 105, 'i-c', [{ about: 'warning', instance: 'i-2' }]);
    };
    expect(drained('drain-first', warns)).toEqual([]);
    expect(drained('drain-first', hears)).not.toEqual([]);
  });
  it('counts a member that its Auto Scaling group launched a moment ago until its warning is received', () => {
    const warning = { about: 'warning', instance: 'i-3' } as const;
    const asked = ({ receivedS = 150, endedS = 224 } = {}) =>
      details(requestedSoon, (script) => {
        script.policy(0, 1, attached);
        script.desired(0, 2);
        script.member('i-1', { asg: 'web-asg' });
        script.member('i-2', { asg: 'web-asg' });
        const sizes = { kind: 'asg-changed', asg: 'web-asg', min: 0, max: 4, desired: 2, by: user } as const;
        script.at(50, { ...sizes, suspended: [] });
        script.at(104, { ...sizes, suspended: ['Launch'] });
        script.end(80, 'i-2');
        script.launch(104, 'i-3', { asg: 'web-asg', by: user });
        script.warn(104.2, 'i-3');
        script.end(endedS, 'i-3');
        script.react(105, 106, 'i-a', [{ about: 'state', instance: 'i-2', state: 'terminated' }, ...(receivedS === 105 ? [warning] : [])]);
        script.react(150, 151, 'i-b', [warning]);
        script.launch(151, 'i-4', { by: react('i-b') });
      }).filter((detail) => detail.includes('after the end of i-2'));
    expect(asked()).toEqual([]);
    // Its warning was received as well, or EC2 took it: then nobody is there.
    expect(asked({ receivedS: 105 })).toHaveLength(1);
    expect(asked({ endedS: 104.5 })).toHaveLength(1);
  });
  it('requires nothing that its Auto Scaling group launches by itself', () => {
    const asked = (suspended: readonly string[]) =>
      details(requestedSoon, (script) => {
        script.policy(0, 1, attached);
        script.desired(0, 2);
        script.member('i-1', { asg: 'web-asg' });
        script.member('i-2', { asg: 'web-asg' });
        script.at(50, { kind: 'asg-changed', asg: 'web-asg', min: 0, max: 4, desired: 2, suspended, by: user });
        script.end(99, 'i-2');
        script.warn(100, 'i-1');
        script.react(101, 105, 'i-a', [{ about: 'warning', instance: 'i-1' }]);
        script.launch(105, 'i-3', { by: react('i-a') });
      });
    expect(asked([])).toEqual([]);
    expect(asked(['Launch'])).toHaveLength(1);
  });
  it('counts a member whose warning comes again because no describe showed it yet', () => {
    const byAsg: LaunchOptions = { asg: 'web-asg', by: { kind: 'asg', asg: 'web-asg', why: 'size' } };
    const asked = (launched: number, second: number, comesAgain = true, options = byAsg) =>
      details(requestedSoon, (script) => {
        script.policy(0, 1, attached);
        script.desired(0, 2);
        script.member('i-1', { asg: 'web-asg' });
        script.launch(launched, 'i-2', options);
        for (const instance of ['i-1', 'i-2']) {
          script.warn(100, instance);
          const message = `about ${instance}`;
          const told = { about: 'warning', instance } as const;
          script.at(101, { kind: 'delivered', invocation: 'i-a', function: 'react', message, told, happenedAtMs: 100_000 });
        }
        const again = comesAgain ? ['about i-2'] : [];
        script.at(104, {
          kind: 'invocation-ended',
          invocation: 'i-a',
          function: 'react',
          startedAtMs: 101_000,
          timeoutMs: 30_000,
          again,
          injected: false,
        });
        script.launch(103, 'i-3', { by: react('i-a'), asg: 'web-asg' });
        script.react(142, 146, 'i-b', [{ about: 'warning', instance: 'i-2' }]);
        script.launch(second, 'i-4', { by: react('i-b'), asg: 'web-asg' });
      });
    expect(asked(99, 145)).toEqual([]);
    expect(asked(99, 170)).toHaveLength(1);
    expect(asked(99, 145, false)).not.toEqual([]);
    expect(asked(60, 145)).not.toEqual([]);
    const byUs = { asg: 'web-asg', by: react('i-0') };
    expect(asked(99, 145, true, byUs)).toEqual([]);
    expect(asked(99, 170, true, byUs)).toHaveLength(1);
    expect(asked(99, 145, false, byUs)).not.toEqual([]);
    expect(asked(60, 145, true, byUs)).not.toEqual([]);
  });
  it('counts what was requested before another delivery of the warning, and what was lost to others since', () => {
    const asked = (second: number, heardSecond: number, lost: (script: Script) => void) =>
      details(requestedSoon, (script) => {
        twoServe(script);
        script.warn(100, 'i-1');
        script.react(101, 104, 'i-a', [{ about: 'warning', instance: 'i-1' }], true);
        script.launch(second, 'i-3', { by: react('i-a') });
        lost(script);
        script.react(heardSecond, heardSecond + 4, 'i-b', [{ about: 'warning', instance: 'i-1' }]);
      });
    const endsBy = (second: number) => (script: Script) => {
      script.end(second, 'i-3');
      script.react(second, second, 'i-c', [{ about: 'state', instance: 'i-3', state: 'terminated' }], true);
    };
    expect(asked(103, 105, endsBy(108))).toEqual([]);
    expect(asked(101, 105, endsBy(104))).toHaveLength(1);
    expect(asked(106, 105, endsBy(108))).toEqual([]);
    expect(asked(106, 105, (script) => script.end(108, 'i-3', react('i-b')))).toEqual([]);
  });
  it('does not require the replacement of a member whose warning was lost with a function that died before it claimed the member', () => {
    const asked = (claims: boolean, dies: boolean) =>
      details(requestedSoon, (script) => {
        twoServe(script);
        script.warn(95, 'i-2');
        script.at(96, { kind: 'invocation-began', invocation: 'i-d', function: 'react' });
        const told = { about: 'warning', instance: 'i-2' } as const;
        script.at(96, { kind: 'delivered', invocation: 'i-d', function: 'react', message: 'i-d-0', told, happenedAtMs: 95_000 });
        if (claims) script.claim(97, 'i-2', 'i-d');
        script.at(98, {
          kind: 'invocation-ended',
          invocation: 'i-d',
          function: 'react',
          startedAtMs: 96_000,
          timeoutMs: 30_000,
          again: [],
          injected: true,
          ...(dies && { error: { type: 'Runtime.ExitError', message: 'exited' } }),
        });
        script.warn(100, 'i-1');
        script.react(101, 105, 'i-a', [{ about: 'warning', instance: 'i-1' }]);
        script.launch(105, 'i-3', { by: react('i-a') });
      });
    expect(asked(false, true)).toEqual([]);
    expect(asked(true, true)).toHaveLength(1);
    expect(asked(false, false)).toHaveLength(1);
  });
  it('does not require a replacement for a running member whose warning reached no function', () => {
    const asked = (write: (script: Script) => void) =>
      details(requestedSoon, (script) => {
        twoServe(script);
        script.warn(30, 'i-2');
        write(script);
        script.warn(100, 'i-1');
        script.react(101, 105, 'i-a', [{ about: 'warning', instance: 'i-1' }]);
        script.launch(105, 'i-3', { by: react('i-a') });
      });
    const lost = (script: Script) => script.end(150, 'i-2');
    expect(asked(lost)).toEqual([]);
    // Advice that the policy does not follow is no warning. Where the member was claimed for it, the member leaves.
    const advised = (isClaimed: boolean) => (script: Script) => {
      script.react(20, 22, 'i-b', [{ about: 'advice', instance: 'i-2' }]);
      if (isClaimed) script.claim(21, 'i-2', 'i-b');
    };
    expect([asked(advised(false)), asked(advised(true)).length]).toEqual([[], 1]);
    expect(asked((script) => script.react(31, 33, 'i-b', [{ about: 'warning', instance: 'i-2' }]))).toHaveLength(1);
    expect(asked((script) => script.end(60, 'i-2'))).toHaveLength(1);
  });
  it('leaves a gone member that an Auto Scaling group still holds to that group, unless the group must not replace it', () => {
    const asked = (suspended: readonly string[]) =>
      details(requestedSoon, (script) => {
        script.policy(0, 1, { ...attached, size: 2 });
        script.desired(1, 2);
        for (const instance of ['i-1', 'i-2']) script.member(instance, { asg: 'web-asg' });
        script.at(90, { kind: 'asg-changed', asg: 'web-asg', min: 1, max: 4, desired: 2, suspended, by: user });
        script.end(99, 'i-2');
        script.warn(100, 'i-1');
        script.react(101, 105, 'i-a', [
          { about: 'warning', instance: 'i-1' },
          { about: 'state', instance: 'i-2', state: 'terminated' },
        ]);
        script.launch(103, 'i-3', { by: react('i-a'), asg: 'web-asg' });
      });
    expect(asked([])).toEqual([]);
    // It is missing after the warning of the one, and after the end of the other.
    expect(asked(['ReplaceUnhealthy'])).toHaveLength(2);
  });
});

const swap = (more: Readonly<Record<string, unknown>>) => ({
  stored: {
    states: {},
    decisions: [],
    deadLetters: 0,
    staleMessages: 0,
    swaps: [
      {
        group: 'web',
        instance: 'i-1',
        reason: 'interruption',
        state: 'gone',
        decision: 'd',
        claimedAtMs: 102_000,
        drainedAtMs: 150_000,
        goneAtMs: 221_000,
        ...more,
      },
    ],
  },
});
const warnedAndGone = (script: Script): void => {
  twoServe(script);
  script.warn(100, 'i-1');
  script.takeOut(130, 'i-1');
  script.end(220, 'i-1');
};

describe('what swaps and decisions record', () => {
  it('has true reasons', () => {
    const because = (reason: string) => details(reasonsAreTrue, warnedAndGone, swap({ reason }));
    expect(because('interruption')).toEqual([]);
    expect(because('rebalance')).toHaveLength(1);
    expect(because('moved')).toHaveLength(1);
    const pools = Object.fromEntries(Object.entries(policy.pools).map(([name, pool]) => [name, { ...pool, asg: name }]));
    const intoAsgs = (script: Script): void => {
      warnedAndGone(script);
      script.policy(50, 2, { ...policy, pools });
    };
    expect(details(reasonsAreTrue, intoAsgs, swap({ reason: 'moved' }))).toEqual([]);
    expect(because('hook')).toHaveLength(1);
  });
  it('counts a swap from its first write where the clock that it names was ahead', () => {
    const heldBack = (modeS: number, writtenS: number, claimedAtS = 102) =>
      details(
        excusesAreTrue,
        (script) => {
          twoServe(script);
          script.claim(30, 'i-1', 'i-0');
          script.claim(40, 'i-1', 'i-0', 'withdrawn');
          script.claim(writtenS, 'i-1', 'i-a');
          script.policy(modeS, 2, { ...policy, mode: 'observe' });
          script.claim(105, 'i-1', 'i-b', 'withdrawn');
        },
        swap({ state: 'withdrawn', claimedAtMs: 1_000 * claimedAtS, shortfall: { code: 'held-back', mode: 'observe' } }),
      );
    expect([heldBack(100, 99), heldBack(103, 102)]).toEqual([[], []]);
    expect([heldBack(98, 99), heldBack(35, 99), heldBack(100, 101)].map(({ length }) => length)).toEqual([1, 1, 1]);
  });
  it('has true excuses', () => {
    const excused = (shortfall: unknown) => details(excusesAreTrue, warnedAndGone, swap({ shortfall }));
    const cutBy = (by: string, cutAtMs: number, goneAt = 220, delayMs = 20_000, leftMs = 10_000, begunS?: number) =>
      details(
        excusesAreTrue,
        (script) => {
          twoServe(script);
          script.warn(100, 'i-1');
          if (begunS !== undefined) script.react(begunS, 212, 'i-d');
          script.takeOut(Math.min(210, goneAt - 10), 'i-1', begunS === undefined ? undefined : react('i-d'));
          script.end(goneAt, 'i-1');
        },
        swap({ shortfall: { code: 'delay-exceeds-deadline', delayMs, leftMs, cutAtMs, by } }),
      );
    expect(cutBy('ec2', 220_000)).toEqual([]);
    // Its target group waits for twenty seconds, and ten of them are left. Where nothing is left, the delay counts from the cut.
    expect(cutBy('ec2', 220_000, 220, 10_000)).toHaveLength(1);
    expect(cutBy('ec2', 220_000, 220, 20_000, 15_000)).toHaveLength(1);
    expect(cutBy('ec2', 220_000, 220, 24_000)).toHaveLength(1);
    expect(cutBy('ec2', 220_000, 220, 22_000)).toEqual([]);
    expect(cutBy('ec2', 220_000, 220, 10_000, 0)).toEqual([]);
    // Its function read the time when it began, and its calls took seconds.
    expect(cutBy('ec2', 220_000, 220, 20_000, 15_000, 205)).toEqual([]);
    expect(cutBy('ec2', 220_000, 220, 20_000, 15_000, 209)).toHaveLength(1);
    // Its connections had the time to close.
    expect(cutBy('ec2', 240_000)).toHaveLength(1);
    // EC2 takes it two minutes after its warning, and not before.
    expect(cutBy('ec2', 215_000)).toHaveLength(1);
    expect(cutBy('ec2', 218_000)).toEqual([]);
    expect(cutBy('ec2', 150_000, 150)).toEqual([]);
    // EC2 did not take it, so that EC2 cut nothing.
    const spared = (endS: number, by = 'ec2') =>
      details(
        excusesAreTrue,
        (script) => {
          twoServe(script);
          script.warn(100, 'i-1');
          script.takeOut(210, 'i-1');
          script.end(endS, 'i-1');
        },
        swap({
          state: 'withdrawn',
          withdrawnAtMs: 530_000,
          shortfall: { ...{ code: 'delay-exceeds-deadline', delayMs: 20_000 }, leftMs: 10_000, cutAtMs: 220_000, by },
        }),
      );
    expect([spared(600), spared(220)].map(({ length }) => length)).toEqual([1, 0]);
    expect(cutBy('auto-scaling', 220_000)).toHaveLength(1);
    expect(excused({ code: 'ended-before-drain' })).toHaveLength(1);
    expect(excused({ code: 'not-released', awsCode: 'Throttling' })).toHaveLength(1);
    const keptByMinimum = (min: number, loweredS = 300) =>
      details(
        excusesAreTrue,
        (script) => {
          script.policy(0, 1, attached);
          script.desired(0, 2);
          script.member('i-1', { asg: 'web-asg' });
          script.member('i-2', { asg: 'web-asg' });
          script.at(50, { kind: 'asg-changed', asg: 'web-asg', min, max: 4, desired: 2, suspended: [], by: user });
          script.at(loweredS, { kind: 'asg-changed', asg: 'web-asg', min: 0, max: 4, desired: 2, suspended: [], by: user });
          script.end(220, 'i-1');
        },
        swap({ shortfall: { code: 'not-released', awsCode: 'BelowMinSize' } }),
      );
    expect(keptByMinimum(2)).toEqual([]);
    expect(keptByMinimum(1)).toHaveLength(1);
    // The minimum was lowered before its swap began.
    expect(keptByMinimum(2, 90)).toHaveLength(1);
    expect(excused({ code: 'let-go' })).toHaveLength(1);
    const letGoAt = (letGoS: number, endS: number) =>
      details(
        excusesAreTrue,
        (script) => {
          twoServe(script);
          script.end(endS, 'i-1');
          script.claim(102, 'i-1', 'i-c');
          script.letGo(letGoS);
          script.claim(106, 'i-1', 'i-d', 'gone');
        },
        swap({ shortfall: { code: 'let-go' } }),
      );
    // It had ended before its claim, and its group was let go before its swap was closed, or after that.
    expect(letGoAt(104, 98)).toEqual([]);
    expect(letGoAt(108, 98)).toHaveLength(1);
    // It ended after its claim, and only then was its group let go.
    expect(letGoAt(104, 103)).toHaveLength(1);
    expect(excused({ code: 'drain-broke', error: 'x' })).toHaveLength(1);
    expect(excused({ code: 'needed', serving: 0, desired: 2 })).toEqual([]);
    expect(excused({ code: 'needed', serving: 0, desired: 7 })).toHaveLength(1);
  });
  it('may name the default delay of 300 s where a delay could not be read, and no longer one', () => {
    const named = (delayMs: number, outcome: string, operation = 'DescribeTargetGroupAttributes') =>
      details(
        excusesAreTrue,
        (script) => {
          twoServe(script);
          script.warn(100, 'i-1');
          const read = { service: 'elasticloadbalancing', operation, askedAtMs: 105_000, applied: false, isMutating: false } as const;
          script.at(105, { kind: 'called', invocation: 'i-d', function: 'begin-drain', outcome, ...read });
          script.takeOut(210, 'i-1');
          script.end(220, 'i-1');
        },
        swap({ shortfall: { code: 'delay-exceeds-deadline', delayMs, leftMs: 10_000, cutAtMs: 220_000, by: 'ec2' } }),
      );
    expect(named(300_000, 'Throttling')).toEqual([]);
    expect(named(300_000, 'ok')).toHaveLength(1);
    expect(named(300_000, 'Throttling', 'DescribeTargetHealth')).toHaveLength(1);
    expect(named(310_000, 'Throttling')).toHaveLength(1);
  });
  it('says that Holdfast cuts connections only where others have not ended the member before', () => {
    const cut = (by: 'holdfast' | 'ec2', cutAtMs: number, endedBy?: Actor, lagS = 1, told?: Parameters<Script['react']>[3]) =>
      details(
        excusesAreTrue,
        (script) => {
          twoServe(script);
          script.advise(90, 'i-1');
          script.takeOut(140, 'i-1');
          script.end(150, 'i-1', endedBy);
          script.react(151, 152, 'i-b', told);
        },
        {
          ...swap({ reason: 'rebalance', shortfall: { code: 'delay-exceeds-deadline', delayMs: 20_000, leftMs: 10_000, cutAtMs, by } }),
          spec: { ...spec, timing: { ...spec.timing, lagSeconds: [0, lagS] } },
        },
      );
    expect(cut('holdfast', 152_000)).toEqual([]);
    expect(cut('holdfast', 155_000)).toHaveLength(1);
    expect(cut('holdfast', 155_000, react('i-a'))).toEqual([]);
    // Describes may still show it, until a message says otherwise.
    expect(cut('holdfast', 155_000, undefined, 10)).toEqual([]);
    expect(cut('holdfast', 164_000, undefined, 10)).toHaveLength(1);
    expect(cut('holdfast', 155_000, undefined, 10, [{ about: 'state', instance: 'i-1', state: 'terminated' }])).toHaveLength(1);
    expect(cut('holdfast', 155_000, undefined, 10, [{ about: 'state', instance: 'i-1', state: 'running' }])).toEqual([]);
    // EC2 announced nothing, and ended it. Where Holdfast ended it, EC2 did not.
    expect(cut('ec2', 150_000)).toEqual([]);
    expect(cut('ec2', 150_000, react('i-a'))).toHaveLength(1);
  });
  it('is judged by the later run of an instance, where it was stopped before and started again', () => {
    const cut = (claimedS: number, endedBy: Actor, cutAtMs = 150_000, isOut = true, more: (script: Script) => void = () => undefined) =>
      details(
        excusesAreTrue,
        (script) => {
          twoServe(script);
          more(script);
          script.at(80, { kind: 'warned', instance: 'i-1', takenAtMs: 80_000, action: 'hibernate', silent: false });
          script.at(80, { kind: 'ending', instance: 'i-1', by: { kind: 'ec2' } }, { kind: 'ended', instance: 'i-1', state: 'stopped' });
          script.at(120, { kind: 'running', instance: 'i-1' }, { kind: 'in-service', instance: 'i-1', targetGroup: 'web' });
          if (isOut) script.takeOut(140, 'i-1');
          script.end(150, 'i-1', endedBy);
        },
        swap({
          reason: 'scale-in',
          claimedAtMs: 1_000 * claimedS,
          shortfall: { code: 'delay-exceeds-deadline', delayMs: 20_000, leftMs: 10_000, cutAtMs, by: 'holdfast' },
        }),
      );
    expect(cut(130, react('i-a'))).toEqual([]);
    expect(cut(60, react('i-a'))).toHaveLength(1);
    // It was stopped once more between these runs, and a swap is about the run that it was claimed in.
    const between = (script: Script): void => {
      script.at(100, { kind: 'running', instance: 'i-1' }, { kind: 'in-service', instance: 'i-1', targetGroup: 'web' });
      script.at(110, { kind: 'ending', instance: 'i-1', by: { kind: 'ec2' } }, { kind: 'ended', instance: 'i-1', state: 'stopped' });
    };
    expect(cut(130, react('i-a'), 150_000, true, between)).toEqual([]);
    expect(cut(105, react('i-a'), 150_000, true, between)).toHaveLength(1);
    // Others ended it before, its connections had their time, or it served to its end.
    expect(cut(130, user, 155_000)).toHaveLength(1);
    expect(cut(130, react('i-a'), 165_000)).toHaveLength(1);
    expect(cut(130, react('i-a'), 150_000, false)).toHaveLength(1);
  });
  it('says that connections are cut only where a delay runs, whoever deregistered the member and whether it was healthy or not', () => {
    const shortfall = { code: 'delay-exceeds-deadline', delayMs: 20_000, leftMs: 5_000, cutAtMs: 110_000, by: 'auto-scaling' };
    const hooked = (outAt: number | undefined, why: 'deregistered' | 'ending' = 'deregistered') =>
      details(
        excusesAreTrue,
        (script) => {
          script.policy(0, 1, attached);
          script.desired(0, 2);
          script.launch(80, 'i-1', { asg: 'web-asg' });
          script.at(95, { kind: 'left', instance: 'i-1', asg: 'web-asg', how: 'terminating', by: user });
          if (outAt !== undefined) script.at(outAt, { kind: 'out-of-service', instance: 'i-1', targetGroup: 'web', why, by: user });
          script.end(112, 'i-1', user);
        },
        swap({ reason: 'hook', shortfall }),
      );
    expect(hooked(95)).toEqual([]);
    expect(hooked(70)).toHaveLength(1);
    expect(hooked(undefined)).toHaveLength(1);
    expect(hooked(112, 'ending')).toHaveLength(1);
  });
  it('says that an instance is no member any more only where its user detached it', () => {
    const left = (how: 'detached' | 'standby', by: Actor) =>
      details(
        excusesAreTrue,
        (script) => {
          script.policy(0, 1, attached);
          script.launch(40, 'i-1', { asg: 'web-asg' });
          script.at(41, { kind: 'joined', instance: 'i-1', asg: 'web-asg', by: user });
          script.at(80, { kind: 'left', instance: 'i-1', asg: 'web-asg', how, by });
        },
        swap({ reason: 'scale-in', state: 'withdrawn', shortfall: { code: 'not-ended', awsCode: 'NotOurs' } }),
      );
    expect(left('detached', user)).toEqual([]);
    expect(left('detached', react('i-a'))).toHaveLength(1);
    expect(left('standby', user)).toHaveLength(1);
  });
  it('names the whole delay also where others deregistered the member before its drain began', () => {
    // Deregistered at 80. The drain begins at 90, and the delay of 20 s is cut at 95.
    const rest = (delayMs: number, by: Actor, leftMs = 5_000) =>
      details(
        excusesAreTrue,
        (script) => {
          script.policy(0, 1, attached);
          script.desired(0, 2);
          script.launch(40, 'i-1', { asg: 'web-asg' });
          script.at(80, { kind: 'left', instance: 'i-1', asg: 'web-asg', how: 'terminating', by: user });
          script.at(80, { kind: 'out-of-service', instance: 'i-1', targetGroup: 'web', why: 'deregistered', by });
          script.end(97, 'i-1', user);
        },
        swap({ reason: 'hook', shortfall: { code: 'delay-exceeds-deadline', delayMs, leftMs, cutAtMs: 95_000, by: 'auto-scaling' } }),
      );
    expect(rest(20_000, user, 15_000)).toEqual([]);
    expect(rest(20_000, user, 25_000)).toHaveLength(1);
    expect(rest(10_000, user)).toHaveLength(1);
    expect(rest(10_000, react('i-a'))).toHaveLength(1);
  });
  it('says that a member ended before its drain only where it did, as far as the clocks of functions can show', () => {
    const ended = (clockErrorMs: number, takenOutAt: number, isThroughAsg = false) =>
      details(
        excusesAreTrue,
        (script) => {
          twoServe(script);
          script.warn(100, 'i-1');
          script.takeOut(takenOutAt, 'i-1');
          if (isThroughAsg) {
            script.at(50, { kind: 'joined', instance: 'i-1', asg: 'web-asg', by: user });
            script.at(takenOutAt, { kind: 'left', instance: 'i-1', asg: 'web-asg', how: 'terminating', by: react('i-a') });
          }
          script.end(220, 'i-1');
        },
        { ...swap({ shortfall: { code: 'ended-before-drain' } }), clockErrorMs },
      );
    expect(ended(0, 210)).toHaveLength(1);
    expect(ended(20_000, 210)).toEqual([]);
    expect(ended(5_000, 210)).toHaveLength(1);
    expect(ended(20_000, 150)).toHaveLength(1);
    expect(ended(20_000, 210, true)).toHaveLength(1);
  });
  it('says that a member ended before its drain, if it ended by the next look of the function that took it out of service', () => {
    const look = { function: 'holdfast-begin-drain', service: 'ec2', operation: 'DescribeInstances', outcome: 'ok', applied: true } as const;
    const ended = (looks: readonly { readonly second: number; readonly invocation: string }[]) =>
      details(
        excusesAreTrue,
        (script) => {
          twoServe(script);
          script.warn(100, 'i-1');
          script.takeOut(150, 'i-1', react('i-a'));
          script.end(151, 'i-1');
          for (const { second, invocation } of looks) script.at(second, { kind: 'called', ...look, invocation, askedAtMs: 0, isMutating: false });
        },
        swap({ shortfall: { code: 'ended-before-drain' } }),
      );
    expect(ended([{ second: 152, invocation: 'i-a' }])).toEqual([]);
    // It lived at the first look, another function looked, or nobody did.
    expect(
      ended([
        { second: 150.5, invocation: 'i-a' },
        { second: 152, invocation: 'i-a' },
      ]),
    ).toHaveLength(1);
    expect(ended([{ second: 152, invocation: 'i-other' }])).toHaveLength(1);
    expect(ended([{ second: 149, invocation: 'i-a' }])).toHaveLength(1);
    expect(ended([])).toHaveLength(1);
  });
  it('says that a member ended before its drain, where EC2 hibernated it as it warned about it and it started again', () => {
    const hibernated = (said: Readonly<Record<string, unknown>>, wasOut = false) =>
      details(
        excusesAreTrue,
        (script) => {
          twoServe(script);
          script.warn(60, 'i-2');
          script.at(80, { kind: 'warned', instance: 'i-1', takenAtMs: 80_000, action: 'hibernate', silent: false });
          if (wasOut) script.takeOut(70, 'i-1');
          script.at(80, { kind: 'ending', instance: 'i-1', by: { kind: 'ec2' } }, { kind: 'ended', instance: 'i-1', state: 'stopped' });
          script.at(120, { kind: 'running', instance: 'i-1' }, { kind: 'in-service', instance: 'i-1', targetGroup: 'web' });
          script.takeOut(140, 'i-1');
          script.end(150, 'i-1', react('i-a'));
        },
        swap({ reason: 'unwanted', claimedAtMs: 81_000, shortfall: { code: 'ended-before-drain' }, ...said }),
      );
    expect(hibernated({ warnedAtMs: 80_000 })).toEqual([]);
    // A swap of no warning, or of another one, is about the later run.
    expect(hibernated({})).toHaveLength(1);
    expect(hibernated({ warnedAtMs: 60_000 })).toHaveLength(1);
    // It was out of service before EC2 stopped it.
    expect(hibernated({ warnedAtMs: 80_000 }, true)).toHaveLength(1);
  });
  it('says that a member is needed only if others left, or its group began to end them', () => {
    const needed = (leftAt: number) =>
      details(
        excusesAreTrue,
        (script) => {
          script.policy(0, 1, attached);
          script.desired(0, 2);
          for (const n of [1, 2, 3]) script.member(`i-${n}`, { asg: 'web-asg' });
          script.at(leftAt, { kind: 'left', instance: 'i-2', asg: 'web-asg', how: 'terminating', by: user });
        },
        swap({ reason: 'scale-in', state: 'withdrawn', shortfall: { code: 'needed', serving: 1, desired: 2 }, withdrawnAtMs: 120_000 }),
      );
    expect(needed(110)).toEqual([]);
    expect(needed(130)).toHaveLength(1);
  });
  it('says that a member is needed while another one warms up, by the clock that is the farthest behind', () => {
    const needed = (launchedAt: number, clockErrorMs: number) =>
      details(
        excusesAreTrue,
        (script) => {
          script.policy(0, 1, { ...policy, ready: { after: '60s' } });
          script.desired(0, 2);
          for (const n of [1, 3]) script.member(`i-${n}`);
          script.launch(launchedAt, 'i-2');
          script.serves(launchedAt + 10, 'i-2');
        },
        {
          ...swap({ reason: 'scale-in', state: 'withdrawn', shortfall: { code: 'needed', serving: 1, desired: 2 }, withdrawnAtMs: 120_000 }),
          clockErrorMs,
        },
      ).filter((detail) => detail.includes('needed'));
    expect(needed(40, 3_000)).toEqual([]);
    expect(needed(40, 0)).toHaveLength(1);
    expect(needed(38, 3_000)).toHaveLength(1);
    expect(needed(50, 0)).toEqual([]);
  });
  it('says that a member is needed where the others were to leave as well, unless they were called off', () => {
    const needed = (orderedAt: number, backMs?: number) => {
      const own = { reason: 'scale-in', state: 'withdrawn', shortfall: { code: 'needed', serving: 1, desired: 2 }, withdrawnAtMs: 120_000 };
      const { stored } = swap(own);
      const others = backMs === undefined ? [] : [{ ...stored.swaps[0], instance: 'i-2', shortfall: undefined, withdrawnAtMs: backMs }];
      return details(
        excusesAreTrue,
        (script) => {
          script.policy(0, 1);
          script.desired(0, 2);
          for (const n of [1, 2, 3]) script.member(`i-${n}`);
          const item = { kind: 'item-written', table: 'state', group: 'web', item: 'swap#i-2', bytes: 300, by: react('i-a') } as const;
          script.at(orderedAt, { ...item, swap: { reason: 'scale-in', state: 'leaving', drain: 'web-1' } });
          script.at(orderedAt, { kind: 'drain', drain: 'web-1', group: 'web', instances: ['i-2'], status: 'started' });
        },
        { stored: { ...stored, swaps: [...stored.swaps, ...others] } },
      ).filter((detail) => detail.includes('needed'));
    };
    expect(needed(90)).toEqual([]);
    expect(needed(110)).toEqual([]);
    expect(needed(130)).toHaveLength(1);
    expect(needed(90, 95_000)).toHaveLength(1);
  });
  const deregisters = (second: number, takesOut: readonly string[], outcome: string) => ({
    ...({ kind: 'called', invocation: 'i-d', function: 'holdfast-begin-drain', service: 'elasticloadbalancing' } as const),
    ...{ operation: 'DeregisterTargets', askedAtMs: 1_000 * second, outcome, applied: outcome === 'ok', isMutating: true, takesOut },
  });
  it('says that a member serves on only where a call failed that was to take this very member out of service, or its drain failed', () => {
    const called = (takesOut: readonly string[], outcome: string) =>
      details(
        excusesAreTrue,
        (script) => {
          warnedAndGone(script);
          script.at(110, deregisters(110, takesOut, outcome));
        },
        swap({ shortfall: { code: 'still-in-service', awsCode: 'AccessDenied' } }),
      );
    expect(called(['i-1'], 'AccessDenied')).toEqual([]);
    expect(called(['i-2'], 'AccessDenied')).toHaveLength(1);
    expect(called(['i-1'], 'Throttling')).toHaveLength(1);
    expect(called(['i-1'], 'ok')).toHaveLength(1);
  });
  it('says that a drain had not begun where another target group sent requests until the end, because the call about it failed (24310344)', () => {
    const partly = (outcome: string, servesUntilS = 105) =>
      details(
        excusesAreTrue,
        (script) => {
          twoServe(script);
          script.at(40, { kind: 'in-service', instance: 'i-1', targetGroup: 'admin' });
          script.takeOut(100, 'i-1');
          script.at(101, deregisters(101, ['i-1'], outcome));
          if (servesUntilS < 105)
            script.at(servesUntilS, { kind: 'out-of-service', instance: 'i-1', targetGroup: 'admin', why: 'deregistered', by: user });
          script.end(105, 'i-1');
        },
        swap({ shortfall: { code: 'ended-before-drain' } }),
      ).length;
    expect([partly('Throttling'), partly('ok'), partly('Throttling', 104)]).toEqual([0, 1, 1]);
  });
  it('has true times', () => {
    const told = (more: Readonly<Record<string, unknown>>) => details(timesAreTrue, warnedAndGone, swap(more));
    expect(told({})).toEqual([]);
    expect(told({ drainedAtMs: 110_000 })).toHaveLength(1);
    expect(told({ drainedAtMs: undefined })).toHaveLength(1);
    expect(told({ state: 'draining' })).toHaveLength(1);
    const returned = (script: Script): void => {
      warnedAndGone(script);
      script.at(160, { kind: 'in-service', instance: 'i-1', targetGroup: 'web' });
    };
    expect(details(timesAreTrue, returned, swap({ drainedAtMs: 150_000 }))).toEqual([]);
    expect(details(timesAreTrue, twoServe, swap({}))).toEqual(['i-1 lives on, and its swap is closed']);
  });
  describe('of advice that waits while replacements never answer', () => {
    type Change = {
      readonly order?: string;
      readonly maxSurge?: number;
      readonly isProtected?: boolean;
      readonly launchedS?: number;
      readonly serving?: number;
      readonly size?: number;
      readonly told?: Readonly<Record<string, unknown>>;
    };
    const waiting = ({ order = 'launch-first', maxSurge = 1, isProtected = true, launchedS = 100, serving = 2, size = 2, told = {} }: Change) =>
      details(
        timesAreTrue,
        (script) => {
          twoServe(script);
          script.policy(10, 2, { ...policy, asg: 'web-asg', swap: { order, maxSurge } });
          if (size !== 2) script.desired(12, size, 2);
          script.advise(20, 'i-1');
          script.claim(21, 'i-1', 'i-a', 'waiting');
          script.launch(launchedS, 'i-3', { asg: 'web-asg' });
          if (isProtected) script.at(launchedS, { kind: 'protection', instance: 'i-3', from: 'scale-in', isOn: true, by: { kind: 'user' } });
          if (serving === 3) {
            script.launch(120, 'i-4', { asg: 'web-asg' });
            script.serves(140, 'i-4');
          }
          if (serving === 1) script.takeOut(130, 'i-1');
        },
        {
          ...swap({ reason: 'rebalance', state: 'waiting', drainedAtMs: undefined, goneAtMs: undefined, ...told }),
          calmAtMs: 900_000,
          endedAtMs: 1_800_000,
        },
      );
    const stays = 'the swap of i-1 (rebalance) stays waiting';
    it('lets it wait while they take the whole surge, and no more serve than must', () => {
      expect(waiting({})).toEqual([]);
      expect(waiting({ maxSurge: 2 })).toEqual([stays]);
      expect(waiting({ serving: 3 })).toEqual([stays]);
      expect(waiting({ order: 'drain-first' })).toEqual([stays]);
    });
    it('excuses nothing while the group has room for a launch', () => {
      expect(waiting({ size: 3 })).toEqual([stays]);
      expect(waiting({ size: 3, order: 'drain-first' })).toEqual([]);
      expect(waiting({ size: 4, order: 'drain-first', serving: 3 })).toEqual([]);
      expect(waiting({ size: 4, order: 'drain-first' })).toEqual([stays]);
    });
    it('excuses nothing for a replacement that is new or may leave, or for a member that serves no more', () => {
      expect(waiting({ launchedS: 1_201 })).toEqual([stays]);
      expect(waiting({ isProtected: false })).toEqual([stays]);
      expect(waiting({ serving: 1 })).toEqual([stays]);
    });
    it('excuses no swap that has begun, and none for another reason', () => {
      expect(waiting({ told: { state: 'leaving' } })).toEqual(['the swap of i-1 (rebalance) stays leaving']);
      expect(waiting({ told: { reason: 'return' } })).toEqual(['the swap of i-1 (return) stays waiting']);
    });
  });
  it('says withdrawn while its instance lives, and later only by as much as the clocks of functions may be ahead', () => {
    const withdrawn = (writtenAt: number | undefined, withdrawnAtMs: number, clockErrorMs: number) =>
      details(
        timesAreTrue,
        (script) => {
          twoServe(script);
          if (writtenAt !== undefined)
            script.at(writtenAt, { kind: 'item-written', table: 'state', group: 'web', item: 'past#i-1', bytes: 300, by: react('i-a') });
          script.end(100, 'i-1');
        },
        { ...swap({ state: 'withdrawn', withdrawnAtMs }), clockErrorMs },
      );
    const untrue = ['the swap of i-1 is withdrawn, and it had ended'];
    expect(withdrawn(undefined, 99_000, 0)).toEqual([]);
    expect(withdrawn(99, 119_000, 20_000)).toEqual([]);
    expect(withdrawn(undefined, 119_000, 20_000)).toEqual(untrue);
    expect(withdrawn(101, 119_000, 20_000)).toEqual(untrue);
    expect(withdrawn(98, 119_000, 20_000)).toEqual(untrue);
    expect(withdrawn(99, 119_000, 0)).toEqual(untrue);
  });
  it('closes no swap while its instance waits on a terminating hook', () => {
    const onHook = (closedAt: number, endedAt = 900, write: (script: Script) => void = () => undefined) =>
      details(
        timesAreTrue,
        (script) => {
          twoServe(script);
          const hook = { instance: 'i-1', asg: 'web-asg', hook: 'drain' };
          script.at(100, { kind: 'hook-waits', ...hook, expiresAtMs: 4_000_000 });
          script.takeOut(100, 'i-1', { kind: 'user' });
          write(script);
          script.at(closedAt, { kind: 'item-written', table: 'state', group: 'web', item: 'past#i-1', bytes: 300, by: react('i-a') });
          script.at(800, { kind: 'hook-over', ...hook, how: 'completed', result: 'CONTINUE', by: react('i-b') });
          script.end(endedAt, 'i-1');
        },
        { ...swap({ reason: 'hook', drainedAtMs: 700_000 }), endedAtMs: 1_000_000 },
      );
    expect(onHook(950)).toEqual([]);
    expect(onHook(500)).toEqual(['i-1 waits on a hook, and its swap is closed']);
    // A look that had begun before may close it. The instance may end while the hook waits. A group that was let go closes its swaps.
    expect(onHook(130)).toEqual([]);
    expect(onHook(500, 400)).toEqual([]);
    expect(onHook(500, 900, (script) => script.letGo(450))).toEqual([]);
  });
  it('does not take a stop for the end', () => {
    const stopped = (write: (script: Script) => void = () => undefined, said: Readonly<Record<string, unknown>> = {}) =>
      details(
        timesAreTrue,
        (script) => {
          twoServe(script);
          script.warn(20, 'i-1');
          script.claim(21, 'i-1', 'i-a');
          script.takeOut(100, 'i-1');
          script.at(140, { kind: 'ending', instance: 'i-1', by: { kind: 'ec2' } }, { kind: 'ended', instance: 'i-1', state: 'stopped' });
          write(script);
        },
        swap({ drainedAtMs: 120_000, ...said }),
      );
    const closed = ['i-1 is only stopped, and its swap is closed'];
    const terminated = (script: Script): void => script.at(500, { kind: 'ended', instance: 'i-1', state: 'terminated' });
    expect(stopped()).toEqual(closed);
    expect(stopped(terminated)).toEqual([]);
    expect(stopped((script) => script.letGo(500))).toEqual(closed);
    // A group that is let go leaves it stopped.
    const withdrawn = { state: 'withdrawn', withdrawnAtMs: 600_000 };
    expect(stopped((script) => script.letGo(500), withdrawn)).toEqual([]);
    expect(stopped((script) => script.at(550, { kind: 'running', instance: 'i-1' }), withdrawn)).toEqual([]);
    expect(stopped(terminated, withdrawn)).toEqual(['the swap of i-1 is withdrawn, and it had ended']);
    const ending = (script: Script): void => script.at(590, { kind: 'ending', instance: 'i-1', by: { kind: 'ec2' } });
    expect(stopped(ending, withdrawn)).toHaveLength(1);
  });
  it('names every launch and every removal', () => {
    const explained = (decisions: readonly unknown[]) =>
      details(everythingExplained, (script) => script.launch(100, 'i-9', { by: react('i-a') }), {
        stored: { ...swap({}).stored, swaps: [], decisions },
      });
    expect(explained([{ id: 'd', group: 'web', outcome: { launches: [{ reservation: 'r', instances: ['i-9'] }] } }])).toEqual([]);
    expect(explained([])).toHaveLength(1);
  });
  it('launches no more under a reservation than was requested under it', () => {
    const tags = { 'holdfast:reservation': 'd-r0-0' };
    const launched = (count: number | undefined, more: Readonly<Record<string, string>> = tags) =>
      details(
        everythingExplained,
        (script) => {
          const by = react('i-a');
          const item = { kind: 'item-written', table: 'state', group: 'web', item: 'request#d-r0-0', bytes: 500, by } as const;
          if (count !== undefined) script.at(99, { ...item, request: { pool: 'spot-a', count } });
          script.launch(100, 'i-8', { by, tags });
          script.launch(200, 'i-9', { by: react('i-b'), tags: more });
        },
        { stored: { ...swap({}).stored, swaps: [], decisions: [{ id: 'd', group: 'web' }] } },
      );
    expect(launched(1)).toEqual(['2 were launched under the reservation of i-9, and 1 were requested']);
    expect(launched(2)).toEqual([]);
    // What was requested is unknown, and another reservation has a request of its own.
    expect(launched(undefined)).toEqual([]);
    expect(launched(1, { 'holdfast:reservation': 'd-r0-1' })).toEqual([]);
  });
  it('launches from the pool that was requested under a reservation', () => {
    const launched = (requested: string | undefined, more: Readonly<Record<string, string>> = {}) =>
      details(
        everythingExplained,
        (script) => {
          const by = react('i-a');
          const item = { kind: 'item-written', table: 'state', group: 'web', item: 'request#d-r0-0', bytes: 500, by } as const;
          if (requested !== undefined) script.at(99, { ...item, request: { pool: requested, count: 1 } });
          script.launch(100, 'i-8', { by, tags: { 'holdfast:reservation': 'd-r0-0', ...more } });
        },
        { stored: { ...swap({}).stored, swaps: [], decisions: [{ id: 'd', group: 'web' }] } },
      );
    expect(launched('spot-a')).toEqual([]);
    expect(launched('spot-b')).toEqual(['i-8 was launched from spot-a, and spot-b was requested']);
    // What was requested is unknown, and another reservation has a request of its own.
    expect(launched(undefined)).toEqual([]);
    expect(launched('spot-b', { 'holdfast:reservation': 'd-r0-1' })).toEqual([]);
  });
  it('says of every pool of an earlier tier why a launch from a later one did not come from there', () => {
    const decided = (
      against: readonly (readonly [string, string])[],
      placed: Readonly<Record<string, unknown>> = { pool: 'od-b' },
      { policyVersion = 1, capacity = policy.capacity as unknown, moves = undefined as readonly string[] | undefined } = {},
    ) => {
      const rejected = against.map(([pool, code]) => ({ pool, code }));
      const rounds = [{ placements: [{ pool: 'od-b', moves }], reasons: [{ count: 1, ...placed }], rejected }];
      return details(everythingExplained, (script) => script.policy(1, 1, { ...policy, capacity }), {
        stored: { ...swap({}).stored, swaps: [], decisions: [{ id: 'd', group: 'web', atMs: 100_000, policyVersion, rounds }] },
      });
    };
    const refused = [
      ['spot-a', 'refused'],
      ['spot-b', 'at-cap'],
    ] as const;
    const unsaid = (pool: string) => `decision d launches from od-b, and does not say why not from ${pool}`;
    expect(decided(refused)).toEqual([]);
    expect(decided(refused.slice(1))).toEqual([unsaid('spot-a')]);
    expect(decided([])).toEqual([unsaid('spot-a'), unsaid('spot-b')]);
    // What EC2 takes members of comes last in its tier, and before the next tier.
    for (const code of ['interrupted', 'advised']) expect(decided([...refused, ['spot-b', code]])).toEqual([unsaid('spot-b')]);
    // Launches from the first tier, and those of one market alone, pass no tier over.
    expect(decided([], { pool: 'spot-b' })).toEqual([]);
    expect(decided([], { pool: 'od-b', owed: { onDemand: 1, held: 0 } })).toEqual([]);
    expect(decided([], { pool: 'od-b', spare: true })).toEqual([]);
    expect(decided([], { pool: 'od-b' }, { policyVersion: 2 })).toEqual([]);
    // A move has a reason of its own, and a child of weight 0 gives nothing.
    expect(decided([], { pool: 'od-b' }, { moves: ['i-1'] })).toEqual([]);
    const weighted = [
      { use: 'spot-a', weight: 1 },
      { use: 'spot-b', weight: 0 },
    ];
    expect(decided([], { pool: 'od-b' }, { capacity: { tiered: [{ weighted }, 'od-b'] } })).toEqual([unsaid('spot-a')]);
    // Within a zone, other zones of the earlier pool do not count.
    expect(decided([], { pool: 'od-b' }, { capacity: { spread: [{ tiered: ['spot-b', 'od-b'] }], by: 'zone' } })).toEqual([]);
    expect(decided([], { pool: 'od-b' }, { capacity: { spread: [{ tiered: ['spot-b', 'od-b'] }] } })).toEqual([unsaid('spot-b')]);
  });
  it('is sent to the bus, once it happened and only then', () => {
    const announced = (types: readonly string[]) =>
      details(
        toldOnTheBus,
        (script) => {
          warnedAndGone(script);
          script.claim(102, 'i-1', 'i-a');
          for (const detailType of types)
            script.at(103, {
              kind: 'announced',
              detailType,
              detail: { group: 'web', version: 1, reason: 'scale-in', instances: ['i-1'], drain: 'd', unplaced: 1 },
            });
          script.at(1, { kind: 'announced', detailType: 'Holdfast Policy Accepted', detail: { group: 'web', version: 1 } });
        },
        swap({}),
      );
    expect(announced(['Holdfast Swap Started'])).toEqual([]);
    expect(announced([])).toHaveLength(1);
    expect(announced(['Holdfast Swap Started', 'Holdfast Drain Finished'])).toHaveLength(1);
    expect(announced(['Holdfast Swap Started', 'Holdfast Fallback'])).toHaveLength(1);
    expect(announced(['Holdfast Swap Started', 'Holdfast Capacity Exhausted'])).toEqual([]);
  });
});

const ended = (more: Readonly<Record<string, unknown>>) => (script: Script) =>
  script.at(110, {
    kind: 'invocation-ended',
    invocation: 'i-a',
    function: 'react',
    startedAtMs: 100_000,
    timeoutMs: 30_000,
    again: [],
    injected: false,
    ...more,
  } as never);
const called =
  (more: Readonly<Record<string, unknown>>, times = 1) =>
  (script: Script) => {
    for (let n = 0; n < times; n += 1)
      script.at(100 + n / 10, {
        kind: 'called',
        invocation: 'i-a',
        function: 'react',
        service: 'ec2',
        operation: 'CreateFleet',
        askedAtMs: 100_000,
        outcome: 'ok',
        applied: true,
        isMutating: true,
        ...more,
      } as never);
  };

describe('functions and calls', () => {
  it('fail only by faults, and take less than half of their time', () => {
    const error = { type: 'Error', message: 'no' };
    expect(details(functionsAnswer, ended({}))).toEqual([]);
    expect(details(functionsAnswer, ended({ error }))).toEqual(['react: Error no']);
    expect(details(functionsAnswer, ended({ error, injected: true }))).toEqual([]);
    expect(details(functionsAreQuick, ended({}))).toEqual([]);
    expect(details(functionsAreQuick, ended({ startedAtMs: 90_000 }))).toHaveLength(1);
  });
  it('wait for their calls', () => {
    const call = { invocation: 'i-w', function: 'react', service: 'ec2', operation: 'CreateTags', askedAtMs: 99_000 };
    const ends = { invocation: 'i-w', function: 'react', startedAtMs: 90_000, timeoutMs: 30_000, again: [] };
    const answered = (
      second: number,
      change: { readonly injected?: boolean; readonly error?: { readonly type: string; readonly message: string } } = {},
    ) =>
      details(functionsWait, (script) => {
        script.at(100, { kind: 'invocation-ended', ...ends, injected: false, ...change });
        script.at(second, { kind: 'called', ...call, outcome: 'ok', applied: true, isMutating: true });
      });
    expect(answered(100)).toEqual([]);
    expect(answered(100.5)).toEqual(['react ended while ec2:CreateTags, requested 1.000 s before, had no response']);
    // Whoever dies waits for nothing.
    expect(answered(100.5, { injected: true })).toEqual([]);
    expect(answered(100.5, { error: { type: 'Error', message: 'no' } })).toEqual([]);
  });
  it('have the rights that they need', () => {
    expect(details(rightsSuffice, called({}))).toEqual([]);
    expect(details(rightsSuffice, called({ outcome: 'AccessDenied' }))).toHaveLength(1);
  });
  it('may be refused the tag of an instance that its user detached a moment before, and of no other', () => {
    const refused = (detachedAtS: number, more: object = {}, by: object = { kind: 'user' }) =>
      details(rightsSuffice, (script) => {
        twoServe(script);
        script.at(10, { kind: 'joined', instance: 'i-1', asg: 'web-asg', by: react('i-0') });
        script.at(detachedAtS, { kind: 'left', instance: 'i-1', asg: 'web-asg', how: 'detached', by } as never);
        called({ service: 'ec2', operation: 'CreateTags', outcome: 'UnauthorizedOperation', tags: ['i-1', 'i-2'], ...more })(script);
      });
    expect(refused(95)).toEqual([]);
    expect(refused(20)).toHaveLength(1);
    expect(refused(95, {}, { kind: 'asg', asg: 'web-asg', why: 'size' })).toHaveLength(1);
    expect(refused(95, { tags: ['i-2'] })).toHaveLength(1);
    expect(refused(95, { outcome: 'InternalError' })).toHaveLength(1);
  });
  it('are bounded by kind, and make no storm', () => {
    expect(details(callsAreBounded, called({}, 4))).toEqual([]);
    expect(details(callsAreBounded, called({}, 6))).toHaveLength(1);
    expect(details(noStorm, called({ operation: 'DescribeInstances', isMutating: false }, 90))).toEqual([]);
    expect(details(noStorm, called({ operation: 'DescribeInstances', isMutating: false }, 500))).toHaveLength(1);
  });
  it('grow by two for each attach where others set the size, and by none where the policy does', () => {
    const made = (suspensions: number, isOutside: boolean) =>
      details(callsAreBounded, (script) => {
        script.policy(0, 1, isOutside ? { ...attached, size: { from: 'asg', min: 0, max: 6 }, scaling: [] } : attached);
        called({ service: 'autoscaling', operation: 'AttachInstances' }, 4)(script);
        called({ service: 'autoscaling', operation: 'SuspendProcesses' }, suspensions)(script);
      });
    expect(made(16, true)).toEqual([]);
    expect(made(17, true)).toHaveLength(1);
    expect(made(8, false)).toEqual([]);
    expect(made(9, false)).toHaveLength(1);
  });
  it('grow with the sizes that others set for a group, and with no other writes', () => {
    const size = { from: 'asg', min: 0, max: 6 };
    const storm = (calls: number, sizes: readonly number[], { isOutside = true, second = 100 } = {}) =>
      details(noStorm, (script) => {
        script.policy(0, 1, isOutside ? { ...attached, size, scaling: [] } : attached);
        for (const [index, to] of sizes.entries())
          script.at(second + index, { kind: 'size-written', asg: 'web-asg', found: 0, size: to, how: 'set', covers: [], by: user });
        called({ operation: 'DescribeInstances', isMutating: false }, calls)(script);
      });
    expect(storm(375, [])).toEqual([]);
    expect(storm(376, [])).toHaveLength(1);
    expect(storm(425, [3, 1])).toEqual([]);
    expect(storm(426, [3, 1])).toHaveLength(1);
    // The same size again changes nothing. Where the policy says the size, others only disturb it. Writes before all is up do not count.
    expect(storm(401, [3, 3])).toHaveLength(1);
    expect(storm(376, [3, 1], { isOutside: false })).toHaveLength(1);
    expect(storm(376, [3, 1], { second: -20 })).toHaveLength(1);
  });
  it('grow with the minutes in which EC2 refuses launches for a group, and not with its refusals', () => {
    const storm = (calls: number, refusedS: readonly number[], groups: readonly string[] = ['web']) =>
      details(noStorm, (script) => {
        const place = { instanceType: 't', zone: 'z-a', market: 'spot', code: 'InsufficientInstanceCapacity' } as const;
        for (const second of refusedS) for (const group of groups) script.at(second, { kind: 'refused', invocation: 'i-a', group, ...place });
        called({ operation: 'DescribeInstances', isMutating: false }, calls)(script);
      });
    expect(storm(400, [100])).toEqual([]);
    expect(storm(401, [100, 101, 119])).toHaveLength(1);
    expect(storm(425, [100, 121])).toEqual([]);
    expect(storm(426, [100, 121])).toHaveLength(1);
    expect(storm(425, [100], ['web', 'api'])).toEqual([]);
    // Before all is up.
    expect(storm(376, [-20])).toHaveLength(1);
  });
  it('grow with the minutes in which a message comes again that a fault made a function give back, and not with its deliveries', () => {
    const storm = (calls: number, againS: readonly number[], { trouble = 'fault', again = ['look-0'] } = {}) =>
      details(noStorm, (script) => {
        const told = [{ about: 'tick', groups: ['web'] }] as const;
        script.react(60, 61, 'look', told, false, again);
        called({ invocation: 'look', service: 'dynamodb', operation: 'PutItem', outcome: 'ThrottlingException', trouble, applied: false }, 1)(script);
        const message = { kind: 'delivered', function: 'react', message: 'look-0', told: told[0], happenedAtMs: 60_000 } as const;
        for (const second of againS) script.at(second, { ...message, invocation: `again-${second}` });
        called({ operation: 'DescribeInstances', isMutating: false }, calls)(script);
      });
    expect(storm(374, [])).toEqual([]);
    expect(storm(375, [])).toHaveLength(1);
    expect(storm(399, [100])).toEqual([]);
    expect(storm(400, [100, 101, 119])).toHaveLength(1);
    expect(storm(424, [100, 121])).toEqual([]);
    // It was not given back, or for no fault.
    expect(storm(375, [100], { again: [] })).toHaveLength(1);
    expect(storm(375, [100], { trouble: 'bucket' })).toHaveLength(1);
  });
  it('that a fault throttles count with their repeats', () => {
    const read = { operation: 'DescribeInstances', isMutating: false };
    const refused = { ...read, outcome: 'RequestLimitExceeded', trouble: 'fault', applied: false };
    const storm = (tries: number, good: number, more: Readonly<Record<string, unknown>> = {}) =>
      details(noStorm, (script) => {
        called({ ...refused, ...more }, tries)(script);
        called(read, good)(script);
      });
    expect(storm(0, 375)).toEqual([]);
    expect(storm(0, 376)).toHaveLength(1);
    // Two throttled tries go before each call to EC2, and four before each call to a table.
    expect(storm(500, 250)).toEqual([]);
    expect(storm(625, 250)).toEqual([]);
    expect(storm(626, 250)).toHaveLength(1);
    expect(storm(100, 376)).toHaveLength(1);
    const table = { service: 'dynamodb', operation: 'GetItem' };
    const reads = (tries: number, good: number) =>
      details(noStorm, (script) => {
        called({ ...refused, ...table, outcome: 'ThrottlingException' }, tries)(script);
        called({ ...read, ...table }, good)(script);
      });
    expect(reads(1_125, 250)).toEqual([]);
    expect(reads(1_126, 250)).toHaveLength(1);
    // Nothing was repeated until it succeeded, the repeats are those of another invocation or of another call, or AWS refused them for another reason.
    expect(storm(376, 0)).toHaveLength(1);
    expect(storm(188, 188, { invocation: 'i-b' })).toHaveLength(1);
    expect(storm(188, 188, { operation: 'DescribeInstanceStatus' })).toHaveLength(1);
    expect(storm(188, 188, { outcome: 'UnauthorizedOperation' })).toHaveLength(1);
    expect(storm(188, 188, { trouble: 'bucket' })).toHaveLength(1);
  });
  it('that a fault gives a server error count with their repeats, which are two also for tables', () => {
    const read = { service: 'dynamodb', operation: 'GetItem', isMutating: false };
    const fault = { ...read, trouble: 'fault', applied: false };
    const reads = (broken: number, good: number, more: Readonly<Record<string, unknown>> = {}, throttled = 0) =>
      details(noStorm, (script) => {
        called({ ...fault, outcome: 'InternalServerError', ...more }, broken)(script);
        called({ ...fault, outcome: 'ThrottlingException' }, throttled)(script);
        called(read, good)(script);
      });
    expect(reads(500, 250)).toEqual([]);
    expect(reads(625, 250)).toEqual([]);
    expect(reads(626, 250)).toHaveLength(1);
    // Together with throttled tries, no more than four go before each call.
    expect(reads(500, 250, {}, 625)).toEqual([]);
    expect(reads(500, 250, {}, 626)).toHaveLength(1);
    // Nothing was repeated until it succeeded, the repeats are those of another invocation or of another call, or no fault gave the error.
    expect(reads(376, 0)).toHaveLength(1);
    expect(reads(188, 188, { invocation: 'i-b' })).toHaveLength(1);
    expect(reads(188, 188, { operation: 'Query' })).toHaveLength(1);
    expect(reads(188, 188, { trouble: undefined })).toHaveLength(1);
  });
  it('of a function that a fault killed make no storm, and those of another one do', () => {
    const read = { operation: 'DescribeInstances', isMutating: false };
    const killed = (invocation: string, count: number, outcome = 'crashed') =>
      details(noStorm, (script) => {
        called({ ...read, invocation: 'i-b' }, count)(script);
        called({ ...read, invocation, outcome }, 1)(script);
        called(read, 200)(script);
      });
    expect(killed('i-b', 300)).toEqual([]);
    expect(killed('i-c', 300)).toHaveLength(1);
    expect(killed('i-b', 300, 'lost')).toHaveLength(1);
  });
  it('are bounded together by instances, by refusals and by hooks, each of which is completed', () => {
    const found = (times: number, hooks: number) =>
      details(callsAreBounded, (script) => {
        twoServe(script);
        for (let n = 0; n < hooks; n += 1) {
          const hook = { instance: 'i-1', asg: 'web-asg', hook: `hook-${n}` };
          script.at(100, { kind: 'hook-waits', ...hook, expiresAtMs: 130_000 });
          script.at(110, { kind: 'hook-over', ...hook, how: 'completed', by: react('i-a') });
        }
        called({ service: 'autoscaling', operation: 'CompleteLifecycleAction' }, times)(script);
      });
    expect(found(12, 0)).toEqual([]);
    expect(found(13, 0)).not.toEqual([]);
    // One heartbeat and one completion.
    expect(found(16, 2)).toEqual([]);
    expect(found(17, 2)).not.toEqual([]);
  });
  it('about hooks are bounded by the time that these wait, without heartbeats of functions that died', () => {
    const beat = { service: 'autoscaling', operation: 'RecordLifecycleActionHeartbeat' };
    const found = (times: number, died: number, { dies = beat, invocation = 'i-d' } = {}) =>
      details(callsAreBounded, (script) => {
        twoServe(script);
        called(beat, times)(script);
        if (died === 0) return;
        called({ ...beat, invocation: 'i-d' }, died)(script);
        called({ ...dies, invocation, outcome: 'crashed', trouble: 'fault' })(script);
      });
    expect(found(4, 0)).toEqual([]);
    expect(found(5, 0)).toHaveLength(1);
    expect(found(4, 3)).toEqual([]);
    expect(found(5, 3)).toHaveLength(1);
    // A heartbeat counts where another invocation died, or a fault only lost a response.
    expect(found(4, 3, { invocation: 'i-e' })).toHaveLength(1);
    expect(
      details(callsAreBounded, (script) => {
        twoServe(script);
        called({ ...beat, invocation: 'i-d' }, 5)(script);
        called({ ...beat, invocation: 'i-d', outcome: 'lost', trouble: 'fault' })(script);
      }),
    ).toHaveLength(1);
  });
  it('are bounded by kind for each target group that a policy names', () => {
    const named = (...names: readonly string[]) => ({
      ...policy,
      drain: { loadBalancers: names.map((name) => `arn:aws:elasticloadbalancing:eu-west-1:111122223333:targetgroup/${name}/0123456789abcdef`) },
    });
    const found = (targetGroups: readonly string[], more: Readonly<Record<string, unknown>>, times: number) =>
      details(callsAreBounded, (script) => {
        script.policy(0, 1, named(...targetGroups));
        called(more, times)(script);
      });
    const register = { service: 'elasticloadbalancing', operation: 'RegisterTargets' };
    expect(found(['web'], register, 4)).toEqual([]);
    expect(found(['web'], register, 5)).toHaveLength(1);
    expect(found(['web', 'api', 'admin'], register, 12)).toEqual([]);
    expect(found(['web', 'api', 'admin'], register, 13)).not.toEqual([]);
    expect(found(['web', 'api', 'admin'], {}, 4)).toEqual([]);
    expect(found(['web', 'api', 'admin'], {}, 5)).toHaveLength(1);
  });
  it('lower the sizes of Auto Scaling groups and give them back, twice for each in a look that is refused', () => {
    const found = (times: number, { refused = true, asgs = 3, by = 'i-a' } = {}) =>
      details(callsAreBounded, (script) => {
        script.policy(0, 1);
        for (let n = 0; n < asgs; n += 1) {
          const changed = { kind: 'asg-changed', asg: `asg-${n}`, min: 0, max: 4, suspended: [], by: react(by) } as const;
          for (const desired of [0, 1]) script.at(101 + desired, { ...changed, desired });
        }
        const offering = { instanceType: 't', zone: 'z-a', market: 'spot', code: 'InsufficientInstanceCapacity' } as const;
        if (refused) script.at(100, { kind: 'refused', invocation: 'i-a', group: 'web', ...offering });
        called({ service: 'autoscaling', operation: 'UpdateAutoScalingGroup' }, times)(script);
      });
    expect(found(12)).toEqual([]);
    expect(found(13)).toHaveLength(1);
    expect(found(8, { refused: false })).toHaveLength(1);
    expect(found(8, { by: 'i-b' })).toHaveLength(1);
    expect(found(9, { asgs: 1 })).toHaveLength(1);
  });
  it('write small items, and nothing at rest', () => {
    const item = (bytes: number, times: number) => (script: Script) => {
      for (let n = 0; n < times; n += 1)
        script.at(620 + n, { kind: 'item-written', table: 'state', group: 'web', item: 'decision#1', bytes, by: react('i-a') });
    };
    expect(details(itemsAreSmall, item(200_000, 1))).toEqual([]);
    expect(details(itemsAreSmall, item(210_000, 1))).toHaveLength(1);
    expect(details(idleWritesNothing, item(100, 4))).toEqual([]);
    expect(details(idleWritesNothing, item(100, 5))).toHaveLength(1);
  });
  it('write the state of a group four times in a look at rest, and more only where it launches or is refused', () => {
    const looked = (times: number, invocations: number, write: (script: Script) => void = () => undefined) =>
      details(
        idleWritesNothing,
        (script) => {
          script.policy(0, 1);
          script.desired(0, 2);
          for (let n = 0; n < 20; n += 1) script.member(`i-${n}`, { pool: 'spot-a' });
          for (let n = 0; n < times; n += 1)
            script.at(1_720 + n, {
              ...{ kind: 'state-written', group: 'web', version: 2, policyVersion: 1, desired: 2, bytes: 1 },
              by: react(`i-${n % invocations}`),
            });
          write(script);
        },
        { restAtMs: 1_700_000, endedAtMs: 1_900_000 },
      );
    expect(looked(4, 1)).toEqual([]);
    expect(looked(5, 1)).toEqual(['the state of web was written 5 times by one look at rest, expected at most 4']);
    expect(looked(8, 2)).toEqual([]);
    expect(looked(5, 1, (script) => script.refuseCapacity(1_721, 'i-0'))).toEqual([]);
    expect(looked(5, 1, (script) => script.refuseCapacity(1_600, 'i-0'))).toHaveLength(1);
  });
  it('write eight items for each member that moves at rest, and for each move that is refused', () => {
    const moves =
      (...launches: readonly string[]) =>
      (script: Script): void => {
        for (const instance of launches) {
          script.react(3_049, 3_052, `of-${instance}`);
          script.launch(3_050, instance, { pool: 'spot-b', by: react(`of-${instance}`) });
        }
      };
    const written = (count: number, write: (script: Script) => void, pool = 'od-b') =>
      details(
        idleWritesNothing,
        (script) => {
          script.policy(0, 1);
          script.desired(0, 2);
          script.member('i-1', { pool: 'spot-a' });
          script.member('i-2', { pool });
          for (let n = 0; n < count; n += 1)
            script.at(3_020 + n, { kind: 'item-written', table: 'state', group: 'web', item: 'decision#1', bytes: 1, by: react('i-a') });
          write(script);
        },
        { restAtMs: 3_000_000, endedAtMs: 3_200_000 },
      );
    expect(written(12, moves('i-3'))).toEqual([]);
    expect(written(13, moves('i-3'))).toEqual(['13 items were written at rest, expected at most 12']);
    const leaves = (script: Script): void => {
      moves('i-3')(script);
      script.end(3_080, 'i-2', react('drain'));
    };
    expect(written(20, leaves)).toEqual([]);
    expect(written(21, leaves)).toHaveLength(1);
    const takes =
      (calls: number) =>
      (script: Script): void => {
        for (let n = 0; n < 4; n += 1)
          script.at(3_020 + n, { kind: 'item-written', table: 'state', group: '@account', item: 'budget', bytes: 1, by: react('i-a') });
        const call = { invocation: 'i-a', function: 'react', service: 'ec2', operation: 'DescribeInstances', outcome: 'ok' };
        for (let n = 0; n < calls; n += 1) script.at(3_020 + n, { kind: 'called', ...call, askedAtMs: 3_020_000, applied: true, isMutating: false });
      };
    expect(written(4, takes(4))).toEqual([]);
    expect(written(4, takes(3))).toHaveLength(1);
    // Sixteen for a member that a message at rest asks to replace, and eight for one by which the size changes.
    const advised =
      (second: number, instance = 'i-2') =>
      (script: Script): void =>
        script.react(second, second + 1, `of-${second}`, [{ about: 'advice', instance }]);
    expect(written(20, advised(3_030))).toEqual([]);
    expect(written(21, advised(3_030))).toEqual(['21 items were written at rest, expected at most 20']);
    expect(written(5, advised(2_990))).toHaveLength(1);
    const twice = (script: Script): void => {
      advised(3_030)(script);
      advised(3_040)(script);
    };
    expect(written(21, twice)).toHaveLength(1);
    // The write of the state item counts too.
    const resized =
      (second: number, desired: number) =>
      (script: Script): void =>
        script.desired(second, desired);
    expect(written(11, resized(3_030, 3))).toEqual([]);
    expect(written(12, resized(3_030, 3))).toHaveLength(1);
    expect(written(4, resized(3_030, 2))).toHaveLength(1);
    expect(written(5, resized(2_990, 3))).toHaveLength(1);
    // Nobody moves to the tier that it has.
    expect(written(5, moves('i-3'), 'spot-b')).toEqual(['5 items were written at rest, expected at most 4']);
    expect(written(5, (script) => script.end(3_080, 'i-2', react('drain')))).toHaveLength(1);
    expect(written(5, (script) => script.launch(3_050, 'i-9', { by: user }))).toHaveLength(1);
    const refused = (second: number) => (script: Script) => script.refuseCapacity(second, 'i-r');
    expect(written(12, refused(3_050))).toEqual([]);
    expect(written(13, refused(3_050))).toHaveLength(1);
    expect(written(5, refused(2_990))).toHaveLength(1);
  });
});

describe('rest', () => {
  it('has the size that is desired', () => {
    const later =
      (write: (script: Script) => void) =>
      (script: Script): void => {
        twoServe(script);
        write(script);
      };
    expect(details(sizeIsHeld, twoServe)).toEqual([]);
    expect(
      details(
        sizeIsHeld,
        later((script) => script.end(650, 'i-1')),
      ),
    ).toHaveLength(1);
    expect(
      details(
        sizeIsHeld,
        later((script) => script.desired(650, 3)),
      ),
    ).toHaveLength(1);
    expect(
      details(
        sizeIsHeld,
        later((script) => script.member('i-3')),
      ),
    ).toHaveLength(1);
  });
  it('may be more where a floor on demand and a minimum size on spot keep more together', () => {
    const kept = (document: object, min = 1) =>
      details(
        sizeIsHeld,
        (script) => {
          script.policy(0, 1, { ...policy, pools: { ...policy.pools, 'spot-b': { market: 'spot', asg: 'web-asg' } }, ...document });
          script.desired(0, 2);
          script.member('i-1', { pool: 'spot-b', asg: 'web-asg' });
          for (const instance of ['i-2', 'i-3']) script.member(instance, { pool: 'od-b' });
        },
        { spec: { ...spec, autoScalingGroups: spec.autoScalingGroups.map((one) => ({ ...one, market: 'spot', min, desired: min })) } },
      );
    expect(kept({ onDemand: { floor: 2 } })).toEqual([]);
    expect(kept({ onDemand: { floor: 1 } })).toHaveLength(1);
    expect(kept({ onDemand: { floor: 2 } }, 0)).toHaveLength(1);
    expect(kept({})).toHaveLength(1);
  });
  it('counts an instance that was stopped, if it runs again', () => {
    const stopped = (againS: number | undefined, write: (script: Script) => void = () => {}) =>
      details(sizeIsHeld, (script) => {
        twoServe(script);
        script.at(100, { kind: 'ended', instance: 'i-1', state: 'stopped' });
        if (againS !== undefined) script.serves(againS, 'i-1');
        write(script);
      });
    expect(stopped(500)).toEqual([]);
    expect(stopped(undefined)).toEqual(['at the end, 1 of 1 members serve, expected 2']);
    expect(stopped(500, (script) => script.member('i-3'))).toEqual(['at the end, 3 of 3 members serve, expected 2']);
    expect(stopped(500, (script) => script.end(600, 'i-1'))).toEqual(['at the end, 1 of 1 members serve, expected 2']);
    const again = (startedS: number | undefined) => (script: Script) => {
      script.at(520, { kind: 'ended', instance: 'i-1', state: 'stopped' });
      if (startedS !== undefined) script.serves(startedS, 'i-1');
    };
    expect(stopped(500, again(undefined))).toEqual(['at the end, 1 of 1 members serve, expected 2']);
    expect(stopped(500, again(540))).toEqual([]);
    // It runs and does not serve.
    const isOut = (script: Script): void =>
      script.at(600, { kind: 'out-of-service', instance: 'i-1', targetGroup: 'web', why: 'unhealthy' } as never);
    expect(stopped(500, isOut)).toEqual(['at the end, 1 of 2 members serve, expected 2']);
    // One that left its Auto Scaling group is no member.
    expect(stopped(500, (script) => script.policy(550, 2, { ...policy, asg: 'web-asg' }))).toHaveLength(1);
  });
  it('counts members that never become healthy while their user protects them from scale-in', () => {
    const mute = (launchedS: number, isProtected = true, boots = false) =>
      details(sizeIsHeld, (script) => {
        script.policy(0, 1, { ...policy, asg: 'web-asg' });
        script.desired(0, 3);
        const asg = { by: { kind: 'asg', asg: 'web-asg', why: 'size' }, asg: 'web-asg' } as const;
        for (const instance of ['i-1', 'i-2']) script.member(instance, asg);
        for (const instance of ['i-1', 'i-2']) script.at(1, { kind: 'joined', instance, asg: 'web-asg', by: asg.by });
        script.launch(launchedS, 'i-3', asg);
        script.at(launchedS, { kind: 'joined', instance: 'i-3', asg: 'web-asg', by: asg.by });
        script.at(launchedS + 1, { kind: 'protection', instance: 'i-3', from: 'scale-in', isOn: isProtected, by: { kind: 'user' } });
        if (boots) script.at(launchedS + 9, { kind: 'booted', instance: 'i-3' });
      });
    expect(mute(90)).toEqual([]);
    expect(mute(101)).toHaveLength(1);
    expect(mute(90, false)).toHaveLength(1);
    expect(mute(90, true, true)).toHaveLength(1);
  });
  it('lets as many serve as are desired beside such members, and no more', () => {
    const beside = (serving: number, { isProtected = true, boots = false } = {}) =>
      details(sizeIsHeld, (script) => {
        script.policy(0, 1, { ...policy, asg: 'web-asg' });
        script.desired(0, 2);
        const asg = { by: { kind: 'asg', asg: 'web-asg', why: 'size' }, asg: 'web-asg' } as const;
        for (let n = 1; n <= serving; n += 1) script.member(`i-${n}`, asg);
        script.launch(90, 'i-mute', asg);
        script.at(91, { kind: 'protection', instance: 'i-mute', from: 'scale-in', isOn: isProtected, by: { kind: 'user' } });
        if (boots) script.at(99, { kind: 'booted', instance: 'i-mute' });
      });
    expect([beside(1), beside(2)].flat()).toEqual([]);
    expect(beside(0)).toEqual(['at the end, 0 of 1 members serve, expected 2']);
    expect(beside(3)).toEqual(['at the end, 3 of 4 members serve, expected 2']);
    expect(beside(2, { isProtected: false })).toEqual(['at the end, 2 of 3 members serve, expected 2']);
    expect(beside(2, { boots: true })).toEqual(['at the end, 2 of 3 members serve, expected 2']);
  });
  it('counts those whose user protects them, as many as they are', () => {
    const surplus = (keep: (script: Script, instance: string) => void, ...kept: readonly string[]) =>
      details(sizeIsHeld, (script) => {
        script.policy(0, 1, attached);
        script.desired(0, 2);
        for (const instance of ['i-1', 'i-2', 'i-3']) script.member(instance, { asg: 'web-asg' });
        for (const instance of kept) keep(script, instance);
      });
    const protect = (script: Script, instance: string): void =>
      script.at(100, { kind: 'protection', instance, from: 'scale-in', isOn: true, by: user });
    expect(surplus(protect, 'i-1', 'i-2', 'i-3')).toEqual([]);
    expect(surplus(protect, 'i-1', 'i-2')).toHaveLength(1);
    const refuse = (script: Script, instance: string): void => script.refuse(100, instance);
    expect(surplus(refuse, 'i-1', 'i-2', 'i-3')).toEqual([]);
    expect(surplus(refuse, 'i-1')).toHaveLength(1);
  });
  it('does not count one that does not serve and whose end EC2 refused within the hour', () => {
    const idle = (refusedS: number | undefined, endedAtMs = 300_000) =>
      details(
        sizeIsHeld,
        (script) => {
          script.policy(0, 1);
          script.desired(0, 2);
          for (const instance of ['i-1', 'i-2']) script.member(instance);
          script.launch(10, 'i-3');
          script.at(20, { kind: 'running', instance: 'i-3' });
          if (refusedS !== undefined) script.at(refusedS, { kind: 'end-refused', instance: 'i-3', by: react('i-a') });
        },
        { endedAtMs },
      );
    expect(idle(100)).toEqual([]);
    expect(idle(undefined)).toHaveLength(1);
    expect(idle(100, 3_800_000)).toHaveLength(1);
  });
  it('is served by what was drawn from a warm pool', () => {
    const drawn = (script: Script): void => {
      script.policy(0, 1, attached);
      script.desired(0, 1);
      script.launch(1, 'i-1', { by: { kind: 'asg', asg: 'web-asg', why: 'size' }, tags: { 'aws:autoscaling:groupName': 'web-asg' } });
      script.at(10, { kind: 'running', instance: 'i-1' });
      script.at(11, { kind: 'ending', instance: 'i-1', by: { kind: 'ec2' } });
      script.at(20, { kind: 'ended', instance: 'i-1', state: 'stopped' });
    };
    const joined = (script: Script): void => {
      drawn(script);
      script.at(100, { kind: 'joined', instance: 'i-1', asg: 'web-asg', by: { kind: 'asg', asg: 'web-asg', why: 'size' } });
      script.serves(120, 'i-1');
    };
    expect(details(sizeIsHeld, joined)).toEqual([]);
    expect(details(sizeIsHeld, drawn)).toHaveLength(1);
  });
  it('comes, and leaves nothing open', () => {
    expect(details(cameToRest, twoServe)).toEqual([]);
    const open = (states: Readonly<Record<string, unknown>>) => details(nothingOpen, twoServe, { stored: { ...swap({}).stored, swaps: [], states } });
    expect(open({ web: { reservations: [], raised: [] } })).toEqual([]);
    expect(open({ web: { reservations: [{ id: 'r' }], raised: [] } })).toEqual(['reservation r is open']);
    expect(open({ web: { reservations: [], raised: [{ asg: 'web-asg' }] } })).toHaveLength(1);
    expect(details(nothingOpen, twoServe, { stored: { ...swap({}).stored, deadLetters: 2 } })).toEqual(['2 dead letters']);
  });
  it('finds every member that was launched and did not join', () => {
    const found = (isIn: boolean) =>
      details(nobodyForgotten, (script) => {
        script.policy(0, 1, attached);
        script.launch(100, 'i-3');
        if (isIn) script.at(120, { kind: 'joined', instance: 'i-3', asg: 'web-asg', by: react('i-a') });
      });
    expect(found(true)).toEqual([]);
    expect(found(false)).toHaveLength(1);
  });
  it('allows members that the minimum of an earlier Auto Scaling group keeps, or its protection', () => {
    const behind = (held: readonly string[], isProtected = false) =>
      details(nobodyForgotten, (script) => {
        script.policy(0, 1, attached);
        for (const instance of held) script.member(instance, { asg: 'web-asg' });
        if (isProtected) script.at(40, { kind: 'protection', instance: 'i-1', from: 'scale-in', isOn: true, by: user });
        script.policy(100, 2, { ...policy, asg: 'other-asg' });
      });
    // Its minimum is one.
    expect(behind(['i-1'])).toEqual([]);
    expect(behind(['i-1', 'i-2'])).toHaveLength(2);
    expect(behind(['i-1', 'i-2'], true)).toEqual(['i-2 runs on outside the Auto Scaling group of its group']);
  });
});
