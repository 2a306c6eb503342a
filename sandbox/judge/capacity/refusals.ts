import type { Chronicle } from '../chronicle.ts';
import type { HistoryEvent } from '../history.ts';
import { asgsOf } from '../policy/policy.ts';
import { remembered } from '../remembered.ts';
import { times } from '../times.ts';
import { noAddressCode } from '../told/calls-told.ts';
import { nameOf, type OfferingName } from '../world/cloud.ts';
import { isFunction } from '../world/life.ts';

export const quotaCodes = new Set(['MaxSpotInstanceCountExceeded', 'VcpuLimitExceeded', 'InstanceLimitExceeded']);
/** Holdfast's own code for an offering whose launches EC2 takes at once. Its rest does not grow. */
export const takenAtOnceCode = 'Holdfast.TakenAtOnce';
/** Holdfast tells the groups of an account what EC2 refused to one of them (docs/adr/0007-share-the-accounts-buckets.md). */
const sharedCode = 'InsufficientInstanceCapacity';

export type Refused = Extract<HistoryEvent, { readonly kind: 'refused' }>;

export const isOfSubnet = ({ code, subnet }: Refused): boolean => code === noAddressCode && subnet !== undefined;

/** From the turn of a group, in which it learns, to its call. */
const turnToCallMs = 5_000;

const launchCalls = remembered((chronicle: Chronicle) => chronicle.of('called').filter(({ launch }) => launch !== undefined));

/** What EC2 granted to functions, by offering. */
const grants = remembered(({ lives }: Chronicle) =>
  Map.groupBy(
    lives.filter(({ by }) => isFunction(by)),
    nameOf,
  ),
);

/**
 * Refusals to other groups that a group may have learned from: it launched while the account still remembered them, and EC2 had granted nothing of the
 * offering since.
 */
const sharedWith = (chronicle: Chronicle, group: string): readonly Refused[] => {
  const asgs = new Set((chronicle.groups.get(group)?.policies ?? []).flatMap(({ policy }) => (policy === undefined ? [] : asgsOf(policy))));
  const calls = launchCalls(chronicle).filter(({ launch }) => launch?.group === group || (launch?.asg !== undefined && asgs.has(launch.asg)));
  const isLearned = (refused: Refused): boolean =>
    calls.some(
      ({ askedAtMs }) =>
        askedAtMs > refused.atMs &&
        askedAtMs <= refused.atMs + times.sharedRefusalMs + turnToCallMs + chronicle.times.clockMs &&
        !(grants(chronicle).get(nameOf(refused)) ?? []).some(({ launchedAtMs }) => launchedAtMs > refused.atMs && launchedAtMs <= askedAtMs),
    );
  return chronicle.of('refused').filter((refused) => refused.group !== group && refused.code === sharedCode && isLearned(refused));
};
const shared = remembered((chronicle: Chronicle) => new Map([...chronicle.groups.keys()].map((group) => [group, sharedWith(chronicle, group)])));

export const refusalsTo = (chronicle: Chronicle, group: string): readonly Refused[] => {
  const own = chronicle
    .of('refused')
    .filter((refused) => refused.group === group || (refused.asg !== undefined && chronicle.groups.get(group) !== undefined));
  const others = (shared(chronicle).get(group) ?? []).filter((refused) => !own.includes(refused));
  return others.length === 0 ? own : [...own, ...others].toSorted((a, b) => a.atMs - b.atMs);
};

/** The refusals of an offering to a group, without those for full subnets. */
export const refusalsOf = (chronicle: Chronicle, group: string, offering: OfferingName): readonly Refused[] =>
  refusalsTo(chronicle, group).filter(
    (refused) =>
      !isOfSubnet(refused) && (nameOf(refused) === nameOf(offering) || (quotaCodes.has(refused.code) && refused.market === offering.market)),
  );
