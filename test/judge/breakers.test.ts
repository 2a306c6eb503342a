import { describe, expect, it } from 'vitest';
import type { Rule } from '../../sandbox/judge/finding.ts';
import type { History } from '../../sandbox/judge/history.ts';
import { breakersOpen, breakersOpenInTime, warningsOpenOnce } from '../../sandbox/judge/rules/bounds/breaker-openings.ts';
import { breakersAreKept, breakersCloseInTime, breakersEnd } from '../../sandbox/judge/rules/bounds/breakers.ts';
import { earlierTierFirst } from '../../sandbox/judge/rules/launches/placement.ts';
import { details, faultOf, throttled } from './details.ts';
import { policy, react, type Script, spec, user } from './histories.ts';

const long = { endedAtMs: 4_000_000 };
const breaker = { interruptions: 2, within: '5m', hold: '10m' };
const guarded = { ...policy, breaker };
const tags = { 'holdfast:group': 'holdfast/web', 'holdfast:pool': 'spot-a' };

type Write = (script: Script) => void;
const nothing: Write = () => undefined;

const begins =
  (document: object = guarded, desired = 2): Write =>
  (script) => {
    script.policy(0, 1, { ...document });
    script.desired(0, desired);
    for (const instance of ['i-1', 'i-2']) script.member(instance, { by: user, tags });
  };
const warned = (script: Script, second: number, instance: string, injected = false): void => {
  script.warn(second, instance);
  script.react(second + 1, second + 4, `of-${instance}`, [{ about: 'warning', instance }], injected);
};
const opens = (script: Script, second: number, untilSecond: number, kind = 'spot'): void =>
  script.at(second, {
    kind: 'announced',
    detailType: 'Holdfast Breaker Opened',
    detail: { group: 'web', breaker: kind, why: 'interruptions', untilMs: untilSecond * 1_000 },
  });
const closes = (script: Script, second: number, kind = 'spot'): void =>
  script.at(second, { kind: 'announced', detailType: 'Holdfast Breaker Closed', detail: { group: 'web', breaker: kind, why: 'trial' } });
const launches = (script: Script, second: number, instance: string, pool: string): void => {
  script.react(second - 1, second + 2, `of-${instance}`);
  script.launch(second, instance, { pool, by: react(`of-${instance}`) });
};

describe('a warning opens one breaker at most', () => {
  const found = (write: Write) =>
    details(
      warningsOpenOnce,
      (script) => {
        begins()(script);
        for (const instance of ['i-1', 'i-2']) warned(script, 100, instance);
        write(script);
      },
      long,
    );
  const openedFor = (script: Script, second: number, interruptions: number, breakerOf = 'spot', untilSecond = second + 600): void =>
    script.at(second, {
      kind: 'announced',
      detailType: 'Holdfast Breaker Opened',
      detail: { group: 'web', breaker: breakerOf, why: 'interruptions', interruptions, untilMs: untilSecond * 1_000 },
    });
  it('holds when a breaker opens for the warnings that were received, however often that is sent', () => {
    const sent = (script: Script) => {
      for (const second of [102, 103]) openedFor(script, second, 2, 'spot', 700);
    };
    expect(found(sent)).toEqual([]);
  });
  it('breaks when the same warnings open it again, or another one', () => {
    const again = (breakerOf: string) => (script: Script) => {
      openedFor(script, 102, 2);
      closes(script, 280);
      openedFor(script, 290, 2, breakerOf);
    };
    const text = 'breakers opened for 4 interruptions, and functions received 2 warnings';
    expect(found(again('spot'))).toEqual([text]);
    expect(found(again('spot/m7g'))).toEqual([text]);
  });
  it('breaks when it opens before the warnings are received, and holds when later ones open it again', () => {
    expect(found((script) => openedFor(script, 100.5, 2))).toHaveLength(1);
    const later = (script: Script) => {
      openedFor(script, 102, 2);
      for (const instance of ['i-3', 'i-4']) {
        script.member(instance, { by: user, tags });
        warned(script, 200, instance);
      }
      openedFor(script, 202, 2);
    };
    expect(found(later)).toEqual([]);
  });
  it('holds when the state table was restored, and knows nothing of earlier ones', () => {
    const restored = (script: Script) => {
      openedFor(script, 102, 2);
      script.at(200, { kind: 'step', step: 'state-restored', instances: [], groups: [], asgs: [] });
      openedFor(script, 210, 2);
    };
    expect(found(restored)).toEqual([]);
  });
});

