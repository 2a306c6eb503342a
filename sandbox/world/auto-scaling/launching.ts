import type { Market } from '../../../core/pool/offering.ts';
import { imageOf } from '../ec2/launch-templates.ts';
import { tagsFor } from '../ec2/tag-lists.ts';
import type { Choice, Fulfilment, FulfilmentOrder, Refused } from '../fulfilment.ts';
import type { Subnet } from '../network.ts';
import type { OwnAccord } from '../world.ts';
import { emitLaunchFailure } from './activities.ts';
import { countByZone, type Group, held, type Member, type Scaling } from './group.ts';
import { groupTag, join } from './member-life.ts';
import { byItself } from './numbers.ts';
import { heldUnits, unitsOf, weightOf } from './units.ts';

/** The one market of a group; undefined when its policy mixes them. */
export const marketOf = ({ mixed }: Group): Market | undefined => {
  if (mixed === undefined || mixed.percentAbove === 100) return 'on-demand';
  return mixed.base === 0 && mixed.percentAbove === 0 ? 'spot' : undefined;
};

/** Units on demand by base and percentage; a fraction counts as a whole unit on demand. */
const wantedOnDemand = ({ desired, mixed: { base, percentAbove } }: Group & { readonly mixed: NonNullable<Group['mixed']> }): number =>
  Math.min(base, desired) + Math.ceil((Math.max(0, desired - base) * percentAbove) / 100);

const hasMixed = (group: Group): group is Group & { readonly mixed: NonNullable<Group['mixed']> } => group.mixed !== undefined;

const onDemandOf = (group: Group): Member[] => held(group).filter(({ instance }) => instance.market === 'on-demand');

const onDemandIn = (group: Group): number => unitsOf(group, onDemandOf(group));

/** Whether a member on demand could leave, and base and percentage would still be met. */
const hasSpareOnDemand = (group: Group): boolean => {
  if (!hasMixed(group)) return false;
  const spare = onDemandIn(group) - wantedOnDemand(group);
  return onDemandOf(group).some(({ instance }) => weightOf(group, instance.instanceType) <= spare);
};

/** Whether its members are of the markets that base and percentage say, as far as whole instances can be. */
export const isDistributed = (group: Group): boolean => !hasMixed(group) || (onDemandIn(group) >= wantedOnDemand(group) && !hasSpareOnDemand(group));

/** On-demand first, until base and percentage are met. */
export const nextMarket = (group: Group): Market => {
  const only = marketOf(group);
  if (only !== undefined || !hasMixed(group)) return only ?? 'on-demand';
  return onDemandIn(group) < wantedOnDemand(group) ? 'on-demand' : 'spot';
};

/**
 * Which market a scale-in takes from: the one that has more than the distribution says (User Guide, default termination policy: with a mixed instances
 * policy it first keeps what remains aligned to the purchase options). A group of one plain template has one market.
 */
export const marketToShrink = (group: Group): Market | undefined => {
  if (!hasMixed(group)) return undefined;
  return hasSpareOnDemand(group) ? 'on-demand' : 'spot';
};

const strategyOf = (group: Group, market: Market): string => (market === 'spot' ? (group.mixed?.spotStrategy ?? 'lowest-price') : 'prioritized');

export type LaunchAsk = {
  readonly subnets: readonly Subnet[];
  readonly market: Market;
  readonly count: number;
  readonly ownAccord?: OwnAccord;
  readonly isWarm?: boolean;
};

type Budget = FulfilmentOrder<Choice>['budget'];

/** Launches members from the group's own configuration; they are Pending until their instances run. */
export const launchMembers = (scaling: Scaling, group: Group, ask: LaunchAsk, budget?: Budget): Fulfilment<Choice> => {
  const launch = (): Fulfilment<Choice> => launchAsked(scaling, group, ask, budget);
  return ask.ownAccord === undefined ? launch() : byItself(scaling, group, ask.ownAccord, launch);
};

const launchAsked = (scaling: Scaling, group: Group, ask: LaunchAsk, budget: Budget): Fulfilment<Choice> => {
  const { reference, data } = scaling.templates.resolve({ LaunchTemplateId: group.template.id, Version: group.template.version });
  const propagated = group.tags.filter(({ PropagateAtLaunch }) => PropagateAtLaunch).map(({ Key, Value }) => [Key, Value]);
  const tags = { ...tagsFor(data.TagSpecifications, 'instance'), ...Object.fromEntries(propagated), [groupTag]: group.name };
  const architecture = scaling.templates.architectureOf(data);
  const given = scaling.fulfil.launch<Choice>({
    choices: group.instanceTypes.flatMap((instanceType, priority) =>
      ask.subnets.map((subnet) => ({
        instanceType,
        subnet,
        market: ask.market,
        priority,
        weight: weightOf(group, instanceType),
        ...(architecture && { architecture }),
      })),
    ),
    count: ask.count,
    strategy: strategyOf(group, ask.market),
    details: () => ({
      tags,
      imageId: imageOf(data),
      template: reference,
      ...(!ask.isWarm && { asg: group.name }),
      ...(ask.ownAccord && { ownAccord: ask.ownAccord }),
    }),
    ...(budget === undefined ? {} : { budget }),
  });
  for (const { instances } of given.launched)
    for (const instance of instances) join(scaling, group, instance, ask.isWarm ? 'Warmed:Pending' : 'Pending');
  return given;
};

/** The zone with the fewest members, among the zones that still have capacity. */
export const nextZone = (counts: ReadonlyMap<string, number>, dry: ReadonlySet<string>): string | undefined => {
  const open = [...counts].filter(([zone]) => !dry.has(zone));
  return open.reduce<[string, number] | undefined>((best, entry) => (best === undefined || entry[1] < best[1] ? entry : best), undefined)?.[0];
};

/** Reports a launch that EC2 refused. */
export const tellRefused = (scaling: Scaling, group: Group, { choice, code, message }: Refused<Choice>): void =>
  emitLaunchFailure(scaling, group, { zone: choice.subnet.zone, subnet: choice.subnet.id }, `${message} Launching EC2 instance failed. (${code})`);

/** Fills up to the desired capacity, evenly over zones. With weights it may hold more than that: the last launch counts more than was missing. A shortage is one event, and the group tries again at its next look. */
export const fillUp = (scaling: Scaling, group: Group): void => {
  const dry = new Set<string>();
  const counts = countByZone(group);
  let refused: Refused<Choice> | undefined;
  for (let missing = group.desired - heldUnits(group); missing > 0; ) {
    const zone = nextZone(counts, dry);
    if (zone === undefined) break;
    const subnets = group.subnets.filter((subnet) => subnet.zone === zone);
    const given = launchMembers(scaling, group, { subnets, market: nextMarket(group), count: 1, ownAccord: 'size' });
    const [launched] = given.launched;
    if (launched !== undefined) {
      missing -= weightOf(group, launched.choice.instanceType);
      counts.set(zone, (counts.get(zone) ?? 0) + 1);
      continue;
    }
    dry.add(zone);
    refused = given.refused[0] ?? refused;
  }
  if (refused === undefined || heldUnits(group) >= group.desired) return;
  tellRefused(scaling, group, refused);
};
