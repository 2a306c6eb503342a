import { describe, expect, it } from 'vitest';
import type { Rule } from '../../sandbox/judge/finding.ts';
import type { Actor } from '../../sandbox/judge/history.ts';
import { takenOutOnce } from '../../sandbox/judge/rules/drains/warned.ts';
import { needlessLaunch } from '../../sandbox/judge/rules/launches/needless-launch.ts';
import { needlessRemoval, protectedStay, straysGetTime, successorServes } from '../../sandbox/judge/rules/removals/needless-removal.ts';
import { alarmsAct } from '../../sandbox/judge/rules/size/alarms.ts';
import { desiredAsAsked } from '../../sandbox/judge/rules/size/desired.ts';
import { details } from './details.ts';
import { policy, react, type Script, spec, twoServe, user } from './histories.ts';

const drainFirst = { ...policy, swap: { order: 'drain-first', maxSurge: 1 } };

/** It goes off, and is over at once: nothing of it lasts. */
const forAMoment = (alarm: string) => [{ about: 'alarm', alarm } as const, { about: 'alarm', alarm, isOn: false } as const];

/** Swaps of members are written. */
const claims = (
  script: Script,
  {
    atS = 102,
    claimed = ['i-1', 'i-2'],
    state = 'waiting',
    refusedAtS,
  }: { readonly atS?: number; readonly claimed?: readonly string[]; readonly state?: string; readonly refusedAtS?: number } = {},
): void => {
  for (const instance of claimed) {
    script.claim(atS, instance, 'i-a', state);
    if (refusedAtS !== undefined) script.refuse(refusedAtS, instance);
  }
};

/** A swap of i-1 is written, and becomes history later. */
const isHistory = (script: Script, second: number): void => {
  script.claim(45, 'i-1', 'i-b');
  script.at(second, { kind: 'item-written', table: 'state', group: 'web', item: 'past#i-1', bytes: 500, by: react('i-b') });
};

/** EC2 stops it at 40, and it runs and serves again from this second on. */
const stopped = (script: Script, instance: string, runsAgainAt?: number): void => {
  script.at(40, { kind: 'ending', instance, by: { kind: 'ec2' } }, { kind: 'ended', instance, state: 'stopped' });
  if (runsAgainAt === undefined) return;
  script.at(runsAgainAt, { kind: 'running', instance }, { kind: 'in-service', instance, targetGroup: 'web' });
};