describe('a breaker opens for warnings of its time alone', () => {
  const found = (secondOf: number, openedAt: number, { kind = 'spot', interruptions = 2, injected = false, document = guarded as object } = {}) =>
    details(
      breakersOpenInTime,
      (script) => {
        begins(document)(script);
        warned(script, 100, 'i-1', injected);
        warned(script, secondOf, 'i-2');
        script.at(openedAt, {
          kind: 'announced',
          detailType: 'Holdfast Breaker Opened',
          detail: { group: 'web', breaker: kind, why: 'interruptions', interruptions, untilMs: (openedAt + 600) * 1_000 },
        });
      },
      long,
    );
  const text = 'the breaker of spot opened for 2 interruptions, 2 are needed, and functions received 1 warnings within its time';
  it('holds when so many were received within its time', () => {
    expect(found(200, 203)).toEqual([]);
  });
  it('breaks when some were received before its time, or after it opened', () => {
    expect(found(500, 503)).toEqual([text]);
    expect(found(200, 150)).toEqual([text]);
  });
  it('breaks when fewer were received than the policy says, or than the event names', () => {
    expect(found(500, 503, { interruptions: 1 })).toHaveLength(1);
    expect(found(200, 203, { interruptions: 3 })).toHaveLength(1);
  });
  it('counts warnings about what waits in a warm pool of the group, and in no other', () => {
    const warm = (rule: Rule, asg: string) =>
      details(
        rule,
        (script) => {
          begins({ ...guarded, asg: 'web-asg' })(script);
          script.member('i-9', { by: user, tags: { 'aws:autoscaling:groupName': asg } });
          for (const instance of ['i-1', 'i-9']) warned(script, 100, instance);
          const detail = { group: 'web', breaker: 'spot', why: 'interruptions', interruptions: 2, untilMs: 703_000 };
          script.at(103, { kind: 'announced', detailType: 'Holdfast Breaker Opened', detail });
        },
        long,
      );
    for (const rule of [warningsOpenOnce, breakersOpenInTime]) expect([warm(rule, 'web-asg'), warm(rule, 'api-asg').length]).toEqual([[], 1]);
  });
  it('breaks when the warnings are about members of another family', () => {
    expect(found(200, 203, { kind: 'spot/t' })).toEqual([]);
    expect(found(200, 203, { kind: 'spot/x' })).toHaveLength(1);
  });
  it('breaks when all of spot is passed over for warnings about one of several families', () => {
    const wide = { ...guarded, pools: { ...policy.pools, 'spot-b': { ...policy.pools['spot-b'], instanceTypes: ['u'] } } };
    expect(found(200, 203)).toEqual([]);
    expect(found(200, 203, { document: wide })).toEqual(['the breaker of spot opened for 2 interruptions, and 1 were of no other breaker']);
    expect(found(200, 203, { document: wide, kind: 'spot/t' })).toEqual([]);
  });
  it('breaks when another function counts a warning after its time, where a fault met the first', () => {
    expect(found(380, 383, { injected: true })).toEqual([]);
    expect(found(500, 503, { injected: true })).toHaveLength(1);
  });
});

