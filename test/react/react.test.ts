import { describe, expect, test } from 'vitest';
import type { Group } from '../../core/group/group.ts';
import { type AccountBudget, emptyBudget } from '../../core/limits/account-budget.ts';
import type { Holdings } from '../../core/ports/capacity-provider.ts';
import type { Swap } from '../../core/swap/swap.ts';
import type { GroupState } from '../../core/view/view.ts';
import type { ReactPorts } from '../../functions/react/ports.ts';
import { type Message, react } from '../../functions/react/react.ts';
import { endsWithinMs, waitsWithinMs } from '../../functions/react/rounds.ts';
import { awsError } from '../aws/fake-aws.ts';
import { members } from '../core/members.ts';
import { nowMs, onDemandB, reservation, swapOf } from '../core/views.ts';
import { sampleInstance as instance, interruptionWarning, ownMessage, rebalanceRecommendation, stateChangeNotification } from './event-samples.ts';
import { worldOf as plainWorld, policy, stored } from './world.ts';

const sentAtMs = nowMs;
const message = (id: string, body: unknown, ageMs = 0): Message => ({
  id,
  receipt: `receipt of ${id}`,
  body: typeof body === 'string' ? body : JSON.stringify(body),
  sentAtMs: sentAtMs - ageMs,
});
const at = (event: object, time = new Date(nowMs).toISOString()) => ({ ...event, time });
const warning = (of = instance) => at(interruptionWarning({ 'instance-id': of }));
const tick = (...groups: readonly string[]) => at({ ...ownMessage('Holdfast Tick'), detail: { groups, isScheduled: true } });
const written = (group: string) => at(ownMessage('Holdfast Policy Change', group));
const wake = (...groups: readonly string[]) => at({ ...ownMessage('Holdfast Tick'), detail: { groups } });

/** Six members, of which one has the id that the samples of events name. */
const shown: Holdings = {
  members: members(onDemandB, 6).map((one, index) => (index === 0 ? { ...one, instance } : one)),
  asgs: [],
  ended: [],
  aside: [],
  stopped: [],
};

const worldOf: typeof plainWorld = (options) => {
  const { world, ports } = plainWorld(options);
  const provider = { ...ports.providerFor(policy.holding), describe: async () => shown };
  return { world, ports: { ...ports, providerFor: () => provider, describeTogether: () => async () => shown } };
};

/** A house of groups, and what the invocation reports about its work. */
const houseOf = (rest: Partial<ReactPorts> = {}, options: Parameters<typeof worldOf>[0] = { putState: async () => 'done' }) => {
  const { world, ports } = worldOf(options);
  const seen = {
    counts: {} as Record<string, number>,
    logs: [] as (readonly [string, unknown])[],
    woken: [] as (readonly [string, number])[],
    postponed: [] as (readonly [string, number])[],
    looks: [] as unknown[],
    began: [] as unknown[],
  };
  const log = (text: string, more?: unknown): void => void seen.logs.push([text, more]);
  const telemetry = {
    count: (name: string, count = 1) => {
      seen.counts[name] = (seen.counts[name] ?? 0) + count;
    },
    duration: () => {},
    logger: { error: log, warn: log, info: () => {} },
  } as unknown as ReactPorts['telemetry'];
  const describeTogether: ReactPorts['describeTogether'] = (groups, look) => {
    seen.looks.push([groups.map(({ name }) => name), look]);
    return ports.describeTogether(groups, look);
  };
  const house: ReactPorts = {
    ...ports,
    telemetry,
    describeTogether,
    begin: (beginning) => void seen.began.push(beginning),
    wakes: { came: () => undefined, wake: async (groups, atMs) => void seen.woken.push(...groups.map((group) => [group, atMs - nowMs] as const)) },
    redelivery: { postpone: async (all) => void seen.postponed.push(...all.map(({ receipt, atMs }) => [receipt, atMs] as const)) },
    ...rest,
  };
  return { world, seen, house, play: (...messages: readonly Message[]) => react(messages, house, (text) => `hash of ${text.length}`) };
};

