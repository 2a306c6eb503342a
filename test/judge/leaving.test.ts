import { describe, expect, it } from 'vitest';
import type { Rule } from '../../sandbox/judge/finding.ts';
import type { Actor, History } from '../../sandbox/judge/history.ts';
import {
  connectionsGetTheirTime,
  hooksAreHeld,
  leftToEc2,
  letGoIsLeft,
  strangersUntouched,
  workTakenOffFirst,
} from '../../sandbox/judge/rules/drains/endings.ts';
import { drainBeginsInTime, servesUntilReplaced, takenOutOnce, warnedTakenOut } from '../../sandbox/judge/rules/drains/warned.ts';
import { details, throttled } from './details.ts';
import { policy, react, type Script, spec, twoServe, user } from './histories.ts';

const end = { kind: 'ec2' } as const;

describe('a warned member is taken out of service before its deadline', () => {
  const warned = (outSecond: number | undefined) =>
    details(warnedTakenOut, (script) => {
      twoServe(script);
      script.warn(100, 'i-1');
      if (outSecond !== undefined) script.takeOut(outSecond, 'i-1');
      script.end(220, 'i-1', end);
    });
  it('holds for a member that was, and breaks for a member that was not', () => {
    expect(warned(150)).toEqual([]);
    expect(warned(undefined)).toEqual(['i-1 was warned, and ended while web still sent it requests']);
  });
  it('breaks when only the first of two target groups was left', () => {
    const found = details(warnedTakenOut, (script) => {
      twoServe(script);
      script.at(31, { kind: 'in-service', instance: 'i-1', targetGroup: 'api' });
      script.warn(100, 'i-1');
      script.takeOut(150, 'i-1');
      script.end(220, 'i-1', end);
    });
    expect(found).toEqual(['i-1 was warned, and ended while api still sent it requests']);
  });
  it('breaks when EC2 warned it again just before it was put back, and took it at work', () => {
    const again = (warnedAt: number, outAt?: number) =>
      details(warnedTakenOut, (script) => {
        twoServe(script);
        script.warn(100, 'i-1');
        script.takeOut(110, 'i-1');
        script.at(220, { kind: 'spared', instance: 'i-1' });
        script.warn(warnedAt, 'i-1');
        script.at(530, { kind: 'item-written', table: 'state', group: 'web', item: 'past#i-1', bytes: 500, by: react('i-10') });
        script.at(540, { kind: 'in-service', instance: 'i-1', targetGroup: 'web' });
        if (outAt !== undefined) script.takeOut(outAt, 'i-1');
        script.end(650, 'i-1', end);
      });
    for (const warnedAt of [529, 531]) {
      expect(again(warnedAt)).toEqual(['i-1 was warned, and ended while web still sent it requests']);
      expect(again(warnedAt, 600)).toEqual([]);
    }
    // EC2 was to take it before it was put back.
    expect(again(105)).toEqual([]);
  });
  it('judges each run of an instance that was stopped meanwhile by its own warnings', () => {
    const again = (write: (script: Script) => void = () => undefined) =>
      details(warnedTakenOut, (script) => {
        twoServe(script);
        script.warn(100, 'i-1');
        script.takeOut(150, 'i-1');
        script.at(220, { kind: 'ending', instance: 'i-1', by: { kind: 'ec2' } }, { kind: 'ended', instance: 'i-1', state: 'stopped' });
        script.serves(300, 'i-1');
        write(script);
        script.end(900, 'i-1', end);
      });
    expect(again()).toEqual([]);
    expect(again((script) => script.warn(780, 'i-1'))).toEqual(['i-1 was warned, and ended while web still sent it requests']);
  });
  it('breaks when it came back into service and was forgotten', () => {
    const found = details(warnedTakenOut, (script) => {
      twoServe(script);
      script.warn(100, 'i-1');
      script.takeOut(110, 'i-1');
      script.at(130, { kind: 'in-service', instance: 'i-1', targetGroup: 'web' });
      script.end(220, 'i-1', end);
    });
    expect(found).toHaveLength(1);
  });
});

/** Warned at 100, and EC2 does not take it at 220. Its group is observed until a second, and acts then. */
const outlived = (rule: Rule, actsAtS: number, second: number, warnedAgainS?: number, servesAtS?: number) =>
  details(rule, (script) => {
    twoServe(script);
    script.warn(100, 'i-1');
    script.react(101, 103, 'i-a', [{ about: 'warning', instance: 'i-1' }]);
    script.policy(110, 2, { ...policy, mode: 'observe' });
    if (warnedAgainS !== undefined) script.warn(warnedAgainS, 'i-1');
    script.policy(actsAtS, 3);
    script.react(actsAtS, actsAtS + 1, 'i-b', [{ about: 'policy', group: 'web' }]);
    if (servesAtS !== undefined) script.launch(actsAtS + 1, 'i-3');
    if (servesAtS !== undefined) script.serves(servesAtS, 'i-3');
    script.takeOut(second, 'i-1');
    script.end(400, 'i-1', end);
  });

