import { describe, expect, it } from 'vitest';
import type { History } from '../../sandbox/judge/history.ts';
import { failedBootsAreTold, failingPoolsRest, launchesAreBounded } from '../../sandbox/judge/rules/bounds/boots.ts';
import { earlierTierFirst } from '../../sandbox/judge/rules/launches/placement.ts';
import { requestedSoon } from '../../sandbox/judge/rules/launches/requested.ts';
import { servesAgain } from '../../sandbox/judge/rules/launches/serving.ts';
import { details, faultOf, throttled } from './details.ts';
import { policy, react, type Script, spec, twoServe } from './histories.ts';

type Write = (script: Script) => void;
const nothing: Write = () => undefined;
const long = { endedAtMs: 4_000_000 };

type Death = { readonly pool?: string; readonly code?: string; readonly by?: ReturnType<typeof react> | { readonly kind: 'ec2' } };

/** It is launched, and ends ten seconds later, before it runs. */
const dies = (
  script: Script,
  second: number,
  instance: string,
  { pool = 'spot-a', code = 'Client.InternalError', by = { kind: 'ec2' } }: Death = {},
) => {
  script.launch(second, instance, { pool, by: react(`of-${instance}`) });
  script.at(second + 10, { kind: 'ending', instance, by, code });
  script.at(second + 12, { kind: 'ended', instance, state: 'terminated' });
};
/** They die one after the other. */
const die = (script: Script, count: number, from = 100, apart = 20): void => {
  for (let n = 0; n < count; n += 1) dies(script, from + apart * n, `i-d${from}-${n}`);
};
const tells = (script: Script, second: number, instances: readonly string[], pool = 'spot-a', awsCode = 'Client.InternalError'): void =>
  script.at(second, { kind: 'announced', detailType: 'Holdfast Boots Failed', detail: { group: 'web', pool, awsCode, instances } });
const launches = (script: Script, second: number, instance: string, pool: string, lookedAt = second - 1): void => {
  script.react(lookedAt, second + 2, `of-${instance}`);
  script.launch(second, instance, { pool, by: react(`of-${instance}`) });
};
/** The state table is restored from a copy, or emptied. */
const restored = (script: Script, second: number, copiedAt?: number): void =>
  script.at(second, {
    ...{ kind: 'step', step: 'state-restored', instances: [], groups: ['web'], asgs: [] },
    ...(copiedAt !== undefined && { copiedAtMs: 1_000 * copiedAt }),
  });

/** One serves. */
const oneServes =
  (desired = 2): Write =>
  (script) => {
    script.policy(0, 1);
    script.desired(0, desired);
    script.member('i-1', { pool: 'spot-a' });
  };

