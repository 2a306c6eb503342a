import { describe, expect, test } from 'vitest';
import { mayLackSwaps } from '../../core/group-state/restored.ts';
import { initialState } from '../../core/group-state/state.ts';
import type { RegistryEntry } from '../../core/ports/state-store.ts';
import type { GroupState } from '../../core/view/view.ts';
import { readInForce } from '../../functions/react/look/in-force.ts';
import { createKnownPolicies } from '../../functions/react/look/known-policies.ts';
import type { ReactPorts } from '../../functions/react/ports.ts';
import { group, nowMs, state } from '../core/views.ts';

const entry: RegistryEntry = { group: 'web', policyVersion: 1, asgs: ['next'], former: ['before'], alarms: [] };

const clock = { now: () => nowMs } as ReactPorts['clock'];

const read = (stored: GroupState | undefined, registry: readonly RegistryEntry[], policyVersion = 1, backWith?: number) => {
  const store: Partial<ReactPorts['store']> = {
    stateAndSwaps: async () => ({ state: stored, swaps: [] }),
    group: async () => group({ policyVersion, holding: { kind: 'attach', asg: 'next' }, ...(backWith !== undefined && { backWith }) }),
    registry: async () => registry,
  };
  const policies = createKnownPolicies(() => nowMs);
  return readInForce('web', { store: store as ReactPorts['store'], believed: (_, known) => known, policies, clock });
};

test('a group whose state item is lost still has the Auto Scaling groups of its earlier policies', async () => {
  const found = await read(undefined, [{ ...entry, group: 'api', former: ['theirs'] }, entry]);
  expect(found?.group.former).toEqual(['before']);
  expect(found && initialState(found.group).holders).toEqual(['before']);
});

test('the registry is not read while the state item follows this policy or the one before', async () => {
  const stored = state({ policyVersion: 2, holders: ['next'] });
  expect((await read(stored, [entry], 2))?.state?.holders).toEqual(['next']);
  expect((await read(stored, [entry], 3))?.state?.holders).toEqual(['next']);
});

test('a state item that missed a policy, because it was restored, includes the Auto Scaling groups of that policy', async () => {
  const found = await read(state({ policyVersion: 1, holders: ['first', 'next'] }), [entry], 3);
  expect(found?.state?.holders).toEqual(['first', 'next', 'before']);
});

describe('a state item of a group whose policy was deleted and written again', () => {
  const lacksSwaps = async (stored: GroupState, backWith?: number) => {
    const found = await read(stored, [entry], 3, backWith);
    return found?.state && mayLackSwaps(found.state, nowMs);
  };

  test('may lack swaps if it does not show that the group was let go, because an older item was restored', async () => {
    expect(await lacksSwaps(state({ policyVersion: 2 }), 3)).toBe(true);
    expect(await lacksSwaps(state({ policyVersion: 1 }), 2)).toBe(true);
  });

  test('lacks none if it shows that, or was written later, or the policy was never deleted', async () => {
    expect(await lacksSwaps(state({ policyVersion: 2, policySize: '' }), 3)).toBe(false);
    expect(await lacksSwaps(state({ policyVersion: 2 }), 2)).toBe(false);
    expect(await lacksSwaps(state({ policyVersion: 2 }))).toBe(false);
  });
});

/** An environment whose clock and whose store these say; how often it read the policy. */
const environment = () => {
  const world = { atMs: nowMs, version: 3, stored: state({ policyVersion: 3 }), reads: 0, isThere: true };
  const store: Partial<ReactPorts['store']> = {
    stateAndSwaps: async () => ({ state: world.stored, swaps: [] }),
    group: async () => {
      world.reads += 1;
      return world.isThere ? group({ policyVersion: world.version }) : undefined;
    },
    registry: async () => [],
  };
  const policies = createKnownPolicies(() => world.atMs);
  const ports: Parameters<typeof readInForce>[1] = { store: store as ReactPorts['store'], believed: (_, known) => known, policies, clock };
  const look = async (isQuiet: boolean | undefined) => (await readInForce('web', ports, isQuiet))?.group.policyVersion;
  return { world, look };
};

describe('while nothing happens but time', () => {
  test('a policy that was read within five minutes is not read again', async () => {
    const { world, look } = environment();
    await look(false);
    world.atMs += 299_999;
    expect([await look(true), world.reads]).toEqual([3, 1]);
    world.atMs += 1;
    expect([await look(true), world.reads]).toEqual([3, 2]);
  });

  test('a policy is read where the state item follows a later one, or was let go', async () => {
    const { world, look } = environment();
    await look(true);
    world.version = 4;
    expect([await look(true), world.reads]).toEqual([3, 1]);
    world.stored = state({ policyVersion: 4 });
    expect([await look(true), world.reads]).toEqual([4, 2]);
    world.stored = state({ policyVersion: 4, policySize: '' });
    world.isThere = false;
    expect([await look(true), world.reads]).toEqual([undefined, 3]);
    // Nothing is remembered of a policy that is gone.
    world.stored = state({ policyVersion: 4 });
    expect([await look(true), world.reads]).toEqual([undefined, 4]);
  });

  test('after any other signal, the policy is read', async () => {
    const { world, look } = environment();
    await look(true);
    world.version = 4;
    expect([await look(false), world.reads]).toEqual([4, 2]);
    world.version = 5;
    expect([await look(undefined), world.reads]).toEqual([5, 3]);
  });
});
