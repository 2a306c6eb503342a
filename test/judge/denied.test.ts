import { describe, expect, it } from 'vitest';
import type { History } from '../../sandbox/judge/history.ts';
import { desiredStandsWhileDenied, nobodyLeavesWhileDenied } from '../../sandbox/judge/rules/bounds/denied.ts';
import { maximumHeld, needlessLaunch } from '../../sandbox/judge/rules/launches/needless-launch.ts';
import { earlierTierFirst } from '../../sandbox/judge/rules/launches/placement.ts';
import { details } from './details.ts';
import { policy, react, type Script, spec, twoServe, user } from './histories.ts';

type Write = (script: Script) => void;
const nothing: Write = () => undefined;
const all =
  (...parts: readonly Write[]): Write =>
  (script) => {
    for (const part of parts) part(script);
  };

type Fault = Extract<History['faults'][number]['fault'], { readonly on: 'call' }>;
/** Nobody may launch between two seconds. */
const deniedBetween = (from: number, until: number, more: Partial<Fault> = {}): Partial<History> => {
  const fault = { on: 'call', kind: 'error', code: 'UnauthorizedOperation', match: { operation: ['CreateFleet', 'LaunchInstances'] }, ...more };
  return { faults: [{ fault: fault as Fault, fromMs: 1_000 * from, untilMs: 1_000 * until }], endedAtMs: 1_000_000 };
};

const inSpotA = { group: 'web', pool: 'spot-a' };
type Launch = { readonly group?: string; readonly pool?: string; readonly asg?: string };
/** A request to launch, and what EC2 said to it. */
const asks =
  (second: number, launch: Launch = inSpotA, outcome = 'UnauthorizedOperation'): Write =>
  (script) =>
    script.at(second, {
      ...{ kind: 'called', invocation: `asks-${second}`, function: 'react', service: 'ec2', operation: 'CreateFleet' },
      ...{ askedAtMs: 1_000 * second, outcome, applied: outcome === 'ok', isMutating: true, launch: { ...launch, count: 1 } },
    });

const attached = { ...policy, asg: 'web-asg' };
const sets =
  (second: number, desired: number, by = react('i-a')): Write =>
  (script) =>
    script.at(second, { kind: 'asg-changed', asg: 'web-asg', min: 0, max: 4, desired, suspended: [], by });

