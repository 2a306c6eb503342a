import type { FaultInput } from '../../sandbox/fault-schema.ts';
import { breakBoots, noCapacity } from '../sim/capacity-steps.ts';
import type { Situation } from '../sim/situation.ts';
import { deletePolicy, interrupt, kill, lastingAlarm, putPolicy } from '../sim/steps.ts';
import { restoreState } from '../sim/table-steps.ts';
import { zones } from '../sim/worlds.ts';
import { minuteMs, ofOneGroup as of } from './one-group.ts';

const sized = { size: { min: 1, max: 12, desired: 6 }, spot: 8 } as const;

/** The first event of this kind comes so much later. */
const delayed = (detailType: string, delayMs: number): FaultInput => ({ on: 'event', kind: 'delay', delayMs, nth: 1, match: { detailType } });

/** Worlds for faults that a tired engineer could write. */
export const tiredSituations = {
  'members return one an hour': of(
    'members return one an hour',
    'tag',
    { policy: { return: { after: '2m', every: '1h', atMost: 1 } } },
    () => [noCapacity(500, 90_000, ['spot'], zones), kill(1_000, 2)],
    { calmAtMs: 35 * minuteMs },
  ),
  'EC2 takes members, then refuses their offering': of(
    'EC2 takes members, then refuses their offering',
    'tag',
    { policy: { capacity: { tiered: ['spot-a', 'od-b'] } } },
    () => [noCapacity(500, 50_000, ['spot'], zones), interrupt(1_000, 2)],
    { calmAtMs: 4 * minuteMs },
  ),
  'instances end before they run, then a member is lost': of(
    'instances end before they run, then a member is lost',
    'tag',
    { ...sized, policy: { launches: { atMost: 100, within: '10m' } } },
    () => [breakBoots(500, 40_000, {}, 'dies'), kill(1_000, 5), kill(5 * minuteMs, 1)],
    { calmAtMs: 10 * minuteMs },
  ),
  'the limit of launches is reached by launches minutes apart': of(
    'the limit of launches is reached by launches minutes apart',
    'tag',
    { ...sized, policy: { launches: { atMost: 8, within: '10m' } } },
    () => [kill(1_000, 1), kill(4 * minuteMs, 2)],
    { calmAtMs: 14 * minuteMs },
  ),
  'the state table of a group with spares is emptied': of(
    'the state table of a group with spares is emptied',
    'tag',
    { ...sized, policy: { spare: 2 } },
    () => [kill(1_000, 1), restoreState(90_000, 'empty')],
    { calmAtMs: 5 * minuteMs, endsAt: 6 },
  ),
  'a floor and a share on demand': of(
    'a floor and a share on demand',
    'tag',
    { policy: { onDemand: { floor: 1, percent: '30%' } } },
    () => [kill(1_000, 2)],
    { calmAtMs: 5 * minuteMs },
  ),
  'an alarm is over before its event comes': of(
    'an alarm is over before its event comes',
    'tag',
    { ...sized, policy: { scaling: [{ alarm: 'high', adjust: '+1', cooldown: '1m' }] } },
    () => [lastingAlarm(1_000, 'high', 30_000)],
    { faults: [delayed('CloudWatch Alarm State Change', 90_000)], calmAtMs: 8 * minuteMs, endsAt: 7 },
  ),
  'a surplus cannot be ended for three minutes': of(
    'a surplus cannot be ended for three minutes',
    'tag',
    sized,
    (policy) => [putPolicy(1_000, { ...policy, size: { min: 1, max: 12, desired: 4 } }, 'the policy asks for 4', 'size-edited')],
    {
      faults: [{ on: 'call', kind: 'throttle', match: { operation: 'TerminateInstances' }, untilMs: 4 * minuteMs }],
      calmAtMs: 8 * minuteMs,
      endsAt: 4,
    },
  ),
  'a function dies when it lets a group go': of('a function dies when it lets a group go', 'tag', {}, () => [deletePolicy(1_000)], {
    faults: [{ on: 'call', kind: 'crash-caller', when: 'after', match: { operation: 'DeleteItem' }, times: 1 }],
    calmAtMs: 4 * minuteMs,
  }),
  'a warning comes a minute late, with another one': of(
    'a warning comes a minute late, with another one',
    'tag',
    {},
    () => [interrupt(1_000, 1), interrupt(61_000, 1)],
    { faults: [delayed('EC2 Spot Instance Interruption Warning', 60_000)], calmAtMs: 5 * minuteMs },
  ),
} as const satisfies Readonly<Record<string, () => Situation>>;
