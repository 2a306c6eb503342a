import { describe, expect, it } from 'vitest';
import { countedInFull } from '../../sandbox/judge/rules/memory/counted.ts';
import { lossesAreRemembered, refusalsAreRemembered } from '../../sandbox/judge/rules/memory/remembered.ts';
import type { StateMemory, StoredLesson } from '../../sandbox/judge/said/state-memory.ts';
import { details } from './details.ts';
import { policy, react, type Script, spec, user } from './histories.ts';

type Write = (script: Script) => void;

const long = { endedAtMs: 4_000_000 };
const offering = 't/z-a/spot';
const ms = (second: number): number => second * 1_000;

const begins = (script: Script, document: object = policy): void => {
  script.policy(0, 1, { ...document });
  script.desired(0, 2);
  for (const instance of ['i-1', 'i-2']) script.member(instance);
};

const lesson = (atSecond: number, restSeconds: number, kind = 'refused'): StoredLesson => ({
  ...{ offering, kind, code: 'InsufficientInstanceCapacity' },
  ...{ atMs: ms(atSecond), coolingUntilMs: ms(atSecond + restSeconds) },
});

describe('what limits and budgets count is counted in full', () => {
  const found = (write: Write, document: object = policy) =>
    details(
      countedInFull,
      (script) => {
        begins(script, document);
        write(script);
      },
      long,
    );
  const launched = (write: Write, injected = false) =>
    found((script) => {
      script.react(100, 104, 'of-i-3', [], injected);
      for (const instance of ['i-3', 'i-4']) script.launch(102, instance, { by: react('of-i-3') });
      write(script);
    });
  const states = (second: number, memory: Partial<StateMemory>, version = 1) => launched((script) => script.remembers(second, memory, version));

  it('holds for launches that the state counts, or that have no response yet', () => {
    expect(states(110, { launches: [{ atMs: ms(102), count: 2 }] })).toEqual([]);
    expect(states(110, { launches: [{ atMs: ms(102), count: 1 }], underWay: 1 })).toEqual([]);
  });
  it('breaks when the state counts fewer, for as long as they count', () => {
    const text = 'the state counts 1 launches, and there were 2 at least';
    expect(states(110, { launches: [{ atMs: ms(102), count: 1 }] })).toEqual([text]);
    expect(states(600, { launches: [{ atMs: ms(600), count: 1 }] })).toEqual([text]);
    expect(states(710, {})).toEqual([]);
  });
  it('says nothing before the function has ended, or after a fault met it', () => {
    expect(states(103, {})).toEqual([]);
    expect(launched((script) => script.remembers(110, {}), true)).toEqual([]);
  });
  it('says nothing once a user has written the policy, or the state is lost', () => {
    const afterwards = (write: Write) =>
      launched((script) => {
        write(script);
        script.remembers(130, {});
      });
    expect(afterwards((script) => script.at(120, { kind: 'policy-written', group: 'web', document: policy }))).toEqual([]);
    expect(afterwards((script) => script.policy(120, 2))).toEqual([]);
    expect(afterwards((script) => script.at(120, { kind: 'step', step: 'state-restored', instances: [], groups: [], asgs: [] }))).toEqual([]);
    expect(afterwards(() => undefined)).toHaveLength(1);
  });
  it('counts what looks under the version before stored as forgotten', () => {
    const early = (followedSecond: number) =>
      found((script) => {
        script.policy(101, 2);
        script.react(100, 104, 'of-i-3');
        script.launch(102, 'i-3', { by: react('of-i-3') });
        script.desired(followedSecond, 2, 2);
        script.remembers(120, {}, 2);
      });
    expect(early(101.5)).toHaveLength(1);
    expect(early(110)).toEqual([]);
  });

  const warned = (count: number, told: readonly string[] = ['of-1']) =>
    found((script) => {
      script.warn(100, 'i-1');
      for (const invocation of told) script.react(101, 104, invocation, [{ about: 'warning', instance: 'i-1' }]);
      script.remembers(110, { warnings: [{ atMs: ms(101), count }] });
    });
  it('counts a member that is warned while it leaves only if nothing replaces it yet', () => {
    const leaving = (claimS: number, state: string) =>
      found((script) => {
        script.claim(claimS, 'i-1', 'of-0', state);
        script.warn(100, 'i-1');
        script.react(101, 104, 'of-1', [{ about: 'warning', instance: 'i-1' }]);
        script.remembers(110, {});
      });
    expect(leaving(99, 'draining')).toEqual([]);
    expect(leaving(99, 'waiting')).toHaveLength(1);
    expect(leaving(102, 'leaving')).toHaveLength(1);
    // That it once was to leave says nothing.
    for (const state of ['withdrawn', 'gone']) expect(leaving(99, state)).toHaveLength(1);
  });
  it('does not count a member that is warned in standby, and one that is back from it', () => {
    const held = { ...policy, asg: 'web-asg' };
    const stoodBy = (outS: number, backS: number) =>
      found((script) => {
        script.at(40, { kind: 'joined', instance: 'i-1', asg: 'web-asg', by: user });
        script.at(outS, { kind: 'left', instance: 'i-1', asg: 'web-asg', how: 'standby', by: user });
        script.at(backS, { kind: 'joined', instance: 'i-1', asg: 'web-asg', by: user });
        script.warn(100, 'i-1');
        script.react(101, 104, 'of-1', [{ about: 'warning', instance: 'i-1' }]);
        script.remembers(110, {});
      }, held);
    expect(stoodBy(70, 150)).toEqual([]);
    expect(stoodBy(70, 100.5)).toEqual([]);
    expect(stoodBy(70, 90)).toHaveLength(1);
    expect(stoodBy(150, 160)).toHaveLength(1);
  });
  it('counts a warning that EC2 sent, also where a message about an earlier one came before', () => {
    const told = (isSent: boolean, oldS = 90, isTold = true) =>
      found((script) => {
        const about = { about: 'warning', instance: 'i-1' } as const;
        script.react(oldS, oldS + 2, 'of-old');
        script.at(oldS, { kind: 'delivered', invocation: 'of-old', function: 'react', message: 'old', told: about, happenedAtMs: ms(-3_600) });
        if (isSent) script.warn(100, 'i-1');
        if (isTold) script.react(101, 104, 'of-1', [about]);
        script.remembers(110, {});
      });
    expect(told(true)).toHaveLength(1);
    expect(told(false)).toEqual([]);
    expect(told(true, 105, false)).toEqual([]);
  });
  it('counts each warned member, and no warning twice', () => {
    expect(warned(1)).toEqual([]);
    expect(warned(0)).toEqual(['the state counts 0 warned members, and there were 1 at least']);
    expect(warned(2)).toEqual(['the state counts 2 warned members, and there were 1 at most']);
  });

  /** Another function began to write the state at this second. The one that received the warning may have written it too. */
  const writtenBy = (beganS: number, hasTurn = false) =>
    found((script) => {
      script.warn(100, 'i-1');
      if (beganS < 101) script.react(beganS, 111, 'of-turn');
      script.react(101, 104, 'of-1', [{ about: 'warning', instance: 'i-1' }]);
      if (hasTurn) script.remembers(103, { warnings: [{ atMs: ms(101), count: 1 }] }, 1, 'of-1');
      if (beganS > 101) script.react(beganS, 111, 'of-turn');
      script.remembers(110, {}, 1, 'of-turn');
    });
  it('leaves out what a function without the turn received while the one with the turn was at work', () => {
    expect(writtenBy(99)).toEqual([]);
    expect(writtenBy(105)).toHaveLength(1);
    expect(writtenBy(99, true)).toHaveLength(1);
  });

  /** The function that received the warning writes a state that has not learned of it, and these items. */
  const noted = (...written: readonly string[]) =>
    found((script) => {
      script.warn(100, 'i-1');
      script.react(99, 111, 'of-turn');
      script.react(101, 104, 'of-1', [{ about: 'warning', instance: 'i-1' }]);
      for (const item of written) script.at(102, { kind: 'item-written', table: 'state', group: 'web', item, bytes: 500, by: react('of-1') });
      script.remembers(103, {}, 1, 'of-1');
      script.remembers(110, {}, 1, 'of-turn');
    });
  it('leaves it out too where the function without the turn only noted a new member: it claimed who is warned, and decided nothing', () => {
    expect(noted('swap#i-1')).toEqual([]);
    expect(noted('swap#i-1', 'decision#d-1')).toHaveLength(1);
    expect(noted()).toHaveLength(1);
  });
  it('leaves out the note of a function that began later, and not what such a function decides', () => {
    const later = (...written: readonly string[]) =>
      found((script) => {
        script.warn(100, 'i-1');
        script.react(101, 104, 'of-1', [{ about: 'warning', instance: 'i-1' }]);
        script.react(105, 111, 'of-2');
        for (const item of written) script.at(109, { kind: 'item-written', table: 'state', group: 'web', item, bytes: 500, by: react('of-2') });
        script.remembers(110, {}, 1, 'of-2');
      });
    expect(later('swap#i-2')).toEqual([]);
    expect(later('swap#i-2', 'decision#d-1')).toHaveLength(1);
  });

  const advised = (count: number) =>
    found(
      (script) => {
        script.react(100, 104, 'of-advice');
        for (const instance of ['i-1', 'i-2'])
          script.at(102, {
            ...{ kind: 'item-written', table: 'state', group: 'web', item: `swap#${instance}`, bytes: 500, by: react('of-advice') },
            swap: { reason: 'rebalance', state: 'leaving' },
          });
        script.remembers(110, { advised: [{ atMs: ms(102), count }] });
      },
      { ...policy, rebalance: { act: true, atMostPerHour: 3 } },
    );
  it('counts each member that left for advice', () => {
    expect(advised(2)).toEqual([]);
    expect(advised(1)).toEqual(['the state counts 1 members that left for advice, and there were 2 at least']);
  });
});

