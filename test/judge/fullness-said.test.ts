import { describe, expect, it } from 'vitest';
import { fullnessIsTrue } from '../../sandbox/judge/rules/said/fullness-said.ts';
import { details } from './details.ts';
import { policy, react, type Script } from './histories.ts';

type Json = Readonly<Record<string, unknown>>;

/** What is false in a decision of 100 about two members in each pool, whose function began at 99. */
const said = (against: Json, write: (script: Script) => void = () => undefined, placements: readonly Json[] = []): readonly string[] =>
  details(
    fullnessIsTrue,
    (script) => {
      script.policy(0, 1, { ...policy, maxShare: { zone: '50%' } });
      script.desired(0, 4);
      for (const [index, pool] of ['spot-a', 'spot-a', 'spot-b', 'spot-b'].entries()) script.member(`i-${index}`, { pool });
      write(script);
      script.react(99, 103, 'of-a');
      script.at(102, { kind: 'item-written', table: 'state', group: 'web', item: 'decision#d-1', bytes: 500, by: react('of-a') });
    },
    {
      stored: {
        ...{ states: {}, swaps: [], deadLetters: 0, staleMessages: 0 },
        decisions: [
          {
            ...{ id: 'd-1', group: 'web', atMs: 100_000, policyVersion: 1, view: { nowMs: 100_000 }, sizes: [] },
            rounds: [{ desired: 4, staying: 4, rejected: [{ pool: 'spot-a', offering: 't/z-a/spot', ...against }], placements }],
          },
        ],
      },
    },
  );

const counted = (...args: Parameters<typeof said>): number => said(...args).length;

describe.each(['at-cap', 'at-maximum'])('a pool that is %s', (code) => {
  it('holds as many members as it says', () => {
    expect([2, 3].map((held) => counted({ code, held }))).toEqual([0, 1]);
    expect(said({ code, held: 3 })).toEqual([`decision d-1 says spot-a ${code} with 3, and 2 may be there`]);
  });
  it('holds what the decision places there, and what others had requested there', () => {
    expect([3, 4].map((held) => counted({ code, held }, undefined, [{ pool: 'spot-a', count: 1 }]))).toEqual([0, 1]);
    expect(counted({ code, held: 3 }, undefined, [{ pool: 'spot-b', count: 1 }])).toBe(1);
    const asked = (second: number, pool: string) => (script: Script) =>
      script.at(second, {
        kind: 'item-written',
        table: 'state',
        group: 'web',
        item: 'request#d-0-1',
        bytes: 9,
        by: react('of-0'),
        request: { pool, count: 1 },
      });
    expect([asked(90, 'spot-a'), asked(90, 'spot-b')].map((write) => counted({ code, held: 3 }, write))).toEqual([0, 1]);
  });
  it('holds what others had requested and EC2 launches later, once before it is launched and once after', () => {
    const launched = (second: number) => (script: Script) => {
      const by = react('of-0');
      const request = { pool: 'spot-a', count: 1 };
      script.at(90, { kind: 'item-written', table: 'state', group: 'web', item: 'request#d-0-1', bytes: 9, by, request });
      script.launch(second, 'i-9', { pool: 'spot-a', by, tags: { 'holdfast:reservation': 'd-0-1' } });
    };
    expect([3, 4].map((held) => counted({ code, held }, launched(103)))).toEqual([0, 1]);
    expect([3, 4].map((held) => counted({ code, held }, launched(95)))).toEqual([0, 1]);
  });
  it('holds members that wait to leave, and none that left before', () => {
    expect(counted({ code, held: 2 }, (script) => script.claim(90, 'i-0', 'of-0', 'waiting'))).toBe(0);
    expect(counted({ code, held: 2 }, (script) => script.claim(90, 'i-0', 'of-0', 'leaving'))).toBe(1);
    expect(counted({ code, held: 2 }, (script) => script.claim(100, 'i-0', 'of-0', 'leaving'))).toBe(0);
    expect(counted({ code, held: 2 }, (script) => script.end(50, 'i-0'))).toBe(1);
  });
});

describe('a launch of LaunchInstances without a stored response', () => {
  const pools = { ...policy.pools, 'spot-a': { market: 'spot', asg: 'asg-a' } };
  const launched = (rest: Json, storedSecond: number) => (script: Script) => {
    script.policy(50, 1, { ...policy, pools: { ...pools, 'spot-a': { ...pools['spot-a'], ...rest } } });
    const by = react('of-0');
    const request = { pool: 'spot-a', count: 1 };
    script.at(90, { kind: 'item-written', table: 'state', group: 'web', item: 'request#d-0-1', bytes: 9, by, request });
    script.launch(91, 'i-9', { pool: 'spot-a', by });
    for (const [second, instance] of [
      [51, 'i-0'],
      [51, 'i-1'],
      [91, 'i-9'],
    ] as const)
      script.at(second, { kind: 'joined', instance, asg: 'asg-a', by });
    script.at(storedSecond - 1, { kind: 'tagged', instance: 'i-9', tags: { 'holdfast:reservation': 'd-0-1' }, by });
    script.at(storedSecond - 1, { kind: 'called', invocation: 'of-0', askedAtMs: 90_500, launch: { asg: 'asg-a', count: 1 } } as never);
    script.at(storedSecond, { kind: 'state-written', group: 'web', by } as never);
  };
  it('counts twice at a cap, as a member and as requested', () => {
    expect([4, 5].map((held) => counted({ code: 'at-cap', held }, launched({ cap: 3 }, 101)))).toEqual([0, 1]);
    expect([3, 4].map((held) => counted({ code: 'at-cap', held }, launched({ cap: 3 }, 95)))).toEqual([0, 1]);
  });
  it('counts once where its pool has no cap, and no share binds', () => {
    expect([3, 4].map((held) => counted({ code: 'at-maximum', held }, launched({}, 101)))).toEqual([0, 1]);
  });
});

describe('a share that is full', () => {
  const atShare = (held: number, of = 'zone') => ({ code: 'at-share', of, held, most: 2 });
  it('holds as many members of its zone, its type or its offering', () => {
    expect([2, 3].map((held) => counted(atShare(held)))).toEqual([0, 1]);
    expect([4, 5].map((held) => counted(atShare(held, 'instance-type')))).toEqual([0, 1]);
    expect([2, 3].map((held) => counted(atShare(held, 'offering')))).toEqual([0, 1]);
  });
  it('holds no member that waited before to be replaced', () => {
    expect(counted(atShare(2), (script) => script.claim(90, 'i-0', 'of-0', 'waiting'))).toBe(1);
    expect(counted(atShare(2), (script) => script.claim(100, 'i-0', 'of-0', 'waiting'))).toBe(0);
    expect(counted(atShare(2), (script) => script.claim(100, 'i-0', 'of-a', 'waiting'))).toBe(1);
    const back = (script: Script): void => {
      script.claim(90, 'i-0', 'of-0', 'waiting');
      script.at(95, { kind: 'item-written', table: 'state', group: 'web', item: 'past#i-0', bytes: 9, by: react('of-0') });
    };
    expect(counted(atShare(2), back)).toBe(0);
  });
  it('is not judged after the state was lost', () => {
    const lost = (script: Script): void => script.at(80, { kind: 'state-deleted', group: 'web', by: { kind: 'user' } });
    expect(counted(atShare(3), lost)).toBe(0);
  });
});