describe('launches for one need are bounded', () => {
  const bounded = (write: Write, desired = 2) =>
    details(
      launchesAreBounded,
      (script) => {
        oneServes(desired)(script);
        write(script);
      },
      long,
    );
  it('lets ten die for each that is missing, and no more', () => {
    expect(bounded((script) => die(script, 10))).toEqual([]);
    expect(bounded((script) => die(script, 11))).toEqual(['11 ended before they ran, for 1 missing members, within ten minutes']);
    expect(bounded((script) => die(script, 20), 3)).toEqual([]);
    expect(bounded((script) => die(script, 21), 3)).toHaveLength(1);
  });
  it('counts those of ten minutes', () => {
    const apart = (from: number) =>
      bounded((script) => {
        die(script, 1, from);
        die(script, 10, 700);
      });
    expect(apart(279)).toEqual([]);
    expect(apart(281)).toHaveLength(1);
  });
  it('begins anew with a policy that is written, and with a state that is restored', () => {
    const meanwhile = (write: Write) =>
      bounded((script) => {
        die(script, 11);
        write(script);
      });
    expect(meanwhile((script) => script.policy(110, 2))).toEqual([]);
    expect(meanwhile((script) => script.policy(90, 2))).toHaveLength(1);
    expect(meanwhile((script) => restored(script, 110))).toEqual([]);
    expect(meanwhile((script) => restored(script, 90))).toHaveLength(1);
  });
  it('begins anew with an instance that was launched after them and came up', () => {
    const meanwhile = (launchedAt: number, runs: number, from: object = { pool: 'spot-a', by: react('of-up') }) =>
      bounded((script) => {
        die(script, 11);
        script.launch(launchedAt, 'i-up', from);
        script.at(runs, { kind: 'running', instance: 'i-up' });
      });
    expect(meanwhile(115, 200)).toEqual([]);
    expect(meanwhile(115, 301)).toHaveLength(1);
    expect(meanwhile(105, 200)).toHaveLength(1);
    expect(meanwhile(115, 200, { by: { kind: 'asg', asg: 'web-asg', why: 'size' } })).toHaveLength(1);
  });
  it('counts no late refusal, no instance that ran, and none that others ended', () => {
    const ten = (write: Write) =>
      bounded((script) => {
        die(script, 10);
        write(script);
      });
    expect(ten((script) => dies(script, 310, 'i-9'))).toHaveLength(1);
    expect(ten((script) => dies(script, 310, 'i-9', { code: 'Server.InsufficientInstanceCapacity' }))).toEqual([]);
    expect(ten((script) => dies(script, 310, 'i-9', { code: 'Client.UserInitiatedShutdown' }))).toEqual([]);
    expect(ten((script) => dies(script, 310, 'i-9', { code: 'Server.SpotInstanceTermination' }))).toEqual([]);
    expect(ten((script) => dies(script, 310, 'i-9', { by: react('drain') }))).toEqual([]);
    const ran = (script: Script): void => {
      dies(script, 310, 'i-9');
      script.at(315, { kind: 'running', instance: 'i-9' });
    };
    expect(ten(ran)).toEqual([]);
  });
});

