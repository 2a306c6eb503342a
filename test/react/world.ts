import type { DecisionRecord } from '../../core/decision/decision-record.ts';
import type { Group } from '../../core/group/group.ts';
import { emptyBudget } from '../../core/limits/account-budget.ts';
import type { CapacityIn } from '../../core/ports/capacity-provider.ts';
import type { StateStore } from '../../core/ports/state-store.ts';
import type { Announcement } from '../../core/ports/surroundings.ts';
import type { Swap } from '../../core/swap/swap.ts';
import type { GroupState } from '../../core/view/view.ts';
import { createKnownPolicies } from '../../functions/react/look/known-policies.ts';
import { createSeenMembers } from '../../functions/react/messages/seen-members.ts';
import { createStrangers } from '../../functions/react/messages/strangers.ts';
import type { ReactPorts } from '../../functions/react/ports.ts';
import { members } from '../core/members.ts';
import { group, nowMs, onDemandB, state } from '../core/views.ts';
import { silent } from './facts.ts';

export const policy = group({ size: { min: 0, max: 20, desired: 6 }, capacity: { kind: 'pool', pool: 'od-b' } });
export const stored: GroupState = state({ version: 5, desired: 6, policySize: JSON.stringify(policy.size) });
const [taken] = members(onDemandB, 1);
/** The member that is warned. */
export const instance = taken?.instance ?? '';
const offering = taken?.offering ?? { instanceType: '', zone: '', market: 'on-demand' };

/** A group of six, one of them warned, whose state item and policy are what these say whenever they are asked. */
export const worldOf = ({ putState, inForce = () => policy }: { putState: StateStore['putState']; inForce?: () => Group | undefined }) => {
  const world = { told: [] as Announcement[], started: [] as string[], decided: [] as DecisionRecord[], launched: 0 };
  const claims = new Map<string, Swap>();
  const store: Partial<StateStore> = {
    budget: async () => emptyBudget,
    putBudget: async () => 'done',
    group: async () => inForce(),
    lastGroup: async () => policy,
    state: async () => stored,
    stateAndSwaps: async () => ({ state: stored, swaps: [] }),
    swaps: async () => [],
    registry: async () => [],
    claim: async (swap: Swap) => {
      const before = claims.get(swap.instance);
      claims.set(swap.instance, before ?? swap);
      return before === undefined ? { kind: 'claimed' } : { kind: 'exists', swap: before };
    },
    putRequest: async () => {},
    putDecision: async (record) => void world.decided.push(record),
    putState,
  };
  const provider: Partial<CapacityIn> = {
    describe: async () => ({ members: members(onDemandB, 6), asgs: [], ended: [], aside: [], stopped: [] }),
    launch: async (orders) =>
      orders.map(({ request: { placement } }) => {
        const instances = Array.from({ length: placement.count }, (_, index) => ({ instance: `new#${world.launched + index}`, offering }));
        world.launched += placement.count;
        return { kind: 'answered', instances, refusals: [] };
      }),
    requestOf: (_, { placement }) => ({ api: 'CreateFleet', calls: ['{}'], placement, market: 'on-demand', zones: {} }),
  };
  const ports: Partial<ReactPorts> = {
    owners: { ownersOf: async (ids) => new Map(ids.map((id) => [id, { group: 'web', offering, state: 'running' }])) },
    describeTogether: () => (group) => (provider as CapacityIn).describe(group),
    wakes: { came: () => undefined, wake: async () => {} },
    looks: { begin: async () => [] },
    redelivery: { postpone: async () => {} },
    missed: () => {},
    prices: { spotPrices: async () => undefined },
    store: store as StateStore,
    believed: (_, known) => known,
    policies: createKnownPolicies(() => nowMs),
    strangers: createStrangers(),
    seen: createSeenMembers(),
    providerFor: () => provider as CapacityIn,
    clock: { now: () => nowMs },
    sleep: async () => {},
    random: () => 0.5,
    begin: () => {},
    announcer: { announce: async (events) => void world.told.push(...events) },
    drains: {
      start: async ({ drain }) => {
        world.started.push(drain);
        return 'running';
      },
    },
    telemetry: silent,
  };
  return { world, ports: ports as ReactPorts };
};