describe('a breaker opens', () => {
  const found = (write: Write, document: object = guarded, changes: Partial<History> = {}) =>
    details(
      breakersOpen,
      (script) => {
        begins(document)(script);
        write(script);
      },
      { ...long, readyAtMs: 10_000, ...changes },
    );
  const two = (second: number, told: Write = nothing, injected = false, changes: Partial<History> = {}) =>
    found(
      (script) => {
        warned(script, 100, 'i-1');
        warned(script, second, 'i-2', injected);
        told(script);
      },
      guarded,
      changes,
    );
  it('after so many warnings within its time', () => {
    expect(two(150)).toHaveLength(1);
    expect(two(150, (script) => opens(script, 152, 752))).toEqual([]);
    expect(two(150, (script) => opens(script, 300, 900))).toHaveLength(1);
  });
  it('only within its time, and where the policy has one', () => {
    expect(two(420)).toEqual([]);
    const without = found((script) => {
      warned(script, 100, 'i-1');
      warned(script, 150, 'i-2');
    }, policy);
    expect(without).toEqual([]);
  });
  it('not for warnings that are more than five minutes old when they come, while their members run', () => {
    const late = (ageS: number, write: Write = nothing, rule = breakersOpen, within = '10m') =>
      details(
        rule,
        (script) => {
          begins({ ...policy, breaker: { ...breaker, within } })(script);
          script.react(599, 604, 'of-old', [{ about: 'tick', groups: ['web'] }]);
          for (const instance of ['i-1', 'i-2']) {
            const told = { about: 'warning', instance } as const;
            const [at, happened] = [600_000, 600_000 - 1_000 * ageS];
            script.at(at / 1_000, { kind: 'delivered', invocation: 'of-old', function: 'react', message: instance, told, happenedAtMs: happened });
          }
          write(script);
        },
        { ...long, readyAtMs: 10_000 },
      );
    expect(late(290)).toHaveLength(1);
    expect(late(310)).toEqual([]);
    // A warning counts from the time that EC2 gives it.
    expect([late(220, nothing, breakersOpen, '4m'), late(100, nothing, breakersOpen, '4m').length]).toEqual([[], 1]);
    const opened = (script: Script) =>
      script.at(602, {
        kind: 'announced',
        detailType: 'Holdfast Breaker Opened',
        detail: { group: 'web', breaker: 'spot', why: 'interruptions', interruptions: 2, untilMs: 1_200_000 },
      });
    for (const rule of [warningsOpenOnce, breakersOpenInTime]) expect([late(290, opened, rule), late(310, opened, rule).length]).toEqual([[], 1]);
    expect(late(290, opened, breakersOpenInTime, '4m')).toEqual([
      'the breaker of spot opened for 2 interruptions, 2 are needed, and functions received 0 warnings within its time',
    ]);
  });
  it('only when no fault met the functions that received the warnings', () => {
    expect(two(150, nothing, true)).toEqual([]);
  });
  it('unless a fault meets the looks, the launches, the warnings, or the event that says so', () => {
    for (const fault of [throttled('Query'), throttled('CreateFleet'), throttled('PutEvents'), faultOf({ on: 'event', kind: 'drop' })])
      expect(two(150, nothing, false, fault)).toEqual([]);
    for (const call of ['StartExecution', 'DescribeTargetHealth', 'TerminateInstances'])
      expect(two(150, nothing, false, throttled(call))).toHaveLength(1);
  });
});

