import { expect, test } from 'vitest';
import { initialState } from '../../core/group-state/state.ts';
import type { RegistryEntry } from '../../core/ports/state-store.ts';
import type { GroupState } from '../../core/view/view.ts';
import { readInForce } from '../../functions/react/look/in-force.ts';
import type { ReactPorts } from '../../functions/react/ports.ts';
import { group, state } from '../core/views.ts';

const entry: RegistryEntry = { group: 'web', policyVersion: 1, asgs: ['next'], former: ['before'], alarms: [] };

const read = (stored: GroupState | undefined, registry: readonly RegistryEntry[]) => {
  const store: Partial<ReactPorts['store']> = {
    state: async () => stored,
    group: async () => group({ holding: { kind: 'attach', asg: 'next' } }),
    registry: async () => registry,
  };
  return readInForce('web', { store, believed: (_, known) => known } as ReactPorts);
};

test('a group whose state item is lost still knows the Auto Scaling groups of its earlier policies', async () => {
  const found = await read(undefined, [{ ...entry, group: 'api', former: ['theirs'] }, entry]);
  expect(found?.group.former).toEqual(['before']);
  expect(found && initialState(found.group).holders).toEqual(['before']);
});

test('the registry is not asked while the state item is there', async () => {
  expect((await read(state({ holders: ['next'] }), [entry]))?.group.former).toBeUndefined();
});
