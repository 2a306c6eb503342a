import type { Member } from './view.ts';

/**
 * New members that Holdfast registered with the target groups that the policy names, and when, epoch ms. A look that
 * cannot read target health knows them by it.
 */
export type Registered = Readonly<Record<string, number>>;

/** The most that are kept, the latest ones. Others may be registered again, which is harmless. */
const mostRegistered = 300;

/**
 * By this age a member runs and was registered. Before it, an instance whose registration cannot be read and is not
 * noted is registered again, which is harmless.
 */
export const registeredByMs = 120_000;

/** The notes, with those about members that were registered now. */
export const withRegistered = (
  registered: Registered | undefined,
  instances: readonly string[],
  nowMs: number,
): Registered =>
  Object.fromEntries(
    [...Object.entries(registered ?? {}), ...instances.map((instance) => [instance, nowMs] as const)].slice(
      -mostRegistered,
    ),
  );

/** The notes that may still matter. They go with what else is known of new members, so that it is one write. */
export const stillRegistered = (
  registered: Registered = {},
  members: readonly Member[],
  isNew: (member: Member) => boolean,
  nowMs: number,
): Registered | undefined => {
  const shown = new Map(members.map((member) => [member.instance, member]));
  const left = Object.entries(registered).filter(([instance, atMs]) => {
    const member = shown.get(instance);
    return nowMs - atMs < registeredByMs || (member !== undefined && isNew(member));
  });
  return left.length === 0 ? undefined : Object.fromEntries(left);
};