describe('a launch for a member that moves', () => {
  /** i-4 is launched in an earlier tier than i-2 has, beside two members that serve: for a move. `r-i-4` is of the decision r-i-4. */
  const moved = (memory: Partial<StateMemory>, second = 110, document: Readonly<Record<string, unknown>> = policy) =>
    details(
      countedInFull,
      (script) => {
        script.policy(0, 1, document);
        script.desired(0, 2);
        script.member('i-1', { pool: 'spot-a' });
        script.member('i-2', { pool: 'od-b' });
        script.react(100, 104, 'of-i-4');
        script.launch(102, 'i-4', { by: react('of-i-4'), pool: 'spot-b' });
        script.remembers(second, { launches: [{ atMs: ms(102), count: 1 }], ...memory });
      },
      long,
    );
  it('is counted for as long as the budget says', () => {
    expect(moved({ moves: [{ atMs: ms(100), count: 1 }] })).toEqual([]);
    expect(moved({})).toEqual(['the state counts 0 moves, and there were 1 at least']);
    expect(moved({}, 300)).toHaveLength(1);
    expect(moved({}, 410)).toEqual([]);
  });
  it('is none where the policy lets no member move', () => {
    expect(moved({}, 110, { ...policy, return: false })).toEqual([]);
  });
});

