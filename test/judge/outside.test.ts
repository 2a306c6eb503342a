import { describe, expect, it } from 'vitest';
import type { Actor } from '../../sandbox/judge/history.ts';
import { asgsPutBack } from '../../sandbox/judge/rules/auto-scaling/put-back.ts';
import { servesUntilReplaced } from '../../sandbox/judge/rules/drains/warned.ts';
import { needlessLaunch } from '../../sandbox/judge/rules/launches/needless-launch.ts';
import { requestedSoon } from '../../sandbox/judge/rules/launches/requested.ts';
import { servesAgain } from '../../sandbox/judge/rules/launches/serving.ts';
import { needlessRemoval } from '../../sandbox/judge/rules/removals/needless-removal.ts';
import { sizeIsHeld } from '../../sandbox/judge/rules/rest.ts';
import { returnsInWindows, returnsWhileWhole } from '../../sandbox/judge/rules/returns/returns.ts';
import { desiredAsAsked } from '../../sandbox/judge/rules/size/desired.ts';
import { outsideSizesStand, wantedStay } from '../../sandbox/judge/rules/size/outside.ts';
import { details, throttled } from './details.ts';
import { historyOf, policy, react, type Script, user } from './histories.ts';

const outside = { ...policy, asg: 'web-asg', size: { from: 'asg', min: 0, max: 6 }, scaling: [] };

const numbers = (script: Script, second: number, desired: number, by = user, suspended: readonly string[] = []): void =>
  script.at(second, { kind: 'asg-changed', asg: 'web-asg', min: 1, max: 4, desired, suspended, by });
/** Somebody sets the size. */
const says = (script: Script, second: number, size: number, found = 2, how: 'set' | 'moved' = 'set'): void => {
  numbers(script, second, size);
  script.at(second, { kind: 'size-written', asg: 'web-asg', found, size, how, covers: [], by: user });
};
/** A function looks at the group, and answers later. */
const looks = (script: Script, second: number, invocation: string): void =>
  script.at(second, {
    kind: 'called',
    invocation,
    function: 'react',
    service: 'autoscaling',
    operation: 'DescribeAutoScalingGroups',
    askedAtMs: 1_000 * second,
    outcome: 'ok',
    applied: true,
    isMutating: false,
  });

type Write = (script: Script) => void;
const twoThere = (script: Script): void => {
  script.policy(0, 1, outside);
  script.member('i-1', { asg: 'web-asg' });
  script.member('i-2', { asg: 'web-asg' });
};
/** Two others that serve from the start are attached. */
const twoJoin = (script: Script, second: number): void => {
  for (const instance of ['i-3', 'i-4']) {
    script.member(instance, { asg: 'web-asg' });
    script.at(second, { kind: 'joined', instance, asg: 'web-asg', by: react('i-a') });
  }
};
const long = { endedAtMs: 1_000_000 };
const history = historyOf(() => undefined);

describe('a warned member', () => {
  it('may leave once as many serve as the last look found wanted, until a tick could notice that others want more', () => {
    const left = (saysAt: number, ...more: readonly Write[]) =>
      details(servesUntilReplaced, (script) => {
        twoThere(script);
        script.desired(0, 2);
        script.warn(100, 'i-1');
        script.react(101, 103, 'i-a', [{ about: 'warning', instance: 'i-1' }]);
        script.launch(104, 'i-3', { asg: 'web-asg' });
        script.serves(125, 'i-3');
        says(script, saysAt, 3);
        for (const write of more) write(script);
        script.takeOut(140, 'i-1');
        script.end(220, 'i-1', { kind: 'ec2' });
      }).length;
    expect([left(130), left(20)]).toEqual([0, 1]);
    // A look stored what they set.
    expect(left(130, (script) => script.desired(135, 3))).toBe(1);
  });
});

