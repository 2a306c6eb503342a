import { expect, test } from 'vitest';
import type { Swap } from '../../core/swap/swap.ts';
import type { Gathered } from '../../functions/react/look/gather.ts';
import { unheardHooks } from '../../functions/react/look/unheard-hooks.ts';
import { noFacts } from '../../functions/react/messages/facts.ts';
import type { ReactPorts } from '../../functions/react/ports.ts';
import { nowMs } from '../core/views.ts';
import { silent } from './facts.ts';

const owner = {
  group: 'web',
  asg: 'web-asg',
  pool: 'spot-a',
  offering: { instanceType: 'm7g.large', zone: 'a', market: 'spot' as const },
  state: 'running',
};
const tick = { ...noFacts('web'), isTick: true, causes: [] };
const gathered = (waiting?: Readonly<Record<string, string>>, swaps: readonly Partial<Swap>[] = [], after?: readonly string[]): Gathered =>
  ({ group: { ...(after && { after }) }, holdings: { ...(waiting && { waiting }) }, swaps }) as unknown as Gathered;

type Asks = Pick<ReactPorts, 'lifecycle' | 'owners'>;
const throttled = () => Promise.reject(Object.assign(new Error('slow down'), { name: 'Throttling', $fault: 'client' }));

type Rest = { lifecycle?: Partial<Asks['lifecycle']>; owners?: Asks['owners']; before?: Readonly<Record<string, readonly Partial<Swap>[]>> };

const askedOf = async (facts: typeof tick, found: Gathered, rest: Rest = {}) => {
  const asked: string[] = [];
  const counted: string[] = [];
  const telemetry = { ...silent, count: (metric: string) => void counted.push(metric) };
  const lifecycle = {
    complete: async () => 'done' as const,
    terminating: async (asg: string) => {
      asked.push(asg);
      return [{ hook: 'drain', timeoutMs: 60_000 }, { hook: 'logs' }];
    },
    ...rest.lifecycle,
  };
  const owners = rest.owners ?? { ownersOf: async (ids: readonly string[]) => new Map(ids.includes('i-1') ? [['i-1', owner]] : []) };
  const store = { swaps: async (group: string) => rest.before?.[group] ?? [] } as unknown as ReactPorts['store'];
  return { asked, facts: await unheardHooks(facts, found, { store, lifecycle, owners, telemetry, clock: { now: () => nowMs } }), counted };
};

test('an instance that waits on hooks without a message gets a fact for each, with its first heartbeat due', async () => {
  const fact = { instance: 'i-1', reason: 'hook', atMs: nowMs, owner };
  const { asked, facts } = await askedOf(tick, gathered({ 'i-1': 'web-asg', 'i-2': 'web-asg' }));
  expect(asked).toEqual(['web-asg']);
  expect(facts.slice(0, 2)).toEqual([
    { ...fact, hook: { asg: 'web-asg', hook: 'drain', timeoutMs: 60_000, sinceMs: nowMs, expiresAtMs: nowMs } },
    { ...fact, hook: { asg: 'web-asg', hook: 'logs', sinceMs: nowMs, expiresAtMs: nowMs } },
  ]);
  // Describes of EC2 may lag behind for the second. It is claimed without its offering.
  expect(facts.slice(2).map(({ instance, owner: of }) => [instance, of])).toEqual([
    ['i-2', undefined],
    ['i-2', undefined],
  ]);
});

test('nothing is asked while no instance waits, by other looks than the tick, and about hooks that are known', async () => {
  const hook = { asg: 'web-asg', hook: 'drain', token: 't', expiresAtMs: nowMs };
  const waits = gathered({ 'i-1': 'web-asg' });
  const message = { instance: 'i-1', reason: 'hook' as const, atMs: nowMs, hook };
  for (const [facts, found] of [
    [tick, gathered()],
    [{ ...tick, isTick: false }, waits],
    [{ ...tick, leaving: [message] }, waits],
    [tick, gathered({ 'i-1': 'web-asg' }, [{ instance: 'i-1', state: 'draining', claimedAtMs: nowMs - 120_000, hooks: [hook] }])],
  ] as const)
    expect(await askedOf(facts as typeof tick, found)).toEqual({ asked: [], facts: [], counted: [] });
  // Holdfast had the instance ended a moment ago: the message comes soon.
  const released = (agoMs: number) => gathered({ 'i-1': 'web-asg' }, [{ instance: 'i-1', releaseAskedAtMs: nowMs - agoMs }]);
  expect((await askedOf(tick, released(59_999))).asked).toEqual([]);
  expect((await askedOf(tick, released(60_000))).asked).toEqual(['web-asg']);
  // No drain is started for a swap whose instance has ended, so nobody completes the hook that still holds it.
  const ended = gathered({ 'i-1': 'web-asg' }, [{ instance: 'i-1', state: 'gone', hooks: [hook] }]);
  expect((await askedOf(tick, ended)).facts).toHaveLength(2);
  // A hook of another Auto Scaling group says nothing about this one.
  const moved = gathered({ 'i-1': 'web-asg' }, [{ instance: 'i-1', hooks: [{ ...hook, asg: 'old-asg' }] }]);
  expect((await askedOf(tick, moved)).asked).toEqual(['web-asg']);
});

