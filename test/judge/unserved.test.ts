import { describe, expect, it } from 'vitest';
import { neverServedIsGivenUp, neverServingComesLast, roomIsWaitedFor } from '../../sandbox/judge/rules/bounds/unserved.ts';
import { needlessLaunch } from '../../sandbox/judge/rules/launches/needless-launch.ts';
import { needlessRemoval, successorServes } from '../../sandbox/judge/rules/removals/needless-removal.ts';
import { reasonsAreTrue } from '../../sandbox/judge/rules/said/said.ts';
import { details, throttled } from './details.ts';
import { policy, react, type Script, twoServe } from './histories.ts';

const long = { calmAtMs: 900_000, restAtMs: 1_700_000, endedAtMs: 1_800_000 };
type Write = (script: Script) => void;
const all =
  (...parts: readonly Write[]): Write =>
  (script) => {
    for (const part of parts) part(script);
  };

/** Two serve; a third one was launched at 100 for a size of three, and never answers. */
const oneIsMute: Write = (script) => {
  twoServe(script);
  script.desired(90, 3);
  script.launch(100, 'i-3', { pool: 'spot-b' });
  script.at(108, { kind: 'running', instance: 'i-3' });
};
const claimed =
  (second: number, instance = 'i-3'): Write =>
  (script) => {
    script.react(second - 1, second + 2, `i-c${second}`);
    script.claim(second, instance, `i-c${second}`, 'waiting', 'never-served');
  };
const replaced =
  (second: number, pool = 'od-b'): Write =>
  (script) => {
    script.react(second - 2, second + 2, `i-r${second}`);
    script.launch(second, `i-r${second}`, { pool, by: react(`i-r${second}`) });
    script.serves(second + 20, `i-r${second}`);
  };
const told =
  (second: number, pool = 'spot-b', decision = 'd-1', instance = 'i-3'): Write =>
  (script) =>
    script.at(second, {
      kind: 'announced',
      detailType: 'Holdfast Members Given Up',
      detail: { group: 'web', decision, pool, instances: [instance] },
    });