describe('a size that others set', () => {
  const stands = (write: (script: Script) => void) =>
    details(
      outsideSizesStand,
      (script) => {
        twoThere(script);
        write(script);
      },
      long,
    );
  it('is left as it is at rest', () => {
    expect(stands(() => undefined)).toEqual([]);
    expect(stands((script) => says(script, 100, 4))).toEqual([]);
    expect(
      stands((script) => {
        says(script, 100, 4);
        numbers(script, 990, 5, react('i-a'));
      }),
    ).toEqual(['the desired capacity is 5 at the end, expected 4']);
  });
  it('may be higher for a moment, while members join', () => {
    expect(
      stands((script) => {
        numbers(script, 100, 4, react('i-a'));
        numbers(script, 101, 2, react('i-a'));
      }),
    ).toEqual([]);
  });
  it('is not higher for long', () => {
    expect(
      stands((script) => {
        numbers(script, 100, 4, react('i-a'));
        numbers(script, 300, 2, react('i-a'));
      }),
    ).toEqual(['the desired capacity was 4 for 200 s, expected 2']);
  });
  it('is higher for as long as a fault meets what takes it down, and no longer', () => {
    const above = (operation: string): readonly string[] =>
      details(
        outsideSizesStand,
        (script) => {
          twoThere(script);
          numbers(script, 100, 4, react('i-a'));
          numbers(script, 300, 2, react('i-a'));
        },
        { ...long, ...throttled(operation) },
      );
    for (const call of ['Query', 'UpdateAutoScalingGroup', 'AttachInstances']) expect(above(call)).toEqual([]);
    for (const call of ['CreateFleet', 'PutEvents', 'TerminateInstances']) expect(above(call)).toHaveLength(1);
  });
  it('is never made lower', () => {
    expect(
      stands((script) => {
        says(script, 100, 4);
        numbers(script, 200, 3, react('i-a'));
        says(script, 201, 4, 3);
      }),
    ).toEqual(['the desired capacity became 3, expected 4, and no look of Holdfast’s was under way']);
  });
  it('counts from the next write on where it fell between a look and the write that followed', () => {
    const between = (script: Script): void => {
      looks(script, 100, 'i-a');
      says(script, 101, 4);
      numbers(script, 102, 2, react('i-a'));
    };
    expect(stands(between)).toEqual([]);
    expect(
      stands((script) => {
        between(script);
        says(script, 200, 4);
        numbers(script, 300, 3, react('i-b'));
      }),
    ).toEqual([
      'the desired capacity became 3, expected 4, and no look of Holdfast’s was under way',
      'the desired capacity is 3 at the end, expected 4',
    ]);
  });
  it('counts at once where it was written after an attach, unless it is the number that the attach made', () => {
    /** A function looks, attaches two to two, looks again, and lowers the size to what it was. Somebody writes a size before that. */
    const lowered = (size: number, { max = 4, second = 102, by: other = 'i-a' } = {}) =>
      stands((script) => {
        const by = react('i-a');
        looks(script, 100, 'i-a');
        script.at(101, { kind: 'asg-changed', asg: 'web-asg', min: 1, max, desired: 4, suspended: [], by });
        for (const instance of ['n-1', 'n-2']) script.at(101, { kind: 'joined', instance, asg: 'web-asg', by });
        looks(script, 101, 'i-a');
        says(script, second, size, 4);
        looks(script, 103, other);
        numbers(script, 104, 2, react(other));
        if (second > 104) numbers(script, 200, 2, react('i-c'));
      });
    expect(lowered(4)).toEqual([]);
    // The function may have died, or its second look may have been late.
    expect(lowered(4, { by: 'i-b' })).toEqual([]);
    // Beyond the owner's maximum, which was raised for the attach.
    expect(lowered(4, { max: 5 })).toEqual([]);
    expect(lowered(4, { second: 105 })[0]).toContain('the desired capacity became 2, expected 4');
    expect(lowered(3)[0]).toContain('the desired capacity became 2, expected 3');
    expect(lowered(1)[0]).toContain('the desired capacity was 2 for 896 s, expected 1');
  });
  it('beyond the maximum of the owner is what that makes of it', () => {
    expect(
      stands((script) => {
        script.at(90, { kind: 'asg-changed', asg: 'web-asg', min: 1, max: 6, desired: 2, suspended: [], by: react('i-a') });
        script.at(100, { kind: 'asg-changed', asg: 'web-asg', min: 1, max: 6, desired: 6, suspended: [], by: user });
        script.at(100, { kind: 'size-written', asg: 'web-asg', found: 2, size: 6, how: 'set', covers: [], by: user });
        numbers(script, 101, 4, react('i-a'));
      }),
    ).toEqual([]);
  });
  it('moves with members that others take', () => {
    expect(stands((script) => says(script, 100, 1, 2, 'moved'))).toEqual([]);
  });
  describe('moved while members join', () => {
    const attaches = (script: Script, count: number): void => {
      const by = react('i-a');
      numbers(script, 100, 2 + count, by);
      for (let index = 0; index < count; index += 1) script.at(100, { kind: 'joined', instance: `n-${index}`, asg: 'web-asg', by });
    };
    /** A scaler wants two, reads five, and ends three with their capacity; the first of these before the attach is taken down. */
    const endsThree = (script: Script): void => {
      attaches(script, 3);
      for (const size of [4, 3, 2]) says(script, 105 - size, size, size + 1, 'moved');
    };
    it('is what the moves after it leave', () => {
      expect(stands(endsThree)).toEqual([]);
    });
    it('stands then like any other', () => {
      expect(
        stands((script) => {
          endsThree(script);
          numbers(script, 200, 1, react('i-b'));
        }),
      ).toEqual([
        'the desired capacity became 1, expected 2, and no look of Holdfast’s was under way',
        'the desired capacity is 1 at the end, expected 2',
      ]);
    });
    it('is never counted below the minimum of the group', () => {
      const sizes = details(
        {
          ...outsideSizesStand,
          broken: (chronicle) =>
            (chronicle.wordsFor('web', 1_000_000) ?? []).map(({ atMs, size, isBetween }) => ({
              atMs,
              group: 'web',
              detail: `${size}${isBetween ? ', unsure' : ''}`,
            })),
        },
        (script) => {
          twoThere(script);
          attaches(script, 2);
          says(script, 101, 1, 4, 'moved');
        },
        long,
      );
      expect(sizes).toEqual(['2', '1, unsure']);
    });
  });
  describe('with members of an earlier attach', () => {
    /** A function attaches so many. */
    const attaches = (script: Script, second: number, to: number, invocation: string, ...instances: readonly string[]): void => {
      const by = react(invocation);
      for (const instance of instances) script.at(second, { kind: 'joined', instance, asg: 'web-asg', by });
      numbers(script, second, to, by);
    };
    const beside = 'members joined while what an earlier attach had added was still there';
    const second = (write: (script: Script) => void, lookedAt = 110) =>
      stands((script) => {
        attaches(script, 100, 3, 'i-a', 'n-1');
        looks(script, lookedAt, 'i-b');
        write(script);
        attaches(script, 111, 4, 'i-b', 'n-2');
        numbers(script, 112, 2, react('i-b'));
      });
    it('gets no further ones while a look can see what that added', () => {
      expect(second(() => undefined)).toEqual([beside]);
      // Added after the first look of the function, taken down, or overwritten by others.
      expect(second(() => undefined, 99)).toEqual([]);
      expect(second((script) => numbers(script, 105, 2, react('i-c')))).toEqual([]);
      expect(second((script) => numbers(script, 110.5, 2, react('i-c')))).toEqual([]);
      expect(second((script) => says(script, 105, 2, 3)).filter((detail) => detail === beside)).toEqual([]);
      // The notes are lost.
      expect(second((script) => script.at(105, { kind: 'state-deleted', group: 'web', by: user }))).toEqual([]);
    });
    it('may get further ones where others changed the number between the look before that attach and the attach', () => {
      /** The earlier function looks, and attaches one. Somebody lowers the size at some moment. */
      const unread = (lookedAt: number, said: number, lagS = 0) => {
        const timing = { ...history.spec.timing, asgLagSeconds: [0, lagS] as const };
        return details(
          outsideSizesStand,
          (script) => {
            twoThere(script);
            looks(script, lookedAt, 'i-a');
            says(script, said, 1);
            attaches(script, 100, 2, 'i-a', 'n-1');
            looks(script, 110, 'i-b');
            attaches(script, 111, 3, 'i-b', 'n-2');
            numbers(script, 112, 2, react('i-b'));
            says(script, 200, 2);
          },
          { ...long, spec: { ...history.spec, timing } },
        ).filter((detail) => detail === beside);
      };
      expect(unread(98, 99)).toEqual([]);
      expect(unread(98, 97)).toEqual([beside]);
      expect(unread(98, 97, 2)).toEqual([]);
      expect(unread(98, 95, 2)).toEqual([beside]);
    });
    /** The policy is deleted, and comes back. */
    const comesBack = (by: object, write: (script: Script) => void = () => undefined) =>
      details(
        outsideSizesStand,
        (script) => {
          script.policy(0, 1, { ...outside, ...by } as never);
          for (const instance of ['i-1', 'i-2']) script.member(instance, { asg: 'web-asg' });
          attaches(script, 100, 3, 'i-a', 'n-1');
          script.letGo(110);
          write(script);
          script.policy(300, 2, outside);
        },
        long,
      );
    it('is without what these added, also when its group was let go', () => {
      expect(comesBack({})).toEqual(['the desired capacity was 3 for 700 s, expected 2', 'the desired capacity is 3 at the end, expected 2']);
      expect(comesBack({}, (script) => numbers(script, 120, 2, react('i-b')))).toEqual([]);
    });
    it('is what others wrote after that, and what a policy that sets the size itself left', () => {
      expect(comesBack({}, (script) => says(script, 120, 3, 3))).toEqual([]);
      expect(comesBack({ size: { min: 0, max: 6, desired: 2 } })).toEqual([]);
    });
  });
  it('moves from the maximum of the owner where it was beyond that', () => {
    const takes = (left: number) =>
      stands((script) => {
        const beyond = { kind: 'asg-changed', asg: 'web-asg', min: 1, max: 6, suspended: [] } as const;
        script.at(90, { ...beyond, desired: 2, by: react('i-a') });
        script.at(100, { ...beyond, desired: 6, by: user });
        script.at(100, { kind: 'size-written', asg: 'web-asg', found: 2, size: 6, how: 'set', covers: [], by: user });
        for (const size of [5, 4, 3]) {
          script.at(106 - size, { ...beyond, desired: size, by: user });
          script.at(106 - size, { kind: 'size-written', asg: 'web-asg', found: size + 1, size, how: 'moved', covers: [], by: user });
        }
        numbers(script, 110, left, react('i-b'));
      });
    expect(takes(3)).toEqual([]);
    expect(takes(2)).toEqual([
      'the desired capacity became 2, expected 3, and no look of Holdfast’s was under way',
      'the desired capacity is 2 at the end, expected 3',
    ]);
  });
});