describe('nothing is launched that nobody needs', () => {
  it('holds when a warned member is replaced', () => {
    const found = details(needlessLaunch, (script) => {
      twoServe(script);
      script.warn(100, 'i-1');
      script.react(101, 105, 'i-a', [{ about: 'warning', instance: 'i-1' }]);
      script.launch(103, 'i-3', { by: react('i-a') });
    });
    expect(found).toEqual([]);
  });
  it('breaks when a warned member is replaced twice', () => {
    const found = details(needlessLaunch, (script) => {
      twoServe(script);
      script.warn(100, 'i-1');
      script.react(101, 105, 'i-a');
      script.launch(103, 'i-3', { by: react('i-a') });
      script.launch(103, 'i-4', { by: react('i-a') });
    });
    expect(found).toEqual(['with this launch, 3 members stay, expected at most 2']);
  });
  it('counts a warned member that EC2 did not take and that nobody chose, once its time has passed', () => {
    const launched = (write: (script: Script) => void) =>
      details(needlessLaunch, (script) => {
        twoServe(script);
        script.warn(100, 'i-1');
        write(script);
        script.react(301, 305, 'i-a');
        script.launch(303, 'i-3', { by: react('i-a') });
      });
    const spared = (second: number) => (script: Script) => script.at(second, { kind: 'spared', instance: 'i-1' });
    expect(launched(spared(220))).toEqual(['with this launch, 3 members stay, expected at most 2']);
    // It may yet be taken, or it was chosen to leave before and is to be put back first.
    for (const write of [() => undefined, spared(304)]) expect(launched(write)).toEqual([]);
    const chosen = (script: Script): void => {
      script.claim(102, 'i-1', 'i-a', 'leaving');
      spared(220)(script);
    };
    expect(launched(chosen)).toEqual([]);
  });
  it('counts an instance that was stopped and runs again, once describes must show it, if no swap of it was written', () => {
    const launched = (runsAgainAt: number, write: (script: Script) => void = () => undefined) =>
      details(needlessLaunch, (script) => {
        twoServe(script);
        stopped(script, 'i-1', runsAgainAt);
        write(script);
        script.react(101, 105, 'i-a');
        script.launch(103, 'i-3', { by: react('i-a') });
      });
    expect(launched(50)).toEqual(['with this launch, 3 members stay, expected at most 2']);
    expect(launched(100.5)).toEqual([]);
    expect(launched(50, (script) => script.claim(45, 'i-1', 'i-b'))).toEqual([]);
    // That swap is history.
    expect(launched(50, (script) => isHistory(script, 60))).toHaveLength(1);
    expect(launched(50, (script) => isHistory(script, 104))).toEqual([]);
  });
  it('breaks when an Auto Scaling group was about to launch the same by itself', () => {
    const beside = (more: (script: Script) => void, suspended: readonly string[] = [], lagS = 0) => {
      const lagging = { spec: { ...spec, timing: { ...spec.timing, asgLagSeconds: [0, lagS] as const } } };
      return details(needlessLaunch, write(more, suspended), lagging);
    };
    const write = (more: (script: Script) => void, suspended: readonly string[]) => (script: Script) => {
      const changed = (second: number, desired: number) =>
        script.at(second, {
          kind: 'asg-changed',
          asg: 'web-asg',
          min: 0,
          max: 4,
          desired,
          suspended: second === 1 ? suspended : [],
          by: react('i-a'),
        });
      script.policy(0, 1, { ...policy, asg: 'web-asg' });
      script.desired(1, 2);
      changed(1, 2);
      for (const instance of ['i-1', 'i-2']) script.member(instance, { asg: 'web-asg' });
      script.end(100, 'i-1');
      script.react(101, 105, 'i-a', [{ about: 'state', instance: 'i-1', state: 'terminated' }]);
      more({ ...script, desired: changed });
      script.launch(103, 'i-3', { by: react('i-a') });
    };
    const refill = (second: number) => (script: Script) =>
      script.launch(second, 'i-4', { asg: 'web-asg', by: { kind: 'asg', asg: 'web-asg', why: 'size' } });
    expect(beside(() => {})).toEqual([]);
    expect(beside(refill(110))).toEqual(['with this launch, 2 members stay and 1 were coming from their own Auto Scaling group, expected at most 2']);
    expect(beside(refill(200))).toEqual([]);
    const taken = (script: Script) => {
      script.desired(102, 1);
      refill(110)(script);
    };
    expect(beside(taken)).toEqual([]);
    // What others raise after the launch is what the group launches for then. Whatever it launches beyond that closes the gap.
    const raised = (second: number, launches: readonly number[], by: Actor = user) =>
      beside((script) => {
        script.at(second, { kind: 'asg-changed', asg: 'web-asg', min: 0, max: 4, desired: 3, suspended: [], by });
        for (const at of launches) script.launch(at, `i-r${at}`, { asg: 'web-asg', by: { kind: 'asg', asg: 'web-asg', why: 'size' } });
      });
    expect(raised(105, [110])).toEqual([]);
    expect(raised(105, [110, 111])).toHaveLength(1);
    expect(raised(112, [110])).toHaveLength(1);
    expect(raised(105, [110], react('i-b'))).toHaveLength(1);
    // Holdfast has the group let the ended member go. So nobody comes for that one, and the group launches for a member that ended since.
    const letGo = (second: number, desired: number, by: Actor = react('i-a')) =>
      beside((script) => {
        script.at(second, { kind: 'left', instance: 'i-1', asg: 'web-asg', how: 'terminating', by });
        script.at(second, { kind: 'asg-changed', asg: 'web-asg', min: 0, max: 4, desired, suspended: [], by });
        script.end(106, 'i-2');
        refill(110)(script);
      });
    expect(letGo(104, 1)).toEqual([]);
    expect(letGo(104, 2)).toHaveLength(1);
    expect(letGo(112, 1)).toHaveLength(1);
    expect(letGo(104, 1, user)).toHaveLength(1);
    // Holdfast forbids the group to launch before it launches in its place.
    const forbidden = (second: number, suspended: readonly string[], by: Actor) =>
      beside((script) => {
        script.at(second, { kind: 'asg-changed', asg: 'web-asg', min: 0, max: 4, desired: 2, suspended, by });
        refill(110)(script);
      });
    expect(forbidden(102, ['Launch'], react('i-a'))).toEqual([]);
    expect(forbidden(102, ['Terminate'], react('i-a'))).toHaveLength(1);
    expect(forbidden(102, ['Launch'], user)).toHaveLength(1);
    expect(forbidden(104, ['Launch'], react('i-a'))).toHaveLength(1);
    const failed = (script: Script) => {
      script.react(101, 102, 'i-b', [{ about: 'launch-unsuccessful', asg: 'web-asg' }]);
      refill(110)(script);
    };
    expect(beside(failed)).toEqual([]);
    // Holdfast launches in place of a group whose own launches kept ending before they ran, for more than 90 seconds.
    const dying = (ends: readonly (readonly [launchedS: number, endedS: number])[], areFound = true, more: (script: Script) => void = () => {}) =>
      beside((script) => {
        for (const [launchedS, endedS] of ends) {
          const instance = `i-d${launchedS}`;
          script.launch(launchedS, instance, { asg: 'web-asg', by: { kind: 'asg', asg: 'web-asg', why: 'size' } });
          script.at(
            endedS,
            { kind: 'ending', instance, by: { kind: 'ec2' }, code: 'Client.InternalError' },
            { kind: 'ended', instance, state: 'terminated' },
          );
          if (!areFound) continue;
          script.react(endedS + 2, endedS + 3, `i-${launchedS}`);
          script.remembers(endedS + 3, {}, 1, `i-${launchedS}`);
        }
        more(script);
        refill(110)(script);
      });
    const long = [
      [5, 15],
      [60, 98],
    ] as const;
    expect(dying(long)).toEqual([]);
    // An instance that shuts itself down as it boots has not run. One that ends later has.
    const ran =
      (...seconds: readonly number[]) =>
      (script: Script) => {
        for (const [index, second] of seconds.entries()) script.at(second, { kind: 'running', instance: `i-d${long[index]?.[0]}` });
      };
    expect([dying(long, true, ran(15, 98)), dying(long, true, ran(15, 97))].map(({ length }) => length)).toEqual([0, 1]);
    // A policy that a user wrote gives the group its time again, once a look has followed it.
    const rewritten = (followedBy: number) => (script: Script) => {
      script.policy(50, 2, { ...policy, asg: 'web-asg' });
      script.remembers(followedBy, {}, 2);
    };
    expect(dying(long, true, rewritten(55))).toHaveLength(1);
    expect(dying(long, true, rewritten(104))).toEqual([]);
    expect(dying([[5, 15]])).toHaveLength(1);
    const short = [
      [5, 15],
      [60, 80],
    ] as const;
    expect(dying(short)).toHaveLength(1);
    // A look that finds the last end late counts it then.
    expect(dying(short, false)).toEqual([]);
    // Whoever looks while it may not launch expects nothing of it.
    const resumed = (second: number) =>
      beside(
        (script) => {
          script.desired(second, 2);
          refill(110)(script);
        },
        ['Launch'],
      );
    expect(resumed(102)).toEqual([]);
    expect(resumed(100)).toHaveLength(1);
    expect(beside(refill(110), ['AZRebalance'])).toHaveLength(1);
    // A describe that lags does not show that the group ends a member itself, and replaces it although it replaces no others.
    const endedByGroup = (script: Script) => {
      script.at(100, { kind: 'left', instance: 'i-1', asg: 'web-asg', how: 'terminating', by: { kind: 'asg', asg: 'web-asg', why: 'size' } });
      refill(110)(script);
    };
    for (const process of ['ReplaceUnhealthy', 'HealthCheck', 'Terminate']) {
      expect(beside(endedByGroup, [process], 2)).toEqual([]);
      expect(beside(endedByGroup, [process], 0.5)).toHaveLength(1);
      // A member that ended by itself stays in a group that may not replace it, and nobody comes for it until its user allows that again.
      expect(beside(refill(110), [process], 0.5)).toEqual([]);
    }
    expect(beside(refill(110), [], 2)).toHaveLength(1);
    // The group notices the end while the function launches, before Holdfast lets the member go.
    const noticed = (second: number, isClaimed: boolean) =>
      beside((script) => {
        if (isClaimed) script.claim(100.5, 'i-1', 'i-b');
        script.at(second, { kind: 'left', instance: 'i-1', asg: 'web-asg', how: 'terminating', by: { kind: 'asg', asg: 'web-asg', why: 'health' } });
        refill(110)(script);
      });
    expect(noticed(102, true)).toEqual([]);
    expect(noticed(102, false)).toHaveLength(1);
    expect(noticed(109, true)).toHaveLength(1);
  });
  it('holds when a warned member had ended, its group replaces it, and the look that claims it need not show the end', () => {
    const replacedTwice = (lagS: number, told: 'warning' | 'state') =>
      details(
        needlessLaunch,
        (script) => {
          script.policy(0, 1, { ...policy, asg: 'web-asg' });
          script.desired(1, 2);
          script.at(1, { kind: 'asg-changed', asg: 'web-asg', min: 0, max: 4, desired: 2, suspended: [], by: react('i-a') });
          for (const instance of ['i-1', 'i-2']) script.member(instance, { asg: 'web-asg' });
          script.warn(70, 'i-1');
          script.end(100, 'i-1');
          const message =
            told === 'warning'
              ? ({ about: 'warning', instance: 'i-1' } as const)
              : ({ about: 'state', instance: 'i-1', state: 'terminated' } as const);
          script.react(101, 105, 'i-a', [message]);
          script.claim(101.5, 'i-1', 'i-a');
          script.at(102, { kind: 'left', instance: 'i-1', asg: 'web-asg', how: 'terminating', by: { kind: 'asg', asg: 'web-asg', why: 'health' } });
          script.launch(103, 'i-3', { by: react('i-a') });
          script.launch(110, 'i-4', { asg: 'web-asg', by: { kind: 'asg', asg: 'web-asg', why: 'size' } });
        },
        { spec: { ...spec, timing: { ...spec.timing, lagSeconds: [0, lagS] as const } } },
      );
    expect(replacedTwice(2, 'warning')).toEqual([]);
    expect(replacedTwice(0.5, 'warning')).toHaveLength(1);
    expect(replacedTwice(2, 'state')).toHaveLength(1);
  });
  it('holds when a pool may fail again, so that an ended member is left to its group, and the look need not show that end', () => {
    type Case = { readonly lagS?: number; readonly fails?: boolean; readonly pool?: string; readonly isTold?: boolean; readonly isClaimed?: boolean };
    const left = ({ lagS = 2, fails = true, pool = 'od-b', isTold = false, isClaimed = true }: Case) =>
      details(
        needlessLaunch,
        (script) => {
          script.policy(0, 1, { ...policy, asg: 'web-asg' });
          script.desired(1, 3);
          script.at(1, { kind: 'asg-changed', asg: 'web-asg', min: 0, max: 4, desired: 2, suspended: [], by: react('i-a') });
          for (const instance of ['i-1', 'i-2']) script.member(instance, { asg: 'web-asg' });
          script.launch(40, 'i-f', { by: react('i-x'), pool: 'od-b' });
          if (!fails) script.serves(45, 'i-f');
          script.at(50, { kind: 'ending', instance: 'i-f', by: { kind: 'ec2' }, code: 'Client.InternalError' });
          script.at(51, { kind: 'ended', instance: 'i-f', state: 'terminated' });
          script.desired(60, 2);
          script.warn(70, 'i-1');
          if (isClaimed) script.claim(72, 'i-1', 'i-w');
          script.end(100, 'i-1');
          if (isTold) script.react(100.5, 100.7, 'i-t', [{ about: 'state', instance: 'i-1', state: 'terminated' }]);
          script.react(101, 105, 'i-a');
          script.launch(103, 'i-3', { by: react('i-a'), pool });
          script.at(115, { kind: 'left', instance: 'i-1', asg: 'web-asg', how: 'terminating', by: { kind: 'asg', asg: 'web-asg', why: 'health' } });
          script.launch(115, 'i-4', { asg: 'web-asg', by: { kind: 'asg', asg: 'web-asg', why: 'size' } });
        },
        { spec: { ...spec, timing: { ...spec.timing, lagSeconds: [0, lagS] as const } } },
      );
    expect(left({})).toEqual([]);
    for (const other of [{ lagS: 0.5 }, { fails: false }, { pool: 'od-c' }, { isTold: true }, { isClaimed: false }])
      expect(left(other)).toHaveLength(1);
  });
  it('counts a member whose swap waits as present while describes may show it, and no message told its end', () => {
    const advised = ({ endS = 100, lagS = 4, isTold = false, state = 'waiting', launches = 2, maxSurge = 2 }) =>
      details(
        needlessLaunch,
        (script) => {
          script.policy(0, 1, { ...policy, asg: 'web-asg', swap: { maxSurge } });
          script.desired(1, 2);
          script.at(1, { kind: 'asg-changed', asg: 'web-asg', min: 0, max: 4, desired: 2, suspended: [], by: user });
          for (const instance of ['i-1', 'i-2']) script.member(instance, { asg: 'web-asg' });
          for (const instance of ['i-1', 'i-2']) script.advise(90, instance);
          for (const instance of ['i-1', 'i-2']) script.end(endS, instance);
          const ends = ['i-1', 'i-2'].map((instance) => ({ about: 'state', instance, state: 'terminated' }) as const);
          script.react(101, 105, 'i-a', isTold ? ends : []);
          claims(script, { state });
          for (let n = 0; n < launches; n += 1) script.launch(103, `i-n${n}`, { by: react('i-a') });
          for (const instance of ['i-r1', 'i-r2']) script.launch(115, instance, { asg: 'web-asg', by: { kind: 'asg', asg: 'web-asg', why: 'size' } });
        },
        { spec: { ...spec, timing: { ...spec.timing, lagSeconds: [0, lagS] } } },
      ).length;
    expect(advised({})).toBe(0);
    expect([advised({ launches: 3 }), advised({ maxSurge: 1 })]).toEqual([1, 1]);
    expect([advised({ lagS: 0.5 }), advised({ isTold: true }), advised({ state: 'leaving' })]).toEqual([2, 2, 2]);
  });
  it('lets protected members that never served take a part of the surge, while others wait with launch-first', () => {
    const launched = (count: number, { maxSurge = 2, order = 'launch-first', isProtected = true, isAdvised = true, bornS = 100 } = {}) =>
      details(needlessLaunch, (script) => {
        twoServe(script);
        script.policy(2, 2, { ...policy, asg: 'web-asg', ready: { within: '5m' }, swap: { order, maxSurge } });
        script.launch(bornS, 'i-mute', { asg: 'web-asg' });
        if (isProtected) script.at(bornS + 1, { kind: 'protection', instance: 'i-mute', from: 'scale-in', isOn: true, by: user });
        script.desired(bornS, 3);
        if (isAdvised) script.advise(600, 'i-1');
        if (isAdvised) script.claim(601, 'i-1', 'i-a', 'waiting');
        script.react(601, 605, 'i-a');
        for (let n = 0; n < count; n += 1) script.launch(603, `i-n${n}`, { by: react('i-a') });
      }).length;
    expect([launched(2), launched(3), launched(2, { maxSurge: 1 }), launched(1, { maxSurge: 1 })]).toEqual([0, 1, 1, 0]);
    expect([launched(2, { isProtected: false }), launched(1, { isAdvised: false }), launched(2, { bornS: 400 })]).toEqual([1, 1, 1]);
    expect(launched(1, { order: 'drain-first' })).toBe(1);
  });
  it('counts a member that its user puts back from standby once a look must show it', () => {
    const back = (second: number) =>
      details(needlessLaunch, (script) => {
        script.policy(0, 1, { ...policy, asg: 'web-asg' });
        script.desired(1, 2);
        for (const instance of ['i-1', 'i-2']) script.member(instance, { asg: 'web-asg' });
        script.at(80, { kind: 'left', instance: 'i-1', asg: 'web-asg', how: 'standby', by: user });
        script.at(second, { kind: 'joined', instance: 'i-1', asg: 'web-asg', by: user });
        script.react(101, 105, 'i-a');
        script.launch(103, 'i-3', { by: react('i-a') });
      });
    expect(back(100.5)).toEqual([]);
    expect(back(100)).toHaveLength(1);
  });
  it('counts an instance that its user attaches once a look must show it, and one with the tag of the group before', () => {
    const attached = (second: number, tags = {}) =>
      details(needlessLaunch, (script) => {
        script.policy(0, 1, { ...policy, asg: 'web-asg' });
        script.desired(1, 2);
        script.member('i-1', { asg: 'web-asg' });
        script.member('i-2', { by: user, tags });
        script.at(second, { kind: 'joined', instance: 'i-2', asg: 'web-asg', by: user });
        script.react(101, 105, 'i-a');
        for (const instance of ['i-3', 'i-4']) script.launch(103, instance, { by: react('i-a') });
      });
    expect(attached(100.5)).toHaveLength(1);
    expect(attached(100)).toHaveLength(2);
    expect(attached(100.5, { 'holdfast:group': 'holdfast/web', 'holdfast:pool': 'spot-a' })).toHaveLength(2);
  });
  it('counts an instance that its Auto Scaling group takes out of its warm pool once a look must show it', () => {
    const taken = (second: number) =>
      details(needlessLaunch, (script) => {
        script.policy(0, 1, { ...policy, asg: 'web-asg' });
        script.desired(1, 2);
        script.member('i-1', { asg: 'web-asg' });
        const byAsg = { kind: 'asg', asg: 'web-asg', why: 'size' } as const;
        script.member('i-2', { by: byAsg, tags: { 'aws:autoscaling:groupName': 'web-asg' } });
        script.at(second, { kind: 'joined', instance: 'i-2', asg: 'web-asg', by: byAsg });
        script.react(101, 105, 'i-a');
        for (const instance of ['i-3', 'i-4']) script.launch(103, instance, { by: react('i-a') });
      });
    expect(taken(100.5)).toHaveLength(1);
    expect(taken(100)).toHaveLength(2);
  });
  it('breaks when an instance is launched without need', () => {
    const found = details(needlessLaunch, (script) => {
      twoServe(script);
      script.react(101, 105, 'i-a');
      script.launch(103, 'i-3', { by: react('i-a') });
    });
    expect(found).toHaveLength(1);
  });
  it('allows the surge for members at risk, up to its maximum', () => {
    const advised = (count: number, maxSurge: number, claimed: Parameters<typeof claims>[1] = {}) =>
      details(needlessLaunch, (script) => {
        twoServe(script);
        script.policy(50, 2, { ...policy, swap: { maxSurge } });
        script.advise(100, 'i-1');
        script.advise(100, 'i-2');
        script.react(101, 105, 'i-a');
        claims(script, claimed);
        for (let n = 0; n < count; n += 1) script.launch(103, `i-n${n}`, { by: react('i-a') });
      });
    expect(advised(2, 2)).toEqual([]);
    expect(advised(2, 1)).toHaveLength(1);
    expect(advised(3, 3)).toHaveLength(1);
    // Without a swap, nobody waits for a replacement: none was written yet, or EC2 refused to end the member.
    expect(advised(2, 2, { claimed: ['i-1'] })).toHaveLength(1);
    expect(advised(2, 2, { atS: 104 })).toHaveLength(2);
    expect(advised(2, 2, { state: 'drained' })).toHaveLength(2);
    expect(advised(2, 2, { atS: 80, refusedAtS: 85 })).toHaveLength(2);
    expect(advised(2, 2, { atS: 80 })).toEqual([]);
  });
  it('allows no surge for members whose swaps a restore of the state table lost before the look', () => {
    const advised = (restoredS: number, copiedS: number) =>
      details(needlessLaunch, (script) => {
        twoServe(script);
        script.policy(50, 2, { ...policy, swap: { maxSurge: 2 } });
        script.advise(60, 'i-1');
        claims(script, { atS: 80, claimed: ['i-1'] });
        script.at(restoredS, { kind: 'step', step: 'state-restored', instances: [], groups: [], asgs: [], copiedAtMs: 1_000 * copiedS });
        script.react(101, 105, 'i-a');
        script.launch(103, 'i-n', { by: react('i-a') });
      });
    expect(advised(90, 70)).toHaveLength(1);
    expect(advised(90, 85)).toEqual([]);
    expect(advised(102, 70)).toEqual([]);
  });
  it('allows the surge for members that the policy holds elsewhere, while it does, and keeps to minimum and protection', () => {
    const moved = (count: number, { asg = 'other-asg', leaves = 0, isProtected = false, claimed = ['i-1', 'i-2'] } = {}) =>
      details(needlessLaunch, (script) => {
        script.policy(0, 1, { ...policy, asg: 'web-asg' });
        script.desired(0, 2);
        for (const instance of ['i-1', 'i-2']) script.member(instance, { asg: 'web-asg' });
        if (isProtected) script.at(40, { kind: 'protection', instance: 'i-1', from: 'scale-in', isOn: true, by: { kind: 'user' } });
        if (isProtected) script.at(40, { kind: 'protection', instance: 'i-2', from: 'scale-in', isOn: true, by: { kind: 'user' } });
        script.policy(90, 2, { ...policy, asg });
        script.react(100, 104, 'i-a');
        for (const instance of claimed) script.claim(101, instance, 'i-a', 'waiting');
        for (let n = 0; n < count; n += 1) script.launch(102, `i-n${n}`, { by: react('i-a') });
        if (leaves > 0) script.takeOut(leaves, 'i-1');
      });
    // The Auto Scaling group’s minimum is one.
    expect(moved(1)).toEqual([]);
    expect(moved(2)).toEqual(['with this launch, 4 members stay, expected at most 2, and 1 more while members wait to be replaced']);
    expect(moved(2, { leaves: 200 })).toHaveLength(1);
    expect(moved(1, { asg: 'web-asg' })).toHaveLength(1);
    expect(moved(1, { isProtected: true })).toHaveLength(1);
    // Holdfast chooses who moves first. Either choice is right, and without one nothing is launched ahead.
    expect(moved(1, { claimed: ['i-2'] })).toEqual([]);
    expect(moved(1, { claimed: [] })).toHaveLength(1);
  });
  it('gives drain-first no surge: who waits keeps its place until it is out of service', () => {
    const at = (second: number) =>
      details(needlessLaunch, (script) => {
        twoServe(script);
        script.policy(50, 2, drainFirst);
        script.advise(100, 'i-1');
        script.takeOut(110, 'i-1');
        script.react(second - 1, second + 3, 'i-a');
        script.launch(second, 'i-3', { by: react('i-a') });
      });
    expect(at(111)).toEqual([]);
    expect(at(105)).toHaveLength(1);
  });
  it('breaks for a group that was let go before its function looked', () => {
    const at = (second: number) =>
      details(needlessLaunch, (script) => {
        twoServe(script);
        script.warn(80, 'i-1');
        script.letGo(100);
        script.react(second, second + 6, 'i-a');
        script.launch(second + 5, 'i-3', { by: react('i-a') });
      });
    expect(at(98)).toEqual([]);
    expect(at(101)).toHaveLength(1);
  });
  it('counts members that a policy has just brought back for looks since then, and members of both policies for all', () => {
    const at = (lookedS: number, { asg = 'other-asg', count = 2 } = {}) =>
      details(needlessLaunch, (script) => {
        script.policy(0, 1, { ...policy, asg: 'web-asg' });
        script.desired(0, 2);
        for (const instance of ['i-1', 'i-2']) script.member(instance, { asg: 'web-asg', by: react('i-0') });
        // Letting it go releases the members to the owner of their Auto Scaling group.
        script.letGo(70);
        script.policy(80, 2, { ...policy, asg });
        script.policy(101, 3, { ...policy, asg: 'web-asg' });
        script.react(lookedS, lookedS + 4, 'i-a');
        claims(script, { atS: lookedS + 1 });
        for (let n = 0; n < count; n += 1) script.launch(lookedS + 2, `i-n${n}`, { by: react('i-a') });
      });
    expect(at(100)).toEqual([]);
    expect(at(100, { count: 4 })).toEqual(['with this launch, 4 members stay, expected at most 2, and 1 more while members wait to be replaced']);
    expect(at(101)).toHaveLength(2);
    expect(at(100, { asg: 'web-asg' })).toHaveLength(2);
  });
  it('counts what an Auto Scaling group launched by itself once a describe must show it', () => {
    const at = (second: number) =>
      details(needlessLaunch, (script) => {
        twoServe(script);
        script.end(90, 'i-1');
        script.launch(100, 'i-3', { by: { kind: 'asg', asg: 'web-asg', why: 'size' }, asg: 'web-asg', tags: { 'holdfast:group': 'holdfast/web' } });
        script.react(second, second + 4, 'i-a');
        script.launch(second + 2, 'i-4', { by: react('i-a') });
      });
    expect(at(99)).toEqual([]);
    expect(at(102)).toHaveLength(1);
  });
});

