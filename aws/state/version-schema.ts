import { keys } from '../../core/contract.ts';
import type { Unreadable } from '../../core/decision/decision-record.ts';
import type { PolicyVersion, UntoldVersion } from '../../core/policy/ports.ts';
import type { AsgFacts, Resolution, Steering } from '../../core/policy/resolution.ts';
import type { Subnet } from '../../core/pool/pool.ts';
import { flag, listOf, mapOf, number, objectOf, oneOf, optional, text } from './checks.ts';
import { checkGroup } from './group-schema.ts';
import type { Item } from './query-all.ts';

const asgFacts = objectOf<AsgFacts>({
  market: oneOf('spot', 'on-demand', 'mixed', 'unknown'),
  zones: listOf(text),
  subnets: listOf(objectOf<Subnet>({ id: text, zone: text })),
  instanceTypes: listOf(text),
  unit: optional(oneOf('weights', 'vcpu', 'memory-mib')),
  steering: optional(
    objectOf<Steering>({
      min: number,
      max: optional(number),
      rebalancesCapacity: flag,
      hasWarmPool: flag,
      hasDrainHook: flag,
    }),
  ),
});

const resolution = objectOf<Resolution>({
  subnets: mapOf(text),
  asgs: mapOf(asgFacts),
  launchTemplates: mapOf(number),
  deregistrationDelayMs: optional(number),
  asgTargetGroups: optional(listOf(text)),
  unknownTargetGroups: optional(listOf(text)),
});

const head = objectOf<Omit<PolicyVersion, 'document' | 'resolved'>>({
  group: text,
  version: number,
  acceptedAtMs: number,
  resolution,
  untold: optional(listOf(objectOf<UntoldVersion>({ version: number, warnings: listOf(text) }))),
});

type Read =
  | { readonly kind: 'read'; readonly version: PolicyVersion }
  | { readonly kind: 'unreadable'; readonly unreadable: Unreadable };

/** Reads a version of a policy. The document is what its user wrote, and may have any content. */
export const readVersion = (group: string, item: Item): Read => {
  const problem = head(item) ?? checkGroup(item.resolved);
  if (problem !== undefined)
    return { kind: 'unreadable', unreadable: { group, item: String(item[keys.item]), problems: [problem] } };
  return { kind: 'read', version: item as unknown as PolicyVersion };
};