describe('a pool whose instances die rests', () => {
  const rests = (write: Write, clockErrorMs = 0, changes: Partial<History> = {}) =>
    details(
      failingPoolsRest,
      (script) => {
        oneServes()(script);
        dies(script, 100, 'i-3');
        tells(script, 112, ['i-3']);
        write(script);
      },
      { ...long, clockErrorMs, ...changes },
    );
  const at =
    (second: number, pool = 'spot-a', lookedAt = second - 1): Write =>
    (script) =>
      launches(script, second, 'i-9', pool, lookedAt);
  it('for a minute, less the run that announces it', () => {
    expect(rests(at(141))).toEqual(['i-9 was launched from spot-a, 29 s after its instances ended']);
    expect(rests(at(143))).toEqual([]);
  });
  it('while another pool does not', () => {
    expect(rests(at(130, 'spot-b'))).toEqual([]);
  });
  it('not when a policy was written at about the time of the event, by clocks that are wrong', () => {
    const written = (second: number, clockErrorMs: number) =>
      rests((script) => {
        script.policy(second, 2);
        at(120)(script);
      }, clockErrorMs);
    expect(written(109, 2_000)).toEqual([]);
    expect(written(107, 2_000)).toHaveLength(1);
    expect(written(109, 0)).toHaveLength(1);
  });
  it('only for looks after the event', () => {
    expect(rests(at(130, 'spot-a', 113))).toHaveLength(1);
    expect(rests(at(130, 'spot-a', 111))).toEqual([]);
  });
  it('for as long as its event says, which grows with each further one', () => {
    const told = (restSeconds: number, launchedSecond = 175, write: Write = nothing, changes: Partial<History> = {}, clockErrorMs = 0) =>
      rests(
        (script) => {
          dies(script, launchedSecond, 'i-4');
          write(script);
          const detail = { group: 'web', pool: 'spot-a', awsCode: 'Client.InternalError', instances: ['i-4'], untilMs: 1_000 * (190 + restSeconds) };
          script.at(190, { kind: 'announced', detailType: 'Holdfast Boots Failed', detail });
        },
        clockErrorMs,
        changes,
      );
    expect(told(120)).toEqual([]);
    // No longer either, unless an event of an earlier failure may be missing, or the pool also rests for another reason.
    expect(told(240)).toEqual(['spot-a is told to rest for 240 s after 2 failed boots']);
    expect(told(240, 175, nothing, throttled('PutEvents'))).toEqual([]);
    const gaveUp: Write = (script) => script.at(150, { kind: 'announced', detailType: 'Holdfast Members Given Up', detail: { group: 'web' } });
    expect(told(240, 175, gaveUp)).toEqual([]);
    expect(told(60)).toEqual(['spot-a is told to rest for 60 s after 2 failed boots']);
    expect(told(1_200)).toHaveLength(1);
    // It was launched before the first one was known: both are one failure.
    expect(told(60, 108)).toEqual([]);
    expect(told(60, 175, (script) => script.policy(185, 2))).toEqual([]);
    // What was told when the policy was written, by clocks that are wrong, may be forgotten and need not be.
    const written =
      (second: number): Write =>
      (script) =>
        script.policy(second, 2);
    for (const restSeconds of [60, 120]) expect(told(restSeconds, 175, written(113), {}, 2_000)).toEqual([]);
    expect(told(120, 175, written(120), {}, 2_000)).toHaveLength(1);
    expect(told(60, 175, written(107), {}, 2_000)).toHaveLength(1);
  });
  it('twice as long after a further one, unless one came up between them', () => {
    const again = (second: number, write: Write = nothing) =>
      rests((script) => {
        dies(script, 175, 'i-4');
        tells(script, 187, ['i-4']);
        write(script);
        at(second)(script);
      });
    expect(again(276)).toHaveLength(1);
    expect(again(278)).toEqual([]);
    const cameUp: Write = (script) => {
      script.launch(150, 'i-5', { pool: 'spot-a' });
      script.at(160, { kind: 'running', instance: 'i-5' });
    };
    expect(again(216, cameUp)).toHaveLength(1);
    expect(again(218, cameUp)).toEqual([]);
  });
  it('no longer for deaths of one launch that were reported twice', () => {
    const twice = (second: number) =>
      rests((script) => {
        dies(script, 101, 'i-4');
        tells(script, 120, ['i-4']);
        at(second)(script);
      });
    expect(twice(149)).toHaveLength(1);
    expect(twice(151)).toEqual([]);
  });
  it('for ten minutes at most', () => {
    const inARow = (second: number) =>
      rests((script) => {
        for (let n = 1; n < 6; n += 1) {
          dies(script, 100 + 700 * n, `i-3${n}`);
          tells(script, 112 + 700 * n, [`i-3${n}`]);
        }
        at(second)(script);
      }).filter((detail) => detail.startsWith('i-9'));
    expect(inARow(3_612 + 569)).toHaveLength(1);
    expect(inARow(3_612 + 571)).toEqual([]);
  });
  it('until one that was launched afterwards runs', () => {
    const runs = (launchedAt: number) =>
      rests((script) => {
        script.launch(launchedAt, 'i-5', { pool: 'spot-a' });
        script.at(125, { kind: 'running', instance: 'i-5' });
        at(130)(script);
      }).filter((detail) => detail.startsWith('i-9'));
    expect(runs(83)).toEqual([]);
    expect(runs(81)).toHaveLength(1);
  });
  it('until a policy is written', () => {
    const written = (second: number) =>
      rests((script) => {
        script.policy(second, 2);
        at(130)(script);
      });
    expect(written(120)).toEqual([]);
    expect(written(111)).toHaveLength(1);
  });
  it('until the state follows that policy, when the report came from the policy before', () => {
    const followed = (second: number, version: number) =>
      rests((script) => {
        script.policy(111, 2);
        script.desired(second, 2, version);
        at(130)(script);
      });
    expect(followed(113, 2)).toEqual([]);
    expect(followed(113, 1)).toHaveLength(1);
    expect(followed(111.5, 2)).toHaveLength(1);
    expect(followed(135, 2)).toHaveLength(1);
  });
});