describe('what EC2 refuses is remembered', () => {
  const found = (write: Write) =>
    details(
      refusalsAreRemembered,
      (script) => {
        begins(script);
        write(script);
      },
      long,
    );
  const refused = (lessons: readonly StoredLesson[], write: Write = () => undefined, injected = false, atSecond = 110) =>
    found((script) => {
      script.react(100, 104, 'of-refusal', [], injected);
      script.refuseCapacity(102, 'of-refusal');
      write(script);
      script.remembers(atSecond, { lessons });
    });
  const text = `EC2 refused ${offering} (InsufficientInstanceCapacity), and the state does not say so`;

  it('holds when the state says so, and breaks when it does not, or for too short', () => {
    expect(refused([lesson(102, 180)])).toEqual([]);
    expect(refused([])).toEqual([text]);
    expect(refused([lesson(102, 180, 'interrupted')])).toEqual([text]);
    expect(refused([lesson(102, 60)])).toContain(text);
  });
  it('says nothing after three minutes, after a fault, and once EC2 gave it', () => {
    expect(refused([], undefined, false, 290)).toEqual([]);
    expect(refused([], undefined, true)).toEqual([]);
    expect(refused([], (script) => script.launch(106, 'i-3', { pool: 'spot-a', by: react('of-other') }))).toEqual([]);
    expect(refused([], (script) => script.launch(106, 'i-3', { pool: 'spot-b', by: react('of-other') }))).toEqual([text]);
  });
  it('says nothing where the same response gave all that was requested, a part of it of that offering', () => {
    const responded = (beside: { readonly isBesideWhole?: true }) =>
      found((script) => {
        script.react(100, 104, 'of-both');
        script.at(102, {
          ...{ kind: 'refused', invocation: 'of-both', group: 'web', instanceType: 't', zone: 'z-a', market: 'spot' },
          ...{ code: 'InsufficientInstanceCapacity', ...beside },
        });
        script.remembers(110, {});
      });
    expect(responded({ isBesideWhole: true })).toEqual([]);
    expect(responded({})).toHaveLength(1);
  });
  it('breaks when a quota is remembered for one offering alone', () => {
    const quota = (lessons: readonly StoredLesson[]) =>
      found((script) => {
        script.react(100, 104, 'of-quota');
        script.at(102, {
          ...{ kind: 'refused', invocation: 'of-quota', group: 'web', instanceType: 't', zone: 'z-a', market: 'spot' },
          code: 'MaxSpotInstanceCountExceeded',
        });
        script.remembers(110, { lessons });
      });
    expect(quota([lesson(102, 180), { ...lesson(102, 180), offering: 't/z-b/spot' }])).toEqual([]);
    expect(quota([lesson(102, 180)])).toHaveLength(1);
  });

  const rests = (first: StoredLesson, second: StoredLesson, write: Write = () => undefined) =>
    found((script) => {
      script.remembers(90, { lessons: [{ ...lesson(80, 180), offering: 't/z-b/spot' }] });
      script.remembers(first.atMs / 1_000, { lessons: [first] });
      write(script);
      script.remembers(second.atMs / 1_000, { lessons: [second] });
    });
  const wrong = (restSeconds: number, expected: number): string =>
    `${offering} rests for ${restSeconds} s after a refusal, and not for ${expected} s`;

  it('lets each rest be twice as long as the one before it', () => {
    expect(rests(lesson(100, 180), lesson(300, 360))).toEqual([]);
    expect(rests(lesson(100, 180), lesson(300, 180))).toEqual([wrong(180, 360)]);
    expect(rests(lesson(100, 360), lesson(500, 720))).toEqual([wrong(360, 180)]);
  });
  it('lets no refusal during a rest make it longer', () => {
    expect(rests(lesson(100, 180), lesson(150, 180))).toEqual([]);
    expect(rests(lesson(100, 180), lesson(150, 360))).toEqual([wrong(360, 180)]);
  });
  it('lets a full subnet rest for as long each time, whatever was refused before it', () => {
    const full = (...[atSecond, restSeconds]: [number, number]): StoredLesson => ({
      ...lesson(atSecond, restSeconds),
      code: 'InsufficientFreeAddressesInSubnet',
    });
    expect(rests(lesson(100, 180), full(300, 180))).toEqual([]);
    expect(rests(full(100, 180), full(300, 180))).toEqual([]);
    expect(rests(full(100, 180), full(300, 360))).toEqual([wrong(360, 180)]);
    expect(rests(lesson(100, 180), full(300, 360))).toEqual([wrong(360, 180)]);
    expect(rests(full(100, 180), lesson(300, 180))).toEqual([wrong(180, 360)]);
  });
  it('remembers a row for half an hour after its rest, unless EC2 gives something or a user writes the policy', () => {
    const between = (write: Write) => rests(lesson(100, 180), lesson(300, 180), write);
    expect(between((script) => script.launch(290, 'i-3', { by: react('of-i-3') }))).toEqual([]);
    expect(between((script) => script.at(290, { kind: 'policy-written', group: 'web', document: policy }))).toEqual([]);
    expect(between((script) => script.remembers(290, { lessons: [] }))).toEqual([wrong(180, 360)]);
    expect(rests(lesson(100, 180), lesson(2_200, 180))).toEqual([]);
  });
});

