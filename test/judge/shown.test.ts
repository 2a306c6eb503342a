import { describe, expect, it } from 'vitest';
import { decisionTexts } from '../../cli/decision-list.ts';
import { type Explanation, explanationText } from '../../cli/explain.ts';
import { statusText } from '../../cli/status.ts';
import type { DecisionRecord } from '../../core/decision/decision-record.ts';
import type { Swap } from '../../core/swap/swap.ts';
import type { Rule } from '../../sandbox/judge/finding.ts';
import { decisionsAreShown } from '../../sandbox/judge/rules/said/shown-decisions.ts';
import { explainTellsTruth } from '../../sandbox/judge/rules/said/shown-explained.ts';
import { statusIsShown } from '../../sandbox/judge/rules/said/shown-status.ts';
import { shownWhole } from '../../sandbox/judge/rules/said/shown-whole.ts';
import type { Shown } from '../../sandbox/judge/said/shown.ts';
import { decisionOf } from '../core/decisions.ts';
import { details } from './details.ts';
import { policy, react, type Script, spec, twoServe } from './histories.ts';

const [old, fresh] = ['i-00000001', 'i-00000002'];

const record: DecisionRecord = {
  group: 'web',
  id: 'd1',
  atMs: 100_000,
  policyVersion: 1,
  correlation: 'c',
  causes: [{ code: 'interruption', instances: [old], count: 1 }],
  sizes: [],
  rounds: [
    decisionOf({
      desired: 2,
      reasons: [
        { pool: 'spot-a', count: 1, turns: [] },
        { pool: 'od-b', count: 2, turns: [] },
      ],
      rejected: [{ path: 'tiered[0]', pool: 'spot-b', code: 'at-cap', held: 1, cap: 1 }],
      remarks: [
        { code: 'serves', instances: [fresh], count: 1 },
        { code: 'shares-full', count: 3 },
      ],
      unplaced: 4,
    }),
  ],
  view: { nowMs: 100_000, desired: 2, members: 2, serving: 2, byPool: {}, swaps: {}, reservations: 0 },
  outcome: {
    code: 'carried-out',
    claimed: [{ instance: old, reason: 'interruption' }],
    launches: [{ reservation: 'd1-1', pool: 'spot-a', count: 1, replaces: [old], result: 'answered', instances: [fresh], refusals: [] }],
    drainsStarted: 1,
    admitted: [],
    failed: [],
    restored: [],
  },
};
const repeated = { ...record, id: 'd2', atMs: 160_000 };

const swap = {
  group: 'web',
  instance: old,
  pool: 'spot-a',
  offering: 't/z-a/spot',
  reason: 'interruption',
  state: 'gone',
  decision: 'd1',
  claimedAtMs: 100_000,
  warnedAtMs: 99_000,
  goneAtMs: 219_000,
  shortfall: { code: 'not-deregistered', detail: 'x' },
} as unknown as Swap;

const told: Explanation = {
  instance: old,
  group: 'web',
  swap,
  state: 'terminated',
  decisions: [{ part: 'let go', record }],
  replacements: [{ instance: fresh, launchedAtMs: 100_000, servedAtMs: 160_000 }],
  unreadable: [],
};

const world = (script: Script): void => {
  twoServe(script);
  script.launch(0, old);
  script.serves(20, old);
  script.warn(99, old);
  script.launch(101, fresh, { tags: { 'holdfast:reservation': 'd1-1' } });
  script.serves(150, fresh);
  script.end(219, old, { kind: 'ec2' });
};

const judged = (rule: Rule, shown: Shown, write: (script: Script) => void = world): readonly string[] =>
  details(rule, write, {
    restAtMs: 290_000,
    showings: [
      { atMs: 300_000, stored: { swaps: [swap], decisions: shown.command === 'decisions' ? [record, repeated] : [record] }, shown: [shown] },
    ],
  });

const changed = (text: string, from: string, to: string): string => {
  expect(text).toContain(from);
  return text.replace(from, to);
};