describe('no desired capacity falls while launches are denied', () => {
  const stands = (write: Write, changes = deniedBetween(90, 500)) =>
    details(
      desiredStandsWhileDenied,
      (script) => {
        script.policy(0, 1, attached);
        script.desired(0, 2);
        for (const instance of ['i-1', 'i-2']) script.member(instance, { asg: 'web-asg' });
        write(script);
      },
      changes,
    );
  const fell = ['the desired capacity of web-asg fell from 2 to 1 while launches are denied: 1 of 2 are left'];
  const stays = '1 of 2 are held or coming, 405 s after launches were denied';
  it('once Holdfast has received a denial', () => {
    expect(stands(all(asks(95), sets(136, 1), sets(140, 2)))).toEqual(fell);
    expect(stands(all(asks(95), sets(134, 1), sets(140, 2)))).toEqual([]);
    expect(stands(all(sets(136, 1), sets(140, 2)))).toEqual([]);
  });
  it('unless the facts in its state item were lost', () => {
    const lost: Write = (script) => script.at(150, { kind: 'state-deleted', group: 'web', by: user });
    const restored: Write = (script) => script.desired(150, 2, 1, user);
    for (const forgets of [lost, restored]) {
      expect(stands(all(asks(95), forgets, sets(180, 1), sets(185, 2)))).toEqual([]);
      expect(stands(all(asks(95), forgets, asks(155), sets(194, 1), sets(198, 2)))).toEqual([]);
      expect(stands(all(asks(95), forgets, asks(155), sets(196, 1), sets(198, 2)))).toHaveLength(1);
    }
    expect(stands(all(asks(95), (script) => script.desired(150, 2), sets(180, 1), sets(185, 2)))).toEqual(fell);
  });
  it('until launches are allowed again', () => {
    expect(stands(all(asks(95), sets(499, 1), sets(505, 2)))).toContain(fell[0]);
    expect(stands(all(asks(95), sets(501, 1), sets(505, 2)))).toEqual([]);
  });
  it('below what the group needs, and by Holdfast', () => {
    const fewer = all(asks(95), (script) => script.desired(120, 1), sets(190, 1));
    expect(stands(fewer)).toEqual([]);
    expect(stands(all(asks(95), sets(136, 1, user as never), sets(140, 2)))).toEqual([]);
  });
  it('or below the size that the function which lowers it writes a moment later, and no other', () => {
    const writes = (second: number, invocation = 'i-a') =>
      stands(all(asks(95), sets(136, 1), (script) => script.desired(second, 1, 1, react(invocation))));
    expect(writes(137)).toEqual([]);
    expect(writes(137, 'i-b')).toEqual(fell);
    expect(writes(147)).toEqual(fell);
  });
  it('where the denial is one: of every launch, each time, and for good', () => {
    const lowered = all(asks(95), sets(136, 1), sets(140, 2));
    expect(stands(lowered, deniedBetween(90, 500, { probability: 0.5 }))).toEqual([]);
    expect(stands(lowered, deniedBetween(90, 500, { match: { operation: 'CreateFleet' } }))).toEqual([]);
    expect(stands(lowered, deniedBetween(90, 500, { code: 'InternalError' } as Partial<Fault>))).toEqual([]);
  });
  it('and what fell before is given back', () => {
    const early = all(asks(95), sets(100, 1));
    expect(stands(early)).toEqual([stays]);
    expect(stands(all(early, sets(200, 2)))).toEqual([]);
    expect(stands(early, deniedBetween(90, 256))).toHaveLength(1);
    expect(stands(early, deniedBetween(90, 254))).toEqual([]);
  });
  it('where no other function decides meanwhile', () => {
    const early = all(asks(95), sets(100, 1));
    expect(stands(all(early, sets(150, 0, user as never)))).toEqual([]);
    expect(stands(all(early, sets(150, 1, user as never)))).toEqual([stays]);
    expect(stands(all(sets(80, 2, user as never), early))).toEqual([stays]);
    expect(stands(all(early, (script) => script.policy(150, 2, attached)))).toEqual([]);
    expect(stands(all(early, (script) => script.policy(20, 2, attached)))).toEqual([stays]);
    expect(stands(all(early, (script) => script.desired(150, 3)))).toEqual([]);
  });
  it('only for the group that received the denial', () => {
    const lowered = all(sets(136, 1), sets(140, 2));
    expect(stands(all(asks(95, { asg: 'web-asg' }), lowered), deniedBetween(90, 500))).toEqual([]);
    expect(stands(all(asks(95, { group: 'api' }), lowered))).toEqual([]);
  });
});

describe('nobody who can wait leaves while launches are denied', () => {
  const leaves = (second: number, write: Write = asks(95), more: Write = nothing) =>
    details(
      nobodyLeavesWhileDenied,
      all(
        twoServe,
        write,
        (script) => {
          script.takeOut(second, 'i-1');
        },
        more,
      ),
      deniedBetween(90, 500),
    );
  const advised: Write = (script) => script.advise(80, 'i-1');
  it('breaks for a member at risk, once it is known', () => {
    expect(leaves(136, asks(95), advised)).toEqual(['i-1 left while launches are denied: 1 of 2 are there']);
    expect(leaves(134, asks(95), advised)).toEqual([]);
    expect(leaves(136, nothing, advised)).toEqual([]);
  });
  it('breaks for one that is held elsewhere by now', () => {
    const moves = (held: string) =>
      details(
        nobodyLeavesWhileDenied,
        all(asks(95), (script) => {
          script.policy(0, 1, { ...attached, asg: held });
          script.policy(40, 2, attached);
          script.desired(0, 2);
          script.member('i-1', { asg: held });
          script.member('i-2', { asg: 'web-asg' });
          script.takeOut(136, 'i-1');
        }),
        deniedBetween(90, 500),
      );
    expect(moves('old-asg')).toHaveLength(1);
    expect(moves('web-asg')).toEqual([]);
  });
  it('holds where as many others are there, where EC2 takes it, and when launches are allowed again', () => {
    expect(
      leaves(
        136,
        asks(95),
        all(advised, (script) => script.member('i-3')),
      ),
    ).toEqual([]);
    expect(
      leaves(
        136,
        asks(95),
        all(advised, (script) => script.warn(120, 'i-1')),
      ),
    ).toEqual([]);
    expect(leaves(499, asks(95), advised)).toHaveLength(1);
    expect(leaves(501, asks(95), advised)).toEqual([]);
  });
});

