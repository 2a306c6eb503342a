import { describe, expect, it } from 'vitest';
import type { Pool } from '../../../core/pool/pool.ts';
import {
  type BootMemory,
  type Ending,
  launchable,
  rememberNewcomers,
  restOfBoots,
  withoutAdmitted,
  withRun,
} from '../../../core/pool-memory/boot-memory.ts';
import { learnBoots } from '../../../core/pool-memory/failed-boots.ts';

const nowMs = 1_700_000_000_000;
const minuteMs = 60_000;
const pool: Pool = {
  name: 'spot-a',
  market: 'spot',
  launchTemplate: 'web',
  subnets: [{ id: 'subnet-a', zone: 'zone-a' }],
  instanceTypes: ['m7g.large'],
};
const pools = { 'spot-a': pool };
const offering = { instanceType: 'm7g.large', zone: 'zone-a', market: 'spot' } as const;
const ending = (code = 'Client.InternalError'): Ending => ({ code, message: `${code}: Client error on launch`, offering });

const launched = (memory: BootMemory, atMs: number, ...instances: readonly string[]): BootMemory => {
  const newcomers = rememberNewcomers(
    memory,
    instances.map((instance) => ({ instance, pool: 'spot-a', offering })),
    atMs,
  );
  return newcomers === undefined ? memory : { ...memory, newcomers };
};
const died = (memory: BootMemory, atMs: number, ...instances: readonly string[]) =>
  learnBoots(memory, { members: [], endings: Object.fromEntries(instances.map((instance) => [instance, ending()])) }, pools, atMs);

describe('an instance that ends before it serves', () => {
  it('lets its pool rest for 1, 2, 4, 8 and at most 10 minutes, as often as it happens in a row', () => {
    let memory: BootMemory = {};
    let atMs = nowMs;
    const rests = [1, 2, 4, 8, 10, 10].map((_, turn) => {
      memory = died(launched(memory, atMs, `i-${turn}`), atMs + 10_000, `i-${turn}`).memory;
      const restMs = (memory.failedBoots?.['spot-a']?.restsUntilMs ?? 0) - atMs - 10_000;
      atMs += 10_000 + restMs;
      return restMs / minuteMs;
    });
    expect(rests).toEqual([1, 2, 4, 8, 10, 10]);
  });

  it('counts once together with others that were launched before the first failure was recorded', () => {
    const both = launched({}, nowMs, 'i-1', 'i-2');
    const first = died(both, nowMs + 10_000, 'i-1');
    const second = died(first.memory, nowMs + 20_000, 'i-1', 'i-2');
    expect(second.memory.failedBoots?.['spot-a']?.streak).toBe(1);
    expect(second.news.map(({ instances }) => instances)).toEqual([['i-2']]);
    expect(died(second.memory, nowMs + 30_000, 'i-1', 'i-2').news).toEqual([]);
  });

  it('is reported with its pool, its template and the reason that EC2 gave', () => {
    const { news } = died(launched({}, nowMs, 'i-1'), nowMs + 10_000, 'i-1');
    expect(news).toMatchObject([{ pool: 'spot-a', template: 'web', code: 'Client.InternalError', instances: ['i-1'] }]);
  });

  it('no longer counts once an instance is up that was launched later, and still counts after one that was launched before', () => {
    const failed = died(launched({}, nowMs, 'i-1', 'i-old'), nowMs + 10_000, 'i-1').memory;
    const admitted = (instance: string) => ({ members: [{ instance, admitted: true }] });
    expect(learnBoots(failed, admitted('i-old'), pools, nowMs + 20_000).memory.failedBoots).toBeDefined();
    const later = launched(failed, nowMs + 80_000, 'i-new');
    expect(learnBoots(later, admitted('i-new'), pools, nowMs + 100_000).memory.failedBoots).toBeUndefined();
  });

  it.each(['Client.UserInitiatedShutdown', 'Server.SpotInstanceTermination'])('is no failed boot where EC2 gives %s', (code) => {
    const shown = { members: [], endings: { 'i-1': ending(code) } };
    expect(learnBoots(launched({}, nowMs, 'i-1'), shown, pools, nowMs + 10_000)).toEqual({ memory: {}, news: [], refused: [] });
  });

  it('is no failed boot where it ran, in a group whose members serve once they run', () => {
    const look = (admitsRunning: boolean, ran: readonly string[], code?: string) =>
      learnBoots(launched({}, nowMs, 'i-1'), { members: [], endings: { 'i-1': ending(code) }, ran, admitsRunning }, pools, nowMs + 10_000).news
        .length;
    expect(look(true, [])).toBe(1);
    expect(look(true, ['i-1'])).toBe(0);
    expect(look(false, ['i-1'])).toBe(1);
    expect(look(true, [], 'Client.InstanceInitiatedShutdown')).toBe(0);
    expect(look(false, [], 'Client.InstanceInitiatedShutdown')).toBe(1);
  });

  it('is no failed boot when the signal that it runs was received before it ended', () => {
    const heard = learnBoots(launched({}, nowMs, 'i-1'), { members: [], ran: ['i-1'], admitsRunning: true }, pools, nowMs + 5_000).memory;
    expect(died(heard, nowMs + 10_000, 'i-1').news).toEqual([]);
  });

  it('is a refusal where EC2 found no capacity after all', () => {
    const late = ending('Server.InsufficientInstanceCapacity');
    const { refused, news } = learnBoots(launched({}, nowMs, 'i-1'), { members: [], endings: { 'i-1': late } }, pools, nowMs);
    expect({ refused, news }).toEqual({ refused: [late], news: [] });
  });

  it('does not count against the same pool with another launch template', () => {
    const { failedBoots } = died(launched({}, nowMs, 'i-1'), nowMs + 10_000, 'i-1').memory;
    expect(restOfBoots(failedBoots, pool, nowMs + 20_000)?.code).toBe('Client.InternalError');
    expect(restOfBoots(failedBoots, { ...pool, launchTemplate: 'other' }, nowMs + 20_000)).toBeUndefined();
    expect(restOfBoots(failedBoots, pool, nowMs + 10_000 + minuteMs)).toBeUndefined();
  });
});