describe('an open breaker is kept', () => {
  const kept = (write: Write, document: object = guarded) =>
    details(
      breakersAreKept,
      (script) => {
        begins(document, 4)(script);
        write(script);
      },
      long,
    );
  it('while it is reported as open', () => {
    const at = (second: number, pool = 'spot-b') =>
      kept((script) => {
        opens(script, 100, 700);
        launches(script, second, 'i-3', pool);
      });
    expect(at(400)).toHaveLength(1);
    expect(at(400, 'od-b')).toEqual([]);
    expect(at(90)).toEqual([]);
    expect(at(720)).toEqual([]);
  });
  it('also where its policy was deleted and came back, unless a policy had no breaker', () => {
    const back = (...documents: readonly object[]) =>
      kept((script) => {
        opens(script, 100, 700);
        script.letGo(200);
        for (const [index, document] of documents.entries()) script.policy(250 + 10 * index, index + 2, { ...document } as typeof policy);
        launches(script, 400, 'i-3', 'spot-b');
      });
    expect(back(guarded)).toEqual(['i-3 was launched while the breaker of spot was open']);
    expect(back(policy, guarded)).toEqual([]);
  });
  it('until it is reported as closed, and in its family', () => {
    const closed = (script: Script): void => {
      opens(script, 100, 700);
      closes(script, 300);
      launches(script, 400, 'i-3', 'spot-b');
    };
    expect(kept(closed)).toEqual([]);
    const others = (script: Script): void => {
      opens(script, 100, 700, 'spot/x');
      launches(script, 400, 'i-3', 'spot-b');
    };
    expect(kept(others)).toEqual([]);
  });
  it('unless nothing else in the tree gives', () => {
    const alone = { ...guarded, capacity: { spread: ['spot-a', 'spot-b'] } };
    const write: Write = (script) => {
      opens(script, 100, 700);
      launches(script, 400, 'i-3', 'spot-b');
    };
    expect(kept(write, alone)).toEqual([]);
  });
  it('although nothing else gives, while the group has its size without the launch', () => {
    const alone = { ...guarded, capacity: { spread: ['spot-a', 'spot-b'] } };
    const at = (size: number) =>
      details(
        breakersAreKept,
        (script) => {
          begins(alone, size)(script);
          opens(script, 100, 700);
          script.advise(380, 'i-1');
          script.claim(381, 'i-1', 'of-advice', 'waiting');
          launches(script, 400, 'i-3', 'spot-b');
        },
        long,
      );
    expect(at(2)).toHaveLength(1);
    expect(at(3)).toEqual([]);
  });
  it('half-open, by one launch at a time', () => {
    const second = (atSecond: number, between: Write = nothing) =>
      kept((script) => {
        opens(script, 100, 700);
        launches(script, 720, 'i-3', 'spot-b');
        between(script);
        launches(script, atSecond, 'i-4', 'spot-b');
      });
    expect(second(800)).toHaveLength(1);
    expect(second(1_030)).toEqual([]);
    expect(second(800, (script) => script.end(760, 'i-3'))).toEqual([]);
    expect(second(800, (script) => closes(script, 790))).toEqual([]);
  });
  it('half-open, until Holdfast takes the test launch out for another reason than a warning', () => {
    const second = (between: Write) =>
      kept((script) => {
        opens(script, 100, 700);
        launches(script, 720, 'i-3', 'spot-b');
        between(script);
        launches(script, 800, 'i-4', 'spot-b');
      });
    const leaves = (script: Script, atSecond: number): void => {
      script.claim(atSecond - 1, 'i-3', 'of-i-3');
      script.takeOut(atSecond, 'i-3');
    };
    expect(second((script) => leaves(script, 780))).toEqual([]);
    // It leaves after the launch, it only waits for its turn, or EC2 takes it.
    expect(second((script) => leaves(script, 802))).toHaveLength(1);
    expect(second((script) => script.claim(780, 'i-3', 'of-i-3', 'waiting'))).toHaveLength(1);
    const takes: Write = (script) => {
      warned(script, 770, 'i-3');
      leaves(script, 780);
    };
    expect(second(takes)).toHaveLength(1);
  });
  it('by members that might return', () => {
    const returned = (untilSecond: number) =>
      details(
        breakersAreKept,
        (script) => {
          script.policy(0, 1, { ...guarded, capacity: { tiered: ['od-b', { spread: ['spot-a', 'spot-b'] }] } });
          script.desired(0, 2);
          for (const instance of ['i-1', 'i-2']) script.member(instance, { pool: 'spot-a' });
          opens(script, 100, untilSecond);
          launches(script, 400, 'i-3', 'od-b');
        },
        long,
      );
    expect(returned(700)).toHaveLength(1);
    expect(returned(300)).toEqual([]);
  });
});