describe('a drain begins early enough to end', () => {
  const out = (second: number) =>
    details(drainBeginsInTime, (script) => {
      twoServe(script);
      script.warn(100, 'i-1');
      script.react(101, 103, 'i-a', [{ about: 'warning', instance: 'i-1' }]);
      script.takeOut(second, 'i-1');
      script.end(220, 'i-1', end);
    });
  it('leaves the deregistration delay, and what its start takes, before the deadline', () => {
    expect(out(197)).toEqual([]);
    expect(out(199)).toEqual(['i-1 was taken out of web 1.0 s after the latest time at which its drain could end']);
  });
  it('is not asked of a member that never served, and of one that came to serve after its warning it is', () => {
    const booting = (servesAtSecond?: number) =>
      details(drainBeginsInTime, (script) => {
        twoServe(script);
        script.launch(90, 'i-3', { by: user, tags: { 'holdfast:group': 'holdfast/web', 'holdfast:pool': 'spot-a' } });
        script.warn(100, 'i-3');
        script.react(101, 103, 'i-a', [{ about: 'warning', instance: 'i-3' }]);
        if (servesAtSecond !== undefined) script.serves(servesAtSecond, 'i-3');
        script.takeOut(205, 'i-3');
        script.end(220, 'i-3', end);
      });
    expect(booting()).toEqual([]);
    expect(booting(150)).toHaveLength(1);
    // The time counts from when it came to serve, so late that nobody could have taken it out of service before.
    expect(booting(190)).toEqual([]);
    expect(booting(186)).toEqual(['i-3 was taken out of web 1.0 s after the latest time at which its drain could end']);
  });
  it('gives no more time to a member that served before its warning, and serves again after its checks failed', () => {
    const found = details(drainBeginsInTime, (script) => {
      twoServe(script);
      script.warn(100, 'i-1');
      script.react(101, 103, 'i-a', [{ about: 'warning', instance: 'i-1' }]);
      script.at(120, { kind: 'out-of-service', instance: 'i-1', targetGroup: 'web', why: 'unhealthy', by: { kind: 'load-balancer' } as never });
      script.serves(190, 'i-1');
      script.takeOut(205, 'i-1');
      script.end(220, 'i-1', end);
    });
    expect(found).toHaveLength(1);
  });
  it('counts from when the warning was received, where the member waits on advice, and from a claim that lets it leave', () => {
    const late = (state: string) =>
      details(drainBeginsInTime, (script) => {
        twoServe(script);
        script.warn(100, 'i-1');
        script.react(149, 152, 'i-b', [{ about: 'advice', instance: 'i-1' }]);
        script.claim(150, 'i-1', 'i-b', state);
        script.react(204, 206, 'i-a', [{ about: 'warning', instance: 'i-1' }]);
        script.takeOut(208, 'i-1');
        script.end(220, 'i-1', end);
      });
    expect(late('waiting')).toEqual([]);
    expect(late('leaving')).toHaveLength(1);
  });
  it('counts from when a policy is in force again, where the warning came while none was', () => {
    const back = (second: number) =>
      details(drainBeginsInTime, (script) => {
        twoServe(script);
        script.letGo(90);
        script.warn(100, 'i-1');
        script.react(101, 103, 'i-a', [{ about: 'warning', instance: 'i-1' }]);
        script.policy(195, 2);
        script.takeOut(second, 'i-1');
        script.end(220, 'i-1', end);
      });
    expect(back(213)).toEqual([]);
    expect(back(214)).toHaveLength(1);
  });
  it('counts from when a healthy function learns of that policy, where a fault holds up its message', () => {
    const back = (second: number, faults = throttled('PutItem'), injected = false) =>
      details(
        drainBeginsInTime,
        (script) => {
          twoServe(script);
          script.letGo(90);
          script.warn(100, 'i-1');
          script.react(101, 103, 'i-a', [{ about: 'warning', instance: 'i-1' }]);
          script.policy(180, 2);
          script.react(190, 191, 'i-b', [{ about: 'policy', group: 'web' }], injected);
          script.react(194, 199, 'i-c', [{ about: 'tick', groups: ['web'] }]);
          script.takeOut(second, 'i-1');
          script.end(220, 'i-1', end);
        },
        faults,
      );
    expect(back(207)).toEqual([]);
    expect(back(210)).toHaveLength(1);
    expect(back(210, undefined, true)).toEqual([]);
    expect(back(207, throttled('CreateTags'))).toHaveLength(1);
  });
  it('counts from when a policy names the Auto Scaling group of the member again, and goes by that policy', () => {
    const named = (atSecond: number, second: number) =>
      details(drainBeginsInTime, (script) => {
        const by = (asg: string) => ({ ...policy, asg, drain: { ...policy.drain, timeout: '10s' } });
        script.policy(0, 1, by('web-asg'));
        script.member('i-1', { asg: 'web-asg', tags: { 'holdfast:group': 'holdfast/web' } });
        script.letGo(90);
        script.warn(100, 'i-1');
        script.react(101, 103, 'i-a', [{ about: 'warning', instance: 'i-1' }]);
        script.policy(150, 2, by('other-asg'));
        script.policy(atSecond, 3, by('web-asg'));
        script.takeOut(second, 'i-1');
        script.end(220, 'i-1', end);
      });
    // The deregistration delay takes longer than the time-out of the policy.
    expect(named(170, 202)).toEqual([]);
    expect(named(170, 204)).toHaveLength(1);
    expect(named(192, 209)).toEqual([]);
    expect(named(192, 211)).toHaveLength(1);
  });
  it('counts from when the group is not observed any more', () => {
    const observed = (second: number, actsAtS: number | undefined, heardAtS = actsAtS) =>
      details(drainBeginsInTime, (script) => {
        twoServe(script);
        script.policy(90, 2, { ...policy, mode: 'observe' });
        script.warn(100, 'i-1');
        script.react(101, 103, 'i-a', [{ about: 'warning', instance: 'i-1' }]);
        if (actsAtS !== undefined) script.policy(actsAtS, 3);
        if (actsAtS !== undefined) script.react(actsAtS, actsAtS + 1, 'i-b', [{ about: 'policy', group: 'web' }], heardAtS !== actsAtS);
        if (heardAtS !== undefined) script.react(heardAtS, heardAtS + 1, 'i-c', [{ about: 'tick', groups: ['web'] }]);
        script.takeOut(second, 'i-1');
        script.end(220, 'i-1', end);
      });
    expect(observed(197, 150)).toEqual([]);
    expect(observed(199, 150)).toHaveLength(1);
    expect(observed(208, 190)).toEqual([]);
    expect(observed(209, 190)).toHaveLength(1);
    // A fault met the function that received the policy.
    expect(observed(212, 190, 195)).toEqual([]);
    expect(observed(214, 190, 195)).toHaveLength(1);
    expect(observed(212, undefined)).toEqual([]);
    expect(observed(212, 221)).toEqual([]);
  });
  it('goes by the next deadline, where an earlier one passed while the group was observed', () => {
    // EC2 takes it at 360, and its connections get 20 s.
    expect(outlived(drainBeginsInTime, 250, 337, 240)).toEqual([]);
    expect(outlived(drainBeginsInTime, 250, 339, 240)).toHaveLength(1);
  });
  it('has no time for a member that EC2 has not taken in time', () => {
    // Its drain need not begin where Holdfast first acts ten seconds after its deadline, less what the start of a drain may take.
    expect(outlived(drainBeginsInTime, 250, 390)).toEqual([]);
    expect(outlived(drainBeginsInTime, 250, 390, 125)).toEqual([]);
    expect(outlived(drainBeginsInTime, 215, 390)).toEqual([]);
    expect(outlived(drainBeginsInTime, 214, 390)).toHaveLength(1);
  });
  it('goes by the policy in force when the drain has to begin', () => {
    const edited = (atSecond: number, timeout: string, second: number) =>
      details(drainBeginsInTime, (script) => {
        twoServe(script);
        script.warn(100, 'i-1');
        script.react(101, 103, 'i-a', [{ about: 'warning', instance: 'i-1' }]);
        script.policy(atSecond, 2, { ...policy, drain: { ...policy.drain, timeout } });
        script.takeOut(second, 'i-1');
        script.end(220, 'i-1', end);
      });
    expect(edited(150, '5s', 207)).toEqual([]);
    expect(edited(150, '5s', 215)).toHaveLength(1);
    // It comes into force after the drain had to begin.
    expect(edited(200, '5s', 207)).toHaveLength(1);
  });
  const inAsg = (second: number, changes: Partial<History> = {}) =>
    details(
      drainBeginsInTime,
      (script) => {
        script.policy(0, 1, { ...policy, asg: 'web-asg', drain: { ...policy.drain, timeout: '10m' } });
        script.member('i-1', { asg: 'web-asg' });
        script.warn(100, 'i-1');
        script.react(101, 103, 'i-a', [{ about: 'warning', instance: 'i-1' }]);
        script.takeOut(second, 'i-1');
        script.end(220, 'i-1', end);
      },
      changes,
    );
  it('leaves the margin for calls where an Auto Scaling group holds it', () => {
    expect(inAsg(192)).toEqual([]);
    expect(inAsg(194)).toHaveLength(1);
  });
  it('takes half of the time where the delay does not fit', () => {
    const delayed = (deregistrationDelaySeconds: number): Partial<History> => ({
      spec: { ...spec, targetGroups: spec.targetGroups.map((one) => ({ ...one, deregistrationDelaySeconds })) },
    });
    expect(inAsg(158, delayed(110))).toEqual([]);
    expect(inAsg(159, delayed(110))).toHaveLength(1);
    // What fits exactly begins at once.
    expect(inAsg(119, delayed(109))).toEqual([]);
    expect(inAsg(120, delayed(109))).toHaveLength(1);
  });
});