describe('failed boots are told', () => {
  const told = (write: Write, death: Death = {}, changes = {}) =>
    details(
      failedBootsAreTold,
      (script) => {
        oneServes()(script);
        dies(script, 100, 'i-3', death);
        write(script);
      },
      { ...long, ...changes },
    );
  const silent = ['i-3 of spot-a ended (Client.InternalError) before it ran, and no event reported it'];
  it('within two looks, under their pool', () => {
    expect(told(nothing)).toEqual(silent);
    expect(told((script) => tells(script, 112, ['i-3']))).toEqual([]);
    expect(told((script) => tells(script, 241, ['i-3']))).toEqual([]);
    expect(told((script) => tells(script, 242, ['i-3']))).toEqual(silent);
    expect(told((script) => tells(script, 112, ['i-3'], 'spot-b'))).toEqual(silent);
  });
  it('with the code that EC2 gave, and for no other instance', () => {
    expect(told((script) => tells(script, 112, ['i-3'], 'spot-a', 'Client.InvalidSnapshot.NotFound'))).toEqual([
      'an event reported a failed boot with Client.InvalidSnapshot.NotFound, and none of its instances ended with that code',
    ]);
    const booted = (more: Write, document: object = policy) =>
      told((script) => {
        script.policy(50, 2, { ...document });
        dies(script, 200, 'i-4');
        script.at(205, { kind: 'running', instance: 'i-4' }, { kind: 'booted', instance: 'i-4' });
        more(script);
        tells(script, 112, ['i-3']);
        tells(script, 212, ['i-4']);
      });
    expect(booted(nothing)).toEqual([]);
    const invented = 'an event reported i-4 as a failed boot, and it did not fail';
    expect(booted((script) => script.at(206, { kind: 'in-service', instance: 'i-4', targetGroup: 'web' }))).toContain(invented);
    // A restored table lost that it had come up (24310606): its copy was made before that.
    const came = (restoredS: number, copiedS?: number) =>
      booted((script) => {
        script.at(206, { kind: 'in-service', instance: 'i-4', targetGroup: 'web' });
        restored(script, restoredS, copiedS);
      });
    expect([came(211, 205.5), came(211)]).toEqual([[], []]);
    expect([came(211, 207), came(205.8, 150)].map((one) => one.includes(invented))).toEqual([true, true]);
    expect(booted(nothing, { ...policy, drain: {} })).toContain(invented);
    expect(booted(nothing, { ...policy, drain: {}, asg: 'other-asg' })).toEqual([]);
    const joined: Write = (script) => script.at(206, { kind: 'joined', instance: 'i-4', asg: 'other-asg', by: react('i-0') });
    expect(booted(joined, { ...policy, drain: {}, asg: 'other-asg' })).toContain(invented);
    expect(told((script) => tells(script, 112, ['i-3', 'i-1']))).toEqual(['an event reported i-1 as a failed boot, and it did not fail']);
    expect(told((script) => tells(script, 105, ['i-3']))).toContain('an event reported i-3 as a failed boot, and it did not fail');
  });
  it('only if they surely ended by themselves: no late refusal, and no instance that ran', () => {
    expect(told(nothing, { code: 'Server.InsufficientInstanceCapacity' })).toEqual([]);
    expect(told((script) => script.at(105, { kind: 'running', instance: 'i-3' }))).toEqual([]);
  });
  it('only where no fault met the looks, and the group was held, with its state', () => {
    const fault = (fromMs: number, untilMs: number) => told(nothing, {}, faultOf({ on: 'event', kind: 'drop' }, fromMs / 1_000, untilMs / 1_000));
    expect(fault(200_000, 210_000)).toEqual([]);
    expect(fault(50_000, 99_000)).toEqual(silent);
    expect(fault(242_000, 300_000)).toEqual(silent);
    for (const call of ['Query', 'PutEvents', 'CreateFleet']) expect(told(nothing, {}, throttled(call))).toEqual([]);
    for (const call of ['StartExecution', 'DescribeTargetHealth', 'TerminateInstances']) expect(told(nothing, {}, throttled(call))).toEqual(silent);
    expect(told(nothing, {}, faultOf({ on: 'message', kind: 'duplicate' }))).toEqual(silent);
    expect(told((script) => script.letGo(200))).toEqual([]);
    expect(told((script) => script.letGo(242))).toEqual(silent);
    expect(told((script) => restored(script, 200))).toEqual([]);
    expect(told((script) => restored(script, 242))).toEqual(silent);
  });
  it('up to the fifty that one event names', () => {
    const many = (count: number) =>
      details(
        failedBootsAreTold,
        (script) => {
          oneServes()(script);
          die(script, count);
        },
        long,
      );
    expect(many(50)).toHaveLength(50);
    expect(many(51)).toEqual([]);
  });
});

