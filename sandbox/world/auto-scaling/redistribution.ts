import { countByZone, type Group, held, type Member, type Scaling } from './group.ts';
import { isDistributed, launchMembers, marketToShrink, nextMarket, tellRefused } from './launching.ts';
import { isAtSize } from './units.ts';

/** A new base or percentage. Other fields of a distribution change no running member (InstancesDistribution, API reference). */
export const isRedistributed = (before: Group['mixed'], after: Group['mixed']): boolean =>
  before !== undefined && after !== undefined && (before.base !== after.base || before.percentAbove !== after.percentAbove);

const holdsStill = ({ suspended }: Group): boolean => ['Launch', 'Terminate'].some((name) => suspended.has(name));

/** The subnets of the zone with the most of these members, so that the replacement leaves the zones as they are. */
const subnetsBeside = (group: Group, members: readonly Member[]): Group['subnets'] => {
  const counts = countByZone(group);
  const zones = new Set(members.map(({ instance }) => instance.zone));
  const [fullest] = [...counts].filter(([zone]) => zones.has(zone)).sort(([, a], [, b]) => b - a);
  return group.subnets.filter(({ zone }) => zone === fullest?.[0]);
};

/**
 * After a changed base or percentage a group replaces members gradually: it launches before it terminates (InstancesDistribution, CloudFormation
 * reference). No page says in which order or how fast: here one at a time, once all members are in service.
 */
export const redistribute = (scaling: Scaling, group: Group): void => {
  const members = held(group);
  if (group.redistribution !== 'due' || holdsStill(group) || !isAtSize(group)) return;
  if (members.some(({ state }) => state !== 'InService')) return;
  const market = marketToShrink(group);
  const leaving = members.filter(({ instance, isProtected }) => instance.market === market && !isProtected);
  if (isDistributed(group) || leaving.length === 0) {
    delete group.redistribution;
    return;
  }
  const subnets = subnetsBeside(group, leaving);
  const { launched, refused } = launchMembers(scaling, group, { subnets, market: nextMarket(group), count: 1, ownAccord: 'distribution' });
  if (launched.length > 0) group.redistribution = 'launched';
  else if (refused[0] !== undefined) tellRefused(scaling, group, refused[0]);
};