const nothingIn = (...groups: readonly string[]) =>
  new Map(groups.map((group) => [group, { granted: [], open: [], ended: [], size: stored.desired }]));
const nothing = nothingIn('web');

const failing = (error: unknown) => () => async () => Promise.reject(error);

describe('a batch of messages', () => {
  test('tells which wakes have come, whatever the clock says', async () => {
    const came: unknown[] = [];
    const { house, play } = houseOf();
    Object.assign(house, { wakes: { ...house.wakes, came: (...of: unknown[]) => void came.push(of) } });
    const forMs = nowMs + 5_000;
    await play(message('m-1', at({ ...ownMessage('Holdfast Tick'), detail: { groups: ['web', 'api'], forMs } })), message('m-2', tick('web')));
    expect(came).toEqual([[['web', 'api'], forMs]]);
  });

  test('looks at all groups that joined the look of a shared wake, and of no other wake', async () => {
    const { store } = worldOf({ putState: async () => 'done' }).ports;
    const { seen, house, play } = houseOf({ store: { ...store, group: async (name) => ({ ...policy, name }) } });
    const came: unknown[] = [];
    const [wakes, looks] = [{ ...house.wakes, came: (...of: unknown[]) => void came.push(of) }, { begin: async () => ['web', 'jobs'] }];
    Object.assign(house, { wakes, looks });
    const forMs = nowMs + 10_000;
    const woken = (detail: object) => at({ ...ownMessage('Holdfast Tick'), detail: { groups: ['web'], forMs, ...detail } });
    await play(message('m-1', woken({ isShared: true })));
    await play(message('m-2', woken({})));
    expect(seen.looks).toMatchObject([
      [['web', 'jobs'], {}],
      [['web'], {}],
    ]);
    expect(came).toEqual([
      [['web', 'jobs'], forMs],
      [['web'], forMs],
    ]);
  });

  test('about one member launches one replacement, and is done', async () => {
    const { world, seen, play } = houseOf();
    expect(await play(message('m-1', warning()), message('m-2', warning()), message('m-3', tick('web')))).toEqual({ again: [] });
    expect([world.launched, world.started.length]).toEqual([1, 1]);
    expect(seen.counts).toMatchObject({ Signals: 2, Interruptions: 1, DrainsStarted: 1, Launched: 1 });
    expect(seen.looks).toEqual([[['web'], { isWarned: true, isReported: true, isTick: true, changes: nothing }]]);
    expect(seen.began).toEqual([{ isQuiet: false, untilMs: nowMs + waitsWithinMs }]);
  });

  test('counts the signals that waited in the queue for more than a minute, without wakes, which wait by intent', async () => {
    const late = async (...waited: readonly (readonly [unknown, number])[]) => {
      const { seen, play } = houseOf();
      await play(...waited.map(([body, waitedMs], index) => ({ ...message(`m-${index}`, body), sentAtMs: nowMs - waitedMs })));
      return seen.counts.SignalsLate;
    };
    expect(await late([warning(), 60_001], [warning(), 60_000], [wake('web'), 600_000], [written('web'), 90_000])).toBe(2);
    expect(await late([warning(), 0])).toBe(0);
  });

  test('of ticks alone begins quietly, and a wake or an event does not; only an event makes a look that waits for nothing', async () => {
    const quiet = async (...bodies: readonly unknown[]) => {
      const { seen, play } = houseOf();
      await play(...bodies.map((body, index) => message(`m-${index}`, body)));
      return [seen.began, seen.looks];
    };
    const untilMs = nowMs + waitsWithinMs;
    const ticked = (more = {}) => [[['web'], { isWarned: false, isTick: true, isWhole: true, ...more, changes: nothing }]];
    expect(await quiet(tick('web'))).toEqual([[{ isQuiet: true, untilMs }], ticked()]);
    expect(await quiet(wake('web'))).toEqual([[{ isQuiet: false, untilMs }], [[['web'], { isWarned: false, changes: nothing }]]]);
    expect(await quiet(tick('web'), at(rebalanceRecommendation({ 'instance-id': instance })))).toEqual([
      [{ isQuiet: false, untilMs }],
      ticked({ isReported: true }),
    ]);
  });

  test('without a message that can be read begins nothing', async () => {
    const { seen, play } = houseOf();
    const old = at(stateChangeNotification('terminated'), new Date(nowMs - 30 * 24 * 3_600_000).toISOString());
    expect(await play(message('m-1', 'no event'), message('m-2', old))).toEqual({ again: [] });
    expect([seen.began, seen.looks]).toEqual([[], []]);
    expect(seen.logs).toEqual([
      ['A message could not be read. It was acknowledged and dropped.', { messageId: 'm-1', sha256: 'hash of 8', reason: 'message is not JSON' }],
    ]);
    expect(Object.values(seen.counts)).toEqual([1]);
  });

  test('about an instance that EC2 does not show yet is delivered again in seconds', async () => {
    const { seen, play } = houseOf({ owners: { ownersOf: async () => new Map() } });
    expect(await play(message('m-1', warning()), message('m-2', tick('web')))).toEqual({ again: ['m-1'] });
    expect(seen.postponed).toEqual([['receipt of m-1', nowMs + 3_000]]);
  });

  test('leaves out messages that cannot be read, and counts instances that belong to no group', async () => {
    const owners: ReactPorts['owners'] = {
      ownersOf: async (ids) =>
        new Map(
          ids
            .filter((id) => id === instance)
            .map((id) => [id, { group: 'web', offering: { instanceType: 'm7g.large', zone: 'b', market: 'on-demand' }, state: 'running' }]),
        ),
    };
    const { world, seen, play } = houseOf({ owners });
    const ofNobody = { ...stateChangeNotification('terminated'), detail: { 'instance-id': 'i-00000000000000002', state: 'terminated' } };
    const stranger = at(ofNobody, new Date(nowMs - 3_600_000).toISOString());
    expect(await play(message('m-1', '{'), message('m-2', stranger), message('m-3', warning()))).toEqual({ again: [] });
    expect(world.launched).toBe(1);
    expect(seen.counts).toMatchObject({ PoisonMessages: 1, Strangers: 1 });
    expect(seen.looks).toHaveLength(1);
  });
});

