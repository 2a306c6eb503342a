import { describe, expect, it } from 'vitest';
import { endsHeard, followView } from '../../../core/group-state/state.ts';
import { factsOf } from '../../react/facts.ts';
import { nowMs, state, swapOf, view } from '../views.ts';

const told = (...ended: readonly string[]) => factsOf({ ended });

describe('an end that EC2 reported', () => {
  it('is kept, because a later describe may still show the instance', () => {
    expect(followView(view(), told('spot-a#1')).ended).toEqual({ 'spot-a#1': nowMs });
  });
  it('is not kept where a swap speaks of the instance, nor for one that is no member', () => {
    expect(followView(view({ swaps: [swapOf('spot-a#1')] }), told('spot-a#1', 'i-other')).ended).toBeUndefined();
  });
  it('is kept also of a launch that no describe has shown yet', () => {
    expect(followView(view({ state: state({ arriving: { 'i-new': nowMs - 4_000 } }) }), told('i-new', 'i-other')).ended).toEqual({ 'i-new': nowMs });
  });
  it('is dropped for an instance that was only stopped, and was started since', () => {
    const before = state({ ended: { 'spot-a#1': nowMs - 10_000 } });
    const started = (atMs: number) => view().members.map((member) => (member.instance === 'spot-a#1' ? { ...member, launchedAtMs: atMs } : member));
    expect(followView(view({ state: before, members: started(nowMs - 5_000) }), told()).ended).toBeUndefined();
    expect(endsHeard(before, started(nowMs - 5_000))).toEqual([]);
    expect(endsHeard(before, started(nowMs - 20_000))).toEqual(['spot-a#1']);
  });
  it('is dropped when describes have long caught up', () => {
    const before = state({ ended: { 'spot-a#1': nowMs - 179_999, 'spot-a#2': nowMs - 180_000 } });
    expect(followView(view({ state: before }), told()).ended).toEqual({ 'spot-a#1': nowMs - 179_999 });
  });
});
