import { describe, expect, test } from 'vitest';
import { type AccountBudget, emptyBudget } from '../../core/limits/account-budget.ts';
import type { Ask } from '../../core/limits/need.ts';
import type { ReactPorts } from '../../functions/react/ports.ts';
import { wakeForTurnMs } from '../../functions/react/turns/ask-here.ts';
import { bucketOf, turnsOf } from '../../functions/react/turns/turns.ts';
import { noLessons } from '../../functions/runtime/share-budget.ts';
import { awsError } from '../aws/fake-aws.ts';
import { group } from '../core/views.ts';

const nowMs = 1_000_000;
const [api, web] = [group({ name: 'api' }), group({ name: 'web' })];
const jobs = group({ name: 'jobs', holding: { kind: 'launch-instances' } });
const askOf = (name: string, rest: Partial<Ask> = {}): Ask => ({
  ...{ group: name, by: `d-${name}`, bucket: 'createFleet', calls: 1, instances: 2 },
  need: { urgency: 'warned', size: 10 },
  ...rest,
});

/** The item of the account, and what became of it. */
const account = (stored: AccountBudget = emptyBudget) => {
  const world = { stored, writes: 0, missed: 0, races: 0, fails: undefined as Error | undefined, logged: [] as unknown[] };
  const ports = {
    store: {
      budget: async () => {
        if (world.fails) throw world.fails;
        return world.stored;
      },
      putBudget: async (next: AccountBudget) => {
        if (world.races > 0) {
          world.races -= 1;
          return 'conflict';
        }
        world.writes += 1;
        world.stored = next;
        return 'done';
      },
    },
    clock: { now: () => nowMs },
    sleep: () => new Promise(() => {}),
    missed: () => {
      world.missed += 1;
    },
    telemetry: { count: () => (world.missed += 1), logger: { warn: (text: string, more: unknown) => void world.logged.push(text, more) } },
  } as unknown as ReactPorts;
  return { world, ports };
};
const levels = ({ stored }: { readonly stored: AccountBudget }) =>
  Object.fromEntries(Object.entries(stored.levels).map(([name, level]) => [name, level?.tokens]));