describe('the drain of an instance that was stopped and runs again', () => {
  const again = (outSecond: number, warnedAgainAt?: number) =>
    details(drainBeginsInTime, (script) => {
      twoServe(script);
      script.warn(100, 'i-1');
      script.react(101, 103, 'i-a', [{ about: 'warning', instance: 'i-1' }]);
      script.at(220, { kind: 'ending', instance: 'i-1', by: end }, { kind: 'ended', instance: 'i-1', state: 'stopped' });
      script.at(230, { kind: 'running', instance: 'i-1' });
      script.at(240, { kind: 'in-service', instance: 'i-1', targetGroup: 'web' });
      if (warnedAgainAt !== undefined) {
        script.warn(warnedAgainAt, 'i-1');
        script.react(warnedAgainAt + 1, warnedAgainAt + 3, 'i-b', [{ about: 'warning', instance: 'i-1' }]);
      }
      script.takeOut(outSecond, 'i-1');
    });
  const late = 'i-1 was taken out of web 1.0 s after the latest time at which its drain could end';
  it('has no deadline left of the warnings before', () => {
    expect(again(400)).toEqual([]);
  });
  it('has the deadline of a warning that came since', () => {
    expect(again(397, 300)).toEqual([]);
    expect(again(399, 300)).toEqual([late]);
  });
  it('is late where the instance was not stopped meanwhile', () => {
    const served = details(drainBeginsInTime, (script) => {
      twoServe(script);
      script.warn(100, 'i-1');
      script.react(101, 103, 'i-a', [{ about: 'warning', instance: 'i-1' }]);
      script.at(150, { kind: 'in-service', instance: 'i-1', targetGroup: 'web' });
      script.takeOut(400, 'i-1');
    });
    expect(served).toHaveLength(1);
  });
  it('is late for the work that the instance had before it was stopped', () => {
    const before = details(drainBeginsInTime, (script) => {
      twoServe(script);
      script.warn(100, 'i-1');
      script.react(101, 103, 'i-a', [{ about: 'warning', instance: 'i-1' }]);
      script.takeOut(199, 'i-1');
      script.at(220, { kind: 'ending', instance: 'i-1', by: end }, { kind: 'ended', instance: 'i-1', state: 'stopped' });
      script.at(230, { kind: 'running', instance: 'i-1' });
    });
    expect(before).toEqual([late]);
  });
});