describe('nobody is removed without need', () => {
  const surplus = (script: Script): void => {
    twoServe(script);
    script.member('i-3', { pool: 'od-b' });
  };
  it('holds when one more than needed is removed, and breaks when another is', () => {
    const removed = (...instances: readonly string[]) =>
      details(needlessRemoval, (script) => {
        surplus(script);
        script.react(100, 104, 'i-a');
        for (const instance of instances) {
          script.claim(102, instance, 'i-a');
          script.takeOut(103, instance);
        }
      });
    expect(removed('i-3')).toEqual([]);
    expect(removed('i-3', 'i-2')).toHaveLength(1);
  });
  it('counts a warned member until a function without a fault received the warning, or its swap was written', () => {
    const removed = (write: (script: Script) => void) =>
      details(needlessRemoval, (script) => {
        surplus(script);
        script.warn(40, 'i-1');
        write(script);
        script.react(100, 104, 'i-a');
        script.claim(102, 'i-3', 'i-a');
        script.takeOut(103, 'i-3');
      });
    const warning = [{ about: 'warning', instance: 'i-1' }] as const;
    expect(removed(() => undefined)).toEqual([]);
    expect(removed((script) => script.react(90, 110, 'i-b', warning, true))).toEqual([]);
    expect(removed((script) => script.react(90, 91, 'i-b', warning))).toHaveLength(1);
    expect(removed((script) => script.claim(95, 'i-1', 'i-b'))).toHaveLength(1);
  });
  it('counts an instance that was stopped and runs again, if no swap of it was written before', () => {
    const removed = (runsAgainAt?: number, write: (script: Script) => void = () => undefined) =>
      [needlessRemoval, successorServes].flatMap((rule) =>
        details(rule, (script) => {
          surplus(script);
          stopped(script, 'i-1', runsAgainAt);
          write(script);
          script.react(100, 104, 'i-a');
          script.claim(102, 'i-3', 'i-a');
          script.takeOut(103, 'i-3');
        }),
      );
    expect(removed(50)).toEqual([]);
    expect(removed()).toHaveLength(2);
    expect(removed(50, (script) => script.claim(45, 'i-1', 'i-b'))).toHaveLength(2);
    expect(removed(50, (script) => isHistory(script, 48))).toEqual([]);
    expect(removed(50, (script) => isHistory(script, 60))).toEqual([]);
    expect(removed(50, (script) => isHistory(script, 110))).toHaveLength(2);
  });
  it('gives strays five minutes, and no other members', () => {
    const chosen = (second: number, { tags = {}, reason = 'unwanted' }: { tags?: Readonly<Record<string, string>>; reason?: string } = {}) =>
      details(straysGetTime, (script) => {
        const { 'od-b': _, ...pools } = policy.pools;
        script.policy(0, 1, { ...policy, capacity: { spread: ['spot-a', 'spot-b'] }, pools });
        script.desired(0, 2);
        script.launch(100, 'i-9', { pool: 'od-b', by: { kind: 'user' } });
        script.at(100, { kind: 'tagged', instance: 'i-9', tags: { 'holdfast:group': 'holdfast/web', ...tags }, by: { kind: 'user' } });
        const item = { kind: 'item-written', table: 'state', group: 'web', item: 'swap#i-9', bytes: 500, by: react('i-a') } as const;
        script.at(second, { ...item, swap: { reason: reason as 'unwanted', state: 'leaving' } });
        script.end(second + 3, 'i-9', react('drain'));
      });
    expect(chosen(399)).toHaveLength(1);
    expect(chosen(400)).toEqual([]);
    expect(chosen(399, { reason: 'scale-in' })).toEqual([]);
    expect(chosen(399, { tags: { 'holdfast:pool': 'spot-a', 'holdfast:reservation': 'r-1' } })).toEqual([]);
  });
  it('counts a member that others ended while describes may still show it, and no longer', () => {
    const removed = (endedAt: number) =>
      details(needlessRemoval, (script) => {
        surplus(script);
        script.end(endedAt, 'i-1', { kind: 'user' });
        script.react(100, 104, 'i-a');
        script.claim(102, 'i-3', 'i-a');
        script.takeOut(103, 'i-3');
      });
    expect(removed(99.5)).toEqual([]);
    expect(removed(98)).toHaveLength(1);
  });
  it('breaks when a member is ended without a reason', () => {
    const found = details(needlessRemoval, (script) => {
      twoServe(script);
      script.end(100, 'i-1', react('i-a'));
    });
    expect(found).toHaveLength(1);
  });
  it('counts a member again whose own choice was called off before anything was done, and judges the next choice', () => {
    const chosen = (isCalledOff: boolean, isTakenOut = false) =>
      details(needlessRemoval, (script) => {
        twoServe(script);
        script.member('i-3', { pool: 'od-b' });
        script.react(90, 94, 'i-a');
        const swap = { reason: 'scale-in', state: 'leaving', drain: 'd-1' };
        script.at(92, { kind: 'item-written', table: 'state', group: 'web', item: 'swap#i-3', bytes: 1, by: react('i-a'), swap });
        script.at(93, { kind: 'drain', drain: 'd-1', group: 'web', instances: ['i-3'], status: 'started' });
        if (isTakenOut) script.takeOut(94, 'i-3');
        if (isCalledOff) script.at(150, { kind: 'item-written', table: 'state', group: 'web', item: 'past#i-3', bytes: 1, by: react('i-b') });
        script.react(151, 156, 'i-c');
        script.claim(152, 'i-2', 'i-c');
        script.takeOut(153, 'i-2');
      });
    expect(chosen(true)).toEqual([]);
    expect(chosen(false)).toHaveLength(1);
    expect(chosen(false, true)).toHaveLength(1);
    expect(chosen(true, true)).toHaveLength(1);
  });
  it('counts a member again that serves after the state table has lost that it leaves, and judges the next choice', () => {
    const chosen = (restoredAt: number, servesAt: number, next: readonly string[] = ['i-2']) =>
      details(needlessRemoval, (script) => {
        surplus(script);
        script.react(90, 94, 'i-a');
        script.claim(92, 'i-3', 'i-a');
        script.takeOut(94, 'i-3');
        if (restoredAt > 0) script.at(restoredAt, { kind: 'step', step: 'state-restored', instances: [], groups: [], asgs: [] });
        if (servesAt > 0) script.serves(servesAt, 'i-3');
        script.react(151, 156, 'i-c');
        for (const instance of next) {
          script.claim(152, instance, 'i-c');
          script.takeOut(153, instance);
        }
      });
    expect(chosen(100, 140)).toEqual([]);
    expect(chosen(100, 140, ['i-3'])).toEqual([]);
    expect(chosen(100, 140, ['i-3', 'i-2'])).toHaveLength(1);
    expect(chosen(100, 0)).toHaveLength(1);
    expect(chosen(0, 140)).toHaveLength(1);
    expect(chosen(93, 140)).toHaveLength(1);
    expect(chosen(145, 140)).toHaveLength(1);
  });
  it('counts a member that comes to serve after the state table has lost the swap with which its drain had begun', () => {
    const chosen = (restoredS: number, copiedS: number) =>
      details(needlessRemoval, (script) => {
        twoServe(script);
        script.launch(80, 'i-3', { by: user, tags: { 'holdfast:group': 'holdfast/web', 'holdfast:pool': 'spot-a' } });
        script.react(90, 94, 'i-a');
        const swap = { reason: 'scale-in', state: 'leaving', drain: 'd-1' };
        script.at(92, { kind: 'item-written', table: 'state', group: 'web', item: 'swap#i-3', bytes: 1, by: react('i-a'), swap });
        script.at(93, { kind: 'drain', drain: 'd-1', group: 'web', instances: ['i-3'], status: 'started' });
        script.at(restoredS, { kind: 'step', step: 'state-restored', instances: [], groups: [], asgs: [], copiedAtMs: 1_000 * copiedS });
        script.serves(140, 'i-3');
        script.react(151, 156, 'i-c');
        script.claim(152, 'i-2', 'i-c');
        script.takeOut(153, 'i-2');
      });
    expect(chosen(100, 85)).toEqual([]);
    expect(chosen(100, 95)).toHaveLength(1);
    expect(chosen(92, 85)).toHaveLength(1);
    expect(chosen(145, 85)).toHaveLength(1);
  });
  it('counts a member again at once whose choice the state table lost before anything was done, also where it is chosen again later', () => {
    const chosen = (restoredS: number, copiedS: number, begun?: 'before' | 'after') =>
      details(needlessRemoval, (script) => {
        surplus(script);
        script.react(90, 94, 'i-a');
        const swap = { reason: 'scale-in', state: 'leaving', drain: 'd-1' };
        script.at(92, { kind: 'item-written', table: 'state', group: 'web', item: 'swap#i-3', bytes: 1, by: react('i-a'), swap });
        if (begun === 'before') script.at(93, { kind: 'drain', drain: 'd-1', group: 'web', instances: ['i-3'], status: 'started' });
        script.at(restoredS, { kind: 'step', step: 'state-restored', instances: [], groups: [], asgs: [], copiedAtMs: 1_000 * copiedS });
        if (begun === 'after') script.at(restoredS + 1, { kind: 'drain', drain: 'd-1', group: 'web', instances: ['i-3'], status: 'started' });
        script.react(151, 156, 'i-c');
        script.claim(152, 'i-2', 'i-c');
        script.takeOut(153, 'i-2');
        script.react(171, 176, 'i-d');
        script.desired(170, 1);
        script.claim(172, 'i-3', 'i-d');
        script.takeOut(173, 'i-3');
      });
    expect(chosen(100, 85)).toEqual([]);
    expect(chosen(100, 95)).toHaveLength(1);
    expect(chosen(91, 85)).toHaveLength(1);
    expect(chosen(100, 85, 'before')).toHaveLength(1);
    expect(chosen(100, 85, 'after')).toHaveLength(1);
  });
  it('allows the removal of members that are warned or advised', () => {
    const found = details(needlessRemoval, (script) => {
      twoServe(script);
      script.warn(90, 'i-1');
      script.advise(90, 'i-2');
      script.takeOut(100, 'i-1');
      script.takeOut(100, 'i-2');
    });
    expect(found).toEqual([]);
  });
  it('allows the removal of members whose Auto Scaling group the policy moved away from, and of no others', () => {
    const edited = (second: number, asg: string) =>
      details(needlessRemoval, (script) => {
        script.policy(0, 1, { ...policy, asg: 'web-asg' });
        script.desired(0, 2);
        for (const instance of ['i-1', 'i-2']) script.member(instance, { asg: 'web-asg' });
        script.policy(second, 2, { ...policy, asg });
        script.react(100, 104, 'i-a');
        script.claim(102, 'i-1', 'i-a');
        script.takeOut(103, 'i-1');
      });
    expect(edited(90, 'other-asg')).toEqual([]);
    expect(edited(90, 'web-asg')).toHaveLength(1);
    expect(edited(110, 'other-asg')).toHaveLength(1);
  });
  it.each([
    ['standby', ['i-3 was chosen to leave: it is protected from scale-in']],
    ['detached', []],
  ] as const)('counts protection through a pause in %s as the Auto Scaling group does', (how, expected) => {
    const found = details(protectedStay, (script) => {
      twoServe(script);
      script.member('i-3', { pool: 'od-b', asg: 'web-asg' });
      script.at(35, { kind: 'protection', instance: 'i-3', from: 'scale-in', isOn: true, by: { kind: 'user' } });
      script.at(40, { kind: 'left', instance: 'i-3', asg: 'web-asg', how, by: { kind: 'script' } });
      script.at(50, { kind: 'joined', instance: 'i-3', asg: 'web-asg', by: { kind: 'user' } });
      script.claim(300, 'i-3', 'i-a');
      script.takeOut(301, 'i-3');
    });
    expect(found).toEqual(expected);
  });
  it('counts the protection of an instance that comes out of a warm pool', () => {
    const joins = (protectedAt: number) =>
      details(protectedStay, (script) => {
        twoServe(script);
        script.member('i-3', { pool: 'od-b' });
        script.at(protectedAt, { kind: 'protection', instance: 'i-3', from: 'scale-in', isOn: true, by: { kind: 'user' } });
        script.at(50, { kind: 'joined', instance: 'i-3', asg: 'web-asg', by: { kind: 'ec2' } });
        script.claim(100, 'i-3', 'i-a');
        script.takeOut(101, 'i-3');
      });
    expect(joins(35)).toEqual(['i-3 was chosen to leave: it is protected from scale-in']);
    expect(joins(35)).toEqual(joins(60));
    expect(joins(105)).toEqual([]);
  });
  it('forbids the removal of members that an Auto Scaling group protects from scale-in while it holds them', () => {
    const found = (isOn: boolean, from: 'scale-in' | 'termination' = 'scale-in', asg: string | undefined = 'web-asg') =>
      details(protectedStay, (script) => {
        twoServe(script);
        script.member('i-3', { pool: 'od-b', ...(asg === undefined ? {} : { asg }) });
        script.at(50, { kind: 'protection', instance: 'i-3', from, isOn, by: { kind: 'user' } });
        script.claim(100, 'i-3', 'i-a');
        script.takeOut(101, 'i-3');
      });
    expect(found(true)).toEqual(['i-3 was chosen to leave: it is protected from scale-in']);
    expect(found(false)).toEqual([]);
    expect(found(true, 'termination')).toEqual([]);
  });
  it.each([
    ['a function', react('i-0'), 1],
    ['a user, of which no function learns', user, 0],
  ] as const)('counts what EC2 refuses to %s', (_whom, by, count) => {
    const chosen = details(protectedStay, (script) => {
      surplus(script);
      script.at(99, { kind: 'end-refused', instance: 'i-3', by });
      script.claim(600, 'i-3', 'i-b');
      script.takeOut(601, 'i-3');
    });
    expect(chosen).toHaveLength(count);
  });
  const refusedOnce = (rule: Rule, again: number) =>
    details(rule, (script) => {
      surplus(script);
      script.claim(100, 'i-3', 'i-a');
      script.takeOut(101, 'i-3');
      script.refuse(130, 'i-3');
      script.claim(again, 'i-3', 'i-b');
      script.takeOut(again + 1, 'i-3');
    });
  it('forbids the removal of an instance within the hour after EC2 refused to end it', () => {
    expect(refusedOnce(protectedStay, 600)).toEqual(['i-3 was chosen to leave: EC2 refused to end it within the hour']);
    expect(refusedOnce(protectedStay, 3_731)).toEqual([]);
  });
  it('takes work off once for each time that EC2 refuses, and no more', () => {
    expect(refusedOnce(takenOutOnce, 3_731)).toEqual([]);
    const twice = details(takenOutOnce, (script) => {
      surplus(script);
      script.takeOut(101, 'i-3');
      script.serves(110, 'i-3');
      script.takeOut(120, 'i-3');
    });
    expect(twice).toEqual(['i-3 was taken out of web 2 times']);
  });
  it('counts an instance that EC2 refused to end among those that stay, and others may leave for it', () => {
    const others = (rule: Rule, ...instances: readonly string[]) =>
      details(rule, (script) => {
        surplus(script);
        script.claim(100, 'i-3', 'i-a');
        script.takeOut(101, 'i-3');
        script.refuse(130, 'i-3');
        for (const instance of instances) {
          script.claim(140, instance, 'i-b');
          script.takeOut(141, instance);
        }
      });
    expect(others(needlessRemoval, 'i-1')).toEqual([]);
    expect(others(needlessRemoval, 'i-1', 'i-2')).toHaveLength(1);
    const launched = details(needlessLaunch, (script) => {
      script.policy(0, 1);
      script.desired(0, 3);
      for (const instance of ['i-1', 'i-2', 'i-3']) script.member(instance);
      script.desired(60, 2);
      script.claim(100, 'i-3', 'i-a');
      script.takeOut(101, 'i-3');
      script.end(120, 'i-1');
      script.refuse(130, 'i-3');
      script.react(139, 142, 'i-b');
      script.launch(140, 'i-4', { by: react('i-b') });
    });
    expect(launched).toEqual(['with this launch, 3 members stay, expected at most 2']);
  });
  it('counts it among them also while another drain says that it is kept, until it is chosen again (24250038)', () => {
    const drainedAgain = (state: string) =>
      details(needlessRemoval, (script) => {
        surplus(script);
        script.claim(100, 'i-3', 'i-a');
        script.takeOut(101, 'i-3');
        script.refuse(130, 'i-3');
        const swap = { reason: 'scale-in', state, drain: 'd-2' };
        script.at(135, { kind: 'item-written', table: 'state', group: 'web', item: 'swap#i-3', bytes: 1, by: react('i-c'), swap });
        script.at(136, { kind: 'drain', drain: 'd-2', group: 'web', instances: ['i-3'], status: 'started' });
        script.claim(140, 'i-1', 'i-b');
        script.takeOut(141, 'i-1');
      });
    expect(drainedAgain('drained')).toEqual([]);
    expect(drainedAgain('leaving')).toHaveLength(1);
  });
});

