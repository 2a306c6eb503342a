import { isLive, reasons } from '../instance.ts';
import { countByZone, type Group, type Member, type Scaling } from './group.ts';
import { launchMembers, nextMarket } from './launching.ts';
import { arrive, noteJoined } from './member-life.ts';

const isWarm = ({ state }: Pick<Member, 'state'>): boolean => state.startsWith('Warmed:');

const warmMembers = (group: Group): readonly Member[] => [...group.members.values()].filter(isWarm);

/** Beside the pending ones, whose instances stop when they have started once. */
const isReady = ({ state, instance }: Member): boolean =>
  (state === 'Warmed:Running' && instance.state === 'running') || (state === 'Warmed:Stopped' && instance.state === 'stopped');

/** The first instance that is ready, in the zone with the fewest members; it needs no launch, and it starts where it stopped. */
export const drawWarm = (scaling: Scaling, group: Group): Member | undefined => {
  const counts = countByZone(group);
  const drawn = warmMembers(group)
    .filter(isReady)
    .toSorted((a, b) => (counts.get(a.instance.zone) ?? 0) - (counts.get(b.instance.zone) ?? 0))[0];
  if (drawn === undefined) return undefined;
  drawn.state = 'Pending';
  noteJoined(scaling, group, drawn);
  if (drawn.instance.state === 'running') arrive(scaling, group, drawn);
  else scaling.instances.start(drawn.instance);
  return drawn;
};

/** An instance of the warm pool runs for the first time. It is ready now, or after it has stopped. */
export const settleWarm = (scaling: Scaling, member: Member): void => {
  if (member.state !== 'Warmed:Pending') return;
  member.state = `Warmed:${member.pool ?? 'Running'}`;
  if (member.pool === 'Stopped') scaling.instances.stop(member.instance, reasons.user);
};

/** The number of instances that its warm pool lacks. */
export const missingWarm = (group: Group): number => (group.warmPool === undefined ? 0 : group.warmPool.size - warmMembers(group).length);

/** Removes ended instances, and fills the pool up in the group's emptiest zones. */
export const keepWarm = (scaling: Scaling, group: Group): void => {
  const { warmPool } = group;
  if (warmPool === undefined) return;
  const isDead = ({ instance, state }: Member): boolean => !(isLive(instance) || (state !== 'Warmed:Running' && instance.state.startsWith('stop')));
  for (const member of warmMembers(group).filter(isDead)) group.members.delete(member.instance.id);
  for (let left = missingWarm(group); left > 0; left -= 1) {
    const given = launchMembers(scaling, group, { subnets: group.subnets, market: nextMarket(group), count: 1, ownAccord: 'size', isWarm: true });
    const instance = given.launched[0]?.instances[0];
    const member = instance && group.members.get(instance.id);
    if (member === undefined) return;
    member.pool = warmPool.state;
  }
};