describe('a group that cannot be converged', () => {
  const look = (error: unknown): Partial<ReactPorts> => ({ describeTogether: failing(error) });

  test('has its messages delivered again, those that no later look makes up for', async () => {
    const { seen, play } = houseOf(look(new Error('a bug')));
    expect(await play(message('m-1', written('web')), message('m-2', warning()), message('m-3', tick('web')))).toEqual({ again: ['m-1', 'm-2'] });
    expect(seen.logs).toEqual([['A group could not be converged. Its signals are delivered again.', { error: new Error('a bug'), group: 'web' }]]);
    expect([seen.counts, seen.woken]).toMatchObject([{ GroupsFailed: 1 }, []]);
  });

  test('has its messages delivered again ever more rarely, the older they are', async () => {
    const { seen, play } = houseOf(look(new Error('a bug')));
    const old = [message('m-2', warning(), 200_000), message('m-3', written('web'), 3_600_000), message('m-4', tick('web'), 3_600_000)];
    expect(await play(message('m-1', written('web')), ...old)).toEqual({ again: ['m-1', 'm-2', 'm-3'] });
    const inMs = seen.postponed.map(([receipt, atMs]) => [receipt, Math.round((atMs - nowMs) / 40_000)]);
    expect(inMs).toEqual([
      ['receipt of m-2', 1],
      ['receipt of m-3', 3],
    ]);
  });

  test('holds up no other group of the batch', async () => {
    const other: Group = { ...policy, name: 'other' };
    const { world, ports } = worldOf({ putState: async () => 'done' });
    const store: ReactPorts['store'] = {
      ...ports.store,
      group: async (name) => (name === 'other' ? other : policy),
      stateAndSwaps: async (name) => (name === 'web' ? Promise.reject(new Error('unreadable')) : ports.store.stateAndSwaps(name)),
    };
    const { seen, play } = houseOf({ store });
    expect(await play(message('m-1', written('web')), message('m-2', tick('other')))).toEqual({ again: ['m-1'] });
    expect(seen.looks).toEqual([[['other'], { isWarned: false, isReported: true, isTick: true, isWhole: true, changes: nothingIn('other') }]]);
    expect([seen.counts, world.launched]).toMatchObject([{ GroupsFailed: 1 }, 0]);
  });

  test('is looked at later where AWS throttles the look: one wake serves all of its messages', async () => {
    const { seen, play } = houseOf(look(awsError('RequestLimitExceeded', 'Slow down.', 503)));
    expect(await play(message('m-1', warning()), message('m-2', wake('web')))).toEqual({ again: [] });
    expect(seen.woken).toEqual([['web', 2_000]]);
    expect(seen.logs).toEqual([]);
  });

  test('is looked at later still where AWS fails in a way that passes, and at once where it does not', async () => {
    const passing = houseOf(look(awsError('InternalError', 'We failed.', 500)));
    expect(await passing.play(message('m-1', warning()))).toEqual({ again: [] });
    expect(passing.seen.woken).toEqual([['web', 20_000]]);
    const denied = houseOf(look(awsError('UnauthorizedOperation', 'No.', 403)));
    expect(await denied.play(message('m-1', warning()))).toEqual({ again: ['m-1'] });
    expect(denied.seen.woken).toEqual([]);
  });

  test('is handed over without a look where little time is left, and only then', async () => {
    const later = async (elapsedMs: number) => {
      let calls = 0;
      const clock = {
        now: () => {
          calls += 1;
          return calls === 1 ? nowMs : nowMs + elapsedMs;
        },
      };
      const { world, seen, play } = houseOf({ clock });
      const { again } = await play(message('m-1', warning()));
      return [again, world.launched, seen.looks.length, seen.woken.length > 0];
    };
    expect(await later(endsWithinMs + 1)).toEqual([[], 0, 0, true]);
    expect((await later(1_000)).slice(0, 3)).toEqual([[], 1, 1]);
  });

  test('is looked at although little time is left if its facts exist only in messages', async () => {
    let calls = 0;
    const { ports } = worldOf({ putState: async () => 'done' });
    const store = { ...ports.store, group: async (name: string) => ({ ...policy, name }), stateAndSwaps: async () => ({ state: stored, swaps: [] }) };
    const clock = {
      now: () => {
        calls += 1;
        return calls === 1 ? nowMs : nowMs + endsWithinMs + 1;
      },
    };
    const { seen, play } = houseOf({ store, clock });
    await play(message('m-1', written('web')), message('m-2', wake('two')));
    expect(seen.looks.map((look) => (look as readonly unknown[])[0])).toEqual([['web']]);
  });

  test('counts as failed where its wake cannot be sent', async () => {
    const wakes = { came: () => undefined, wake: async () => Promise.reject(awsError('ThrottlingException', 'Slow down.', 400)) };
    const { seen, play } = houseOf({ ...look(awsError('RequestLimitExceeded', 'Slow down.', 503)), wakes });
    expect(await play(message('m-1', warning()))).toEqual({ again: ['m-1'] });
    expect(seen.logs).toEqual([['Groups could not be woken. Their signals are delivered again.', { groups: ['web'] }]]);
  });

  test('is delivered again where others win every race, and a wake could not go on', async () => {
    const describeTogether = () => async () => ({ ...shown, members: shown.members.slice(1) });
    const { seen, play } = houseOf({ describeTogether }, { putState: async () => 'conflict' });
    expect(await play(message('m-1', written('web')))).toEqual({ again: ['m-1'] });
    expect(seen.logs).toEqual([]);
    const { play: warned } = houseOf({}, { putState: async () => 'conflict' });
    expect(await warned(message('m-1', warning()))).toEqual({ again: [] });
  });
});

