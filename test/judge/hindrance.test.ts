import { describe, expect, it } from 'vitest';
import type { FaultInput } from '../../sandbox/fault-schema.ts';
import { draining, holdsUp, look, telling, type Way, ways } from '../../sandbox/judge/told/hindrance.ts';

const throttle = (match: object): FaultInput => ({ on: 'call', kind: 'throttle', match });
const holds = (fault: FaultInput, way: Way = look): boolean => holdsUp(fault, way);

describe('a fault holds up', () => {
  it('what needs the calls that it meets, named by service, by operation or by both', () => {
    expect(holds(throttle({}))).toBe(true);
    expect(holds(throttle({ service: 'dynamodb' }))).toBe(true);
    expect(holds(throttle({ service: ['events', 'ec2'] }))).toBe(true);
    expect(holds(throttle({ operation: 'DescribeInstances' }))).toBe(true);
    expect(holds(throttle({ operation: ['CreateFleet', 'Query'] }))).toBe(true);
    expect(holds(throttle({ service: 'ec2', operation: 'DescribeInstances' }))).toBe(true);
  });

  it('nothing that needs none of them', () => {
    expect(holds(throttle({ service: 'events' }))).toBe(false);
    expect(holds(throttle({ operation: ['CreateFleet', 'DescribeSpotPriceHistory'] }))).toBe(false);
    expect(holds(throttle({ service: 'autoscaling', operation: 'DescribeInstances' }))).toBe(false);
    expect(holds(throttle({ service: 'ec2', operation: 'CreateFleet' }))).toBe(false);
  });

  it('everything, where its function dies or waits for the response', () => {
    const match = { operation: 'CreateFleet' };
    for (const fault of [{ kind: 'crash-caller' }, { kind: 'delay', delayMs: 1 }, { kind: 'lose-answer' }])
      expect(holds({ on: 'call', match, ...fault } as FaultInput)).toBe(true);
    expect(holds({ on: 'call', kind: 'error', code: 'x', match })).toBe(false);
  });

  it('what needs events, where it meets events', () => {
    const dropped: FaultInput = { on: 'event', kind: 'drop' };
    expect(holds(dropped)).toBe(false);
    expect(holds(dropped, { ...look, events: 'needed' })).toBe(true);
    expect(holds(dropped, ways(draining, { ...look, events: 'needed' }))).toBe(true);
  });

  it('nothing, where it repeats messages or moves a clock', () => {
    expect(holds({ on: 'message', kind: 'duplicate' })).toBe(false);
    expect(holds({ on: 'clock', kind: 'step', withinMs: 1 })).toBe(false);
  });

  it('each of several ways in one', () => {
    const both = ways(look, telling);
    expect(holds(throttle({ service: 'events' }), both)).toBe(true);
    expect(holds(throttle({ operation: 'Query' }), both)).toBe(true);
    expect(holds(throttle({ service: 'states' }), both)).toBe(false);
  });
});