describe('a member whose end is ours to choose leaves only against a replacement that serves', () => {
  const replaced = (servesAtSecond: number, document: Readonly<Record<string, unknown>> = policy) =>
    details(successorServes, (script) => {
      twoServe(script);
      script.policy(50, 2, document);
      script.advise(90, 'i-1');
      script.launch(92, 'i-3');
      script.serves(servesAtSecond, 'i-3');
      script.takeOut(120, 'i-1');
    });
  it('holds for launch-first once the replacement serves', () => {
    expect(replaced(119)).toEqual([]);
    expect(replaced(121)).toEqual(['1 serve after i-1 was taken out of service, 2 are wanted']);
  });
  it('lets drain-first be short by its surge and by no more', () => {
    expect(replaced(200, drainFirst)).toEqual([]);
    const both = details(successorServes, (script) => {
      twoServe(script);
      script.policy(50, 2, drainFirst);
      script.advise(90, 'i-1');
      script.advise(90, 'i-2');
      script.takeOut(100, 'i-1');
      script.takeOut(101, 'i-2');
    });
    expect(both).toEqual(['0 serve after i-2 was taken out of service, 1 are wanted']);
  });
  it('lets members that a policy moved away from leave like advised ones', () => {
    const moved = (document: Readonly<Record<string, unknown>>, asg: string) =>
      details(successorServes, (script) => {
        script.policy(0, 1, { ...document, asg: 'web-asg' });
        script.desired(0, 2);
        for (const instance of ['i-1', 'i-2']) script.member(instance, { asg: 'web-asg' });
        script.policy(90, 2, { ...document, asg });
        script.takeOut(103, 'i-1');
      });
    expect(moved(drainFirst, 'other-asg')).toEqual([]);
    expect(moved(drainFirst, 'web-asg')).toHaveLength(1);
    expect(moved(policy, 'other-asg')).toHaveLength(1);
  });
  it('does not blame a choice for a member that died a moment before', () => {
    const died = (second: number) =>
      details(successorServes, (script) => {
        twoServe(script);
        script.member('i-3', { pool: 'od-b' });
        script.end(second, 'i-1');
        script.takeOut(120, 'i-3');
      });
    expect(died(118)).toEqual([]);
    expect(died(100)).toHaveLength(1);
    const diedYoung = (serves: number) =>
      details(successorServes, (script) => {
        twoServe(script);
        script.advise(90, 'i-1');
        script.launch(92, 'i-3');
        script.serves(serves, 'i-3');
        script.end(119, 'i-3');
        script.takeOut(120, 'i-1');
      });
    expect(diedYoung(116)).toEqual([]);
    expect(diedYoung(121)).toHaveLength(1);
    // Without a target group, a member serves once it has booted.
    const diedUnattended = (boots: number) =>
      details(successorServes, (script) => {
        const asg = 'unattended-asg';
        script.policy(0, 1, { ...policy, asg, drain: { timeout: '30s' } });
        script.desired(0, 2);
        for (const instance of ['i-1', 'i-2']) script.member(instance, { asg });
        script.advise(90, 'i-1');
        script.launch(92, 'i-3', { asg });
        script.at(boots, { kind: 'running', instance: 'i-3' }, { kind: 'booted', instance: 'i-3' });
        script.end(119, 'i-3');
        script.takeOut(120, 'i-1');
      });
    expect(diedUnattended(116)).toEqual([]);
    expect(diedUnattended(121)).toHaveLength(1);
  });
  it('counts a member that its user set aside since the look that chose another one, and no longer', () => {
    const asides = (second: number, isChosen = false) =>
      details(needlessRemoval, (script) => {
        script.policy(0, 1, { ...policy, asg: 'web-asg' });
        script.desired(0, 2);
        for (const instance of ['i-1', 'i-2', 'i-3']) script.member(instance, { asg: 'web-asg' });
        script.react(114, 121, 'of-a', []);
        if (isChosen) script.claim(115, 'i-1', 'of-a');
        script.at(second, { kind: 'left', instance: 'i-1', asg: 'web-asg', how: 'standby', by: user });
        script.claim(120, 'i-3', 'of-a');
        script.takeOut(121, 'i-3');
      });
    expect(asides(119)).toEqual([]);
    expect(asides(100)).toEqual(['i-3 is removed where 2 stay and 2 are wanted']);
    expect(asides(119, true)).toHaveLength(1);
  });
  it('does not blame a choice for a member that its user set aside a moment before', () => {
    const aside = (second: number, how: 'standby' | 'detached', by: Actor = user, backS?: number) =>
      details(successorServes, (script) => {
        script.policy(0, 1, { ...policy, asg: 'web-asg' });
        script.desired(0, 2);
        for (const instance of ['i-1', 'i-2', 'i-3']) script.member(instance, { asg: 'web-asg' });
        script.at(second, { kind: 'out-of-service', instance: 'i-1', targetGroup: 'web', why: 'deregistered', by });
        script.at(second, { kind: 'left', instance: 'i-1', asg: 'web-asg', how, by });
        if (backS !== undefined) script.at(backS, { kind: 'joined', instance: 'i-1', asg: 'web-asg', by: user });
        script.takeOut(120, 'i-3');
      });
    for (const how of ['standby', 'detached'] as const) {
      expect(aside(119, how)).toEqual([]);
      expect(aside(100, how)).toEqual(['1 serve after i-3 was taken out of service, 2 are wanted']);
      expect(aside(119, how, react('i-b'))).toHaveLength(1);
    }
    expect(aside(100, 'standby', user, 110)).toHaveLength(1);
  });
  describe('of a group that is let go before the member is taken out of service', () => {
    const inAsg = { ...policy, asg: 'web-asg' };
    const letGo = (others: readonly string[], { failsS = 200, servesS = 30, document = inAsg as object } = {}) =>
      details(successorServes, (script) => {
        script.policy(0, 1, { ...document });
        script.desired(0, 2);
        for (const instance of ['i-1', ...others]) {
          script.launch(instance === 'i-3' ? servesS - 29 : 1, instance, { asg: 'web-asg', by: { kind: 'asg', asg: 'web-asg', why: 'size' } });
          script.serves(instance === 'i-3' ? servesS : 30, instance);
        }
        script.react(99, 101, 'i-a');
        script.claim(100, 'i-1', 'i-a');
        script.letGo(103);
        script.at(failsS, { kind: 'out-of-service', instance: 'i-2', targetGroup: 'web', why: 'deregistered', by: react('i-b') });
        script.takeOut(119, 'i-1');
      });
    it('counts the members that the group had until then', () => {
      expect(letGo(['i-2', 'i-3'])).toEqual([]);
      expect(letGo(['i-2'])).toEqual(['1 serve after i-1 was taken out of service, 2 are wanted']);
    });
    it('counts nobody who serves no more, or was not ready', () => {
      expect(letGo(['i-2', 'i-3'], { failsS: 105 })).toHaveLength(1);
      const document = { ...inAsg, ready: { after: '50s' } };
      expect(
        [letGo(['i-2', 'i-3'], { document, servesS: 60 }), letGo(['i-2', 'i-3'], { document, servesS: 99 })].map(({ length }) => length),
      ).toEqual([0, 1]);
    });
  });
  it('finds two looks that choose one member each', () => {
    const found = details(successorServes, (script) => {
      twoServe(script);
      script.member('i-3', { pool: 'od-b' });
      script.takeOut(120, 'i-3', react('i-a'));
      script.takeOut(121, 'i-2', react('i-b'));
    });
    expect(found).toEqual(['1 serve after i-2 was taken out of service, 2 are wanted']);
  });
});