describe('groups of one batch', () => {
  test('that cannot be handed over come first, because the time may not suffice for all', async () => {
    const { ports } = worldOf({ putState: async () => 'done' });
    const store = { ...ports.store, group: async (name: string) => ({ ...policy, name }), stateAndSwaps: async () => ({ state: stored, swaps: [] }) };
    const { seen, play } = houseOf({ store, sleep: () => new Promise(() => {}) });
    const many = Array.from({ length: 100 }, (_, index) => `web-${index}`);
    await play(message('m-1', wake(...many.slice(0, 50))), message('m-2', wake(...many.slice(50))), message('m-3', written('last')));
    const [[first], [second]] = seen.looks as [[readonly string[]], [readonly string[]]];
    expect([first.length, first[0], second]).toEqual([100, 'last', ['web-99']]);
  });

  test('do not wait for more than a hundred others whose looks take long', async () => {
    const { ports } = worldOf({ putState: async () => 'done' });
    const store = { ...ports.store, group: async (name: string) => ({ ...policy, name }), stateAndSwaps: async () => ({ state: stored, swaps: [] }) };
    const slept: number[] = [];
    let goOn = (): void => {};
    const last = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const { play } = houseOf({
      store,
      sleep: async (ms: number) => void slept.push(ms),
      // The first hundred are looked at once the last one was.
      describeTogether: (groups) => async () => {
        if (groups.length === 1) goOn();
        await last;
        return shown;
      },
    });
    const names = Array.from({ length: 101 }, (_, index) => `web-${index}`);
    expect(await play(message('m-1', tick(...names.slice(0, 50))), message('m-2', tick(...names.slice(50))))).toEqual({ again: [] });
    expect(slept).toContain(3_000);
  });

  test('that others leave no time, tick after tick, are looked at two seconds later each time', async () => {
    let atMs = nowMs;
    const { ports } = worldOf({ putState: async () => 'done' });
    const store = { ...ports.store, group: async (name: string) => ({ ...policy, name }), stateAndSwaps: async () => ({ state: stored, swaps: [] }) };
    const wakes: string[] = [];
    const { play } = houseOf({
      store,
      sleep: () => new Promise(() => {}),
      clock: { now: () => atMs },
      describeTogether: () => async () => {
        atMs += (endsWithinMs + 1_000) / 100;
        return shown;
      },
      wakes: { came: () => undefined, wake: async (groups, ms) => void (groups.includes('web-100') && wakes.push(`+${ms - atMs}`)) },
    });
    const names = Array.from({ length: 101 }, (_, index) => `web-${index}`);
    for (const minute of [0, 1, 2, 3, 4]) {
      atMs = nowMs + minute * 60_000;
      await play(message('m-1', tick(...names.slice(0, 50))), message('m-2', tick(...names.slice(50, 100))), message('m-3', tick('web-100')));
    }
    expect(wakes).toEqual(['+2000', '+2000', '+2000', '+2000', '+2000']);
  });

  test('are read together once, those without a policy left out', async () => {
    const { ports } = worldOf({ putState: async () => 'done' });
    const store: ReactPorts['store'] = {
      ...ports.store,
      group: async (name) => (name === 'gone' ? undefined : { ...policy, name }),
      stateAndSwaps: async () => ({ state: stored, swaps: [] }),
    };
    const { seen, play } = houseOf({ store });
    expect(await play(message('m-1', tick('web', 'gone', 'two')))).toEqual({ again: [] });
    expect(seen.looks).toEqual([[['web', 'two'], { isWarned: false, isTick: true, isWhole: true, changes: nothingIn('web', 'two') }]]);
  });

  test('are not read at all where none has a policy', async () => {
    const { seen, play } = houseOf({}, { putState: async () => 'done', inForce: () => undefined });
    expect(await play(message('m-1', tick('web')))).toEqual({ again: [] });
    expect(seen.looks).toEqual([]);
  });

  test('name what EC2 granted them a moment ago, and whose end was reported', async () => {
    const { ports } = worldOf({ putState: async () => 'done' });
    const looksWith = async (reservations: GroupState['reservations'], more: Partial<GroupState> = {}) => {
      const stateAndSwaps = async () => ({ state: { ...stored, reservations, ...more }, swaps: [] });
      const { seen, play } = houseOf({ store: { ...ports.store, stateAndSwaps } });
      await play(message('m-1', tick('web')));
      return seen.looks;
    };
    const told = (more: object) => [
      [
        ['web'],
        {
          isWarned: false,
          isTick: true,
          isWhole: true,
          changes: new Map([['web', { granted: ['n-1', 'n-2'], open: [], ended: [], size: stored.desired, ...more }]]),
        },
      ],
    ];
    const granted = reservation({ instances: ['n-1', 'n-2'] });
    expect(await looksWith([granted])).toEqual(told({}));
    expect(await looksWith([granted, reservation({ id: 'r-2' })])).toEqual(told({ open: ['r-2'] }));
    expect(await looksWith([granted], { ended: { 'n-3': nowMs } })).toEqual(told({ ended: ['n-3'] }));
  });
});