describe('a later tier', () => {
  const later = (write: Write, second: number, document: object = guarded, changes: Partial<History> = long) =>
    details(
      earlierTierFirst,
      (script) => {
        begins(document, 4)(script);
        write(script);
        launches(script, second, 'i-3', 'od-b');
      },
      changes,
    );
  const both: Write = (script) => {
    warned(script, 100, 'i-1');
    warned(script, 150, 'i-2');
  };
  it('is used while a breaker may be open over the earlier one', () => {
    expect(later(both, 400)).toEqual([]);
    expect(later(both, 2_000)).toHaveLength(1);
    expect(later((script) => warned(script, 100, 'i-1'), 400)).toHaveLength(1);
    expect(later(both, 400, policy)).toHaveLength(1);
  });
  it('is used while a breaker is open that the rule of an earlier policy opened', () => {
    const edited =
      (to: object, ...more: readonly Write[]): Write =>
      (script) => {
        both(script);
        for (const write of more) write(script);
        script.policy(300, 2, { ...policy, ...to });
      };
    const laxer = { breaker: { ...breaker, interruptions: 5 } };
    const told: Write = (script) => opens(script, 152, 750);
    expect(later(edited(laxer, told), 600)).toEqual([]);
    expect(later(edited(laxer), 600)).toHaveLength(1);
    // Its time is over. It was closed before. It covers another family. No policy has breakers any more.
    expect(later(edited(laxer, told), 760)).toHaveLength(1);
    expect(
      later(
        edited(laxer, told, (script) => closes(script, 500)),
        600,
      ),
    ).toHaveLength(1);
    expect(
      later(
        edited(laxer, (script) => opens(script, 152, 750, 'spot/other')),
        600,
      ),
    ).toHaveLength(1);
    expect(later(edited({}, told), 600)).toHaveLength(1);
    // The policy was deleted for a while. One without breakers came first.
    const deleted: Write = (script) => script.letGo(200);
    expect(later(edited(laxer, told, deleted), 600)).toEqual([]);
    expect(later(edited(laxer, told, deleted), 760)).toHaveLength(1);
    expect(later(edited({}, told, deleted), 600)).toHaveLength(1);
    const unguarded: Write = (script) => script.policy(250, 2, policy);
    expect(later(edited(laxer, told, deleted, unguarded), 600)).toHaveLength(1);
  });
  it('is used where the earlier one is an Auto Scaling group that may launch of the family', () => {
    const families = (asg: object) => ({
      ...guarded,
      defaults: { launchTemplate: 'web' },
      pools: {
        'spot-a': { ...guarded.pools['spot-a'], instanceTypes: ['t'] },
        'spot-b': { ...guarded.pools['spot-b'], instanceTypes: ['t', 'u'], ...asg },
        'od-b': { ...guarded.pools['od-b'], instanceTypes: ['t'] },
      },
    });
    const offerings = [...spec.offerings, { instanceType: 'u', zone: 'z-b', market: 'spot' as const, capacity: 10, priceUsdPerHour: 0.03 }];
    const placed = (asg: object) => later(both, 400, families(asg), { ...long, spec: { ...spec, offerings } });
    expect(placed({})).toHaveLength(1);
    expect(placed({ asg: 'spot-b' })).toEqual([]);
  });
});

describe('a breaker comes to its end', () => {
  /** Open from second 200 to 800, and half-open until 1,400. */
  const found = (write: Write, until = 4_000, document: object = guarded) =>
    details(
      breakersEnd,
      (script) => {
        begins(document)(script);
        opens(script, 200, 800);
        write(script);
      },
      { endedAtMs: until * 1_000 },
    );
  const neither = ['the breaker of spot is neither told to be closed nor open again'];
  it('once it was half-open for as long as it was open', () => {
    expect(found(nothing)).toEqual(neither);
    expect(found(nothing, 1_500)).toEqual([]);
    expect(found((script) => closes(script, 1_450))).toEqual([]);
    expect(found((script) => closes(script, 1_600))).toEqual(neither);
    expect(found((script) => closes(script, 1_450, 'spot/t'))).toEqual(neither);
  });
  it('when the launches that may test it are old enough to decide', () => {
    const tested = (second: number, closedAt: number, pool = 'spot-b') =>
      found((script) => {
        launches(script, second, 'i-9', pool);
        closes(script, closedAt);
      });
    expect(tested(1_300, 1_700)).toEqual([]);
    expect(tested(1_300, 1_900)).toEqual(neither);
    expect(tested(1_300, 1_700, 'od-b')).toEqual(neither);
    // It was decided just before the end, and launched just after it.
    expect(tested(1_402, 1_720)).toEqual([]);
    expect(tested(1_402, 1_900)).toEqual(neither);
    // It was over by then.
    expect(tested(1_450, 1_720)).toEqual(neither);
    expect(tested(1_590, 1_700)).toEqual(neither);
  });
  it('unless it opens again, or its policy was written meanwhile', () => {
    const again = (script: Script): void => {
      opens(script, 1_000, 1_600);
      closes(script, 2_300);
    };
    expect(found(again)).toEqual([]);
    expect(found((script) => script.policy(1_000, 2, { ...guarded }))).toEqual([]);
    expect(found((script) => script.letGo(1_000))).toEqual([]);
  });
  it('and is reported as open for as long as the policy sets', () => {
    const told = (hold: string) => found((script) => closes(script, 1_450), 4_000, { ...policy, breaker: { ...breaker, hold } });
    expect(told('10m')).toEqual([]);
    expect(told('5m')).toEqual(['the breaker of spot is told to be open for 600 s']);
    expect(told('20m')).toEqual(['the breaker of spot is told to be open for 600 s']);
  });
});