describe('the desired size changes only when asked', () => {
  const written = (write: (script: Script) => void) =>
    details(desiredAsAsked, (script) => {
      script.policy(0, 1);
      script.desired(1, 2);
      write(script);
    });
  const heard = (script: Script, second: number, alarm: string, invocation: string, desired: number): void => {
    script.react(second, second + 3, invocation, forAMoment(alarm));
    script.desired(second + 1, desired, 1, react(invocation));
  };
  it('holds for an alarm that was received, and breaks without one', () => {
    expect(written((script) => heard(script, 100, 'high', 'i-a', 4))).toEqual([]);
    expect(written((script) => script.desired(100, 4, 1, react('i-a')))).toHaveLength(1);
    expect(written((script) => heard(script, 100, 'high', 'i-a', 5))).toHaveLength(1);
  });
  it('keeps to cooldown and bounds', () => {
    const twice = (second: number, desired: number) =>
      written((script) => {
        heard(script, 100, 'high', 'i-a', 4);
        heard(script, second, 'high', 'i-b', desired);
      });
    expect(twice(170, 6)).toEqual([]);
    expect(twice(130, 6)).toHaveLength(1);
    expect(twice(170, 7)).toHaveLength(1);
  });
  it('follows a policy of another size, and no other edit', () => {
    const edited = (document: Readonly<Record<string, unknown>>, desired: number) =>
      written((script) => {
        heard(script, 100, 'high', 'i-a', 4);
        script.policy(150, 2, document);
        script.desired(151, desired, 2);
      });
    expect(edited({ ...policy, size: { min: 1, max: 6, desired: 3 } }, 3)).toEqual([]);
    expect(edited({ ...policy, tags: {} }, 4)).toEqual([]);
    expect(edited({ ...policy, tags: {} }, 2)).toHaveLength(1);
  });
  it('allows an alarm that is first received after a restore to act on the members that are there, and nothing else', () => {
    const restored = (alarm: string, desired: number) =>
      written((script) => {
        heard(script, 100, 'high', 'i-a', 4);
        script.desired(150, 2, 1, { kind: 'user' });
        heard(script, 160, alarm, 'i-b', desired);
      });
    expect(restored('high', 4)).toEqual([]);
    expect(restored('high', 5)).toHaveLength(1);
    expect(restored('nobody', 4)).toHaveLength(1);
  });
  it('requires the present number of members after a restore only when a member shows by its reservation that the item is old', () => {
    const kept = (by: Actor, lastReservation?: string, owner = 'web') =>
      details(desiredAsAsked, (script) => {
        script.policy(0, 1, { ...policy, asg: 'web-asg' });
        script.desired(1, 2);
        const tags: Readonly<Record<string, string>> = by.kind === 'function' ? { 'holdfast:group': `holdfast/${owner}` } : {};
        for (const instance of ['i-1', 'i-2', 'i-3']) script.member(instance, { asg: 'web-asg', by, tags });
        heard(script, 100, 'high', 'i-a', 4);
        script.desired(150, 2, 1, { kind: 'user' }, lastReservation);
        script.desired(160, 2, 1, react('i-b'));
      });
    expect(kept({ kind: 'asg', asg: 'web-asg', why: 'size' })).toEqual([]);
    expect(kept(react('i-0'))).toHaveLength(1);
    expect(kept(react('i-0'), 'r-i-2')).toHaveLength(1);
    expect(kept(react('i-0'), 'r-i-3')).toEqual([]);
    expect(kept(react('i-0'), undefined, 'api')).toEqual([]);
  });
  it('requires nothing of a restored state while the group is let go, and then the size of the policy that comes back', () => {
    const found = (before: number, after: number) =>
      written((script) => {
        heard(script, 40, 'high', 'i-a', 4);
        script.letGo(60);
        script.desired(65, before, 1, { kind: 'user' });
        script.desired(70, before, 1, react('i-b'));
        script.policy(100, 1);
        script.desired(101, after, 1, react('i-c'));
      });
    expect(found(1, 2)).toEqual([]);
    expect(found(1, 3)).toHaveLength(1);
  });
  it('lets a restored state that nothing shows to be old follow an edit of the size', () => {
    const found = (desired: number) =>
      details(desiredAsAsked, (script) => {
        script.policy(0, 1, { ...policy, asg: 'web-asg' });
        script.desired(1, 2);
        for (const instance of ['i-1', 'i-2', 'i-3']) script.member(instance, { asg: 'web-asg', by: { kind: 'asg', asg: 'web-asg', why: 'size' } });
        script.desired(150, 2, 1, { kind: 'user' });
        script.policy(155, 2, { ...policy, asg: 'web-asg', size: { min: 1, max: 6, desired: 1 } });
        script.desired(160, desired, 2, react('i-b'));
      });
    expect(found(1)).toEqual([]);
    expect(found(6)).toHaveLength(1);
  });
  it('lets a policy set the size anew that comes back with its old version, whenever the group was let go', () => {
    const found = written((script) => {
      heard(script, 40, 'high', 'i-a', 4);
      script.letGo(60);
      script.desired(70, 4, 1, react('i-b'));
      script.policy(100, 1);
      script.desired(101, 2, 1, react('i-c'));
      script.desired(103, 3, 1, react('i-d'));
    });
    expect(found).toEqual([
      'the desired size became 3, was 2; the policy in force says 2, and no alarm was heard and no schedule was due that makes it so',
    ]);
  });
  it('breaks when an older policy follows a newer one', () => {
    const found = written((script) => {
      script.policy(50, 2, { ...policy, size: { min: 1, max: 6, desired: 5 } });
      script.desired(51, 5, 2);
      script.desired(53, 2, 1);
    });
    expect(found).toEqual(['version 1 of the policy is followed after version 2']);
  });
});