describe('what a decision stores is shown', () => {
  const text = decisionTexts([repeated, record]).join('\n\n');
  const found = (lie: string) => judged(decisionsAreShown, { command: 'decisions', about: 'web', text: lie });

  it('as the command line prints it', () => {
    expect(text).toContain('the same once before');
    expect(found(text)).toEqual([]);
  });

  it.each([
    ['a member less', '2 serving', '1 serving', 4],
    ['a pool for another', '1 from spot-a:', '1 from spot-b:', 4],
    ['a remark that is missing', '  serves now: i-00000002\n', '', 2],
    ['a number in a remark', 'launches 3 fewer', 'launches 2 fewer', 4],
    ['another instance that leaves', 'leaves: i-00000001', 'leaves: i-00000002', 4],
    ['a launch that failed', 'launched 1 (i-00000002)', 'launched 0', 4],
    ['fewer that have no place', '  4 could not be placed', '  3 could not be placed', 4],
    ['a pool that was passed over, and is not shown', /.*passed over.*\n/.exec(text)?.[0] ?? '-', '', 2],
    ['a line that nothing stored explains', '  drains started: 1\n', '  drains started: 1\n  drains started: 2\n', 2],
    ['another version of the policy', 'policy version 1', 'policy version 2', 1],
    ['another decision', 'decision d2', 'decision d3', 1],
    ['a repeat that is not counted', /\n.*the same once.*/.exec(text)?.[0] ?? '-', '', 1],
    ['a repeat too many', 'the same once', 'the same 2 times', 1],
  ])('%s is a lie', (_, from, to, count) => {
    expect(found(changed(text, from, to))).toHaveLength(count);
  });

  it('a repeat is the same decision again', () => {
    const other = { ...record, rounds: [] };
    const shown = { command: 'decisions', about: 'web', text } as const;
    const showings = [{ atMs: 300_000, stored: { swaps: [], decisions: [other, repeated] }, shown: [shown] }];
    expect(details(decisionsAreShown, world, { showings }).length).toBeGreaterThan(3);
  });
});