describe('a group that waits for its turn', () => {
  const ends = (of = instance) => at({ ...stateChangeNotification('terminated'), detail: { 'instance-id': of, state: 'terminated' } });
  const place = { group: 'web', bucket: 'createFleet', calls: 1, instances: 2, need: { urgency: 'warned', size: 6 }, sinceMs: nowMs } as const;
  const soonMs = Math.ceil((nowMs + 2_000) / 20_000) * 20_000;

  /** A group in line, whose sample instance leaves unless `swaps` say otherwise. */
  const inLine = (more: { turnInMs?: number; swaps?: readonly Swap[]; fails?: Error; isRaced?: boolean } = {}) => {
    const { turnInMs = 60_000, swaps = [swapOf(instance)], fails, isRaced = false } = more;
    const { ports } = worldOf({ putState: async () => 'done' });
    const line = { budget: { ...emptyBudget, waiting: [{ ...place, turnAtMs: nowMs + turnInMs }] } as AccountBudget, reads: 0 };
    const store: ReactPorts['store'] = {
      ...ports.store,
      stateAndSwaps: async () => ({ state: stored, swaps }),
      budget: async () => {
        line.reads += 1;
        if (fails) throw fails;
        return line.budget;
      },
      putBudget: async (next) => {
        if (isRaced) return 'conflict';
        line.budget = next;
        return 'done';
      },
    };
    return { line, ...houseOf({ store }) };
  };

  test('is looked at with the others when a member ends that leaves already, and its message is done', async () => {
    const { line, seen, play } = inLine();
    expect(await play(message('m-1', ends()))).toEqual({ again: [] });
    expect([seen.looks, seen.woken, line.budget.waiting[0]?.lookAtMs]).toEqual([[], [['web', soonMs - nowMs]], soonMs]);
    // Another batch of ends arranges nothing more.
    expect(await play(message('m-2', ends()))).toEqual({ again: [] });
    expect([seen.looks, seen.woken.length]).toEqual([[], 1]);
  });

  test('is looked at with the others also if the note about the look lost a race', async () => {
    const { seen, play } = inLine({ isRaced: true });
    await play(message('m-1', ends()));
    expect([seen.looks, seen.woken]).toEqual([[], [['web', soonMs - nowMs]]]);
  });

  test('is looked at at its turn alone where that comes before the common look, because it is woken for it', async () => {
    for (const turnInMs of [1, 5_000, soonMs - nowMs]) {
      const { line, seen, play } = inLine({ turnInMs });
      expect(await play(message('m-1', ends()))).toEqual({ again: [] });
      expect([seen.looks, seen.woken, line.budget.waiting[0]?.lookAtMs]).toEqual([[], [], undefined]);
    }
  });

  test.each<readonly [string, Parameters<typeof inLine>[0], readonly unknown[]]>([
    ['a member that was not leaving ends', { swaps: [] }, [ends()]],
    ['its turn has come', { turnInMs: 0 }, [ends()]],
    ['time has passed too', {}, [ends(), tick('web')]],
    ['members are warned too', {}, [ends(), warning('i-00000000000000002')]],
    ['its turn comes first, and a member ends that was not leaving', { turnInMs: 5_000, swaps: [] }, [ends()]],
    ['its turn comes first, and members are warned too', { turnInMs: 5_000 }, [ends(), warning('i-00000000000000002')]],
    ['its turn comes first, and the wake for it comes', { turnInMs: 5_000 }, [ends(), wake('web')]],
    ['a member runs', {}, [ends(), at({ ...stateChangeNotification('running') })]],
    ['the budget cannot be read', { fails: awsError('ThrottlingException', 'Slow down.', 400) }, [ends()]],
  ])('is looked at now where %s', async (_what, more, bodies) => {
    const { seen, play } = inLine(more);
    await play(...bodies.map((body, index) => message(`m-${index}`, body)));
    expect(seen.looks).toHaveLength(1);
  });

  test('costs no further read of the budget where nothing ends', async () => {
    const { line, play } = inLine();
    await play(message('m-1', tick('web')));
    // That of its own turn.
    expect(line.reads).toBe(1);
  });

  test('a bug in the budget fails the batch', async () => {
    await expect(inLine({ fails: new TypeError('a bug') }).play(message('m-1', ends()))).rejects.toThrow('a bug');
  });
});

