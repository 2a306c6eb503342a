import { isLive } from '../instance.ts';
import { awaitsReplacement, followRisk, rebalanceCapacity, unitsBeside } from './capacity-rebalancing.ts';
import { countByZone, type Group, held, isHeld, type Member, type Scaling } from './group.ts';
import { fillUp, launchMembers, marketToShrink, nextMarket } from './launching.ts';
import { arrive, depart, retire } from './member-life.ts';
import { byItself } from './numbers.ts';
import { redistribute } from './redistribution.ts';
import { heldUnits, isAtSize, weightOf } from './units.ts';
import { drawWarm, keepWarm, missingWarm, settleWarm } from './warm-pool.ts';

const isDead = ({ instance }: Member): boolean => !isLive(instance);

/** With health checks of type ELB: failing in any of the group's target groups. */
const failsTargets = ({ targets }: Scaling, { instance, state }: Member): boolean =>
  state === 'InService' &&
  targets.groupsOf(instance.id).some((group) => ['unhealthy', 'unused'].includes(group.targets.get(instance.id)?.state ?? ''));

const checkHealth = (scaling: Scaling, group: Group): void => {
  if (group.suspended.has('HealthCheck')) return;
  for (const member of held(group)) {
    if (isDead(member) || (group.healthCheckType === 'ELB' && failsTargets(scaling, member))) member.healthy = false;
  }
};

/**
 * What Auto Scaling terminates when a group shrinks: members of the market (spot or on-demand) that has more than its share, of these the oldest in the zone
 * with the most members. It never terminates a member that is protected from scale-in. With weights it keeps at least the desired capacity, so a member
 * that counts more than there is too much stays.
 */
const shrink = (scaling: Scaling, group: Group): void => {
  const counts = countByZone(group);
  const free = held(group).filter(({ isProtected }) => !isProtected);
  const weight = ({ instance }: Member): number => weightOf(group, instance.instanceType);
  for (let over = heldUnits(group) - unitsBeside(group) - group.desired; over > 0; ) {
    const candidates = free.filter((member) => weight(member) <= over);
    const size = (member: Member): number => counts.get(member.instance.zone) ?? 0;
    // A member launched to even out zones makes one elsewhere superfluous, of any market.
    const market = (group.surplusForZones ?? 0) > 0 ? undefined : marketToShrink(group);
    const ofMarket = candidates.filter(({ instance }) => instance.market === market);
    const open = ofMarket.length > 0 ? ofMarket : candidates;
    const most = Math.max(...open.map(size));
    const member = open.find((one) => size(one) === most);
    if (member === undefined) return;
    free.splice(free.indexOf(member), 1);
    over -= weight(member);
    counts.set(member.instance.zone, size(member) - 1);
    scaling.base.tell({ kind: 'retired', instance: member.instance.id, atMs: scaling.base.clock.now() });
    byItself(scaling, group, shrinkReason(group), () => retire(scaling, group, member));
  }
};

/** A member launched to even out zones, or to follow a changed distribution, makes another one superfluous. */
const shrinkReason = (group: Group): 'size' | 'zones' | 'distribution' => {
  if (group.redistribution === 'launched') {
    group.redistribution = 'due';
    return 'distribution';
  }
  const { surplusForZones = 0 } = group;
  group.surplusForZones = Math.max(0, surplusForZones - 1);
  return surplusForZones > 0 ? 'zones' : 'size';
};

const evensZones = ({ suspended }: Group): boolean => !suspended.has('AZRebalance');

/** The fullest zone and the emptiest, when they are two or more apart, and a member may leave the fullest. Otherwise the new member would leave again. */
const skewOf = (group: Group): { readonly emptiest: string } | undefined => {
  const sorted = [...countByZone(group)].sort(([, a], [, b]) => a - b);
  const [low, high] = [sorted[0], sorted.at(-1)];
  if (low === undefined || high === undefined || high[1] - low[1] < 2) return undefined;
  const fullest = new Set(sorted.flatMap(([zone, count]) => (count === high[1] ? [zone] : [])));
  return held(group).some(({ isProtected, instance }) => !isProtected && fullest.has(instance.zone)) ? { emptiest: low[0] } : undefined;
};

/**
 * Whether it may launch one more to even out its zones. One at a time. While it may not terminate, the members that it launched for this stay, and it grows
 * beyond its maximum by up to 10 percent, or by one (User Guide, How suspended processes affect other processes; Rebalancing activities).
 */
const mayRebalance = (group: Group): boolean => {
  const { desired, max, surplusForZones = 0 } = group;
  if (!group.suspended.has('Terminate')) return isAtSize(group);
  return heldUnits(group) === desired + surplusForZones && heldUnits(group) < max + Math.max(1, Math.floor(max / 10));
};

