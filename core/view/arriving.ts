import type { Member } from './view.ts';

/** Instances that Holdfast launched and that no look has found serving yet, and when EC2 granted each, epoch ms. */
export type Arriving = Readonly<Record<string, number>>;

/**
 * The most that are kept, the latest ones. It is not reported when the others serve. EC2's bucket grants 1,000 at once
 * and two a second, so all are kept whose boot takes four minutes. The state item has 37 bytes for each.
 */
export const mostArriving = 1_500;
/** Instances that no describe shows are forgotten after this. They ended, or left the group. */
const forgottenAfterMs = 600_000;

/** The arriving instances, with those that EC2 has just granted. */
export const withGranted = (
  arriving: Arriving | undefined,
  instances: readonly string[],
  nowMs: number,
): Arriving | undefined => {
  const granted = instances.map((instance) => [instance, nowMs] as const);
  const all = [...Object.entries(arriving ?? {}), ...granted].slice(-mostArriving);
  return all.length === 0 ? undefined : Object.fromEntries(all);
};

type Shown = readonly Pick<Member, 'instance' | 'serving'>[];

/** The arriving instances that serve now. */
export const arrivedIn = (arriving: Arriving = {}, members: Shown): readonly string[] =>
  members
    .filter(({ instance, serving }) => serving && arriving[instance] !== undefined)
    .map(({ instance }) => instance);

/** Ids of new members that this or an earlier look found serving, sorted, whoever launched them. */
export const cameUpNow = (
  { cameUp = [] }: { readonly cameUp?: readonly string[] },
  members: readonly Member[],
  isNew: (member: Member) => boolean,
): readonly string[] => {
  const known = new Set(cameUp);
  return members
    .filter((member) => (member.serving || known.has(member.instance)) && isNew(member))
    .map(({ instance }) => instance)
    .toSorted()
    .slice(0, mostArriving);
};

/** The arriving instances that no look has found serving. */
export const stillArriving = (arriving: Arriving | undefined, members: Shown, nowMs: number): Arriving | undefined => {
  if (arriving === undefined) return undefined;
  const serving = new Map(members.map((member) => [member.instance, member.serving]));
  const left = Object.entries(arriving).filter(([instance, atMs]) => {
    const serves = serving.get(instance);
    return serves === undefined ? nowMs - atMs < forgottenAfterMs : !serves;
  });
  return left.length === 0 ? undefined : Object.fromEntries(left);
};