describe('a later tier is right while the pools of an earlier one rest', () => {
  const late = (second: number, write: Write) =>
    details(
      earlierTierFirst,
      (script) => {
        twoServe(script);
        write(script);
        launches(script, second, 'i-9', 'od-b');
      },
      long,
    );
  const both =
    (from: number, death: Death = {}): Write =>
    (script) => {
      dies(script, from, `i-a${from}`, { ...death, pool: 'spot-a' });
      dies(script, from, `i-b${from}`, { ...death, pool: 'spot-b' });
    };
  const bothTold = (from: number, toldAt: number): Write =>
    all(both(from), (script) => {
      tells(script, toldAt, [`i-a${from}`]);
      tells(script, toldAt, [`i-b${from}`], 'spot-b');
    });
  const all =
    (...parts: readonly Write[]): Write =>
    (script) => {
      for (const part of parts) part(script);
    };
  it('for a minute from the event about their deaths', () => {
    expect(late(172, bothTold(100, 112))).toEqual([]);
    expect(late(174, bothTold(100, 112))).toHaveLength(1);
  });
  it('or from when they had to be known', () => {
    expect(late(301, both(100))).toEqual([]);
    expect(late(303, both(100))).toHaveLength(1);
  });
  it('or from the end of the function whose decision reports them, where no event did', () => {
    const decided = (second: number, untilSecond: number, write: Write = nothing) =>
      details(
        earlierTierFirst,
        (script) => {
          twoServe(script);
          both(100)(script);
          script.react(109, untilSecond, 'of-d');
          script.at(untilSecond - 1, { kind: 'item-written', table: 'state', group: 'web', item: 'decision#d-1', bytes: 500, by: react('of-d') });
          write(script);
          launches(script, second, 'i-9', 'od-b');
        },
        {
          ...long,
          stored: {
            ...{ states: {}, swaps: [], deadLetters: 0, staleMessages: 0 },
            decisions: [{ id: 'd-1', group: 'web', rounds: [{ remarks: [{ code: 'boots-failed', instances: ['i-a100', 'i-b100'] }] }] }],
          },
        },
      );
    expect(decided(172, 114)).toEqual([]);
    expect(decided(178, 114)).toHaveLength(1);
    // Its look followed the new policy already, and what it learned is not forgotten with the one before.
    const written: Write = (script) => script.policy(112, 2);
    expect(decided(172, 114, written)).toEqual([]);
    expect(decided(172, 111, written)).toHaveLength(1);
  });
  it('and not where that is forgotten: all of it with the state table, and what came after the copy of a restored one', () => {
    const lost = (copiedAt?: number): Write => all(bothTold(100, 112), (script) => restored(script, 150, copiedAt));
    expect(late(160, lost())).toHaveLength(1);
    expect(late(160, lost(105))).toHaveLength(1);
    expect(late(160, lost(115))).toEqual([]);
    expect(late(140, lost())).toEqual([]);
  });
  it('for twice as long after a further death', () => {
    const twice = all(bothTold(100, 112), bothTold(175, 187));
    expect(late(307, twice)).toEqual([]);
    expect(late(309, twice)).toHaveLength(1);
  });
  it('for three minutes where the death is a refusal that came late', () => {
    const refused = both(100, { code: 'Server.InsufficientInstanceCapacity' });
    expect(late(421, refused)).toEqual([]);
    expect(late(423, refused)).toHaveLength(1);
  });
  it('and not where only one of them rests, others ended them, or they had served', () => {
    expect(late(150, both(100))).toEqual([]);
    expect(late(150, (script) => dies(script, 100, 'i-a', { pool: 'spot-a' }))).toHaveLength(1);
    expect(late(150, both(100, { code: 'Client.UserInitiatedShutdown' }))).toHaveLength(1);
    expect(late(150, both(100, { by: react('drain') }))).toHaveLength(1);
    const served: Write = (script) => {
      both(100)(script);
      for (const instance of ['i-a100', 'i-b100']) script.serves(105, instance);
    };
    expect(late(150, served)).toHaveLength(1);
  });
  it('also when a policy came into force only after the function had looked', () => {
    const written = (second: number) =>
      late(
        150,
        all(both(100), (script) => script.policy(second, 2)),
      );
    expect(written(149.5)).toEqual([]);
    expect(written(148.5)).toHaveLength(1);
  });
  it('and not when a policy was written since', () => {
    expect(
      late(
        150,
        all(both(100), (script) => script.policy(120, 2)),
      ),
    ).toHaveLength(1);
    expect(
      late(
        150,
        all(both(100), (script) => script.policy(109, 2)),
      ),
    ).toEqual([]);
  });
});