describe('alarms that are heard act', () => {
  const heard = (write: (script: Script) => void, injected = false) =>
    details(alarmsAct, (script) => {
      script.policy(0, 1);
      script.desired(1, 2);
      script.react(300, 303, 'i-a', [{ about: 'alarm', alarm: 'high' }], injected);
      write(script);
    });
  it('holds when the size changes, and breaks when it stays', () => {
    expect(heard((script) => script.desired(301, 4, 1, react('i-a')))).toEqual([]);
    expect(heard(() => undefined)).toEqual(['alarm high was received, and the desired size stays 2']);
  });
  it('requires nothing at the bound, in a cooldown, or of a function that met a fault', () => {
    expect(heard(() => undefined, true)).toEqual([]);
    expect(heard((script) => script.desired(2, 6))).toEqual([]);
    expect(heard((script) => script.react(250, 252, 'i-b', [{ about: 'alarm', alarm: 'high' }]))).toHaveLength(0);
  });
  it('requires nothing of a group whose policy is deleted before the alarm can act', () => {
    expect(heard((script) => script.letGo(301))).toEqual([]);
    expect(heard((script) => script.letGo(500))).toHaveLength(1);
  });
  it('requires it of a group whose first policy came a moment before', () => {
    const since = (second: number) =>
      details(alarmsAct, (script) => {
        script.letGo(0);
        script.policy(second, 1);
        script.desired(second + 1, 2);
        script.react(300, 303, 'i-a', [{ about: 'alarm', alarm: 'high' }]);
      });
    expect([since(100), since(290)].map(({ length }) => length)).toEqual([1, 1]);
  });
  it('requires it also soon after another alarm acted, and nothing where both may undo each other', () => {
    const other = (second: number) =>
      heard((script) => {
        script.react(second, second + 2, 'i-b', [{ about: 'alarm', alarm: 'low' }]);
        script.desired(second + 1, 1, 1, react('i-b'));
      });
    expect(other(260)).toEqual(['alarm high was received, and the desired size stays 1']);
    expect(other(275)).toEqual([]);
    expect(heard((script) => script.react(310, 312, 'i-b', [{ about: 'alarm', alarm: 'low' }]))).toEqual([]);
  });
  it('requires nothing of an alarm that went off before a look found the state item restored or deleted, and is received after', () => {
    const late = (tellAtS: number, write: (script: Script) => void) =>
      details(alarmsAct, (script) => {
        script.policy(0, 1);
        script.desired(1, 2);
        write(script);
        script.at(300, { kind: 'invocation-began', invocation: 'i-a', function: 'react' });
        const told = { about: 'alarm', alarm: 'high' } as const;
        script.at(300, { kind: 'delivered', invocation: 'i-a', function: 'react', message: 'a', told, happenedAtMs: 1_000 * tellAtS });
        const ended = { kind: 'invocation-ended', invocation: 'i-a', function: 'react', startedAtMs: 300_000 } as const;
        script.at(303, { ...ended, timeoutMs: 30_000, again: [], injected: false });
      });
    const restored = (script: Script) => script.desired(280, 2, 1, { kind: 'user' });
    const deleted = (script: Script) => script.at(280, { kind: 'state-deleted', group: 'web', by: { kind: 'user' } });
    expect([late(250, restored), late(250, deleted)]).toEqual([[], []]);
    expect([late(290, restored), late(290, deleted), late(250, () => undefined)].map(({ length }) => length)).toEqual([1, 1, 1]);
    const foundAt =
      (second: number, lose: (script: Script) => void) =>
      (script: Script): void => {
        lose(script);
        script.react(second - 1, second + 1, 'i-f');
        script.desired(second, 2, 1, react('i-f'));
      };
    // No look can know that the item was lost before the alarm went off, unless a look had found that.
    expect([late(285, foundAt(295, restored)), late(285, foundAt(295, deleted))]).toEqual([[], []]);
    expect(late(292, foundAt(295, deleted))).toHaveLength(1);
    expect(late(290, foundAt(285, deleted))).toHaveLength(1);
    // The look that finds it lets all act that it receives.
    expect(late(285, foundAt(305, deleted))).toHaveLength(1);
  });
  it('counts the cooldown from what a function did that met a fault', () => {
    const acted = (second: number, told: 'high' | 'low') =>
      heard((script) => {
        script.policy(0, 1, { ...policy, scaling: policy.scaling.map((row) => ({ ...row, cooldown: '4m' })) });
        script.desired(1.5, 1);
        script.react(second, second + 1, 'i-c', [{ about: 'alarm', alarm: told }], true);
        script.desired(second + 0.5, 2, 1, react('i-c'));
      });
    expect(acted(150, 'high')).toEqual([]);
    expect(acted(150, 'low')).toHaveLength(1);
    expect(acted(20, 'high')).toHaveLength(1);
  });
  it('counts the cooldown from what an alarm that lasts did again, and not from what something else did meanwhile', () => {
    const again = (desired: number, isOver = false) =>
      heard((script) => {
        script.policy(0, 1, { ...policy, scaling: policy.scaling.map((row) => ({ ...row, cooldown: '4m' })) });
        script.react(30, 32, 'i-b', [{ about: 'alarm', alarm: 'high' }]);
        if (isOver) script.react(60, 62, 'i-o', [{ about: 'alarm', alarm: 'high', isOn: false }]);
        script.react(149, 151, 'i-c');
        script.desired(150, desired, 1, react('i-c'));
      });
    expect(again(4)).toEqual([]);
    expect([again(3), again(4, true)].map(({ length }) => length)).toEqual([1, 1]);
  });
  it('counts the cooldown from the first look too, if its item begins with another size than the policy', () => {
    const first = (desired: number) =>
      details(alarmsAct, (script) => {
        script.policy(0, 1, { ...policy, scaling: policy.scaling.map((row) => ({ ...row, cooldown: '4m' })) });
        script.react(150, 151, 'i-c', [{ about: 'alarm', alarm: 'high' }], true);
        script.desired(150.5, desired, 1, react('i-c'));
        script.react(300, 303, 'i-a', [{ about: 'alarm', alarm: 'high' }]);
      });
    expect(first(4)).toEqual([]);
    expect(first(2)).toEqual(['alarm high was received, and the desired size stays 2']);
  });
});