describe('a warned member works until its replacement does, or its drain must begin', () => {
  const out = (second: number, servesAtSecond: number, document: Readonly<Record<string, unknown>> = policy) =>
    details(servesUntilReplaced, (script) => {
      twoServe(script);
      script.policy(50, 2, document);
      script.warn(100, 'i-1');
      script.react(101, 103, 'i-a', [{ about: 'warning', instance: 'i-1' }]);
      script.launch(102, 'i-3');
      script.serves(servesAtSecond, 'i-3');
      script.takeOut(second, 'i-1');
      script.end(220, 'i-1', end);
    });
  it('goes by the policy in force when the drain has to begin', () => {
    const edited = (atSecond: number) =>
      details(servesUntilReplaced, (script) => {
        twoServe(script);
        script.policy(50, 2, { ...policy, drain: { ...policy.drain, timeout: '5s' } });
        script.warn(100, 'i-1');
        script.react(101, 103, 'i-a', [{ about: 'warning', instance: 'i-1' }]);
        script.policy(atSecond, 3);
        script.takeOut(180, 'i-1');
        script.end(220, 'i-1', end);
      });
    expect(edited(150)).toEqual([]);
    expect(edited(200)).toHaveLength(1);
  });
  it('goes by the next policy where none was in force when the warning was heard', () => {
    const back = (second: number) =>
      details(servesUntilReplaced, (script) => {
        twoServe(script);
        script.letGo(90);
        script.warn(100, 'i-1');
        script.react(101, 103, 'i-a', [{ about: 'warning', instance: 'i-1' }]);
        script.policy(110, 2, { ...policy, drain: { ...policy.drain, timeout: '5s' } });
        script.takeOut(second, 'i-1');
        script.end(220, 'i-1', end);
      });
    expect(back(193)).toEqual([]);
    // The deregistration delay alone would have let its drain begin by then.
    expect(back(180)).toHaveLength(1);
  });
  it('holds once its replacement serves, or its drain must begin', () => {
    expect(out(140, 139)).toEqual([]);
    expect(out(178, 300)).toEqual([]);
    expect(out(176, 300)).toEqual(['i-1 was taken out of service 1.0 s before its drain had to begin, and too few others serve']);
  });
  it('holds on after its deadline, where Holdfast could act no sooner, until enough others serve', () => {
    expect(outlived(servesUntilReplaced, 230, 300, undefined, 299)).toEqual([]);
    expect(outlived(servesUntilReplaced, 230, 300, undefined, 301)).toEqual([
      'i-1 was taken out of service after its deadline, and too few others serve',
    ]);
    expect(outlived(servesUntilReplaced, 229, 300, undefined, 301)).toEqual([]);
    // The drain of the next warning has to begin.
    expect(outlived(servesUntilReplaced, 250, 337, 240, 340)).toEqual([]);
  });
  it('judges a member that EC2 had advised to leave, unless it had begun to leave for that', () => {
    const advised = (state: string, reason = 'rebalance') =>
      details(servesUntilReplaced, (script) => {
        twoServe(script);
        script.advise(90, 'i-1');
        script.at(92, {
          ...{ kind: 'item-written', table: 'state', group: 'web', item: 'swap#i-1', bytes: 100, by: react('i-a') },
          swap: { reason, state, facts: { offering: 't/z-a/spot', hooks: [] } },
        });
        script.warn(100, 'i-1');
        script.react(101, 103, 'i-b', [{ about: 'warning', instance: 'i-1' }]);
        script.takeOut(140, 'i-1');
        script.end(220, 'i-1', end);
      });
    expect(advised('waiting')).toHaveLength(1);
    expect(advised('leaving', 'interruption')).toHaveLength(1);
    expect(advised('leaving')).toEqual([]);
  });
  it('counts a replacement that came to serve, and that died when no describe had to show it yet', () => {
    const died = (second: number) =>
      details(servesUntilReplaced, (script) => {
        twoServe(script);
        script.warn(100, 'i-1');
        script.react(101, 103, 'i-a', [{ about: 'warning', instance: 'i-1' }]);
        script.launch(110, 'i-3');
        script.serves(second - 0.2, 'i-3');
        script.end(second, 'i-3', end);
        script.takeOut(140, 'i-1');
        script.end(220, 'i-1', end);
      });
    expect(died(139.5)).toEqual([]);
    expect(died(130)).toHaveLength(1);
  });
  it('allows for the clock of a function when the notice is about as long as the delay', () => {
    const early = (deregistrationDelaySeconds: number, clockErrorMs: number) =>
      details(
        servesUntilReplaced,
        (script) => {
          twoServe(script);
          script.policy(50, 2, { ...policy, drain: { ...policy.drain, timeout: '5m' } });
          script.warn(100, 'i-1');
          script.react(101, 103, 'i-a', [{ about: 'warning', instance: 'i-1' }]);
          script.takeOut(110, 'i-1');
          script.end(220, 'i-1', end);
        },
        { clockErrorMs, spec: { ...spec, targetGroups: spec.targetGroups.map((one) => ({ ...one, deregistrationDelaySeconds })) } },
      );
    // By the true time the delay does not fit, and the time left is halved. By a clock that is two seconds behind it fits.
    expect(early(120, 3_000)).toEqual([]);
    expect(early(120, 0)).toHaveLength(1);
    // It fits by no clock within the error.
    expect(early(123, 3_000)).toHaveLength(1);
  });
  it('counts others whose own warning no function has received', () => {
    const counted = (heard: boolean) =>
      details(servesUntilReplaced, (script) => {
        twoServe(script);
        script.warn(95, 'i-2');
        if (heard) script.react(96, 97, 'i-b', [{ about: 'warning', instance: 'i-2' }]);
        script.warn(100, 'i-1');
        script.react(101, 103, 'i-a', [{ about: 'warning', instance: 'i-1' }]);
        script.launch(102, 'i-3');
        script.serves(118, 'i-3');
        script.takeOut(120, 'i-1');
        script.end(220, 'i-1', end);
      });
    expect(counted(false)).toEqual([]);
    expect(counted(true)).toHaveLength(1);
  });
  it('breaks when it leaves a gap, unless the policy drains first', () => {
    expect(out(120, 139)).toHaveLength(1);
    expect(out(120, 139, { ...policy, swap: { order: 'drain-first' } })).toEqual([]);
  });
  it('counts the others of the group that holds its Auto Scaling group by then', () => {
    const renamed = (servesAtS: number) =>
      details(servesUntilReplaced, (script) => {
        const held = { by: { kind: 'asg', asg: 'web-asg', why: 'size' }, asg: 'web-asg' } as const;
        script.policy(0, 1, { ...policy, group: 'before', asg: 'web-asg' }, 'before');
        for (const instance of ['i-1', 'i-2']) script.member(instance, held);
        script.warn(100, 'i-1');
        script.react(101, 103, 'i-a', [{ about: 'warning', instance: 'i-1' }]);
        script.launch(102, 'i-3', held);
        script.serves(servesAtS, 'i-3');
        script.letGo(104, 'before');
        script.policy(110, 1, { ...policy, asg: 'web-asg' });
        script.desired(110, 2);
        script.takeOut(140, 'i-1');
        script.end(220, 'i-1', end);
      });
    expect(renamed(139)).toEqual([]);
    expect(renamed(145)).toHaveLength(1);
  });
  it('counts others until their own warning has reached a function that lives', () => {
    const beside = (injected: boolean) =>
      details(servesUntilReplaced, (script) => {
        twoServe(script);
        script.launch(70, 'i-3');
        script.serves(90, 'i-3');
        script.warn(100, 'i-1');
        script.warn(100, 'i-2');
        script.react(101, 103, 'i-a', [{ about: 'warning', instance: 'i-1' }]);
        script.react(101, 103, 'i-b', [{ about: 'warning', instance: 'i-2' }], injected);
        script.takeOut(120, 'i-1');
        for (const instance of ['i-1', 'i-2']) script.end(220, instance, end);
      });
    expect(beside(true)).toEqual([]);
    expect(beside(false)).toHaveLength(1);
  });
  it('counts others that ended so lately that no describe shows it', () => {
    const beside = (diedS: number, by: Actor = { kind: 'script' }) =>
      details(servesUntilReplaced, (script) => {
        twoServe(script);
        script.launch(70, 'i-3');
        script.serves(90, 'i-3');
        script.warn(100, 'i-1');
        script.react(101, 103, 'i-a', [{ about: 'warning', instance: 'i-1' }]);
        script.react(118, 121, 'i-drain');
        script.end(diedS, 'i-2', by);
        script.takeOut(120, 'i-1', react('i-drain'));
        script.end(220, 'i-1', end);
      });
    expect(beside(119)).toEqual([]);
    expect(beside(105)).toHaveLength(1);
    expect(beside(119, react('i-b'))).toHaveLength(1);
  });
  it('counts others that became unhealthy after the function that takes it out had begun', () => {
    const beside = (failedS: number, why: 'unhealthy' | 'deregistered' = 'unhealthy') =>
      details(servesUntilReplaced, (script) => {
        twoServe(script);
        script.launch(70, 'i-3');
        script.serves(90, 'i-3');
        script.warn(100, 'i-1');
        script.react(101, 103, 'i-a', [{ about: 'warning', instance: 'i-1' }]);
        script.react(118, 121, 'i-drain');
        script.at(failedS, { kind: 'out-of-service', instance: 'i-2', targetGroup: 'web', why, by: { kind: 'script' } });
        script.takeOut(120, 'i-1', react('i-drain'));
        script.end(220, 'i-1', end);
      });
    expect(beside(119)).toEqual([]);
    expect(beside(117)).toHaveLength(1);
    expect(beside(119, 'deregistered')).toHaveLength(1);
  });
  it('counts others whose warning reached another function after the one that takes it out had begun', () => {
    const beside = (heardS: number) =>
      details(servesUntilReplaced, (script) => {
        twoServe(script);
        script.launch(70, 'i-3');
        script.serves(90, 'i-3');
        script.warn(100, 'i-1');
        script.react(101, 103, 'i-a', [{ about: 'warning', instance: 'i-1' }]);
        script.warn(110, 'i-2');
        script.react(heardS, 125, 'i-b', [{ about: 'warning', instance: 'i-2' }]);
        script.react(118, 121, 'i-drain');
        script.takeOut(120, 'i-1', react('i-drain'));
        for (const instance of ['i-1', 'i-2']) script.end(230, instance, end);
      });
    expect(beside(119)).toEqual([]);
    expect(beside(117)).toHaveLength(1);
  });
});