describe('explain tells what happened to an instance', () => {
  const text = explanationText(told);
  const found = (lie: string) => judged(explainTellsTruth, { command: 'explain', about: old, text: lie });

  it('as the command line prints it', () => {
    expect(found(text)).toEqual([]);
  });

  it.each([
    ['the group of another', ', group web', ', group api'],
    ['another pool', 'Pool: spot-a', 'Pool: spot-b'],
    ['another zone', 't/z-a/spot', 't/z-b/spot'],
    ['another market', 't/z-a/spot', 't/z-a/on-demand'],
    ['another reason', 'leave: interruption', 'leave: rebalance'],
    ['another state', 'State: gone', 'State: draining'],
    ['a time that is missing', /.*gone\n/.exec(text)?.[0] ?? '-', ''],
    ['another time', '00:01:39 UTC  warned', '00:01:38 UTC  warned'],
    ['no shortfall', '  Shortfall: ', '  '],
    ['another replacement', `  ${fresh}: launched`, '  i-1: launched'],
    ['a launch long before', `${fresh}: launched 1970-01-01 00:01:40`, `${fresh}: launched 1970-01-01 00:00:10`],
    ['a launch long after', `${fresh}: launched`, `${fresh}: requested 1970-01-01 00:01:50 UTC, launched by`],
    ['a service too early', 'found serving 1970-01-01 00:02:40', 'found serving 1970-01-01 00:02:20'],
    ['no decision by which it leaves', 'decision d1  ', 'decision d0  '],
    ['an end without a warning', 'Reason to leave: interruption. State: gone.', 'Holdfast received no warning about it.'],
  ])('%s is a lie', (_, from, to) => {
    expect(found(changed(text, from, to)).length).toBeGreaterThan(0);
  });

  it('nothing in its place, or one twice, is a lie', () => {
    expect(found(explanationText({ ...told, replacements: [] }))).toEqual([
      `holdfast explain ${old} does not name ${fresh}, which was launched in its place`,
    ]);
    expect(found(explanationText({ ...told, replacements: [...told.replacements, ...told.replacements] }))).toEqual([
      `holdfast explain ${old} names a replacement twice`,
    ]);
  });

  it('an instance is launched by the decision that its tag names, and runs or not', () => {
    const of = (more: Partial<Explanation>): readonly string[] => {
      const { swap: _, ...rest } = told;
      const explanation = { ...rest, instance: fresh, decisions: [{ part: 'launched', record }], replacements: [], state: 'running', ...more };
      return judged(explainTellsTruth, { command: 'explain', about: fresh, text: explanationText(explanation) });
    };
    expect(of({})).toEqual([]);
    expect(of({ state: 'terminated' })).toEqual([`holdfast explain ${fresh} says that EC2 shows it as terminated, and it runs`]);
    expect(of({ decisions: [{ part: 'let go', record }] })).toEqual([`holdfast explain ${fresh} does not show decision d1, which launched it`]);
    expect(of({ swap })).not.toEqual([]);
  });

  it('an instance that ended a moment ago may still be shown as running, and no other one', () => {
    const shown = (endedS: number, state: string) =>
      details(
        explainTellsTruth,
        (script) => {
          script.policy(0, 1);
          script.member(old);
          script.end(endedS, old);
        },
        {
          showings: [
            {
              atMs: 300_000,
              stored: { swaps: [], decisions: [] },
              shown: [{ command: 'explain', about: old, text: `${old}, group web\nEC2 shows it as ${state}.\n` }],
            },
          ],
        },
      ).filter((detail) => detail.includes('shows it as'));
    expect([shown(299.9, 'running'), shown(299.9, 'terminated'), shown(200, 'terminated')].flat()).toEqual([]);
    expect(shown(200, 'running')).toEqual([`holdfast explain ${old} says that EC2 shows it as running, and it does not run`]);
    expect(shown(310, 'terminated')).toHaveLength(1);
  });

  it('an instance that came and went within what a describe lags behind may be shown in any state of that time', () => {
    const shown = (fromS: number, endedS: number, state = 'pending') =>
      details(
        explainTellsTruth,
        (script) => {
          script.policy(0, 1);
          script.launch(fromS, old);
          script.end(endedS, old);
        },
        {
          spec: { ...spec, timing: { ...spec.timing, lagSeconds: [20, 30] } },
          showings: [
            {
              atMs: 300_000,
              stored: { swaps: [], decisions: [] },
              shown: [{ command: 'explain', about: old, text: `${old}, group web\nEC2 shows it as ${state}.\n` }],
            },
          ],
        },
      ).filter((detail) => detail.includes('shows it as'));
    expect([shown(275, 290), shown(275, 290, 'terminated'), shown(260, 290)].flat()).toEqual([]);
    expect(shown(250, 268)).toEqual([`holdfast explain ${old} says that EC2 shows it as pending, and it does not run`]);
    expect(shown(301, 310)).toHaveLength(1);
  });

  it('an instance of a warm pool is of the group whose policy names its Auto Scaling group', () => {
    const warm = (asg: string) =>
      details(
        explainTellsTruth,
        (script) => {
          script.policy(0, 1, { ...policy, asg });
          script.launch(1, old, { by: { kind: 'asg', asg: 'web-asg', why: 'size' }, tags: { 'aws:autoscaling:groupName': 'web-asg' } });
        },
        {
          showings: [
            { atMs: 300_000, stored: { swaps: [], decisions: [] }, shown: [{ command: 'explain', about: old, text: `${old}, group web\n` }] },
          ],
        },
      );
    expect(warm('web-asg')).toEqual([]);
    expect(warm('other-asg')).toEqual([`holdfast explain ${old} says that it is of web`]);
  });

  it('an instance that EC2 takes from a group that was let go is of that group while its swap is stored', () => {
    const takenFrom = (asg: string, swaps: readonly object[]) =>
      details(
        explainTellsTruth,
        (script) => {
          script.policy(0, 1, { ...policy, asg });
          script.letGo(10);
          script.launch(20, old, { by: { kind: 'asg', asg: 'web-asg', why: 'size' }, asg: 'web-asg' });
        },
        {
          showings: [
            {
              atMs: 300_000,
              stored: { swaps: swaps as never, decisions: [] },
              shown: [{ command: 'explain', about: old, text: `${old}, group web\nReason to leave: interruption. State: leaving.\n` }],
            },
          ],
        },
      ).filter((detail) => detail.includes('is of'));
    const taken = { group: 'web', instance: old, reason: 'interruption', state: 'leaving' };
    expect(takenFrom('web-asg', [taken])).toEqual([]);
    expect(takenFrom('other-asg', [taken])).toHaveLength(1);
    expect(takenFrom('web-asg', [{ ...taken, group: 'api' }])).toHaveLength(1);
    expect(takenFrom('web-asg', [])).toHaveLength(1);
  });

  it('that no warning was received is a lie where one was, unless the state table lost the swap', () => {
    const { swap: _, ...rest } = told;
    const silent = explanationText({ ...rest, decisions: [{ part: 'ended', record }] });
    const heard = (write: (script: Script) => void) =>
      details(
        explainTellsTruth,
        (script) => {
          world(script);
          script.react(100, 104, 'of-w', [{ about: 'warning', instance: old }]);
          script.claim(102, old, 'of-w');
          write(script);
        },
        { showings: [{ atMs: 300_000, stored: { swaps: [], decisions: [record] }, shown: [{ command: 'explain', about: old, text: silent }] }] },
      ).filter((detail) => detail.includes('received'));
    const restores = (copiedAtMs: number) => (script: Script) =>
      script.at(230, { kind: 'step', step: 'state-restored', instances: [], groups: [], asgs: [], copiedAtMs });
    expect(heard(() => undefined)).toHaveLength(1);
    expect(heard(restores(90_000))).toEqual([]);
    expect(heard(restores(110_000))).toHaveLength(1);
  });

  it('no warning may be said to be received only until a function has received one', () => {
    const silent = (heardS: number): number => {
      const shown = { command: 'explain', about: old, text: 'Holdfast received no warning about it.' } as const;
      const found = judged(explainTellsTruth, shown, (script) => {
        world(script);
        script.react(heardS, heardS + 1, 'i-a', [{ about: 'warning', instance: old }]);
      });
      return found.filter((one) => one.includes('i-a received its warning')).length;
    };
    expect(silent(100)).toBe(1);
    // The text was printed at second 300.
    expect([silent(298), silent(310)]).toEqual([1, 0]);
  });

  it('EC2 shows every instance that runs, once no describe is older than its launch', () => {
    const found = (launchS: number, endS = 310) =>
      judged(explainTellsTruth, { command: 'explain', about: 'i-9', text: 'EC2 does not show it: it ended a while ago.' }, (script) => {
        world(script);
        script.launch(launchS, 'i-9', { pool: 'spot-a' });
        script.end(endS, 'i-9');
      }).filter((one) => one.includes('does not show it'));
    // The text was printed at second 300.
    expect([found(200), found(299), found(200, 290)]).toEqual([['holdfast explain i-9 says that EC2 does not show it, and it runs'], [], []]);
  });

  it('no warning may be said to be received of one that has ended, while it runs', () => {
    const silent = (text: string, endsS?: number): number => {
      const shown = { command: 'explain', about: 'i-9', text } as const;
      const found = judged(explainTellsTruth, shown, (script) => {
        world(script);
        script.launch(280, 'i-9', { pool: 'spot-a' });
        script.react(285, 286, 'i-a', [{ about: 'warning', instance: 'i-9' }]);
        if (endsS !== undefined) script.end(endsS, 'i-9');
      });
      return found.filter((one) => one.includes('i-a received its warning')).length;
    };
    // The text was printed at second 300.
    const ifEnded = 'If it has ended, Holdfast received no signal about it.';
    expect([silent(ifEnded), silent(ifEnded, 310)]).toEqual([0, 0]);
    expect([silent(ifEnded, 295), silent('Holdfast received no signal about it.')]).toEqual([1, 1]);
  });

  it('a warning that is more than five minutes old when it comes may go unsaid, if its instance runs then', () => {
    const silent = (ageS: number, second: number) => {
      const shown = { command: 'explain', about: old, text: 'Holdfast received no warning about it.' } as const;
      const found = judged(explainTellsTruth, shown, (script) => {
        world(script);
        script.react(second, second + 4, 'i-a');
        const [told, happenedAtMs] = [{ about: 'warning', instance: old } as const, 1_000 * (second - ageS)];
        script.at(second, { kind: 'delivered', invocation: 'i-a', function: 'react', message: 'm', told, happenedAtMs });
      });
      return found.filter((one) => one.includes('i-a received its warning')).length;
    };
    // It ends at second 219.
    expect([silent(290, 200), silent(310, 200), silent(310, 240)]).toEqual([1, 0, 1]);
  });

  it('an instance that describes may not show yet may be unknown', () => {
    const { swap: _, group: __, ...rest } = told;
    const text = explanationText({ ...rest, instance: fresh, decisions: [], replacements: [] });
    const launchedAt = (second: number) =>
      judged(explainTellsTruth, { command: 'explain', about: fresh, text }, (script) => {
        twoServe(script);
        script.launch(second, fresh, { tags: { 'holdfast:reservation': 'd1-1' } });
      });
    expect(launchedAt(290)).toEqual([]);
    expect(launchedAt(250)).toEqual([`holdfast explain ${fresh} does not show decision d1, which launched it`]);
  });
});

