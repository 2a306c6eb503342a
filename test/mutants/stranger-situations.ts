import type { FaultInput } from '../../sandbox/fault-schema.ts';
import { noCapacity } from '../sim/capacity-steps.ts';
import { denyLaunches } from '../sim/denied.ts';
import { stopForAWhile } from '../sim/ending-steps.ts';
import type { Situation, Step } from '../sim/situation.ts';
import { interrupt, kill, putPolicy, recommendRebalance } from '../sim/steps.ts';
import { restoreState } from '../sim/table-steps.ts';
import { zones } from '../sim/worlds.ts';
import { minuteMs, ofOneGroup } from './one-group.ts';

/** A world of one group of six that keeps its size. */
const of: typeof ofOneGroup = (name, holding, options, steps, more) => ofOneGroup(name, holding, options, steps, { endsAt: 6, ...more });

const throttled = (operation: string, untilMs: number): FaultInput => ({ on: 'call', kind: 'throttle', match: { operation }, untilMs });

/** Spot gives nothing for a minute, and two members are lost, so that two are on demand when it gives again. */
const spotReturns = (): readonly Step[] => [noCapacity(1_000, minuteMs, ['spot'], zones), interrupt(2_000, 2)];

/** Worlds for faults that a stranger put into the code. */
export const strangerSituations = {
  'members move on demand, and their replacements boot slowly': of(
    'members move on demand, and their replacements boot slowly',
    'tag',
    { spot: 8, bootSeconds: [110, 110] },
    (policy) => [putPolicy(1_000, { ...policy, onDemand: { floor: 4 }, swap: { maxSurge: 1 } }, 'the policy wants four on demand', 'policy-edited')],
    { calmAtMs: 15 * minuteMs },
  ),
  'a group with a floor on demand becomes smaller': of(
    'a group with a floor on demand becomes smaller',
    'tag',
    { policy: { onDemand: { floor: 2 } } },
    (policy) => [putPolicy(1_000, { ...policy, size: 4 }, 'the policy asks for 4', 'size-edited')],
    { endsAt: 4 },
  ),
  'the state table is emptied between two moves': of(
    'the state table is emptied between two moves',
    'tag',
    { policy: { return: { after: '1m', every: '15m', atMost: 1 } } },
    () => [...spotReturns(), restoreState(7 * minuteMs, 'empty')],
    { calmAtMs: 20 * minuteMs },
  ),
  'the launch for a move is refused': of(
    'the launch for a move is refused',
    'tag',
    { policy: { return: { after: '1m', every: '30m', atMost: 1 } } },
    () => [noCapacity(1_000, 35 * minuteMs, ['spot'], zones), interrupt(2_000, 1)],
    { calmAtMs: 62 * minuteMs },
  ),
  'members that nothing checks move back to spot': of(
    'members that nothing checks move back to spot',
    'tag',
    { isServed: false, policy: { return: { after: '1m', every: '1m', atMost: 2 } } },
    spotReturns,
    { calmAtMs: 10 * minuteMs },
  ),
  'launches come to be denied while drains cannot start': of(
    'launches come to be denied while drains cannot start',
    'tag',
    { policy: { rebalance: { act: true }, swap: { order: 'drain-first', maxSurge: 3 } } },
    () => [recommendRebalance(1_000, 2), kill(2_500, 1)],
    { faults: [throttled('StartExecution', 45_000), denyLaunches(500, 4 * minuteMs)], calmAtMs: 8 * minuteMs },
  ),
  'the drains of a surplus start late': of(
    'the drains of a surplus start late',
    'tag',
    {},
    (policy) => [putPolicy(1_000, { ...policy, size: 4 }, 'the policy asks for 4', 'size-edited')],
    { faults: [throttled('StartExecution', 22_000)], endsAt: 4 },
  ),
  'advised members drain for long before their replacements come': of(
    'advised members drain for long before their replacements come',
    'tag',
    {
      delaySeconds: 80,
      policy: { rebalance: { act: true }, swap: { order: 'drain-first', maxSurge: 2 }, drain: { timeout: '2m' } },
    },
    () => [recommendRebalance(1_000, 2)],
    { calmAtMs: 5 * minuteMs },
  ),
  'EC2 advises more members to leave than the budget allows': of(
    'EC2 advises more members to leave than the budget allows',
    'tag',
    { policy: { rebalance: { act: true, atMostPerHour: 1 }, swap: { order: 'launch-first', maxSurge: 1 } } },
    () => [recommendRebalance(1_000, 3), kill(8_000, 3)],
    { calmAtMs: 5 * minuteMs },
  ),
  'members are stopped while nothing gives others': of(
    'members are stopped while nothing gives others',
    'tag',
    {},
    () => [noCapacity(500, 15 * minuteMs, ['spot', 'on-demand'], zones), stopForAWhile(1_000, 3, 'stop', 14 * minuteMs)],
    { calmAtMs: 17 * minuteMs },
  ),
  'a spread comes to be over both markets': of(
    'a spread comes to be over both markets',
    'tag',
    { policy: { capacity: 'spot-a', return: { after: '1m', every: '1m', atMost: 3 } } },
    (policy) => [putPolicy(1_000, { ...policy, capacity: { spread: ['spot-a', 'od-b'] } }, 'the policy names on-demand too', 'pools-edited')],
    { calmAtMs: 10 * minuteMs },
  ),
} as const satisfies Readonly<Record<string, () => Situation>>;