describe('members that others want', () => {
  const ended = (write: (script: Script) => void) =>
    details(
      wantedStay,
      (script) => {
        twoThere(script);
        write(script);
        script.at(200, { kind: 'left', instance: 'i-1', asg: 'web-asg', how: 'terminating', by: react('i-a') });
      },
      long,
    );
  it('are not taken out of their Auto Scaling group', () => {
    expect(ended(() => undefined)).toEqual(['i-1 was taken out of web-asg']);
    expect(ended((script) => script.at(200, { kind: 'ending', instance: 'i-1', by: react('i-a') }))).toEqual(['i-1 was taken out of web-asg']);
  });
  describe('on demand', () => {
    type Moved = {
      /** Pool of the members that leave. */
      readonly pool?: string;
      readonly by?: Actor;
      /** How many new members there are for two that leave. */
      readonly newcomers?: number;
      /** When they join, and when they serve. */
      readonly joinsAt?: number;
      readonly servesAt?: number;
      readonly change?: object;
      readonly wrote?: (script: Script) => void;
    };
    const byGroup: Actor = { kind: 'asg', asg: 'web-asg', why: 'size' };
    const leave = ({ pool = 'od-b', by = react('i-0'), newcomers = 2, joinsAt = 110, servesAt = 130, change = {}, wrote = () => undefined }: Moved) =>
      details(
        wantedStay,
        (script) => {
          script.policy(0, 1, { ...outside, swap: { maxSurge: 2 }, ...change });
          for (const instance of ['i-1', 'i-2']) script.member(instance, { asg: 'web-asg', pool, by });
          wrote(script);
          for (let index = 0; index < newcomers; index += 1) {
            const instance = `n-${index}`;
            script.launch(100, instance, { pool: 'spot-a', by: react('i-m') });
            script.at(joinsAt, { kind: 'joined', instance, asg: 'web-asg', by: react('i-m') });
            script.serves(servesAt, instance);
          }
          for (const instance of ['i-1', 'i-2']) {
            script.claim(150, instance, 'i-c');
            script.at(200, { kind: 'left', instance, asg: 'web-asg', how: 'terminating', by: react('i-c') });
          }
        },
        long,
      );
    it('leave for new members that joined in an earlier tier and serve, one for one', () => {
      expect(leave({})).toEqual([]);
      expect(leave({ newcomers: 1 })).toEqual(['i-2 was taken out of web-asg']);
      expect(leave({ joinsAt: 160 })).toHaveLength(2);
      expect(leave({ servesAt: 160 })).toHaveLength(2);
    });
    it('leave where a larger size may have been lost between a look and the write that followed, until others write again', () => {
      const between =
        (desired: number) =>
        (script: Script): void => {
          looks(script, 50, 'i-w');
          numbers(script, 51, 5);
          says(script, 52, 4);
          numbers(script, 53, desired, react('i-w'));
        };
      expect(leave({ wrote: between(2) })).toEqual([]);
      expect(leave({ wrote: (script) => says(script, 52, 4) })).toHaveLength(2);
      expect(leave({ wrote: between(5) })).toHaveLength(2);
      const again = (script: Script): void => {
        between(2)(script);
        says(script, 90, 4);
      };
      expect(leave({ wrote: again })).toHaveLength(2);
    });
    it('stay where the policy lets no member move', () => {
      expect(leave({ change: { return: false } })).toHaveLength(2);
    });
    it('stay where the group launched them, and on spot', () => {
      expect(leave({ by: byGroup })).toHaveLength(2);
      expect(leave({ pool: 'spot-b' })).toHaveLength(2);
    });
  });
  it('leave where EC2 takes them or advises to replace them', () => {
    expect(ended((script) => script.warn(150, 'i-1'))).toEqual([]);
    expect(ended((script) => script.advise(150, 'i-1'))).toEqual([]);
  });
});