describe('a member that a decision has put into service', () => {
  const failed = died(launched({}, nowMs, 'i-1', 'i-2'), nowMs + 10_000, 'i-1', 'i-2').memory;
  const joined = (launchedAtMs: number, rest: object = {}) => ({
    members: [{ instance: 'i-new', admitted: true, pool: 'spot-a', reservation: 'r-1', launchedAtMs, ...rest }],
  });
  const later = (shown: Parameters<typeof learnBoots>[1]) => learnBoots(failed, shown, pools, nowMs + 100_000).memory;

  it('shows that its pool works again, if it was launched after the last failure', () => {
    expect(later(joined(nowMs + 80_000)).failedBoots).toBeUndefined();
    expect(later(joined(nowMs + 9_000)).failedBoots).toBeDefined();
    expect(later(joined(nowMs + 80_000, { pool: 'spot-b' })).failedBoots).toBeDefined();
  });

  it('begins the count of deaths anew, whatever its pool', () => {
    expect(later(joined(nowMs + 80_000, { pool: 'spot-b' })).deaths).toBeUndefined();
    expect(later(joined(nowMs + 9_000)).deaths).toEqual([{ atMs: nowMs + 10_000, count: 2 }]);
  });

  it('shows nothing while it has not joined, or where others launched it', () => {
    for (const other of [{ admitted: false }, { reservation: undefined }])
      expect(later(joined(nowMs + 80_000, other))).toMatchObject({ failedBoots: { 'spot-a': {} }, deaths: [{ count: 2 }] });
  });
});

describe('new members', () => {
  it('are remembered until they are put into service, end, or are shown nowhere for an hour', () => {
    const memory = launched({}, nowMs, 'i-up', 'i-boots', 'i-unseen');
    const shown = {
      members: [
        { instance: 'i-up', admitted: true },
        { instance: 'i-boots', admitted: false },
      ],
    };
    expect(Object.keys(learnBoots(memory, shown, pools, nowMs + minuteMs).memory.newcomers ?? {})).toEqual(['i-boots', 'i-unseen']);
    expect(Object.keys(learnBoots(memory, shown, pools, nowMs + 61 * minuteMs).memory.newcomers ?? {})).toEqual(['i-boots']);
  });

  it('are dropped as they are put into service, because their later ends prove nothing about a launch', () => {
    const memory = launched({}, nowMs, 'i-1', 'i-2');
    expect(Object.keys(withoutAdmitted(memory, ['i-1']) ?? {})).toEqual(['i-2']);
    expect(withoutAdmitted(memory, ['i-1', 'i-2'])).toBeUndefined();
  });

  it('are a hundred at most, the latest', () => {
    const many = launched({}, nowMs, ...Array.from({ length: 150 }, (_, index) => `i-${index}`));
    expect(Object.keys(many.newcomers ?? {})).toHaveLength(100);
    expect(many.newcomers?.['i-149']).toBeDefined();
  });
});