describe('what EC2 takes is remembered', () => {
  const returning = { ...policy, return: { after: '5m', every: '5m', atMost: 1 } };
  const still = { ...policy, return: false };
  const found = (memory: Partial<StateMemory>, document: object = still, injected = false, atSecond = 110) =>
    details(
      lossesAreRemembered,
      (script) => {
        begins(script, document);
        script.warn(100, 'i-1');
        script.react(101, 104, 'of-1', [{ about: 'warning', instance: 'i-1' }], injected);
        script.remembers(atSecond, memory);
      },
      { ...long, spec },
    );
  const lessons = [lesson(101, 180, 'interrupted')];
  const refusedAndGiven = (gives: boolean) =>
    details(
      lossesAreRemembered,
      (script) => {
        begins(script, still);
        script.react(80, 84, 'of-refusal');
        script.refuseCapacity(82, 'of-refusal');
        script.warn(100, 'i-1');
        script.react(101, 104, 'of-1', [{ about: 'warning', instance: 'i-1' }]);
        if (gives) script.launch(106, 'i-3', { by: react('of-i-3') });
        script.remembers(110, {});
      },
      { ...long, spec },
    );
  const loss = { offering, atMs: ms(101), latestMs: ms(101) };

  it('holds when the state says so of the offering, and breaks when it does not', () => {
    expect(found({ lessons })).toEqual([]);
    expect(found({})).toEqual([`EC2 took i-1 of ${offering}, and the state does not say so`]);
    expect(found({}, still, true)).toEqual([]);
    expect(found({}, still, false, 290)).toEqual([]);
  });
  it('says so beside a refusal, and a refusal alone does not say so', () => {
    const refusal = lesson(102, 180);
    expect(found({ lessons: [{ ...refusal, interruptedAtMs: ms(101) }] })).toEqual([]);
    expect(found({ lessons: [refusal] })).toEqual([`EC2 took i-1 of ${offering}, and the state does not say so`]);
    // Two launches that EC2 took at once, and advice of EC2 that came later.
    expect(found({ lessons: [{ ...refusal, code: 'Holdfast.TakenAtOnce' }] })).toEqual([]);
    expect(found({ lessons: [{ ...refusal, kind: 'advised' }] })).toEqual([]);
  });
  it('says so too where the message comes after the end of a member that had been claimed, and of no other', () => {
    const late = (isClaimed: boolean) =>
      details(
        lossesAreRemembered,
        (script) => {
          begins(script, still);
          script.react(80, 82, 'of-advice');
          if (isClaimed) script.claim(81, 'i-1', 'of-advice', 'waiting');
          script.warn(90, 'i-1', 5);
          script.end(95, 'i-1');
          script.react(101, 104, 'of-1', [{ about: 'warning', instance: 'i-1' }]);
          script.remembers(110, {});
        },
        { ...long, spec },
      );
    expect(late(true)).toEqual([`EC2 took i-1 of ${offering}, and the state does not say so`]);
    expect(late(false)).toEqual([]);
  });
  it('is not forgotten where EC2 refused the offering before, and gives it after the warning', () => {
    expect(refusedAndGiven(true)).toHaveLength(1);
    expect(refusedAndGiven(false)).toHaveLength(1);
  });
  it('says nothing of what a function writes that had begun before, because the function that received it may have no turn', () => {
    const writtenBy = (beganS: number, hasTurn = false) =>
      details(
        lossesAreRemembered,
        (script) => {
          begins(script, still);
          script.warn(100, 'i-1');
          if (beganS < 101) script.react(beganS, 111, 'of-turn');
          script.react(101, 104, 'of-1', [{ about: 'warning', instance: 'i-1' }]);
          if (hasTurn) script.remembers(103, { lessons }, 1, 'of-1');
          if (beganS > 101) script.react(beganS, 111, 'of-turn');
          script.remembers(110, {}, 1, 'of-turn');
        },
        { ...long, spec },
      );
    expect(writtenBy(99)).toEqual([]);
    expect(writtenBy(105)).toHaveLength(1);
    expect(writtenBy(99, true)).toHaveLength(1);
  });
  it('keeps the loss where the policy has members return', () => {
    expect(found({ lessons, losses: [loss] }, returning)).toEqual([]);
    expect(found({ lessons }, returning)).toEqual([`EC2 took i-1 of ${offering}, and the state keeps no such loss`]);
  });
  it('breaks when losses of one moment are kept as two', () => {
    const two = (laterSeconds: number) =>
      found({ lessons, losses: [loss, { ...loss, atMs: loss.atMs + ms(laterSeconds), latestMs: loss.atMs + ms(laterSeconds) }] }, returning);
    expect(two(30)).toEqual([`the state counts losses of ${offering} within three minutes twice`]);
    expect(two(200)).toEqual([]);
  });
});