describe('how many serve where others set the size', () => {
  /** Another member serves from then on, or none does. */
  const late = (write: (script: Script) => void, servesFrom?: number) =>
    details(
      servesAgain,
      (script) => {
        twoThere(script);
        write(script);
        if (servesFrom === undefined) return;
        script.launch(servesFrom - 30, 'i-3', { asg: 'web-asg' });
        script.serves(servesFrom, 'i-3');
      },
      long,
    );
  /** A write falls between a look and the write that follows, and the Auto Scaling group has this size afterwards. */
  const between =
    (said: number, desired: number) =>
    (script: Script): void => {
      looks(script, 100, 'i-a');
      says(script, 101, said);
      numbers(script, 102, desired, react('i-a'));
    };
  it('is what they say, in time', () => {
    const three = (script: Script): void => says(script, 100, 3);
    expect(late(three, 279)).toEqual([]);
    expect(late(three, 281)).toHaveLength(1);
  });
  it('is what the group shows where a write was lost: a smaller one makes no member leave', () => {
    expect(late(between(2, 3), 280)).toEqual([]);
    expect(late(between(2, 3), 283)).toHaveLength(1);
    expect(late(between(2, 3))).toEqual(['2 serve, expected 3, 898 s after 3 are wanted']);
  });
  it('is what the group shows where a write was lost: a larger one is unknown', () => {
    expect(late(between(4, 2))).toEqual([]);
    const until = (second: number) => (script: Script) => {
      between(4, 2)(script);
      says(script, second, 3);
    };
    expect(late(until(300), 479)).toEqual([]);
    expect(late(until(300), 481)).toHaveLength(1);
  });
  it('does not count what attaching added, until it is taken down', () => {
    const attached = (until?: number) => (script: Script) => {
      between(4, 2)(script);
      numbers(script, 200, 3, react('i-b'));
      script.at(200, { kind: 'joined', instance: 'i-2', asg: 'web-asg', by: react('i-b') });
      if (until !== undefined) numbers(script, until, 2, react('i-c'));
    };
    expect(late(attached(500))).toEqual([]);
    expect(late(attached())).toEqual([]);
    const another = (script: Script): void => {
      attached()(script);
      says(script, 210, 4, 3);
    };
    expect(late(another, 389)).toHaveLength(1);
  });
  it('is never more than the owner and the policy allow', () => {
    const raised = (script: Script): void => {
      between(2, 3)(script);
      for (const by of [react('i-b'), user])
        script.at(200, { kind: 'asg-changed', asg: 'web-asg', min: 1, max: 6, desired: by === user ? 6 : 2, suspended: [], by });
    };
    expect(late(raised)).toEqual(['2 serve, expected 4, 898 s after 3 are wanted']);
  });
});

/** Others set 3, which a look follows, and then 4. A second look is under way. */
const lookedOnceThenMore = (script: Script): void => {
  twoThere(script);
  says(script, 50, 3);
  script.react(59, 61, 'i-a');
  script.desired(60, 3, 1, react('i-a'));
  says(script, 100, 4);
  script.react(109, 112, 'i-b');
};