describe('a later tier is right while launches from an earlier one are denied', () => {
  const late = (write: Write, lookedAt = 149, document: object = policy, changes: Partial<History> = {}) =>
    details(
      earlierTierFirst,
      (script) => {
        script.policy(0, 1, { ...policy, ...document });
        script.desired(0, 2);
        write(script);
        script.react(lookedAt, lookedAt + 3, 'i-a');
        script.launch(lookedAt + 1, 'i-9', { pool: 'od-b', by: react('i-a') });
      },
      { endedAtMs: 1_000_000, ...changes },
    );
  const both = (second: number): Write => all(asks(second), asks(second, { group: 'web', pool: 'spot-b' }));
  it('each pool for itself', () => {
    expect(late(both(140))).toEqual([]);
    expect(late(nothing)).toHaveLength(1);
    expect(late(asks(140))).toHaveLength(1);
    expect(late(asks(140), 149, { capacity: { tiered: ['spot-a', 'od-b'] } })).toEqual([]);
    expect(late(asks(140, { group: 'web', pool: 'spot-b' }), 149, { capacity: { tiered: ['spot-a', 'od-b'] } })).toHaveLength(1);
  });
  it('whatever is wrong with the request, and not for what says nothing about it', () => {
    const answered = (outcome: string) => late(all(asks(140, inSpotA, outcome), asks(140, { group: 'web', pool: 'spot-b' }, outcome)));
    for (const wrong of ['UnauthorizedOperation', 'InvalidLaunchTemplateName.NotFoundException', 'InvalidParameterValue'])
      expect(answered(wrong)).toEqual([]);
    for (const other of ['RequestLimitExceeded', 'InternalError', 'IdempotentParameterMismatch']) expect(answered(other)).toHaveLength(1);
  });
  it('for the turns of its pools, and the look that asks', () => {
    expect(late(both(100), 429)).toEqual([]);
    expect(late(both(100), 431)).toHaveLength(1);
  });
  it('until a launch gets a response', () => {
    const answered = (second: number) => late(all(both(100), asks(second, inSpotA, 'ok')));
    expect(answered(118)).toHaveLength(1);
    expect(answered(120)).toEqual([]);
    // A response to a pool that was not denied for this reason says nothing about it.
    expect(late(all(both(100), asks(118, { group: 'web', pool: 'od-b' }, 'ok')))).toEqual([]);
    const forAnother = asks(100, { group: 'web', pool: 'spot-b' }, 'InvalidLaunchTemplateName.NotFoundException');
    expect(
      late(all(asks(100), forAnother, asks(118, { group: 'web', pool: 'spot-b' }, 'ok')), 149, { capacity: { tiered: ['spot-a', 'od-b'] } }),
    ).toEqual([]);
  });
  it('for the group that received the denial', () => {
    const tiered = { capacity: { tiered: ['spot-a', 'od-b'] } };
    expect(late(asks(140, { group: 'api', pool: 'spot-a' }), 149, tiered)).toHaveLength(1);
  });
  it('for the pool whose Auto Scaling group it is', () => {
    const group = { launchTemplate: 'web', subnets: ['subnet-a'], instanceTypes: ['t'], market: 'spot' as const, min: 0, max: 10, desired: 0 };
    const asgs = { spec: { ...spec, autoScalingGroups: ['a', 'b'].map((name) => ({ ...group, name })) } };
    const document = { capacity: { tiered: ['spot-a', 'od-b'] }, pools: { ...policy.pools, 'spot-a': { asg: 'a' } } };
    expect(late(asks(140, { asg: 'a' }), 149, document, asgs)).toEqual([]);
    expect(late(asks(140, { asg: 'b' }), 149, document, asgs)).toHaveLength(1);
  });
  it('whose Auto Scaling group was gone when the launch was requested', () => {
    const document = { capacity: { tiered: ['spot-a', 'od-b'] }, pools: { ...policy.pools, 'spot-a': { asg: 'a' } } };
    const group = { launchTemplate: 'web', subnets: ['subnet-a'], instanceTypes: ['t'], market: 'spot' as const, min: 0, max: 10, desired: 0 };
    const asgs = { spec: { ...spec, autoScalingGroups: [{ ...group, name: 'a' }] } };
    const is =
      (second: number, isGone: boolean): Write =>
      (script) =>
        script.at(second, { kind: 'asg-changed', asg: 'a', min: 0, max: 10, desired: 0, suspended: [], isGone, by: user });
    const again = (outcome: string, backAtS = 145) =>
      late(all(is(135, true), asks(140, { asg: 'a' }, outcome), is(backAtS, false)), 200, document, asgs);
    expect(again('ValidationError')).toEqual([]);
    expect(again('ValidationError', 139)).toHaveLength(1);
    expect(again('RequestLimitExceeded')).toHaveLength(1);
  });
  it('for no other trouble', () => {
    expect(late(all(asks(140, inSpotA, 'InternalError'), asks(140, { group: 'web', pool: 'spot-b' }, 'InternalError')))).toHaveLength(1);
  });
});