describe('a new member that never serves is given up', () => {
  const broken = (...parts: readonly Write[]) => details(neverServedIsGivenUp, all(oneIsMute, ...parts), long);
  it('in time', () => {
    expect(broken(claimed(705))).toEqual([]);
    expect(broken(claimed(850))).toEqual([]);
  });
  it('and is missed where it is not, or too late', () => {
    expect(broken()).toHaveLength(1);
    expect(broken(claimed(1_200))).toHaveLength(1);
  });
  it('unless a fault meets the looks, the health of targets or the launches', () => {
    const under = (operation: string) => details(neverServedIsGivenUp, oneIsMute, { ...long, ...throttled(operation) });
    for (const call of ['Query', 'DescribeTargetHealth', 'CreateFleet']) expect(under(call)).toEqual([]);
    for (const call of ['PutEvents', 'StartExecution', 'TerminateInstances']) expect(under(call)).toHaveLength(1);
  });
  it('unless it comes to serve, is warned, or ends', () => {
    expect(broken((script) => script.serves(500, 'i-3'))).toEqual([]);
    expect(broken((script) => script.warn(600, 'i-3'))).toEqual([]);
    expect(broken((script) => script.end(650, 'i-3'))).toEqual([]);
  });
  it('unless it already leaves for another reason, which does not count as given up', () => {
    const leaves: Write = (script) => {
      script.react(299, 302, 'i-x');
      script.claim(300, 'i-3', 'i-x', 'leaving');
      script.takeOut(301, 'i-3');
    };
    const drained: Write = (script) => script.claim(1_200, 'i-3', 'i-x', 'drained');
    expect(broken(leaves)).toEqual([]);
    const noSurge: Write = (script) => script.policy(80, 2, { ...policy, swap: { maxSurge: 0 } });
    expect(broken(noSurge, leaves, drained)).toEqual([]);
    expect(broken(noSurge, (script) => script.claim(1_200, 'i-3', 'i-x', 'leaving', 'never-served'))).toHaveLength(1);
  });
  it('unless EC2 refused to end it within the hour', () => {
    const refused =
      (second: number): Write =>
      (script) =>
        script.at(second, { kind: 'end-refused', instance: 'i-3', by: react('drain') });
    expect(broken(refused(200))).toEqual([]);
    const late: Write = (script) => script.policy(95, 2, { ...policy, ready: { within: '70m' } });
    const found = (second: number) => details(neverServedIsGivenUp, all(oneIsMute, late, refused(second)), { ...long, endedAtMs: 6_000_000 });
    expect(found(1_200)).toEqual([]);
    expect(found(200)).toHaveLength(1);
  });
  it('and one at a time while no other member serves', () => {
    const nobody: Write = (script) => {
      script.policy(80, 2, { ...policy, swap: { maxSurge: 2 } });
      for (const instance of ['i-1', 'i-2'])
        script.at(200, { kind: 'out-of-service', instance, targetGroup: 'web', why: 'unhealthy', by: { kind: 'ec2' } });
    };
    const another: Write = (script) => {
      script.desired(91, 4, 2);
      script.launch(101, 'i-4', { pool: 'spot-b' });
      script.at(108, { kind: 'running', instance: 'i-4' });
    };
    expect(broken(nobody)).toHaveLength(1);
    expect(broken(nobody, claimed(705))).toEqual([]);
    expect(broken(nobody, another, claimed(705))).toEqual([]);
    expect(broken(nobody, another, claimed(705), claimed(760, 'i-4'))).toHaveLength(1);
  });
  it('at the age that the policy sets', () => {
    const soon: Write = (script) => script.policy(95, 2, { ...policy, ready: { within: '3m' } });
    expect(broken(soon, claimed(705))).toHaveLength(1);
    expect(broken(soon, claimed(285))).toEqual([]);
  });
  it('no more at a time than the surge', () => {
    const others: Write = (script) => {
      script.policy(80, 2, { ...policy, swap: { maxSurge: 1 } });
      script.desired(91, 4, 2);
      script.launch(101, 'i-4', { pool: 'spot-b' });
      script.at(108, { kind: 'running', instance: 'i-4' });
    };
    expect(broken(others, claimed(705), claimed(760, 'i-4'))).toHaveLength(1);
    // The first one serves at last, and is no longer given up.
    const calledOff =
      (second: number): Write =>
      (script) =>
        script.at(second, { kind: 'item-written', table: 'state', group: 'web', item: 'past#i-3', bytes: 200, by: react('i-c705') });
    expect(broken(others, claimed(705), calledOff(750), claimed(760, 'i-4'))).toEqual([]);
    expect(broken(others, claimed(705), calledOff(770), claimed(760, 'i-4'))).toHaveLength(1);
  });
  it('no more at a time than the surge, without those that EC2 warned about since', () => {
    const warned =
      (heardS: number): Write =>
      (script) => {
        script.policy(80, 2, { ...policy, swap: { maxSurge: 1 } });
        script.desired(91, 4, 2);
        script.launch(101, 'i-4', { pool: 'spot-b' });
        script.at(108, { kind: 'running', instance: 'i-4' });
        script.warn(740, 'i-3');
        script.react(heardS, heardS + 2, 'i-w', [{ about: 'warning', instance: 'i-3' }]);
      };
    expect(broken(warned(745), claimed(705), claimed(760, 'i-4'))).toEqual([]);
    expect(broken(warned(765), claimed(705), claimed(760, 'i-4'))).toHaveLength(1);
  });
  it('and a member that leaves as a surplus is not given up where its drain is ordered again', () => {
    const others: Write = (script) => {
      script.policy(80, 2, { ...policy, swap: { maxSurge: 1 } });
      script.desired(91, 4, 2);
      script.launch(101, 'i-4', { pool: 'spot-b' });
      script.at(108, { kind: 'running', instance: 'i-4' });
    };
    const leaving =
      (second: number, reason: 'scale-in' | 'never-served' = 'never-served'): Write =>
      (script) => {
        script.react(second - 1, second + 2, `i-c${second}`);
        for (const instance of ['i-3', 'i-4']) script.claim(second, instance, `i-c${second}`, 'leaving', reason);
      };
    const over: Write = (script) => {
      for (const instance of ['i-3', 'i-4'])
        script.at(500, { kind: 'item-written', table: 'state', group: 'web', item: `past#${instance}`, bytes: 200, by: react('i-c300') });
    };
    const surge = (...parts: readonly Write[]) => broken(others, ...parts).filter((detail) => detail.includes('are under way'));
    expect(surge(leaving(300, 'scale-in'), leaving(705))).toEqual([]);
    expect(surge(leaving(705))).toHaveLength(2);
    expect(surge(leaving(300, 'scale-in'), over, leaving(705))).toHaveLength(2);
    // A surplus takes no turn, also where it never served for so long that it may be given up.
    expect(surge(leaving(705, 'scale-in'))).toEqual([]);
  });
});