describe('work is taken off once', () => {
  it('breaks when Holdfast takes a member out of one target group twice', () => {
    const found = details(takenOutOnce, (script) => {
      twoServe(script);
      script.takeOut(100, 'i-1');
      script.at(130, { kind: 'in-service', instance: 'i-1', targetGroup: 'web' });
      script.takeOut(160, 'i-1');
    });
    expect(found).toEqual(['i-1 was taken out of web 2 times']);
  });
});

describe('connections get their time', () => {
  const ended = (second: number, timeout: string) =>
    details(connectionsGetTheirTime, (script) => {
      twoServe(script);
      script.policy(50, 2, { ...policy, drain: { ...policy.drain, timeout } });
      script.takeOut(100, 'i-1');
      script.end(second, 'i-1', react('drain'));
    });
  it('waits for the deregistration delay, or for drain.timeout', () => {
    expect(ended(120, '30s')).toEqual([]);
    expect(ended(103, '30s')).toHaveLength(1);
    expect(ended(106, '5s')).toEqual([]);
  });
  it('lets an Auto Scaling group wait for connections by itself', () => {
    const hooked = (emptySecond: number) =>
      details(connectionsGetTheirTime, (script) => {
        script.policy(0, 1, { ...policy, asg: 'web-asg' });
        script.member('i-1', { asg: 'web-asg' });
        script.at(100, { kind: 'left', instance: 'i-1', asg: 'web-asg', how: 'terminating', by: react('drain') });
        script.takeOut(100, 'i-1');
        script.at(emptySecond, { kind: 'empty', instance: 'i-1', targetGroup: 'web' });
        script.end(105, 'i-1', react('drain'));
      });
    expect(hooked(102)).toEqual([]);
    expect(hooked(110)).toHaveLength(1);
  });
  it('leaves the hook of a member that EC2 takes until its connections have closed, or EC2 takes it', () => {
    const completed = (second: number, { isHeard = true, noticeSeconds = 120 } = {}) =>
      details(
        connectionsGetTheirTime,
        (script) => {
          const hook = { instance: 'i-1', asg: 'web-asg', hook: 'drain' };
          script.policy(0, 1, { ...policy, asg: 'web-asg', drain: { ...policy.drain, timeout: '30s' } });
          script.member('i-1', { asg: 'web-asg' });
          script.warn(100, 'i-1', noticeSeconds);
          if (isHeard) script.react(101, 102, 'i-warned', [{ about: 'warning', instance: 'i-1' }]);
          script.takeOut(150, 'i-1');
          script.at(150, { kind: 'hook-waits', ...hook, expiresAtMs: 3_000_000 });
          script.at(second, { kind: 'hook-over', ...hook, how: 'completed', result: 'CONTINUE', by: react('drain') });
          script.end(second, 'i-1', react('drain'));
        },
        { spec: { ...spec, targetGroups: spec.targetGroups.map((one) => ({ ...one, deregistrationDelaySeconds: 300 })) } },
      );
    const text = (seconds: number): readonly string[] => [`i-1 ended ${seconds}.0 s after it was taken out of web; expected 300.0 s`];
    expect(completed(220)).toEqual([]);
    expect(completed(211)).toEqual(text(61));
    expect(completed(185)).toEqual(text(35));
    // A function that did not know of the warning goes by drain.timeout.
    expect(completed(185, { isHeard: false })).toEqual([]);
  });
});