describe('other rules where others set the size', () => {
  it('a look follows what others set, and nothing else', () => {
    const wrote = (desired: number) =>
      details(
        desiredAsAsked,
        (script) => {
          twoThere(script);
          says(script, 100, 4);
          script.react(109, 111, 'i-a');
          script.desired(110, desired, 1, react('i-a'));
        },
        long,
      );
    expect(wrote(4)).toEqual([]);
    expect(wrote(3)).toEqual(['the desired size became 3; others had set 4']);
  });
  it('a function that has not read the Auto Scaling group yet leaves the size as it was', () => {
    const wrote = (desired: number, readAt: number) =>
      details(
        desiredAsAsked,
        (script) => {
          lookedOnceThenMore(script);
          const read = { service: 'autoscaling', operation: 'DescribeAutoScalingGroups', outcome: 'ok', applied: false, isMutating: false } as const;
          script.at(readAt, { kind: 'called', function: 'react', invocation: 'i-b', askedAtMs: 109_500, ...read });
          script.desired(110, desired, 1, react('i-b'));
        },
        long,
      );
    expect(wrote(3, 111)).toEqual([]);
    expect(wrote(3, 109.8)).toHaveLength(1);
    expect(wrote(2, 111)).toHaveLength(1);
  });
  it('a function that a fault kept from writing its decision leaves the size as it was, and carries out nothing', () => {
    const table = { service: 'dynamodb', operation: 'PutItem', outcome: 'ThrottlingException', trouble: 'fault', applied: false } as const;
    const wrote = (write: { readonly desired?: number; readonly lastReservation?: string; readonly fault?: object }, acts?: string) =>
      details(
        desiredAsAsked,
        (script) => {
          lookedOnceThenMore(script);
          const call = { kind: 'called', function: 'react', invocation: 'i-b', askedAtMs: 109_500, isMutating: true } as const;
          const read = { service: 'autoscaling', operation: 'DescribeAutoScalingGroups', outcome: 'ok', applied: true, isMutating: false } as const;
          script.at(109.6, { ...call, ...read });
          script.at(109.8, { ...call, ...table, ...write.fault });
          script.desired(110, write.desired ?? 3, 1, react('i-b'), write.lastReservation);
          if (acts !== undefined) script.at(111, { ...call, service: acts, operation: 'Any', outcome: 'ok', applied: true });
        },
        long,
      );
    expect(wrote({})).toEqual([]);
    expect(wrote({}, 'sqs')).toEqual([]);
    expect(wrote({}, 'ec2')).toHaveLength(1);
    expect(wrote({}, 'autoscaling')).toHaveLength(1);
    expect(wrote({ desired: 2 })).toHaveLength(1);
    expect(wrote({ lastReservation: 'r-1' })).toHaveLength(1);
    const overtaken = { operation: 'UpdateItem', outcome: 'ConditionalCheckFailedException', trouble: undefined };
    expect(wrote({ fault: overtaken })).toEqual([]);
    expect(wrote({ fault: overtaken }, 'ec2')).toHaveLength(1);
    expect(wrote({ fault: { ...overtaken, outcome: 'ok' } })).toHaveLength(1);
    for (const fault of [{ trouble: 'bucket' }, { applied: true }, { isMutating: false }, { service: 'sqs' }, { invocation: 'i-a' }])
      expect(wrote({ fault })).toHaveLength(1);
  });
  it('a look takes the size that a scaler moved beside a new member for either number, without those that joined since', () => {
    const wrote = (desired: number) =>
      details(
        desiredAsAsked,
        (script) => {
          twoThere(script);
          const joins = (second: number, instances: readonly string[], size: number, by: Actor) => {
            for (const instance of instances) script.at(second, { kind: 'joined', instance, asg: 'web-asg', by });
            numbers(script, second, size, by);
          };
          joins(100, ['i-3'], 3, react('i-a'));
          says(script, 105, 2, 3, 'moved');
          joins(200, ['i-4', 'i-5'], 4, react('i-b'));
          script.react(209, 211, 'i-c');
          script.desired(210, desired, 1, react('i-c'));
        },
        long,
      );
    expect(wrote(1)).toEqual([]);
    expect(wrote(2)).toEqual([]);
    expect(wrote(3)).toEqual(['the desired size became 3; others had set 1 or 4 or 2']);
  });
  it('a size that a scaler moved down beside a new member is no less than the minimum of the group', () => {
    const wrote = (desired: number) =>
      details(
        desiredAsAsked,
        (script) => {
          twoThere(script);
          says(script, 90, 1);
          looks(script, 99, 'i-a');
          script.at(100, { kind: 'joined', instance: 'i-3', asg: 'web-asg', by: react('i-a') });
          numbers(script, 100, 2, react('i-a'));
          says(script, 101, 1, 2, 'moved');
          script.react(209, 211, 'i-c');
          script.desired(210, desired, 1, react('i-c'));
        },
        long,
      );
    expect(wrote(1)).toEqual([]);
    expect(wrote(0)).toEqual(['the desired size became 0; others had set 1']);
  });
  it('a number that our own attach would make with weights that the owner gives with it is followed then too', () => {
    const wrote = (weight: number | undefined, second: number) =>
      details(
        desiredAsAsked,
        (script) => {
          script.policy(0, 1, { ...outside, size: { from: 'asg', min: 0, max: 20 } });
          const sizes = { kind: 'asg-changed', asg: 'web-asg', min: 1, max: 20, suspended: [] } as const;
          script.at(1, { ...sizes, desired: 2, by: user });
          looks(script, 100, 'i-a');
          for (const instance of ['i-3', 'i-4']) script.launch(90, instance);
          for (const instance of ['i-3', 'i-4']) script.at(101, { kind: 'joined', instance, asg: 'web-asg', by: react('i-a') });
          script.at(101, { ...sizes, desired: 4, by: react('i-a') });
          script.at(101.2, { ...sizes, desired: 2, by: react('i-a') });
          script.at(105, { ...sizes, desired: 8, ...(weight && { weights: { t: weight } }), by: user });
          script.at(105, { kind: 'size-written', asg: 'web-asg', found: 2, size: 8, how: 'set', covers: [], by: user });
          looks(script, 102, 'i-a');
          script.react(second - 1, second + 1, 'i-c');
          script.desired(second, 2, 1, react('i-c'));
        },
        long,
      );
    expect(wrote(3, 120)).toEqual([]);
    expect([wrote(3, 130), wrote(undefined, 120), wrote(4, 120)].map(({ length }) => length)).toEqual([1, 1, 1]);
  });
  it('a number that an attach has made counts as that without members that others took out before it was lowered', () => {
    const found = (size: number, { second = 110, left = ['i-4'] } = {}) =>
      details(
        desiredAsAsked,
        (script) => {
          twoThere(script);
          looks(script, 100, 'i-a');
          for (const instance of ['i-3', 'i-4']) {
            script.launch(90, instance);
            script.at(101, { kind: 'joined', instance, asg: 'web-asg', by: react('i-a') });
          }
          numbers(script, 101, 4, react('i-a'));
          for (const instance of left) script.at(101.1, { kind: 'left', instance, asg: 'web-asg', how: 'terminating', by: user });
          numbers(script, 101.1, 4 - left.length);
          numbers(script, 101.2, 2, react('i-a'));
          says(script, 105, size);
          looks(script, 102, 'i-a');
          script.react(second - 1, second + 1, 'i-c');
          script.desired(second, 2, 1, react('i-c'));
        },
        long,
      );
    expect(found(3)).toEqual([]);
    expect([found(4), found(3, { second: 130 }), found(3, { left: [] })].map(({ length }) => length)).toEqual([1, 1, 1]);
  });
  it('a number that an attach has made counts as that, also where the owner gives weights with it before it is lowered', () => {
    const found = (size: number, rule: typeof desiredAsAsked) =>
      details(
        rule,
        (script) => {
          twoThere(script);
          for (const instance of ['i-3', 'i-4']) script.member(instance, { asg: 'web-asg' });
          script.desired(0, 2);
          const sizes = { kind: 'asg-changed', asg: 'web-asg', min: 1, max: 9, suspended: ['Launch'] } as const;
          script.at(1, { ...sizes, desired: 2, by: user });
          looks(script, 100, 'i-a');
          for (const instance of ['i-3', 'i-4']) script.at(101, { kind: 'joined', instance, asg: 'web-asg', by: react('i-a') });
          script.at(101, { ...sizes, desired: 4, by: react('i-a') });
          script.at(105, { ...sizes, desired: size, weights: { t: 8 }, by: user });
          script.at(105, { kind: 'size-written', asg: 'web-asg', found: 4, size, how: 'set', covers: [], by: user });
          script.at(109, { ...sizes, desired: size, by: user });
          looks(script, 129, 'i-b');
          script.react(129, 131, 'i-b');
          script.desired(130, 2, 1, react('i-b'));
          script.end(140, 'i-1');
          script.react(141, 142, 'i-c', [{ about: 'state', instance: 'i-1', state: 'terminated' }]);
        },
        long,
      );
    expect([found(4, desiredAsAsked), found(4, requestedSoon)]).toEqual([[], []]);
    expect([found(5, desiredAsAsked), found(5, requestedSoon)].map(({ length }) => length)).toEqual([1, 1]);
  });
  it('a number that looks like our own attach is followed once describes cannot be late any more', () => {
    const wrote = (desired: number, second: number, size = 4, writtenAt = 101.5, isResumed = false) =>
      details(
        desiredAsAsked,
        (script) => {
          twoThere(script);
          looks(script, 100, 'i-a');
          for (const instance of ['i-3', 'i-4']) {
            script.launch(90, instance);
            script.at(101, { kind: 'joined', instance, asg: 'web-asg', by: react('i-a') });
          }
          numbers(script, 101, 4, react('i-a'));
          numbers(script, 101.2, 2, react('i-a'));
          if (isResumed) numbers(script, 102.5, 2, react('i-b'));
          says(script, writtenAt, size);
          looks(script, 102, 'i-a');
          script.react(second - 1, second + 1, 'i-c');
          script.desired(second, desired, 1, react('i-c'));
        },
        long,
      );
    expect(wrote(4, 110)).toEqual([]);
    expect(wrote(2, 110)).toEqual([]);
    expect(wrote(3, 110)).toHaveLength(1);
    expect(wrote(2, 122)).toEqual([]);
    expect(wrote(2, 123)).toHaveLength(1);
    expect(wrote(4, 123)).toEqual([]);
    // Another number can only be the number of others.
    expect(wrote(2, 110, 3)).toHaveLength(1);
    // The last describe of the function showed the lower number. A later one may be older, so the time is the same.
    expect(wrote(2, 110, 4, 103)).toEqual([]);
    expect(wrote(4, 110, 4, 103)).toEqual([]);
    expect(wrote(3, 110, 4, 103)).toHaveLength(1);
    expect(wrote(2, 123, 4, 103)).toHaveLength(1);
    expect(wrote(2, 123, 4, 121)).toHaveLength(1);
    // A change of processes does not change the number.
    expect(wrote(2, 110, 4, 103, true)).toEqual([]);
    expect(wrote(3, 110, 4, 103, true)).toHaveLength(1);
  });
  it('a number that looks like our own attach is taken for it for as long as a describe may be from before the next one', () => {
    const wrote = (size: number, second: number) =>
      details(
        desiredAsAsked,
        (script) => {
          twoThere(script);
          looks(script, 100, 'i-a');
          twoJoin(script, 101);
          numbers(script, 101, 4, react('i-a'));
          numbers(script, 101.2, 2, react('i-a'));
          looks(script, 102, 'i-a');
          says(script, 104, size);
          says(script, 109, 3, size, 'moved');
          script.react(second - 1, second + 1, 'i-c');
          script.desired(second, 2, 1, react('i-c'));
        },
        { ...long, spec: { ...history.spec, timing: { ...history.spec.timing, asgLagSeconds: [0, 4] } } },
      );
    expect(wrote(4, 111)).toEqual([]);
    // The next one is no such number, and no describe is older any more.
    expect(wrote(4, 115)).toEqual(['the desired size became 2; others had set 3']);
    expect(wrote(1, 111)).toHaveLength(1);
  });
  it('a number that an attach has made counts as that after others lowered it, for as long as a describe may be from before the look that found it lowered', () => {
    const found = (second: number, { size = 4, lowered = 2, foundAt = 108 } = {}) =>
      details(
        desiredAsAsked,
        (script) => {
          twoThere(script);
          looks(script, 100, 'i-a');
          twoJoin(script, 101);
          numbers(script, 101, 4, react('i-a'));
          says(script, 105, lowered, 4);
          script.react(foundAt - 1, foundAt + 1, 'i-b');
          looks(script, foundAt, 'i-b');
          says(script, 112, size);
          script.react(second - 1, second + 1, 'i-c');
          script.desired(second, 2, 1, react('i-c'));
        },
        long,
      );
    expect(found(120)).toEqual([]);
    expect(found(128)).toEqual([]);
    expect(found(131)).toEqual(['the desired size became 2; others had set 4']);
    // Another number, or a lower one than the attach had found, shows that others set the size.
    expect([found(120, { size: 3 }), found(120, { lowered: 1 })].map(({ length }) => length)).toEqual([1, 1]);
    // Nobody had found it lowered when others set it again.
    expect(found(160, { foundAt: 158 })).toHaveLength(1);
  });
  it('a number that an attach has made is followed where the describe shows a member that a later decision attached', () => {
    const wrote = (desired: number, later?: number) =>
      details(
        desiredAsAsked,
        (script) => {
          twoThere(script);
          script.react(99, 102, 'i-a');
          looks(script, 100, 'i-a');
          twoJoin(script, 101);
          numbers(script, 101, 4, react('i-a'));
          numbers(script, 101.2, 2, react('i-a'));
          if (later !== undefined) {
            script.react(later - 1, later + 1, 'i-b');
            script.member('i-5', { asg: 'web-asg' });
            script.at(later, { kind: 'joined', instance: 'i-5', asg: 'web-asg', by: react('i-b') });
            numbers(script, later, 3, react('i-b'));
            numbers(script, later + 0.2, 2, react('i-b'));
          }
          says(script, 108, 4);
          script.react(112, 114, 'i-c');
          script.desired(113, desired, 1, react('i-c'));
        },
        long,
      );
    expect([wrote(2), wrote(4), wrote(4, 105)]).toEqual([[], [], []]);
    expect(wrote(2, 105)).toEqual(['the desired size became 2; others had set 4']);
    // A decision that began before the lowering was noted does not know it.
    expect(wrote(2, 102.5)).toEqual([]);
  });
  it('nothing is launched beyond it', () => {
    const launches = (size: number) =>
      details(
        needlessLaunch,
        (script) => {
          twoThere(script);
          says(script, 100, size);
          script.react(109, 111, 'i-a');
          script.launch(110, 'i-3', { by: react('i-a') });
        },
        long,
      );
    expect(launches(3)).toEqual([]);
    expect(launches(2)).toHaveLength(1);
  });
  it('nothing is launched beyond what the describe of a function may have shown', () => {
    /** A size of three falls to two. Nine seconds later a function looks, and launches a third member. */
    const launches = (lagS: number, from = outside) => {
      const timing = { ...history.spec.timing, asgLagSeconds: [0, lagS] as const };
      return details(
        needlessLaunch,
        (script) => {
          twoThere(script);
          if (from !== outside) script.policy(1, 2, from);
          says(script, 50, 3);
          if (from !== outside) script.desired(50, 3);
          says(script, 100, 2, 3);
          if (from !== outside) script.desired(100, 2);
          script.react(109, 111, 'i-a');
          script.launch(110, 'i-3', { by: react('i-a') });
        },
        { ...long, spec: { ...history.spec, timing } },
      );
    };
    expect(launches(10)).toEqual([]);
    expect(launches(8)).toHaveLength(1);
    const byPolicy = launches(10, { ...outside, size: { min: 0, max: 6, desired: 2 } } as never);
    expect(byPolicy.at(-1)).toBe('with this launch, 3 members stay, expected at most 2');
  });
  it('nothing is launched beyond it, except by a describe that still shows the number of an attach, after one that showed what others wrote over it', () => {
    /** An attach makes six of four. Others write over it at 105 s. A function looks, and a later one launches a fifth member. */
    const launches = ({ lagS = 10, lookedAt = 107, lowered = false }) => {
      const timing = { ...history.spec.timing, asgLagSeconds: [0, lagS] as const };
      return details(
        needlessLaunch,
        (script) => {
          twoThere(script);
          says(script, 0.5, 4);
          twoJoin(script, 90);
          numbers(script, 90, 6, react('i-a'), ['Launch']);
          if (lowered) numbers(script, 104, 3, react('i-a'), ['Launch']);
          says(script, 105, 4, lowered ? 3 : 6);
          looks(script, lookedAt, 'i-b');
          script.react(109, 111, 'i-c');
          script.launch(110, 'i-5', { by: react('i-c') });
        },
        { ...long, spec: { ...history.spec, timing } },
      );
    };
    const told = ['with this launch, 5 members stay, expected at most 4'];
    expect(launches({})).toEqual([]);
    expect(launches({ lagS: 3 })).toEqual(told);
    // Before a look may have shown what others wrote, Holdfast knows that the number is its own.
    expect(launches({ lookedAt: 104 })).toEqual(told);
    // It was lowered, and not written over: the note of the attach stays for 20 s.
    expect(launches({ lowered: true })).toEqual(told);
  });
  it('nobody is removed whom the describe of a function may not have shown as surplus', () => {
    /** Two are wanted, and one for a while. Nine seconds later a function looks, and removes one of two. */
    const removals = (lagS: number) => {
      const timing = { ...history.spec.timing, asgLagSeconds: [0, lagS] as const };
      return details(
        needlessRemoval,
        (script) => {
          twoThere(script);
          says(script, 50, 1);
          says(script, 100, 2, 1);
          script.react(109, 111, 'i-a');
          script.claim(110, 'i-1', 'i-a');
          script.takeOut(110.5, 'i-1');
        },
        { ...long, spec: { ...history.spec, timing } },
      );
    };
    expect(removals(10)).toEqual([]);
    expect(removals(8)).toEqual(['i-1 is removed where 2 stay and 2 are wanted']);
  });
  it('a replacement is due, and no more than the describe of a function may have shown', () => {
    /** Two are wanted until somebody wants one more. A moment later a function receives a warning, and replaces one of two or three. */
    const missing = (lagS: number, said: number, isReplaced = true, from = outside) => {
      const timing = { ...history.spec.timing, asgLagSeconds: [0, lagS] as const };
      return details(
        requestedSoon,
        (script) => {
          twoThere(script);
          if (from !== outside) script.policy(1, 2, from);
          says(script, said, 3);
          // It launches nothing by itself.
          numbers(script, said, 3, user, ['Launch']);
          if (from !== outside) script.desired(said, 3);
          script.warn(100, 'i-1');
          script.react(101, 105, 'i-a', [{ about: 'warning', instance: 'i-1' }]);
          if (isReplaced) script.launch(103, 'i-3', { by: react('i-a'), asg: 'web-asg' });
        },
        { ...long, spec: { ...history.spec, timing } },
      );
    };
    expect(missing(4, 98)).toEqual([]);
    expect(missing(4, 98, false)).toHaveLength(1);
    expect(missing(2, 98)).toHaveLength(1);
    expect(missing(0, 98)).toHaveLength(1);
    expect(missing(4, 98, true, { ...outside, size: { min: 0, max: 6, desired: 2 } } as never)).toHaveLength(1);
  });
  it('a replacement is due, and no more while theirs looks like the number of our own attach', () => {
    /** An attach makes four of two, and is lowered. Somebody writes a size, and a function replaces a warned member. */
    const missing = (size: number, second: number, isReplaced = true) =>
      details(
        requestedSoon,
        (script) => {
          twoThere(script);
          for (const instance of ['i-3', 'i-4']) {
            script.launch(50, instance, { asg: 'web-asg' });
            script.at(101, { kind: 'joined', instance, asg: 'web-asg', by: react('i-a') });
            script.end(102, instance, { kind: 'ec2' });
          }
          numbers(script, 101, 4, react('i-a'));
          numbers(script, 101.2, 2, react('i-a'), ['Launch']);
          says(script, 103, size);
          numbers(script, 103, size, user, ['Launch']);
          script.warn(second, 'i-1');
          script.react(second + 1, second + 5, 'i-c', [{ about: 'warning', instance: 'i-1' }]);
          if (isReplaced) script.launch(second + 3, 'i-5', { by: react('i-c'), asg: 'web-asg' });
        },
        long,
      );
    const ofWarned = (found: readonly string[]): readonly string[] => found.filter((one) => one.includes('the warning of i-1'));
    expect(ofWarned(missing(4, 110))).toEqual([]);
    expect(ofWarned(missing(4, 110, false))).toHaveLength(1);
    // Another number can only be the number of others. Later, no describe can be as old as the attach.
    expect(ofWarned(missing(3, 110))).toHaveLength(1);
    expect(ofWarned(missing(4, 122))).toHaveLength(1);
  });
  it('as many serve at rest', () => {
    const atRest = (size: number) =>
      details(
        sizeIsHeld,
        (script) => {
          twoThere(script);
          says(script, 100, size);
        },
        long,
      );
    expect(atRest(2)).toEqual([]);
    expect(atRest(3)).toEqual(['at the end, 2 of 2 members serve, expected 3']);
  });
  it('of what is beyond the maximum of the policy, any part serves at rest', () => {
    const atRest = (size: number, max: number, from = 'asg') =>
      details(
        sizeIsHeld,
        (script) => {
          script.policy(0, 1, { ...outside, size: { from, min: 0, max, ...(from !== 'asg' && { desired: max }) } });
          for (const instance of ['i-1', 'i-2', 'i-3']) script.member(instance, { asg: 'web-asg' });
          says(script, 100, size);
        },
        long,
      );
    expect(atRest(4, 2)).toEqual([]);
    expect(atRest(3, 2)).toEqual([]);
    expect(atRest(4, 3)).toEqual([]);
    // Fewer than the maximum, more than others want, and more than a size that the policy sets.
    expect(atRest(5, 4)).toEqual(['at the end, 3 of 3 members serve, expected 4']);
    expect(atRest(2, 1)).toEqual(['at the end, 3 of 3 members serve, expected 1']);
    expect(atRest(3, 2, 'policy')).toEqual(['at the end, 3 of 3 members serve, expected 2']);
  });
  it('a desired capacity beyond the maximum of the policy is theirs who set it, once the group holds as many as this maximum', () => {
    const left = (desired: number, max: number, { by = user, from = 'asg' } = {}) =>
      details(
        asgsPutBack,
        (script) => {
          script.policy(0, 1, { ...outside, size: { from, min: 0, max, ...(from !== 'asg' && { desired: 2 }) } });
          script.member('i-1', { asg: 'web-asg' });
          script.member('i-2', { asg: 'web-asg' });
          if (by === user) says(script, 100, desired);
          else numbers(script, 100, desired, by);
        },
        long,
      );
    expect(left(4, 2)).toEqual([]);
    expect(left(4, 3)).toEqual(['web-asg: its desired capacity is 4, and it holds 2']);
    expect(left(4, 2, { by: react('i-a') })).toEqual(['web-asg: its desired capacity is 4, and it holds 2']);
    expect(left(4, 2, { from: 'policy' })).toEqual(['web-asg: its desired capacity is 4, and it holds 2']);
  });
  it('a desired capacity beyond the maximum of the policy is the one before where the last write was lost between a look and the write that followed', () => {
    const left = (putBack: number, { isLooking = true, before = 4 } = {}) =>
      details(
        asgsPutBack,
        (script) => {
          script.policy(0, 1, { ...outside, size: { from: 'asg', min: 0, max: 2 } });
          script.member('i-1', { asg: 'web-asg' });
          script.member('i-2', { asg: 'web-asg' });
          says(script, 90, before);
          if (isLooking) looks(script, 100, 'i-a');
          says(script, 101, before - 1, before);
          numbers(script, 102, putBack, react('i-a'));
        },
        long,
      );
    expect(left(4)).toEqual([]);
    // Nobody looked before that write, so it was not lost.
    expect(left(4, { isLooking: false })).toEqual(['web-asg: its desired capacity is 4, and it holds 2']);
    // Nobody ever set that size, or it is within the maximum of the policy.
    expect(left(5, { before: 4 })).toEqual(['web-asg: its desired capacity is 5, and it holds 2']);
    expect(left(1, { before: 1 })).toEqual(['web-asg: its desired capacity is 1, and it holds 2']);
  });
  it('no member moves while fewer serve than others wanted when the function looked', () => {
    const moves = (said: number) =>
      details(
        returnsWhileWhole,
        (script) => {
          script.policy(0, 1, { ...outside, swap: { maxSurge: 2 } });
          for (const instance of ['i-1', 'i-2']) script.member(instance, { asg: 'web-asg', pool: 'od-b' });
          says(script, said, 3);
          script.react(98, 102, 'i-m');
          for (const instance of ['i-3', 'i-4']) script.launch(100, instance, { pool: 'spot-a', by: react('i-m') });
        },
        long,
      );
    expect(moves(99)).toEqual([]);
    expect(moves(97)).toEqual(['i-4 was launched for a return while 2 served and 3 were wanted']);
  });
  it('an owner suspends process by process', () => {
    const left = (...changes: readonly (readonly [typeof user, readonly string[]])[]) =>
      details(
        asgsPutBack,
        (script) => {
          twoThere(script);
          changes.forEach(([by, suspended], index) => {
            numbers(script, 100 + index, 2, by, suspended);
          });
        },
        long,
      );
    const ours = ['Launch', 'Terminate'];
    expect(left([react('i-a'), ours], [react('i-b'), []])).toEqual([]);
    expect(left([react('i-a'), ours], [user, ['AZRebalance', ...ours]], [react('i-b'), ['AZRebalance']])).toEqual([]);
    expect(left([react('i-a'), ours], [user, ['AZRebalance', ...ours]])).toEqual([
      'web-asg: its suspended processes are AZRebalance,Launch,Terminate, its owner set AZRebalance',
    ]);
  });
  it('a desired capacity below what is held is its owner’s where all that it holds are protected', () => {
    const left = (kept: readonly string[], lowers = user, joins = false) =>
      details(
        asgsPutBack,
        (script) => {
          twoThere(script);
          for (const instance of kept) script.at(40, { kind: 'protection', instance, from: 'scale-in', isOn: true, by: user });
          numbers(script, 100, 1, lowers);
          if (joins) numbers(script, 105, 2, react('i-b'));
          numbers(script, 110, 1, react('i-b'), ['Launch']);
          numbers(script, 111, 1, react('i-b'));
        },
        long,
      );
    expect(left(['i-1', 'i-2'])).toEqual([]);
    // A member that joins raises it, and Holdfast puts it back.
    expect(left(['i-1', 'i-2'], user, true)).toEqual([]);
    expect(left(['i-1', 'i-2'], react('i-a'), true)).toHaveLength(1);
    expect(left(['i-1'])).toEqual(['web-asg: its desired capacity is 1, and it holds 2']);
    expect(left(['i-1', 'i-2'], react('i-a'))).toEqual(['web-asg: its desired capacity is 1, and it holds 2']);
  });
});

it('the history that these are made of is one', () => {
  expect(historyOf(twoThere).events.length).toBeGreaterThan(0);
});

describe('a launch that a late describe explains', () => {
  /** Others lower the size at a time. A function that looks from 98 on launches one on spot, beside one on demand. */
  const moved = (second: number) => {
    const timing = { ...history.spec.timing, asgLagSeconds: [0, 10] as const };
    return details(
      returnsInWindows,
      (script) => {
        script.policy(0, 1, { ...outside, return: { window: '03:00-04:00', timezone: 'UTC' } });
        script.member('i-1', { pool: 'spot-a', asg: 'web-asg' });
        script.member('i-2', { pool: 'od-b', asg: 'web-asg', by: react('i-0') });
        says(script, 10, 3);
        says(script, second, 2, 3);
        looks(script, 98, 'i-a');
        script.react(98, 102, 'i-a');
        script.launch(100, 'i-3', { pool: 'spot-b', by: react('i-a'), asg: 'web-asg' });
      },
      { ...long, spec: { ...history.spec, timing } },
    );
  };
  it('is not for a return', () => {
    expect(moved(97)).toEqual([]);
    expect(moved(40)).toEqual(['i-3 was launched for a return while no window of the policy was open']);
  });
});