test('a second hook is looked for soon after the first message, and when the drain is over', async () => {
  const hook = { asg: 'web-asg', hook: 'drain', token: 't', expiresAtMs: nowMs };
  const heard = async (state: Swap['state'], agoMs: number) => {
    const found = gathered({ 'i-1': 'web-asg' }, [{ instance: 'i-1', state, claimedAtMs: nowMs - agoMs, hooks: [hook] }]);
    return (await askedOf(tick, found)).facts.map(({ hook: of }) => of?.hook);
  };
  expect(await heard('leaving', 119_999)).toEqual(['logs']);
  expect(await heard('leaving', 120_000)).toEqual([]);
  expect(await heard('draining', 600_000)).toEqual([]);
  expect(await heard('drained', 600_000)).toEqual(['logs']);
  expect(await heard('gone', 600_000)).toEqual(['drain', 'logs']);
});

test('the first message counts, not the claim, and a message about one hook may be the last that comes', async () => {
  const known = { asg: 'web-asg', hook: 'drain', token: 't', expiresAtMs: nowMs };
  const asked = async (swap: Partial<Swap>) =>
    (await askedOf(tick, gathered({ 'i-1': 'web-asg' }, [{ instance: 'i-1', state: 'draining', ...swap }]))).asked.length > 0;
  const hooksSince = (agoMs: number): Partial<Swap> => ({ hooks: [{ ...known, sinceMs: nowMs - agoMs }] });
  expect(await asked({ claimedAtMs: nowMs - 600_000, ...hooksSince(119_999) })).toBe(true);
  expect(await asked({ claimedAtMs: nowMs - 600_000, ...hooksSince(120_000) })).toBe(false);
  // A message that came late is the first one all the same.
  expect(await asked({ claimedAtMs: nowMs - 1_000, ...hooksSince(120_000) })).toBe(true);
  expect(await asked({ claimedAtMs: nowMs - 1_000, releaseAskedAtMs: nowMs - 1_000, ...hooksSince(500) })).toBe(true);
  expect(await asked({ claimedAtMs: nowMs - 1_000, releaseAskedAtMs: nowMs - 1_000 })).toBe(false);
});

test('a read that AWS cannot carry out now is left to the next tick, and one that it denies is reported', async () => {
  const waits = gathered({ 'i-1': 'web-asg' });
  expect((await askedOf(tick, waits, { lifecycle: { terminating: throttled } })).facts).toEqual([]);
  expect((await askedOf(tick, waits, { owners: { ownersOf: throttled } })).facts).toEqual([]);
  const denied = () => Promise.reject(Object.assign(new Error('no'), { name: 'AccessDenied', $fault: 'client' }));
  const { facts, counted } = await askedOf(tick, waits, { lifecycle: { terminating: denied } });
  expect([facts, counted]).toEqual([[], ['ActionsFailed']]);
  const broken = () => Promise.reject(new TypeError('a bug'));
  await expect(askedOf(tick, waits, { lifecycle: { terminating: broken } })).rejects.toThrow('a bug');
});

test('a hook that a drain of an earlier holder of the Auto Scaling group completes is not claimed again', async () => {
  const hook = { asg: 'web-asg', hook: 'drain', token: 't', expiresAtMs: nowMs };
  const heard = async (swap: Partial<Swap>, after: readonly string[]) => {
    const before = { web: [{ instance: 'i-1', hooks: [hook], ...swap }] };
    return (await askedOf(tick, gathered({ 'i-1': 'web-asg' }, [], after), { before })).facts.map(({ hook: of }) => of?.hook);
  };
  expect(await heard({ state: 'draining' }, ['web'])).toEqual(['logs']);
  expect(await heard({ state: 'draining' }, ['old', 'web'])).toEqual(['logs']);
  expect(await heard({ state: 'gone' }, ['web'])).toEqual(['drain', 'logs']);
  expect(await heard({ state: 'draining' }, ['old'])).toEqual(['drain', 'logs']);
});