/** Launches where members are few; the surplus in the fullest zone goes once the new one serves. */
const rebalance = (scaling: Scaling, group: Group): void => {
  if (!evensZones(group) || group.suspended.has('Launch')) return;
  const skew = skewOf(group);
  if (skew === undefined || !mayRebalance(group)) return;
  const subnets = group.subnets.filter(({ zone }) => zone === skew.emptiest);
  const { launched } = launchMembers(scaling, group, { subnets, market: nextMarket(group), count: 1, ownAccord: 'zones' });
  group.surplusForZones = (group.surplusForZones ?? 0) + launched.length;
};

/** While a member that rebalances is still on its way, its counterpart stays. */
const awaitsRebalance = (group: Group): boolean =>
  (evensZones(group) || group.redistribution === 'launched') && held(group).some(({ state }) => state !== 'InService');

/** Its load balancer is about to report this. */
const willFail = ({ healthCheckType }: Group, { instance, healthy }: Member): boolean =>
  healthCheckType === 'ELB' && healthy && instance.isFailing === true;

const isSettled = (group: Group): boolean => {
  const members = held(group);
  const isEven = !(evensZones(group) && skewOf(group) !== undefined);
  return (
    isAtSize(group) &&
    !awaitsReplacement(group) &&
    members.every((member) => member.healthy && !willFail(group, member)) &&
    !group.deleting &&
    isEven &&
    group.redistribution === undefined &&
    missingWarm(group) === 0
  );
};

/** One check of a group by Auto Scaling: health, replacement, size. */
const look = (scaling: Scaling, group: Group): void => {
  delete group.look;
  if (scaling.groups.get(group.name) !== group) return;
  checkHealth(scaling, group);
  const mayEnd = !group.suspended.has('Terminate');
  if (mayEnd && !group.suspended.has('ReplaceUnhealthy')) {
    const unhealthy = held(group).filter(({ healthy }) => !healthy);
    for (const member of unhealthy) byItself(scaling, group, 'health', () => retire(scaling, group, member));
  }
  if (!group.suspended.has('Launch') && !group.deleting) {
    while (heldUnits(group) < group.desired && drawWarm(scaling, group) !== undefined);
    fillUp(scaling, group);
    keepWarm(scaling, group);
  }
  if (mayEnd && !awaitsRebalance(group)) shrink(scaling, group);
  rebalanceCapacity(scaling, group);
  rebalance(scaling, group);
  redistribute(scaling, group);
  if (group.deleting && group.members.size === 0) scaling.groups.delete(group.name);
  else if (!isSettled(group)) scaling.wake(group);
};

/** Checks happen at multiples of the period. A group that is in order needs none. */
export const createWake =
  (scaling: () => Scaling): Scaling['wake'] =>
  (group) => {
    if (group.look !== undefined) return;
    const { base, periodMs } = scaling();
    const sinceMs = base.clock.now() - base.beganAtMs;
    const waitMs = periodMs - (sinceMs % periodMs);
    group.look = base.clock.after(waitMs, () => look(scaling(), group));
  };

/** What happens to instances, as far as their groups care. */
export const followInstances = (scaling: Scaling): void => {
  const memberOf = (instance: Member['instance']): [Group, Member] | undefined => {
    const group = scaling.groups.get(instance.asg ?? '');
    const member = group?.members.get(instance.id);
    return group === undefined || member === undefined ? undefined : [group, member];
  };
  const atRisk = (how: 'advised' | 'warned') => (instance: Member['instance']) => {
    const [group, member] = memberOf(instance) ?? [];
    if (group !== undefined && member !== undefined) followRisk(scaling, group, member, how);
  };
  scaling.instances.subscribe({
    advised: atRisk('advised'),
    warned: atRisk('warned'),
    running: (instance) => {
      const [group, member] = memberOf(instance) ?? [];
      if (group === undefined || member === undefined) return;
      settleWarm(scaling, member);
      arrive(scaling, group, member);
    },
    health: (instance) => {
      const [group] = memberOf(instance) ?? [];
      if (group !== undefined) scaling.wake(group);
    },
    leaving: (instance) => {
      const [group, member] = memberOf(instance) ?? [];
      if (group !== undefined && member !== undefined && isHeld(member)) scaling.wake(group);
    },
    ended: (instance) => {
      const [group, member] = memberOf(instance) ?? [];
      if (group === undefined || member === undefined || instance.state !== 'terminated') return;
      // No hook holds an instance that EC2 took: its action ends with it.
      if (isHeld(member)) scaling.wake(group);
      else depart(scaling, group, member);
    },
  });
};