describe('a breaker closes no sooner than it may', () => {
  /** Open from second 200 to 800. */
  const found = (write: Write, changes: Partial<History> = {}) =>
    details(
      breakersCloseInTime,
      (script) => {
        begins()(script);
        opens(script, 200, 800);
        write(script);
      },
      { ...long, ...changes },
    );
  const closesBecause = (script: Script, second: number, why: string): void =>
    script.at(second, { kind: 'announced', detailType: 'Holdfast Breaker Closed', detail: { group: 'web', breaker: 'spot', why } });
  const early = (second: number, why: string) => [`the breaker of spot was told to be closed ${second} s after it was half-open, and ${why}`];
  const unproven = (second: number) => early(second, 'no launch below it had lived for its time');

  it('when it was quiet for `hold`', () => {
    const quiet = (second: number) => found((script) => closesBecause(script, second, 'quiet'));
    expect(quiet(1_400)).toEqual([]);
    expect(quiet(1_390)).toEqual(early(590, 'it was half-open for less than it is held'));
    expect(quiet(810)).toEqual(early(10, 'it was half-open for less than it is held'));
  });
  it('when a launch below it has lived for its time', () => {
    const tested = (second: number, closedAt: number, pool = 'spot-b') =>
      found((script) => {
        launches(script, second, 'i-9', pool);
        closesBecause(script, closedAt, 'trial');
      });
    expect(tested(820, 1_121)).toEqual([]);
    expect(tested(820, 900)).toEqual(unproven(100));
    expect(tested(820, 1_121, 'od-b')).toEqual(unproven(321));
    // It was launched before the breaker was half-open.
    expect(tested(700, 1_121)).toEqual(unproven(321));
    expect(found((script) => closesBecause(script, 1_121, 'trial'))).toEqual(unproven(321));
  });
  it('but not when that launch ended, was warned, or was let go before', () => {
    const left = (write: Write) =>
      found((script) => {
        launches(script, 820, 'i-9', 'spot-b');
        write(script);
        closesBecause(script, 1_150, 'trial');
      });
    expect(left((script) => script.end(900, 'i-9', user))).toEqual(unproven(350));
    expect(left((script) => warned(script, 900, 'i-9'))).toEqual(unproven(350));
    // Nobody could know of this warning.
    expect(left((script) => script.warn(900, 'i-9'))).toEqual([]);
    expect(left((script) => warned(script, 900, 'i-9', true))).toEqual([]);
    expect(left((script) => script.end(900, 'i-9', react('of-scale-in')))).toEqual(unproven(350));
  });
  it('unless the state table was restored, or an event may have been sent again', () => {
    const early = (script: Script) => closesBecause(script, 810, 'quiet');
    const restored = (script: Script) => {
      script.at(805, { kind: 'step', step: 'state-restored', instances: [], groups: [], asgs: [] });
      early(script);
    };
    expect(found(restored)).toEqual([]);
    expect(found(early, throttled('PutEvents'))).toEqual([]);
    expect(found(early, throttled('TerminateInstances'))).toHaveLength(1);
  });
});
