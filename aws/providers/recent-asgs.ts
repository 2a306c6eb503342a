import type { AutoScalingClient } from '@aws-sdk/client-auto-scaling';
import { type Asg, describeAsgs } from './auto-scaling-groups.ts';
import type { ProviderDeps } from './provider-deps.ts';

type Reading = Pick<ProviderDeps, 'autoScaling' | 'now' | 'asgsKeptMs'>;
type Kept = { readonly asgs: readonly Asg[]; readonly readAtMs: number };

const kept = new WeakMap<AutoScalingClient, Map<string, Kept>>();

/**
 * The named Auto Scaling groups. A read that is younger than `asgsKeptMs` is used again. A step of a drain looks at a
 * group, releases members and looks again within one second, and in a storm the account's bucket has no tokens for
 * that. Describes are older than that anyway.
 */
export const recentAsgs = async (deps: Reading, names: readonly string[]): Promise<readonly Asg[]> => {
  const { autoScaling, asgsKeptMs = 0 } = deps;
  if (asgsKeptMs === 0 || names.length === 0) return describeAsgs(autoScaling, names);
  const key = [...names].sort().join(' ');
  const nowMs = deps.now();
  const young = new Map([...(kept.get(autoScaling) ?? [])].filter(([, { readAtMs }]) => nowMs - readAtMs < asgsKeptMs));
  kept.set(autoScaling, young);
  const known = young.get(key);
  if (known !== undefined) return known.asgs;
  const asgs = await describeAsgs(autoScaling, names);
  kept.get(autoScaling)?.set(key, { asgs, readAtMs: nowMs });
  return asgs;
};
