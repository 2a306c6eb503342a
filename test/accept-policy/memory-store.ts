import type { AsgClaim, PolicyStatus, PolicyStore, PolicyVersion, Remembered } from '../../core/policy/ports.ts';
import type { Problem } from '../../core/policy/problem.ts';
import type { RegistryEntry } from '../../core/ports/state-store.ts';
import type { Suspension } from '../../core/view/suspension.ts';

/** A policy store in memory, with what a user writes and reads beside it. Held to the same contract as the one over DynamoDB. */
export const createMemoryStore = () => {
  const documents = new Map<string, unknown>();
  const others = new Map<string, readonly string[]>();
  const versions = new Map<string, PolicyVersion[]>();
  const inForce = new Map<string, PolicyVersion>();
  const statuses = new Map<string, PolicyStatus>();
  const refusedNow = new Map<string, readonly Problem[]>();
  const registry = new Map<string, RegistryEntry>();
  const claims = new Map<string, AsgClaim>();
  const holders = new Map<string, Remembered>();
  const versionsOf = (group: string): readonly PolicyVersion[] => versions.get(group) ?? [];

  const store: PolicyStore = {
    written: async (group) => (documents.has(group) ? { document: documents.get(group), others: [...(others.get(group) ?? [])] } : undefined),
    accepted: async (group) => inForce.get(group),
    latest: async (group) =>
      versionsOf(group)
        .toSorted((a, b) => a.version - b.version)
        .at(-1),
    addVersion: async (version) => {
      if (versionsOf(version.group).some((other) => other.version === version.version)) return 'conflict';
      versions.set(version.group, [...versionsOf(version.group), version]);
      return 'done';
    },
    putInForce: async (version) => {
      if ((inForce.get(version.group)?.version ?? 0) > version.version) return 'conflict';
      inForce.set(version.group, version);
      return 'done';
    },
    noteTold: async ({ untold: _, ...version }) => {
      if (inForce.get(version.group)?.version !== version.version) return 'conflict';
      inForce.set(version.group, version);
      return 'done';
    },
    removeInForce: async (group) => {
      inForce.delete(group);
    },
    putStatus: async (status) => {
      statuses.set(status.group, status);
    },
    putRefusedNow: async (group, version, problems) => {
      if (statuses.get(group)?.version === version) refusedNow.set(group, problems);
    },
    registry: async () => [...registry.values()],
    holders: async (group) => holders.get(group),
    claimOf: async (asg) => claims.get(asg),
    waitedFor: async () => [...claims.values()].filter(({ waiting }) => waiting !== undefined),
    claim: async (claim, seen) => {
      if (JSON.stringify(claims.get(claim.asg)) !== JSON.stringify(seen)) return 'conflict';
      claims.set(claim.asg, claim);
      return 'done';
    },
    register: async (entry) => {
      registry.set(entry.group, entry);
    },
  };
  return {
    store,
    write: (group: string, document: unknown) => void documents.set(group, document),
    /** Attributes beside `policy` that Holdfast does not read. */
    writeBeside: (group: string, names: readonly string[]) => void others.set(group, names),
    /** The state remembers these Auto Scaling groups. It follows the policy in force, unless a version is given. */
    hold: (group: string, asgs: readonly string[], policyVersion = inForce.get(group)?.version ?? 0) =>
      void holders.set(group, { policyVersion, asgs }),
    /** The state notes that Holdfast suspends processes of this Auto Scaling group. */
    suspend: (group: string, suspension: Suspension) =>
      void holders.set(group, { policyVersion: 0, asgs: [suspension.asg], suspended: [suspension] }),
    remove: (group: string) => void documents.delete(group),
    versionsOf,
    inForce: (group: string) => inForce.get(group),
    status: (group: string) => statuses.get(group),
    refusedNow: (group: string) => refusedNow.get(group),
    registered: () => [...registry.values()],
  };
};