describe('turns of the groups of one batch', () => {
  test('are given together, in the order of need: the first request waits for the others of its bucket', async () => {
    const { world, ports } = account({ ...emptyBudget, levels: { createFleet: { tokens: 1, atMs: nowMs } } });
    const turns = turnsOf([api, web, jobs], ports);
    const large = turns.ask(askOf('api', { need: { urgency: 'missing', size: 9 } }));
    expect(world.writes).toBe(0);
    const [one, other] = await Promise.all([large, turns.ask(askOf('web'))]);
    expect([one.turn.kind, other.turn.kind, world.writes]).toEqual(['later', 'now', 1]);
  });

  test('the first request waits for two seconds at most, and those of other buckets go on waiting', async () => {
    const { world, ports } = account({ ...emptyBudget, levels: { createFleet: { tokens: 1, atMs: nowMs } } });
    const slept: number[] = [];
    let wake = (): void => {};
    const sleep = (ms: number): Promise<void> => {
      slept.push(ms);
      return new Promise((resolve) => {
        wake = resolve;
      });
    };
    const asg = { ...jobs, name: 'asg', holding: { kind: 'launch-instances' } } as const;
    const turns = turnsOf([api, web, asg, { ...asg, name: 'other' }], { ...ports, sleep });
    void turns.ask(askOf('asg', { bucket: 'autoScaling' }));
    const given = turns.ask(askOf('api'));
    expect([world.writes, slept]).toEqual([0, [2_000, 2_000]]);
    wake();
    expect([(await given).turn.kind, world.writes]).toEqual(['now', 1]);
    // A later request of this bucket waits for nobody.
    await turns.ask(askOf('web'));
    expect(world.writes).toBe(2);
  });

  test('a group whose turn has come, or comes at once, waits for nobody, and others wait for the batch', async () => {
    const waits = (name: string, inMs: number) => ({ ...askOf(name), sinceMs: nowMs, turnAtMs: nowMs + inMs });
    const first = async (
      inMs: number,
      more: Partial<Ask> = {},
      world = account({ ...emptyBudget, waiting: [{ ...waits('api', inMs), ...more }] }),
    ) => {
      const asked = turnsOf([api, web], { ...world.ports, wakes: { came: () => undefined, wake: async () => {} } }).ask(askOf('api'));
      const soon = new Promise((resolve) => setTimeout(resolve, 50, 'waits'));
      return Promise.race([asked.then(({ turn }) => turn.kind), soon]);
    };
    expect([await first(3_000), await first(-1_000)]).toEqual(['now', 'now']);
    expect([await first(3_001), await first(0, { instances: 0 })]).toEqual(['waits', 'waits']);
    const unread = account();
    unread.world.fails = awsError('Throttling');
    expect(await first(0, {}, unread)).toBe('waits');
  });

  test('a group that has ended does not delay the others', async () => {
    const { ports } = account();
    const turns = turnsOf([api, web], ports);
    const asked = turns.ask(askOf('api'));
    turns.done('web');
    expect((await asked).turn.kind).toBe('now');
  });

  test('a request that comes while the item is written has its turn after that', async () => {
    const { world, ports } = account();
    const turns = turnsOf([api, jobs], ports);
    const asked = [turns.ask(askOf('api')), turns.ask(askOf('jobs', { bucket: 'autoScaling' }))];
    const kinds = Promise.all(asked).then((given) => given.map(({ turn }) => turn.kind));
    const never = new Promise((resolve) => setTimeout(resolve, 1_000, 'never'));
    expect(await Promise.race([kinds, never])).toEqual(['now', 'now']);
    expect(world.writes).toBe(2);
  });

  test('go on without the item where its reads fail, or others write it all the time', async () => {
    for (const trouble of [{ fails: awsError('Throttling') }, { races: 8 }]) {
      const { world, ports } = account();
      Object.assign(world, trouble);
      expect((await turnsOf([api], ports).ask(askOf('api'))).turn).toMatchObject({ kind: 'now', instances: 2 });
      expect([world.writes, world.missed]).toEqual([0, 1]);
      expect(world.logged).toEqual(['The budget of the account could not be used. Launches go on without it.', { groups: ['api'] }]);
    }
  });

  test('a bug is thrown to the caller', async () => {
    const { world, ports } = account();
    world.fails = new TypeError('a bug');
    await expect(turnsOf([api], ports).ask(askOf('api'))).rejects.toThrow('a bug');
  });

  test('tokens that come back wake groups whose turn is far away; a wake that cannot be sent does not fail the batch', async () => {
    const waits = (name: string) => ({ ...askOf(name, { instances: 20 }), sinceMs: nowMs, turnAtMs: nowMs + 60_000 });
    const { world, ports } = account({
      ...emptyBudget,
      levels: { instances: { tokens: 0, atMs: nowMs } },
      waiting: [waits('web'), waits('shop')],
    });
    const woken: (readonly string[])[] = [];
    const wake = async (groups: readonly string[]) => {
      woken.push(groups);
      throw awsError('ThrottlingException');
    };
    const turns = turnsOf([api], { ...ports, wakes: { came: () => undefined, wake } });
    turns.learn({ ...noLessons, unspent: { instances: 20 } });
    await turns.settle();
    expect(woken).toEqual([['shop']]);
    expect(world.stored.waiting.map(({ group, turnAtMs }) => [group, turnAtMs - nowMs])).toEqual([
      ['shop', 0],
      ['web', 60_000],
    ]);
  });

  test('a group that is called for a later time is woken ahead of it', async () => {
    const waits = { ...askOf('shop', { instances: 20 }), sinceMs: nowMs, turnAtMs: nowMs + 60_000 };
    const { ports } = account({ ...emptyBudget, levels: { instances: { tokens: 0, atMs: nowMs } }, waiting: [waits] });
    const woken: unknown[] = [];
    const wake = async (groups: readonly string[], atMs: number) => void woken.push([groups, atMs]);
    const turns = turnsOf([api], { ...ports, wakes: { came: () => undefined, wake } });
    turns.learn({ ...noLessons, unspent: { instances: 4 } });
    await turns.settle();
    expect(woken).toEqual([[['shop'], wakeForTurnMs(nowMs + 8_000)]]);
  });

  test('a turn that was given back holds up no other decision, once the batch has written that', async () => {
    const { world, ports } = account(emptyBudget);
    const turns = turnsOf([api], { ...ports, wakes: { came: () => undefined, wake: async () => {} } });
    await turns.ask(askOf('api', { instances: 20 }));
    expect(Object.keys(world.stored.given)).toEqual(['api']);
    turns.learn({ ...noLessons, unspent: { instances: 20 }, dropped: new Map([['api', askOf('api').by]]) });
    await turns.settle();
    expect(world.stored.given).toEqual({});
  });

  test('a group that has nothing to launch any more loses its place in line with the next write of its batch', async () => {
    const waits = (name: string) => ({ ...askOf(name, { instances: 20 }), sinceMs: nowMs, turnAtMs: nowMs + 60_000 });
    const line = { ...emptyBudget, levels: { instances: { tokens: 20, atMs: nowMs } }, waiting: [waits('api'), waits('web')] };
    const written = async (isConverged: boolean) => {
      const { world, ports } = account(line);
      const turns = turnsOf([api, web], { ...ports, wakes: { came: () => undefined, wake: async () => {} } });
      turns.done('api', isConverged);
      const { turn } = await turns.ask(askOf('web', { instances: 20 }));
      turns.done('web', true);
      await turns.settle();
      return [turn.kind, world.stored.waiting.map(({ group }) => group), world.writes];
    };
    expect(await written(true)).toEqual(['now', [], 1]);
    expect(await written(false)).toEqual(['later', ['api', 'web'], 1]);
  });

  test('are for what groups request once it is known what EC2 refused to others, also after a lost race', async () => {
    const refused = {
      'm7g.large/a/spot': { atMs: nowMs, code: 'UnfulfillableCapacity' },
      'm7g.large/b/spot': { atMs: nowMs - 30_000, code: 'old' },
    } as const;
    const { world, ports } = account({ ...emptyBudget, refused });
    world.races = 1;
    const told: object[] = [];
    const asNow = (known: object): Ask => {
      told.push(known);
      return askOf('api', { calls: 2 });
    };
    const { turn } = await turnsOf([api], ports).ask(askOf('api', { calls: 3 }), asNow);
    expect([turn, told]).toMatchObject([{ kind: 'now', calls: 2 }, [{ 'm7g.large/a/spot': {} }, { 'm7g.large/a/spot': {} }]]);
    expect(told.map((known) => Object.keys(known).length)).toEqual([1, 1]);
    expect(levels(world)).toMatchObject({ createFleet: 48 });
  });

  describe('where many groups request an offering that nobody knows', () => {
    const key = 'm7g.large/a/spot';
    const many = Array.from({ length: 6 }, (_, index) => group({ name: `g${index}` }));
    const requests = async (tokens: number, sleep: () => Promise<void> = () => new Promise(() => {})) => {
      const { world, ports } = account({ ...emptyBudget, levels: { createFleet: { tokens, atMs: nowMs } } });
      const turns = turnsOf(many, { ...ports, sleep, wakes: { came: () => undefined, wake: async () => {} } });
      const answered: string[] = [];
      const all = many.map(async ({ name }) => {
        const asNow = (refused: object) => askOf(name, { offerings: [[key]], calls: key in refused ? 2 : 1 });
        const { turn } = await turns.ask(askOf(name, { offerings: [[key]] }), asNow);
        answered.push(`${name} ${turn.kind}${turn.kind === 'now' ? ` ${turn.calls}` : ''}`);
      });
      for (let round = 0; round < 20; round++) await Promise.resolve();
      return { world, turns, answered, all };
    };
    const first = ['g0 now 1', 'g1 now 1', 'g2 now 1', 'g3 now 1'];

    test('most of them wait for what a few learn, and request that elsewhere', async () => {
      const { turns, answered, all, world } = await requests(11);
      expect([answered, world.writes]).toEqual([first, 1]);
      turns.learn({ ...noLessons, refused: new Map([[key, 'UnfulfillableCapacity']]) });
      await Promise.all(all);
      expect([answered, world.writes]).toEqual([[...first, 'g4 now 2', 'g5 now 2'], 2]);
      expect(world.stored.refused).toMatchObject({ [key]: {} });
    });

    test('they wait for a bounded time', async () => {
      const { answered, all } = await requests(11, async () => {});
      await Promise.all(all);
      expect(answered).toEqual([...first, 'g4 now 1', 'g5 now 1']);
    });

    test('a group that has waited and lost its race does not wait again, until it has launched', async () => {
      let isOver = true;
      const { world, turns, all } = await requests(50, () => (isOver ? Promise.resolve() : new Promise(() => {})));
      await Promise.all(all);
      isOver = false;
      const elsewhere = 'm7g.large/b/spot';
      const never = new Promise((resolve) => setTimeout(resolve, 50, 'waits'));
      const askElsewhere = async (name: string): Promise<unknown> => {
        world.stored = { ...world.stored, given: {}, asked: { [elsewhere]: { atMs: nowMs, groups: 4 } } };
        return Promise.race([turns.ask(askOf(name, { offerings: [[elsewhere]] })).then(({ turn }) => turn.kind), never]);
      };
      expect(await askElsewhere('g5')).toBe('now');
      turns.launched('g5');
      expect(await askElsewhere('g5')).toBe('waits');
    });

    test('they wait also where all may be requested again', async () => {
      expect((await requests(12)).answered).toEqual(first);
    });

    test('nobody waits where nobody has a turn to learn from', async () => {
      const { answered, all, world } = await requests(0);
      await Promise.all(all);
      expect([answered, world.writes]).toEqual([many.map(({ name }) => `${name} later`), 2]);
    });
  });

  test('what a batch learns after its requests is written at its end', async () => {
    const { world, ports } = account();
    const turns = turnsOf([api], ports);
    turns.learn({ ...noLessons, empty: new Set(['createFleet']) });
    turns.learn({ ...noLessons, refused: new Map([['m7g.large/a/spot', 'UnfulfillableCapacity']]) });
    await turns.settle();
    await turns.settle();
    expect(levels(world)).toMatchObject({ createFleet: 0 });
    expect([world.stored.refused, world.writes]).toMatchObject([{ 'm7g.large/a/spot': { code: 'UnfulfillableCapacity' } }, 1]);
  });
});

test('launches into Auto Scaling groups draw on the bucket of Auto Scaling', () => {
  expect([api, jobs, group({ holding: { kind: 'attach', asg: 'web' } })].map(bucketOf)).toEqual(['createFleet', 'autoScaling', 'createFleet']);
});