describe('who ends whom', () => {
  it('takes work off before a member is ended', () => {
    const found = (out: boolean) =>
      details(workTakenOffFirst, (script) => {
        twoServe(script);
        if (out) script.takeOut(90, 'i-1');
        script.end(130, 'i-1', react('drain'));
      });
    expect(found(true)).toEqual([]);
    expect(found(false)).toHaveLength(1);
  });
  it('leaves to EC2 what EC2 takes', () => {
    const endedAt = (second: number) =>
      details(leftToEc2, (script) => {
        twoServe(script);
        script.warn(100, 'i-1');
        script.end(second, 'i-1', react('drain'));
      });
    expect(endedAt(200)).toHaveLength(1);
    expect(endedAt(221)).toEqual([]);
  });
  it('leaves nothing to EC2 whose drain began before a function received the warning', () => {
    const endedAt = (drainSecond: number, heardSecond?: number, injected = false) =>
      details(leftToEc2, (script) => {
        twoServe(script);
        script.warn(100, 'i-1');
        if (heardSecond !== undefined) script.react(heardSecond, heardSecond + 2, 'i-a', [{ about: 'warning', instance: 'i-1' }], injected);
        const swap = { reason: 'scale-in', state: 'leaving', drain: 'd-1' } as const;
        const stored = { kind: 'item-written', table: 'state', group: 'web', item: 'swap#i-1', bytes: 500, by: react('i-b'), swap } as const;
        script.at(drainSecond, stored, { kind: 'drain', drain: 'd-1', group: 'web', instances: ['i-1'], status: 'started' });
        script.end(200, 'i-1', react('drain'));
      });
    expect([endedAt(130), endedAt(130, 140), endedAt(90, 101)]).toEqual([[], [], []]);
    expect(endedAt(130, 120)).toHaveLength(1);
    // A fault met the function that received the warning, so its message comes again.
    expect(endedAt(130, 120, true)).toEqual([]);
  });
  it('changes no instance outside the groups', () => {
    const found = details(strangersUntouched, (script) => {
      twoServe(script);
      script.launch(1, 'i-x', { by: user });
      script.end(100, 'i-x', react('drain'));
    });
    expect(found).toEqual(['i-x belongs to no group, and Holdfast changed it']);
  });
  it('changes no instance that its user detached', () => {
    const inAsg = { ...policy, asg: 'web-asg' };
    type Case = { readonly takenS?: number; readonly claimedS?: number; readonly tagged?: boolean; readonly now?: object; readonly by?: Actor };
    const found = ({ takenS = 200, claimedS = 190, tagged = true, now, by = user }: Case = {}) =>
      details(strangersUntouched, (script) => {
        twoServe(script);
        script.policy(5, 2, inAsg);
        script.at(10, { kind: 'joined', instance: 'i-1', asg: 'web-asg', by: react('i-0') });
        if (tagged) script.at(11, { kind: 'tagged', instance: 'i-1', tags: { 'holdfast:joined': 'web-asg 10000' }, by: react('i-0') });
        script.at(100, { kind: 'left', instance: 'i-1', asg: 'web-asg', how: 'detached', by });
        if (now !== undefined) script.policy(150, 3, now as typeof policy);
        script.claim(claimedS, 'i-1', 'i-c');
        script.takeOut(takenS, 'i-1');
      });
    expect(found()).toEqual(['i-1 was changed, and its user had detached it']);
    // It was leaving before, nothing showed yet that it was out, or Holdfast took it out itself.
    expect([found({ claimedS: 90 }), found({ claimedS: 99.5, takenS: 100.5 }), found({ tagged: false }), found({ by: react('i-b') })]).toEqual([
      [],
      [],
      [],
      [],
    ]);
    // By a policy that names no Auto Scaling group, its tag makes it a member again.
    expect(found({ now: policy })).toEqual([]);
  });
  it('leaves a group alone that was let go, except for drains that had begun', () => {
    const found = (drainSecond: number) =>
      details(letGoIsLeft, (script) => {
        twoServe(script);
        script.letGo(100);
        script.at(drainSecond - 1, {
          kind: 'item-written',
          table: 'state',
          group: 'web',
          item: 'swap#i-1',
          bytes: 1,
          by: react('i-a'),
          swap: { reason: 'scale-in', state: 'leaving', drain: 'd' },
        });
        script.at(drainSecond, { kind: 'drain', drain: 'd', group: 'web', instances: ['i-1'], status: 'started' });
        script.react(159, 161, 'drain');
        script.end(160, 'i-1', react('drain'));
      });
    expect(found(90)).toEqual([]);
    expect(found(150)).toHaveLength(1);
  });
});

