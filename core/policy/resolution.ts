import type { Market } from '../pool/offering.ts';
import type { Subnet } from '../pool/pool.ts';
import { mergeDefaults } from './merge-defaults.ts';
import type { PoolDocument } from './pool-schema.ts';
import type { Policy } from './schema.ts';
import { isSizedOutside } from './size-of.ts';

/** Names in a policy that have to be looked up in AWS. */
export type Names = {
  readonly subnets: readonly string[];
  readonly asgs: readonly string[];
  readonly launchTemplates: readonly string[];
  /** The same with their versions, as the policy writes them: of pools that Holdfast launches itself. */
  readonly templateVersions: readonly string[];
  /** By ARN. */
  readonly targetGroups: readonly string[];
  /** The Auto Scaling group whose desired capacity is the size of the group. */
  readonly sizedBy?: string;
  /** Auto Scaling groups whose desired capacity the policy sets. */
  readonly sizes: readonly string[];
  /** Of pools that Holdfast launches itself. */
  readonly instanceTypes: readonly string[];
};

/** An Auto Scaling group as it stood when the policy was accepted. */
export type AsgFacts = {
  /** `mixed` when one group launches both markets. `unknown` when the launch template does not set it. */
  readonly market: Market | 'mixed' | 'unknown';
  readonly zones: readonly string[];
  readonly subnets: readonly Subnet[];
  readonly instanceTypes: readonly string[];
  /** What its sizes count, where that is not instances. */
  readonly unit?: 'weights' | 'vcpu' | 'memory-mib';
  /** Present only where its desired capacity is the size of the group. */
  readonly steering?: Steering;
};

/** What an Auto Scaling group does by itself when its size changes, and when EC2 advises to replace members. */
export type Steering = {
  readonly min: number;
  /** Absent in policies that an earlier version accepted. */
  readonly max?: number;
  readonly rebalancesCapacity: boolean;
  readonly hasWarmPool: boolean;
  /** Whether a terminating lifecycle hook lets Holdfast drain the members that it ends. */
  readonly hasDrainHook: boolean;
};

/** What AWS returned about the names. A name that AWS does not know is absent. */
export type Resolution = {
  /** Zone of each subnet, by subnet id. */
  readonly subnets: Readonly<Record<string, string>>;
  readonly asgs: Readonly<Record<string, AsgFacts>>;
  /** Highest version of each launch template, by the name or id that the policy uses. */
  readonly launchTemplates: Readonly<Record<string, number>>;
  /**
   * The longest deregistration delay of the target groups that the policy names, and of those of its Auto Scaling
   * groups. Absent when there is none.
   */
  readonly deregistrationDelayMs?: number;
  /** Target groups of its Auto Scaling groups. Absent when there are none. */
  readonly asgTargetGroups?: readonly string[];
  /** ARNs that do not exist. Absent when all exist. */
  readonly unknownTargetGroups?: readonly string[];
};

/** The result of a look-up. The fields below are used while a policy is judged, and are not stored. */
export type LookedUp = Resolution & {
  /** Absent when the policy names no instance type. */
  readonly sold?: Sold;
  /** Absent when the policy names no launch template. */
  readonly images?: Images;
  /** Auto Scaling groups whose process `Launch` is suspended, by their owners or by Holdfast. Absent: none. */
  readonly closed?: readonly string[];
  /** Auto Scaling groups of several zones whose process `AZRebalance` is not suspended. Absent: none. */
  readonly evensOut?: readonly string[];
  /** By Auto Scaling group, of those that the policy sizes. */
  readonly scalers?: Readonly<Record<string, Scalers>>;
};

/** What else sets the desired capacity of an Auto Scaling group, or the error code that Auto Scaling returned. */
export type Scalers =
  | {
      readonly policies: readonly string[];
      readonly scheduledActions: readonly string[];
      readonly isOfEcs: boolean;
    }
  | { readonly unread: string };

/** A version of a launch template: whether it is gone, and the image that it launches as far as it is known. */
export type TemplateVersion = { readonly isGone?: true; readonly image?: string; readonly architecture?: string };

/** Images of launch templates and the architectures of instance types, or the error code that EC2 returned. */
export type Images =
  | {
      /** By the text that the policy has. */
      readonly versions: Readonly<Record<string, TemplateVersion>>;
      /** Architectures that each instance type runs. Read where an image has one. */
      readonly architectures: Readonly<Record<string, readonly string[]>>;
    }
  | { readonly unread: string };

/**
 * Zones that sell each instance type, or the error code that EC2 returned. A type that is absent is not sold. `kin`:
 * the types that are sold of the families of those that are not.
 */
export type Sold =
  | { readonly zones: Readonly<Record<string, readonly string[]>>; readonly kin?: readonly string[] }
  | { readonly unread: string };

export type TemplateReference = { readonly template: string; readonly version?: string };

/** `web:7` is version 7 of `web`. `web` alone leaves the version to EC2's default. */
export const templateReference = (text: string): TemplateReference => {
  const [template = text, version] = text.split(':');
  return version === undefined ? { template } : { template, version };
};

/** A policy's pools by name, `defaults` merged under each. */
export const mergedPools = (policy: Policy): Readonly<Record<string, PoolDocument>> =>
  Object.fromEntries(
    Object.entries(policy.pools).map(([name, pool]) => [name, mergeDefaults(policy.defaults, pool) as PoolDocument]),
  );

export const targetGroupsIn = ({ drain }: Policy): readonly string[] =>
  drain.loadBalancers === 'auto' ? [] : drain.loadBalancers;

export const namesIn = (policy: Policy): Names => {
  const pools = Object.values(mergedPools(policy));
  const asgs = [policy.asg, ...pools.map(({ asg }) => asg)];
  const held = distinct(asgs.filter((asg) => asg !== undefined));
  // A pool through an Auto Scaling group has neither a template nor types of its own.
  const templateVersions = distinct(pools.flatMap(({ launchTemplate }) => launchTemplate ?? []));
  return {
    subnets: distinct(pools.flatMap(({ subnets }) => subnets ?? [])),
    asgs: held,
    sizes: isSizedOutside(policy) ? [] : held,
    launchTemplates: distinct(templateVersions.map((text) => templateReference(text).template)),
    templateVersions,
    targetGroups: targetGroupsIn(policy),
    ...(policy.asg !== undefined && isSizedOutside(policy) && { sizedBy: policy.asg }),
    instanceTypes: distinct(pools.flatMap(({ instanceTypes }) => instanceTypes ?? [])),
  };
};

/** Names in their order, each once. */
export const distinct = (names: readonly string[]): readonly string[] => [...new Set(names)].sort();
