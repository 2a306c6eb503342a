import { isClosedByOwner } from '../view/suspension.ts';
import type { AsgView, View } from '../view/view.ts';
import type { Group } from './group.ts';
import { namedAsgs } from './holders.ts';
import { howHeld } from './holding.ts';
import { modeOf } from './mode.ts';
import { outsideAsgOf } from './outside-size.ts';

/**
 * Settings of an Auto Scaling group with which acceptance refuses a policy for it, or warns: while its owner suspends
 * `Launch`, no instance can join the group. The owner may turn one on later: then the policy stays in force, and looks
 * report it.
 */
export const unfitSettings = [
  'capacity-rebalancing',
  'warm-pool',
  'weights',
  'vcpu',
  'memory-mib',
  'launch-suspended',
] as const;
export type UnfitSetting = (typeof unfitSettings)[number];

export type UnfitAsg = { readonly asg: string; readonly found: readonly UnfitSetting[] };

/** With these, the sizes of an Auto Scaling group count no instances. */
const units: ReadonlySet<UnfitSetting> = new Set(['weights', 'vcpu', 'memory-mib']);

type Holding = Pick<Group, 'holding' | 'pools' | 'size'>;

/** The other settings matter only where others set the size. */
const unfitIn = (group: Holding, { name, unfit = [] }: AsgView): readonly UnfitSetting[] =>
  name === outsideAsgOf(group) ? unfit : unfit.filter((one) => units.has(one));

type Look = Pick<View, 'group' | 'asgs' | 'nowMs'> & { readonly state: Pick<View['state'], 'suspended'> };

/** `Launch` counts where its owner suspends it, and not where Holdfast does for a while. */
const closedIn = ({ group, state: { suspended = [] }, nowMs }: Look, asg: AsgView): readonly UnfitSetting[] =>
  howHeld(group).joins === asg.name && isClosedByOwner(asg, suspended, nowMs) ? ['launch-suspended'] : [];

/** Auto Scaling groups of the policy in force that it would be refused or warned of now. */
export const unfitNow = (look: Look): readonly UnfitAsg[] => {
  const named = new Set(namedAsgs(look.group));
  return look.asgs.flatMap((asg) => {
    const found = named.has(asg.name) ? [...unfitIn(look.group, asg), ...closedIn(look, asg)] : [];
    return found.length === 0 ? [] : [{ asg: asg.name, found }];
  });
};

/** Whether a size of the group counts no instances, so that nobody can say how many are missing or too many. */
export const countsOtherUnits = (group: Holding, asgs: readonly AsgView[]): boolean => {
  const named = new Set(namedAsgs(group));
  return asgs.some(({ name, unfit = [] }) => named.has(name) && unfit.some((one) => units.has(one)));
};

/**
 * A group as it is treated in this look. Where its size counts no instances, it is treated as paused: what it counts is
 * neither missing nor too much of anything that Holdfast could launch or remove.
 */
export const asCounted = (group: Group, asgs: readonly AsgView[]): Group =>
  modeOf(group) === 'act' && countsOtherUnits(group, asgs) ? { ...group, mode: 'pause', countsUnits: true } : group;

/** What a look found and no look before it. */
export const unfitSince = (now: readonly UnfitAsg[], before: readonly UnfitAsg[] = []): readonly UnfitAsg[] =>
  now.flatMap(({ asg, found }) => {
    const known = before.find((one) => one.asg === asg)?.found ?? [];
    const news = found.filter((one) => !known.includes(one));
    return news.length === 0 ? [] : [{ asg, found: news }];
  });