describe('terminating hooks are completed', () => {
  type Over = { readonly how: 'completed' | 'expired' | 'gone'; readonly result?: string };
  const hooked = (over: Over | undefined, write: (script: Script) => void = () => undefined) =>
    details(hooksAreHeld, (script) => {
      script.policy(0, 1, { ...policy, asg: 'web-asg' });
      script.member('i-1', { asg: 'web-asg' });
      script.at(100, { kind: 'hook-waits', instance: 'i-1', asg: 'web-asg', hook: 'drain', expiresAtMs: 160_000 });
      if (over !== undefined) script.at(150, { kind: 'hook-over', instance: 'i-1', asg: 'web-asg', hook: 'drain', by: react('drain'), ...over });
      write(script);
    });
  it('holds for CONTINUE, and for an instance that went', () => {
    expect(hooked({ how: 'completed', result: 'CONTINUE' })).toEqual([]);
    expect(hooked({ how: 'gone' })).toEqual([]);
  });
  it('breaks when one is abandoned, expires or stays open', () => {
    expect(hooked({ how: 'completed', result: 'ABANDON' })).toHaveLength(1);
    expect(hooked({ how: 'expired', result: 'CONTINUE' })).toHaveLength(1);
    expect(hooked(undefined)).toEqual(['drain of i-1 stays open']);
  });
});
