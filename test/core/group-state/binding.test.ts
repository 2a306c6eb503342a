import { describe, expect, it } from 'vitest';
import { decide } from '../../../core/decide/decide.ts';
import { bind, mostPerRequest } from '../../../core/group-state/binding.ts';
import { group, nowMs, reservation, state, view } from '../views.ts';

const bound = (of: ReturnType<typeof view>) => bind(decide(of), of, { decision: 'd-2', round: 0, leaseMs: 35_000 });

describe('a decision that is made binding', () => {
  it('asks for no more than a fleet takes in one request, each part under a token of its own', () => {
    const large = view({
      group: group({ size: { min: 0, max: 50_000, desired: 25_000 }, capacity: { kind: 'pool', pool: 'od-b' } }),
      state: state({ desired: 25_010 }),
    });
    const { fresh } = bound(large);
    expect(fresh.map(({ placement }) => placement.count)).toEqual([mostPerRequest, mostPerRequest, 5_000]);
    expect(new Set(fresh.map(({ token }) => token)).size).toBe(3);
    expect(fresh.every(({ id, token }) => id === token && token.length <= 64)).toBe(true);
  });

  it('keeps each request whole outside the state item, and its reservation in brief inside', () => {
    const instanceTypes = Array.from({ length: 200 }, (_, index) => `m${index}.large`);
    const { pools } = group();
    const many = group({ pools: { ...pools, 'od-b': { ...pools['od-b'], instanceTypes } as never }, capacity: { kind: 'pool', pool: 'od-b' } });
    const { fresh, state: written } = bound(view({ group: many, state: state({ desired: 12 }) }));
    expect(fresh.map(({ placement }) => placement.offerings.length)).toEqual([200]);
    expect(written.reservations.map(({ placement }) => placement.offerings.length)).toEqual([1]);
  });

  it('takes up what is open and nobody works on, as it was requested', () => {
    const open = reservation({ leaseUntilMs: nowMs });
    const { repeated, state: written } = bound(view({ state: state({ reservations: [open] }) }));
    expect(repeated).toEqual([{ before: open, reservation: { ...open, leaseUntilMs: nowMs + 35_000, forgetAtMs: nowMs + 180_000 } }]);
    expect(written.reservations).toEqual([repeated[0]?.reservation]);
  });
});