describe('the desired size of a group whose state item was deleted', () => {
  const emptied = (desired: number, second: number, members: number) =>
    details(desiredAsAsked, (script) => {
      twoServe(script);
      for (let n = 2; n < members; n += 1) script.member(`i-n${n}`);
      script.react(69, 71, 'i-low', forAMoment('low'));
      script.desired(70, 1, 1, react('i-low'));
      if (second > 0) script.at(second, { kind: 'state-deleted', group: 'web', by: { kind: 'user' } });
      script.react(109, 111, 'i-a');
      script.desired(110, desired, 1, react('i-a'));
    });
  it('is the size of the policy, or the present number of members when that is more', () => {
    expect(emptied(2, 100, 2)).toEqual([]);
    expect(emptied(4, 100, 4)).toEqual([]);
    expect(emptied(6, 100, 8)).toEqual([]);
  });
  it('is what others set, where they set the size', () => {
    const sized = (desired: number, set: number) =>
      details(desiredAsAsked, (script) => {
        script.policy(0, 1, { ...policy, asg: 'web-asg', size: { from: 'asg', min: 0, max: 6 }, scaling: [] });
        for (const id of ['i-1', 'i-2']) script.member(id, { asg: 'web-asg' });
        script.react(69, 71, 'i-b');
        script.desired(70, 2, 1, react('i-b'));
        script.at(80, { kind: 'asg-changed', asg: 'web-asg', min: 1, max: 6, desired: set, suspended: [], by: { kind: 'user' } });
        script.at(80, { kind: 'size-written', asg: 'web-asg', found: 2, size: set, how: 'set', covers: [], by: { kind: 'user' } });
        script.at(100, { kind: 'state-deleted', group: 'web', by: { kind: 'user' } });
        script.react(109, 111, 'i-a');
        script.desired(110, desired, 1, react('i-a'));
      });
    expect([sized(4, 4), sized(2, 2)]).toEqual([[], []]);
    expect(sized(2, 4)).toEqual(['the desired size became 2; others had set 4']);
    expect(sized(5, 4)).toHaveLength(1);
  });
  it('is nothing less, nothing more, and nothing beyond the bounds', () => {
    expect(emptied(1, 100, 2)).toEqual(['after the state was deleted the desired size became 1, expected 2 to 2']);
    expect(emptied(2, 100, 4)).toHaveLength(1);
    expect(emptied(5, 100, 4)).toHaveLength(1);
    expect(emptied(8, 100, 8)).toHaveLength(1);
  });
  it('is the size of the policy where another group launched all members: no item of this group has named them', () => {
    const taken = (desired: number, group: string) =>
      details(desiredAsAsked, (script) => {
        script.policy(0, 1, { ...policy, asg: 'web-asg' });
        script.desired(0, 2);
        const launched = { asg: 'web-asg', by: react('i-0'), tags: { 'holdfast:group': `holdfast/${group}` } };
        for (const instance of ['i-1', 'i-2', 'i-3', 'i-4']) script.member(instance, launched);
        script.at(100, { kind: 'state-deleted', group: 'web', by: { kind: 'user' } });
        script.react(109, 111, 'i-a');
        script.desired(110, desired, 1, react('i-a'));
      });
    expect([taken(2, 'before'), taken(4, 'web')]).toEqual([[], []]);
    expect([taken(4, 'before'), taken(2, 'web')].map(({ length }) => length)).toEqual([1, 1]);
  });
  it('is the one that the same function had written before, where it was still at work', () => {
    const written = (desired: number, by: string) =>
      details(desiredAsAsked, (script) => {
        twoServe(script);
        script.react(90, 111, 'i-a', forAMoment('high'));
        script.react(105, 111, 'i-b');
        script.desired(95, 4, 1, react('i-a'));
        script.at(100, { kind: 'state-deleted', group: 'web', by: { kind: 'user' } });
        script.desired(110, desired, 1, react(by));
      });
    expect(written(4, 'i-a')).toEqual([]);
    expect(written(3, 'i-a')).toHaveLength(1);
    expect(written(4, 'i-b')).toHaveLength(1);
  });
  it('is begun anew by nothing else', () => {
    expect(emptied(2, 0, 2)).toHaveLength(1);
    expect(emptied(2, 120, 2)).toHaveLength(1);
  });
});