describe('the bound of deaths', () => {
  const deaths = [{ atMs: nowMs, count: 9 }];
  const look = { nowMs: nowMs + minuteMs, ended: [] };

  it('lets ten die for each missing member within ten minutes', () => {
    expect(launchable({ deaths }, 1, look)).toBe(1);
    expect(launchable({ deaths: [...deaths, { atMs: nowMs, count: 1 }] }, 1, look)).toBe(0);
    expect(launchable({ deaths: [...deaths, { atMs: nowMs, count: 3 }] }, 2, look)).toBe(2);
    expect(launchable({ deaths: [{ atMs: nowMs, count: 99 }] }, 1, { ...look, nowMs: nowMs + 10 * minuteMs })).toBe(1);
  });

  it('counts new members that have ended and of which no reason is shown yet', () => {
    const newcomers = { 'i-1': { pool: 'spot-a', atMs: nowMs } };
    expect(launchable({ deaths, newcomers }, 1, { ...look, ended: ['i-1'] })).toBe(0);
  });
});

describe('an instance that ran and ended', () => {
  it('is a failed boot where running is not enough to be in service', () => {
    const memory = launched({}, nowMs, 'i-1');
    const shown = { members: [], endings: { 'i-1': ending() }, ran: ['i-1'] };
    expect(learnBoots(memory, shown, pools, nowMs + 10_000).news).toHaveLength(1);
    expect(learnBoots(memory, { ...shown, admitsRunning: true }, pools, nowMs + 10_000).news).toEqual([]);
  });

  it('came up where a note says that it ran, and only new members get the note', () => {
    const memory = launched({}, nowMs, 'i-1', 'i-2');
    const noted = withRun(memory, ['i-1', 'i-9']);
    const newcomer = { pool: 'spot-a', offering: 'm7g.large/zone-a/spot', atMs: nowMs };
    expect(noted.newcomers).toEqual({ 'i-1': { ...newcomer, hasRun: true }, 'i-2': newcomer });
    expect([withRun(noted, ['i-1', 'i-9']), withRun(noted, [])]).toEqual([noted, noted]);
    expect(withRun(noted, ['i-1'])).toBe(noted);
    const { news, memory: after } = died(noted, nowMs + 10_000, 'i-1', 'i-2');
    expect(news).toMatchObject([{ instances: ['i-2'] }]);
    expect(after.newcomers).toBeUndefined();
  });

  it('is remembered for less than an hour while no look shows it', () => {
    const memory = launched({}, nowMs, 'i-1');
    const left = (ms: number) => learnBoots(memory, { members: [] }, pools, nowMs + ms).memory.newcomers;
    expect(Object.keys(left(3_600_000 - 1) ?? {})).toEqual(['i-1']);
    expect(left(3_600_000)).toBeUndefined();
  });
});

describe('launches while instances end', () => {
  const newcomers = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`i-${index}`, { pool: 'spot-a', atMs: nowMs }]));

  it('are not held back while none is known to have failed, however many have ended', () => {
    expect(launchable({ newcomers }, 1, { nowMs, ended: Object.keys(newcomers) })).toBe(1);
  });

  it('are not held back by ends of instances that are not new', () => {
    expect(launchable({ newcomers, deaths: [{ atMs: nowMs, count: 9 }] }, 1, { nowMs, ended: ['i-old', 'i-older'] })).toBe(1);
    expect(launchable({ newcomers, deaths: [{ atMs: nowMs, count: 9 }] }, 1, { nowMs, ended: ['i-1'] })).toBe(0);
  });
});