/** Something happens meanwhile that bears on no member: what the tree gives is looked at again. */
const looksAgain = (script: Script, second: number): void =>
  script.at(second, { kind: 'offering', instanceType: 't', zone: 'z-a', market: 'spot', capacity: 10, priceUsdPerHour: 0.03 });

describe('time to serve, behind hooks', () => {
  const late = (second: number, transition?: 'launching' | 'terminating', asg = 'web-asg') => {
    const hooks = transition === undefined ? [] : [{ name: 'prepare', transition, heartbeatSeconds: 120, defaultResult: 'CONTINUE' as const }];
    const [plain] = spec.autoScalingGroups;
    const autoScalingGroups =
      plain === undefined
        ? []
        : [
            { ...plain, hooks },
            { ...plain, name: 'other-asg', hooks: [] },
          ];
    const held = { pool: 'spot-a', ...(asg !== 'none' && { asg }) };
    return details(
      servesAgain,
      (script) => {
        script.policy(0, 1, asg === 'none' ? policy : { ...policy, asg });
        script.desired(0, 2);
        for (const instance of ['i-1', 'i-2']) script.member(instance, held);
        script.end(100, 'i-1');
        script.launch(second - 20, 'i-9', held);
        script.serves(second, 'i-9');
      },
      { ...long, spec: { ...spec, autoScalingGroups } },
    );
  };
  it('includes the launching hook that an Auto Scaling group has from the start', () => {
    expect(late(280)).toEqual([]);
    expect(late(282)).toHaveLength(1);
    expect(late(390, 'launching')).toEqual([]);
    expect(late(401, 'launching')).toHaveLength(1);
    expect(late(282, 'terminating')).toHaveLength(1);
  });
  it('includes no hook of an Auto Scaling group that the policy does not name', () => {
    expect(late(280, 'launching', 'other-asg')).toEqual([]);
    expect(late(282, 'launching', 'other-asg')).toHaveLength(1);
    expect(late(282, 'launching', 'none')).toHaveLength(1);
  });
});

describe('time to serve, while instances die', () => {
  const again = (second: number, write: Write, document: object = policy, desired = 2) =>
    details(
      servesAgain,
      (script) => {
        script.policy(0, 1, { ...policy, ...document });
        script.desired(0, desired);
        for (const instance of ['i-1', 'i-2', 'i-0'].slice(0, desired)) script.member(instance, { pool: 'spot-a' });
        script.end(100, 'i-1');
        if (desired > 2) script.end(100, 'i-2');
        write(script);
        for (const instance of ['i-8', 'i-9']) {
          script.launch(second - 20, instance, { pool: 'spot-a' });
          script.serves(second, instance);
        }
      },
      long,
    );
  const twice: Write = (script) => {
    dies(script, 105, 'i-3');
    tells(script, 117, ['i-3']);
    dies(script, 180, 'i-4');
    tells(script, 192, ['i-4']);
    looksAgain(script, 200);
  };
  it('begins when the only pool need not rest any more', () => {
    expect(again(491, twice, { capacity: 'spot-a' })).toEqual([]);
    expect(again(493, twice, { capacity: 'spot-a' })).toHaveLength(1);
  });
  it('begins at once where another pool gives', () => {
    expect(again(491, twice)).toHaveLength(1);
  });
  it('begins when fewer than ten have died for each that is missing', () => {
    const died =
      (count: number): Write =>
      (script) => {
        die(script, count, 105, 10);
        looksAgain(script, 500);
      };
    expect(again(1_025, died(10))).toEqual([]);
    expect(again(1_027, died(10))).toHaveLength(1);
    expect(again(1_025, died(9))).toHaveLength(1);
    expect(again(1_025, died(10), {}, 3)).toHaveLength(1);
  });
});

