import type { Choice, Refused } from '../fulfilment.ts';
import { beginActivity } from './activities.ts';
import { type Group, held, type Member, type Scaling, zonesOf } from './group.ts';
import { fillUp, launchMembers, nextZone, tellRefused } from './launching.ts';
import { retire } from './member-life.ts';
import { byItself } from './numbers.ts';
import { heldUnits, unitsOf, weightOf } from './units.ts';

/**
 * Capacity Rebalancing (User Guide, Capacity Rebalancing in Auto Scaling to replace at-risk Spot Instances). Of what EC2 advises to replace, the group
 * launches the replacement on spot, waits until it passes its health check, and then ends the member at risk. Of what EC2 warns about, it begins the end
 * and the launch at once.
 */

const atRisk = (group: Group): Member[] => (group.rebalancesCapacity ? held(group).filter((member) => member.isAtRisk === true) : []);

const replacementsOf = (group: Group, { instance }: Member): Member[] => held(group).filter(({ insteadOf }) => insteadOf === instance.id);

/** Units of replacements whose counterparts are still there. No scale-in takes anybody for these. */
export const unitsBeside = (group: Group): number => atRisk(group).reduce((sum, member) => sum + unitsOf(group, replacementsOf(group, member)), 0);

/** Units that the replacements of a member lack. */
const lacks = (group: Group, member: Member): number => weightOf(group, member.instance.instanceType) - unitsOf(group, replacementsOf(group, member));

export const awaitsReplacement = (group: Group): boolean => atRisk(group).length > 0;

/** In service, and healthy in the target groups where those decide about its health. */
const passes = ({ targets }: Scaling, { healthCheckType }: Group, { instance, state, healthy }: Member): boolean =>
  state === 'InService' &&
  healthy &&
  (healthCheckType !== 'ELB' || targets.groupsOf(instance.id).every((group) => group.targets.get(instance.id)?.state === 'healthy'));

const end = (scaling: Scaling, group: Group, member: Member): void => {
  scaling.base.tell({ kind: 'retired', instance: member.instance.id, atMs: scaling.base.clock.now() });
  beginActivity(scaling, group, `Terminating EC2 instance: ${member.instance.id}`, 'An instance was at an elevated risk of interruption.');
  byItself(scaling, group, 'risk', () => retire(scaling, group, member));
};

/** A group below its desired capacity scales out first. */
const endReplaced = (scaling: Scaling, group: Group): void => {
  for (const member of atRisk(group)) {
    const isReplaced = lacks(group, member) <= 0 && replacementsOf(group, member).every((one) => passes(scaling, group, one));
    const staying = heldUnits(group) - weightOf(group, member.instance.instanceType);
    if (isReplaced && staying >= group.desired) end(scaling, group, member);
  }
};

/**
 * With Capacity Rebalancing a group exceeds its maximum by up to 10 percent of its desired capacity (User Guide, Instance maintenance policy for Auto
 * Scaling group). No page says how a fraction is rounded: here at least one, as where it evens out its zones.
 */
const mostUnits = ({ max, desired }: Group): number => max + Math.max(1, Math.floor(desired / 10));

/** Members by zone, without those at risk. */
const countStaying = (group: Group): Map<string, number> => {
  const counts = new Map(zonesOf(group).map((zone) => [zone, 0]));
  for (const { instance, isAtRisk } of held(group)) if (!isAtRisk) counts.set(instance.zone, (counts.get(instance.zone) ?? 0) + 1);
  return counts;
};

/** One replacement, in the first zone that gives one. Without any, why the last zone gave none. */
const launchInstead = (scaling: Scaling, group: Group, member: Member): Refused<Choice> | undefined => {
  const dry = new Set<string>();
  let refused: Refused<Choice> | undefined;
  for (let zone = nextZone(countStaying(group), dry); zone !== undefined; zone = nextZone(countStaying(group), dry)) {
    const here = group.subnets.filter((subnet) => subnet.zone === zone);
    const given = launchMembers(scaling, group, { subnets: here, market: 'spot', count: 1, ownAccord: 'risk' });
    const [instance] = given.launched.flatMap(({ instances }) => instances);
    const replacement = group.members.get(instance?.id ?? '');
    if (replacement !== undefined) {
      replacement.insteadOf = member.instance.id;
      return undefined;
    }
    dry.add(zone);
    refused = given.refused[0] ?? refused;
  }
  return refused;
};

const launchBeside = (scaling: Scaling, group: Group): void => {
  for (const member of atRisk(group)) {
    while (lacks(group, member) > 0 && heldUnits(group) < mostUnits(group)) {
      const refused = launchInstead(scaling, group, member);
      if (refused === undefined) continue;
      tellRefused(scaling, group, refused);
      return;
    }
  }
};

/** What one check of the group does for its members at risk. */
export const rebalanceCapacity = (scaling: Scaling, group: Group): void => {
  if (group.deleting || atRisk(group).length === 0) return;
  if (!group.suspended.has('Terminate')) endReplaced(scaling, group);
  if (!group.suspended.has('Launch') && heldUnits(group) >= group.desired) launchBeside(scaling, group);
};

/** EC2 advises to replace a member, or takes it after its notice. No page says what a recommendation means that came before the setting: here nothing. */
export const followRisk = (scaling: Scaling, group: Group, member: Member, how: 'advised' | 'warned'): void => {
  if (!group.rebalancesCapacity || group.deleting || member.state !== 'InService') return;
  member.isAtRisk = true;
  scaling.wake(group);
  if (how === 'advised' || group.suspended.has('Terminate')) return;
  end(scaling, group, member);
  if (!group.suspended.has('Launch')) fillUp(scaling, group);
};