test('the end of a member that a look has shown, or a swap that was read, needs no look-up', async () => {
  const { ports } = worldOf({ putState: async () => 'done' });
  const store: ReactPorts['store'] = { ...ports.store, stateAndSwaps: async () => ({ state: stored, swaps: [swapOf('i-00000000000000009')] }) };
  const asked: string[] = [];
  const owners: ReactPorts['owners'] = {
    ownersOf: async (ids) => {
      asked.push(...ids);
      return ports.owners.ownersOf(ids);
    },
  };
  const ends = at(stateChangeNotification('terminated'));
  const { play } = houseOf({ owners, store });
  await play(message('m-1', ends));
  expect(asked).toEqual([instance]);
  const left = { ...ends, detail: { 'instance-id': 'i-00000000000000009', state: 'terminated' } };
  for (const end of [ends, left]) await play(message('m-2', end));
  expect(asked).toEqual([instance]);
});

describe('a look over several groups takes members for warned', () => {
  const looksWith = async (warned: readonly string[], warnedAtMs = nowMs) => {
    const { ports } = worldOf({ putState: async () => 'done' });
    const swaps = [swapOf('i-9', { warnedAtMs, claimedAtMs: warnedAtMs })];
    const store: ReactPorts['store'] = {
      ...ports.store,
      group: async (name) => ({ ...policy, name }),
      stateAndSwaps: async (name) => ({ state: stored, swaps: warned.includes(name) ? swaps : [] }),
    };
    const { seen, play } = houseOf({ store });
    await play(message('m-1', wake('web', 'api', 'jobs')));
    return seen.looks.map((one) => (one as [unknown, { isWarned: boolean }])[1].isWarned);
  };

  test('if half of the groups had warnings a moment ago', async () => {
    expect(await looksWith(['web', 'api'])).toEqual([true]);
    expect(await looksWith(['web'])).toEqual([false]);
    expect(await looksWith(['web', 'api'], nowMs - 600_000)).toEqual([false]);
  });
});