describe('a replacement is requested soon, unless ten have died for each that is missing', () => {
  const asked = (count: number, { second = 400, warned = ['i-1'], write = nothing } = {}) =>
    details(
      requestedSoon,
      (script) => {
        twoServe(script);
        script.policy(1, 1, { ...policy, launches: { atMost: 1_000 } });
        die(script, count);
        write(script);
        for (const instance of warned) script.warn(second, instance);
        script.react(
          second + 1,
          second + 5,
          'i-a',
          warned.map((instance) => ({ about: 'warning', instance })),
        );
      },
      long,
    );
  it('within ten minutes', () => {
    expect(asked(10)).toEqual([]);
    expect(asked(9)).toHaveLength(1);
    expect(asked(10, { second: 839 })).toEqual([]);
    expect(asked(10, { second: 841 })).toHaveLength(1);
  });
  it('for each of them', () => {
    expect(asked(10, { warned: ['i-1', 'i-2'] }).length).toBeGreaterThan(0);
    expect(asked(20, { second: 600, warned: ['i-1', 'i-2'] })).toEqual([]);
  });
  it('since an instance was launched that serves, and that a look must have found', () => {
    const up = (launchedAt: number, serves: number) =>
      asked(10, {
        second: 700,
        write: (script) => {
          script.desired(2, 2);
          script.desired(450, 3);
          script.launch(launchedAt, 'i-up', { pool: 'spot-a', by: react('of-up') });
          script.serves(serves, 'i-up');
        },
      });
    expect(up(460, 500)).toHaveLength(1);
    expect(up(460, 575)).toEqual([]);
    expect(up(460, 569)).toHaveLength(1);
    expect(up(244, 500)).toHaveLength(1);
    expect(up(240, 500)).toEqual([]);
  });
  it('since the policy was written', () => {
    expect(asked(10, { write: (script) => script.policy(120, 2) })).toHaveLength(1);
  });
  it('and does not count members that their Auto Scaling group replaces by itself', () => {
    type Left = { readonly dead?: number; readonly suspended?: readonly string[]; readonly claimS?: number };
    const left = ({ dead = 10, suspended = [], claimS }: Left = {}) =>
      details(
        requestedSoon,
        (script) => {
          script.policy(0, 1, { ...policy, asg: 'web-asg', launches: { atMost: 1_000 } });
          script.desired(0, 3);
          for (const instance of ['i-1', 'i-2']) {
            script.member(instance, { by: { kind: 'asg', asg: 'web-asg', why: 'size' }, asg: 'web-asg' });
          }
          script.at(3, { kind: 'asg-changed', asg: 'web-asg', min: 1, max: 4, desired: 2, suspended, by: { kind: 'user' } });
          die(script, dead);
          for (const instance of ['i-1', 'i-2']) {
            script.end(400, instance);
            if (claimS !== undefined) script.claim(claimS, instance, 'i-a');
          }
          script.react(401, 405, 'i-a', [{ about: 'state', instance: 'i-1', state: 'terminated' }]);
        },
        long,
      );
    expect(left()).toEqual([]);
    expect(left({ dead: 9 })).toHaveLength(1);
    // The group does not replace them, or Holdfast does.
    for (const process of ['Launch', 'HealthCheck', 'ReplaceUnhealthy', 'Terminate']) expect(left({ suspended: [process] })).toHaveLength(1);
    expect(left({ claimS: 400 })).toHaveLength(1);
    expect(left({ claimS: 404 })).toEqual([]);
  });
});