describe('with drain-first, one launch ahead finds out whether launches are still denied', () => {
  const ahead = (write: Write, rule = needlessLaunch) =>
    details(
      rule,
      (script) => {
        script.policy(0, 1, { ...policy, size: 2, swap: { order: 'drain-first', maxSurge: 2 }, return: false });
        script.desired(0, 2);
        for (const instance of ['i-1', 'i-2']) {
          script.member(instance);
          script.advise(80, instance);
          script.claim(85, instance, 'i-0', 'waiting');
        }
        write(script);
        script.react(149, 153, 'i-a');
        script.launch(150, 'i-3', { by: react('i-a') });
      },
      { endedAtMs: 1_000_000 },
    );
  const second: Write = (script) => script.launch(151, 'i-4', { by: react('i-a') });
  it('where the latest one was denied', () => {
    for (const rule of [needlessLaunch, maximumHeld]) {
      expect(ahead(asks(100), rule)).toEqual([]);
      expect(ahead(nothing, rule)).toHaveLength(1);
      expect(ahead(all(asks(100), second), rule)).toHaveLength(1);
      expect(ahead(asks(100, { group: 'api', pool: 'spot-a' }), rule)).toHaveLength(1);
      expect(ahead(all(asks(100), asks(110, inSpotA, 'ok')), rule)).toHaveLength(1);
    }
  });
  it('however long ago that was, because nothing has shown since that launches work again', () => {
    expect(ahead(asks(-900))).toEqual([]);
    expect(ahead(all(asks(-900), second))).toHaveLength(1);
    expect(ahead(all(asks(-900), asks(-800, inSpotA, 'ok')))).toHaveLength(1);
  });
  it('also where only members wait that never served', () => {
    const never = (write: Write) =>
      details(needlessLaunch, (script) => {
        script.policy(0, 1, { ...policy, size: 2, swap: { order: 'drain-first', maxSurge: 2 }, ready: { within: '1m' }, return: false });
        script.desired(0, 2);
        script.member('i-1');
        script.launch(10, 'i-2', { by: react('i-0') });
        script.claim(85, 'i-2', 'i-0', 'waiting', 'never-served');
        write(script);
        script.react(149, 153, 'i-a');
        script.launch(150, 'i-3', { by: react('i-a') });
      });
    expect(never(asks(100))).toEqual([]);
    expect([never(nothing), never(all(asks(100), second))].map(({ length }) => length)).toEqual([1, 1]);
  });
  it('and not where no member waits', () => {
    const nobodyWaits = details(needlessLaunch, (script) => {
      twoServe(script);
      script.policy(50, 2, { ...policy, swap: { order: 'drain-first', maxSurge: 2 } });
      asks(100)(script);
      script.react(149, 153, 'i-a');
      script.launch(150, 'i-3', { by: react('i-a') });
    });
    expect(nobodyWaits).toHaveLength(1);
  });
});