describe('a new member that waits until another one that never serves is gone', () => {
  const twoAreMute: Write = (script) => {
    script.policy(80, 2, { ...policy, swap: { maxSurge: 1 } });
    script.desired(91, 4, 2);
    script.launch(101, 'i-4', { pool: 'spot-b' });
    script.at(108, { kind: 'running', instance: 'i-4' });
  };
  const givenUp = (endsAt: number, second: number) =>
    details(
      neverServedIsGivenUp,
      all(oneIsMute, twoAreMute, claimed(705), (script) => script.end(endsAt, 'i-3', react('i-c705')), claimed(second, 'i-4')),
      long,
    );
  it('is given up as soon after that as after its own time', () => {
    expect(givenUp(860, 960)).toEqual([]);
    expect(givenUp(860, 1_200)).toHaveLength(1);
  });
  it('gets no longer where its place was free before', () => {
    expect(givenUp(710, 960)).toHaveLength(1);
  });
});

describe('a member that is given up', () => {
  it('is replaced ahead of its end, and only then', () => {
    expect(details(needlessLaunch, all(oneIsMute, claimed(705), replaced(706)), long)).toEqual([]);
    expect(details(needlessLaunch, all(oneIsMute, replaced(706)), long)).toHaveLength(1);
    expect(details(needlessLaunch, all(oneIsMute, claimed(500), replaced(501)), long)).toHaveLength(1);
    expect(details(needlessLaunch, all(oneIsMute, claimed(705), replaced(706), replaced(710)), long)).toHaveLength(1);
  });
  it('leaves with need, and one that serves does not', () => {
    const leaves = (instance: string): Write =>
      all(claimed(705, instance), (script) => {
        script.claim(706, instance, 'i-c705', 'leaving', 'never-served');
        script.takeOut(710, instance);
        script.end(730, instance, react('drain'));
      });
    expect(details(needlessRemoval, all(oneIsMute, leaves('i-3')), long)).toEqual([]);
    expect(details(needlessRemoval, all(oneIsMute, leaves('i-1')), long)).toHaveLength(1);
  });
  it('does not leave as a surplus where no more stay than are desired', () => {
    const leaves: Write = (script) => {
      script.react(704, 707, 'i-x');
      script.claim(705, 'i-3', 'i-x', 'leaving', 'scale-in');
      script.takeOut(710, 'i-3');
      script.end(730, 'i-3', react('drain'));
    };
    expect(details(needlessRemoval, all(oneIsMute, leaves), long)).toEqual(['i-3 is removed where 3 stay and 3 are wanted']);
    const fewer: Write = (script) => script.desired(600, 2, 2);
    expect(details(needlessRemoval, all(oneIsMute, fewer, leaves), long)).toEqual([]);
  });
  it('has never served, when its swap records that', () => {
    const because = (claimedAtMs: number, instance = 'i-3', write: Write = () => undefined) =>
      details(reasonsAreTrue, all(oneIsMute, write), {
        ...long,
        clockErrorMs: 2_000,
        stored: {
          states: {},
          decisions: [],
          deadLetters: 0,
          staleMessages: 0,
          swaps: [{ group: 'web', instance, reason: 'never-served', state: 'gone', decision: 'd', claimedAtMs }],
        },
      });
    expect(because(705_000)).toEqual([]);
    expect(because(300_000)).toHaveLength(1);
    expect(because(705_000, 'i-1')).toHaveLength(1);
    // The clock of its function is ahead: the member is gone when the claim says that it was made.
    const quick = (second: number) => all(claimed(second), (script) => script.end(second + 1, 'i-3', react('drain')));
    expect(because(705_000, 'i-3', quick(703))).toEqual([]);
    expect(because(699_000, 'i-3', quick(695))).toHaveLength(1);
  });
});

describe('a pool whose members never serve', () => {
  const broken = (...parts: readonly Write[]) => details(neverServingComesLast, all(oneIsMute, claimed(705), told(706), ...parts), long);
  it('comes last while others would give', () => {
    expect(broken(replaced(710, 'od-b'))).toEqual([]);
    expect(broken(replaced(720, 'spot-b'))).toHaveLength(1);
    // Launched by the very decision that gave it up.
    expect(broken(replaced(707, 'spot-b'))).toEqual([]);
    expect(broken(told(706, 'spot-b', 'r-i-r707'), replaced(707, 'spot-b'))).toHaveLength(1);
  });
  it('is used again after its time, after a policy was written, and when one of it has served', () => {
    expect(broken(replaced(1_400, 'spot-b'))).toEqual([]);
    expect(broken((script) => script.policy(715, 2), replaced(720, 'spot-b'))).toEqual([]);
    expect(broken(replaced(707, 'spot-b'), replaced(800, 'spot-b'))).toEqual([]);
  });
  it('rests twice as long after a further attempt, and no longer after members of the attempt before', () => {
    const further = (launchedAtS: number): Write =>
      all((script) => script.launch(launchedAtS, 'i-4', { pool: 'spot-b' }), told(800, 'spot-b', 'd-2', 'i-4'));
    expect(broken(further(700), replaced(1_360, 'spot-b'))).toHaveLength(1);
    expect(broken(further(700), replaced(1_410, 'spot-b'))).toEqual([]);
    // The further attempt itself came while others would give, too.
    expect(broken(further(710), replaced(1_410, 'spot-b'))).toHaveLength(2);
  });
  it('is used again when one serves that was launched before they were given up, after them, and in this pool', () => {
    expect(broken(replaced(400, 'spot-b'), replaced(720, 'spot-b'))).toEqual([]);
    expect(broken(replaced(400, 'od-b'), replaced(720, 'spot-b'))).toHaveLength(1);
    expect(broken(replaced(80, 'spot-b'), replaced(720, 'spot-b'))).toHaveLength(1);
  });
});