describe('status shows what is in force', () => {
  const status = { group: 'web', status: 'accepted', message: 'Version 1 is in force.', version: 1, problems: [], atMs: 0 } as const;
  const warnings = [{ message: 'one' }, { message: 'two' }];
  const check = { code: 'refused', pools: ['spot-a'], message: 'Launches would be refused.' } as const;
  const more = { warnings, checks: [check], checkedAt: '2026-01-01T00:00:00Z' };
  const found = (text: string) =>
    judged(statusIsShown, { command: 'status', about: 'web', text }, (script) => {
      twoServe(script);
      const says = { status: 'accepted', version: 1, problems: 0, warnings: 2 };
      script.at(1, { kind: 'item-written', table: 'groups', group: 'web', item: 'status', bytes: 1, by: react('accept'), status: says });
    });
  const text = statusText({ ...status, ...more } as never);

  it('as the command line prints it', () => {
    expect(found(text)).toEqual([]);
  });

  it.each([
    ['another version', 'Version 1', 'Version 2'],
    ['a warning less', '  two\n', ''],
    ['a reason', 'Warnings:', 'Reasons:'],
    ['a pool that nobody has', 'Pools: spot-a', 'Pools: spot-z'],
  ])('%s is a lie', (_, from, to) => {
    expect(found(changed(text, from, to)).length).toBeGreaterThan(0);
  });

  it('a size that others set is theirs, and the maximum is that of the policy', () => {
    const beyond = (set: number, kept: number) => found(statusText({ ...status, ...more } as never, { beyondMax: { set, kept } }));
    expect(beyond(2, 6)).toEqual([]);
    expect(beyond(9, 6)).toEqual(['holdfast status web says that others set the size to 9']);
    expect(beyond(2, 5)).toEqual(['holdfast status web says that the maximum is 5, and it is 6']);
  });

  const setTo8Then5 = (set: number, write: (script: Script) => void) =>
    judged(
      statusIsShown,
      { command: 'status', about: 'web', text: statusText({ ...status, warnings: [] } as never, { beyondMax: { set, kept: 6 } }) },
      (script) => {
        script.policy(0, 1, { ...policy, asg: 'web-asg', size: { from: 'asg', min: 0, max: 6 }, scaling: [] });
        const by = { kind: 'user' } as const;
        for (const [second, size] of [
          [100, 8],
          [270, 5],
        ] as const)
          script.at(
            second,
            { kind: 'asg-changed', asg: 'web-asg', min: 1, max: 9, desired: size, suspended: [], by },
            { kind: 'size-written', asg: 'web-asg', found: 2, size, how: 'set', covers: [], by },
          );
        const says = { status: 'accepted', version: 1, problems: 0, warnings: 0 };
        script.at(1, { kind: 'item-written', table: 'groups', group: 'web', item: 'status', bytes: 1, by: react('accept'), status: says });
        write(script);
      },
    );
  const tick = [{ about: 'tick', groups: ['web'] }] as const;

  it('a size that others set since the look of the last tick may not be shown yet', () => {
    expect(setTo8Then5(8, (script) => script.react(260, 262, 'i-1', tick))).toEqual([]);
    expect(setTo8Then5(9, (script) => script.react(260, 262, 'i-1', tick))).toHaveLength(1);
  });

  it('a size that others had replaced before the look of the last tick is a lie', () => {
    const look = (until: number, more: { injected?: boolean; again?: readonly string[]; told?: typeof tick | readonly [] } = {}) =>
      setTo8Then5(8, (script) => {
        script.react(260, 262, 'i-1', tick);
        script.react(280, until, 'i-2', more.told ?? tick, more.injected, more.again);
      }).length;
    expect(look(282)).toBe(1);
    // A function that has not ended, died, gave the message back or was told something else has not surely looked.
    expect([look(310), look(282, { injected: true }), look(282, { again: ['i-2-0'] }), look(282, { told: [] })]).toEqual([0, 0, 0, 0]);
  });
});

describe('what commands print is whole', () => {
  const found = (shown: Partial<Shown>) => judged(shownWhole, { command: 'explain', about: old, text: `${old} and ${fresh}`, ...shown });

  it('names instances that were launched', () => {
    expect(found({})).toEqual([]);
    expect(found({ text: 'i-0000000f leaves' })).toEqual([`holdfast explain ${old} names i-0000000f, which nobody launched`]);
  });

  it.each(['undefined', 'NaN', '[object Object]', 'null', 'Infinity', 'Invalid Date'])('does not print %s', (hole) => {
    expect(found({ text: `launched ${hole} from spot-a` })).toHaveLength(1);
  });

  it('does not fail, and prints something', () => {
    expect(found({ error: 'TypeError: x', text: '' })).toEqual([`holdfast explain ${old} fails: TypeError: x`]);
    expect(found({ text: '' })).toEqual([`holdfast explain ${old} prints nothing`]);
  });
});