describe('ready by the policy', () => {
  /** Three serve, one is launched at 300, serves its target group at 320, and another one leaves at 350. */
  const leavesFor = (ready: object, ...more: readonly Write[]) =>
    details(
      successorServes,
      all(
        twoServe,
        (script) => script.policy(5, 2, { ...policy, ready }),
        replaced(300, 'spot-a'),
        (script) => {
          script.react(348, 351, 'i-x');
          script.claim(350, 'i-1', 'i-x');
          script.takeOut(351, 'i-1');
        },
        ...more,
      ),
      long,
    );
  it('is a replacement that has warmed up', () => {
    expect(leavesFor({ after: '45s' })).toEqual([]);
    expect(leavesFor({ after: '90s' })).toHaveLength(1);
  });
  it('is a replacement whose status checks have passed', () => {
    const passed: Write = (script) => script.at(345, { kind: 'checked', instance: 'i-r300', isPassed: true });
    const before: Write = (script) => {
      for (const instance of ['i-1', 'i-2']) script.at(50, { kind: 'checked', instance, isPassed: true });
    };
    expect(leavesFor({ checks: 'ec2' }, before)).toHaveLength(1);
    expect(leavesFor({ checks: 'ec2' }, before, passed)).toEqual([]);
  });
  it('follows the policy that the look chose by, when another one comes into force while the member is taken out', () => {
    const rewritten = (second: number, ready: object = { checks: 'ec2' }) =>
      leavesFor({ after: '45s' }, (script) => script.policy(second, 3, { ...policy, ready }));
    expect(rewritten(350)).toEqual([]);
    expect(rewritten(347)).toHaveLength(1);
    expect(leavesFor({ after: '90s' }, (script) => script.policy(350, 3, { ...policy, ready: { checks: 'ec2' } }))).toHaveLength(1);
  });
  it('but not for a member that is taken out long after it was chosen', () => {
    const late = (second: number) =>
      details(
        successorServes,
        all(
          twoServe,
          (script) => script.policy(5, 2, { ...policy, ready: { after: '45s' } }),
          replaced(300, 'spot-a'),
          (script) => {
            script.react(348, 351, 'i-x');
            script.claim(350, 'i-1', 'i-x');
            script.policy(351, 3, { ...policy, ready: { after: '200s' } });
            script.takeOut(second, 'i-1');
          },
        ),
        long,
      );
    expect(late(360)).toEqual([]);
    expect(late(363)).toHaveLength(1);
  });
});

describe('who waits for room in its Auto Scaling group', () => {
  const sized =
    (second: number, max: number): Write =>
    (script) =>
      script.at(second, { kind: 'asg-changed', asg: 'web-asg', min: 1, max, desired: 3, suspended: [], by: { kind: 'user' } });
  const attached: Write = (script) => script.policy(95, 2, { ...policy, asg: 'web-asg' });
  const broken = (...parts: readonly Write[]) => details(roomIsWaitedFor, all(oneIsMute, ...parts), long);
  it('is not given up', () => {
    expect(broken(attached, sized(96, 3), claimed(705))).toEqual(['i-3 is given up, and it waits for room in web-asg']);
    expect(broken(attached, sized(96, 3))).toEqual([]);
  });
  it('and may be where there is room, or was when a look may have shown it, where it joined, and where it needs no room', () => {
    expect(broken(attached, sized(96, 4), claimed(705))).toEqual([]);
    expect(broken(attached, sized(96, 4), sized(704.5, 3), claimed(705))).toEqual([]);
    const joined: Write = (script) => script.at(120, { kind: 'joined', instance: 'i-3', asg: 'web-asg', by: react('i-j') });
    expect(broken(attached, sized(96, 3), joined, claimed(705))).toEqual([]);
    expect(broken(sized(96, 3), claimed(705))).toEqual([]);
  });
});
