import { offeringKey } from '../pool/offering.ts';
import type { Swap } from '../swap/swap.ts';
import type { GroupState, Member } from '../view/view.ts';
import type { Decision } from './decision.ts';

/** Members that a decision chose to leave. The group's state keeps them until their swaps are written. */
export type Chosen = {
  readonly decision: string;
  readonly instances: readonly string[];
  /**
   * Until this time the author of the decision may still be writing their swaps. Afterwards they count as members
   * again.
   */
  readonly untilMs: number;
};

type State = Pick<GroupState, 'chosen'>;

const isWritten = (swaps: ReadonlyMap<string, Swap>, instance: string): boolean =>
  (swaps.get(instance)?.state ?? 'waiting') !== 'waiting';

/**
 * The choices of a decision. They are written with the state, so that a function which decides at the same time loses
 * its write and then sees them.
 */
export const choicesOf = ({ removals, drains }: Decision, decision: string, untilMs: number): readonly Chosen[] => {
  const instances = [...removals.map(({ instance }) => instance), ...drains];
  return instances.length === 0 ? [] : [{ decision, instances, untilMs }];
};

/** The choices without these members, which one decision chose and does not let go after all. */
export const withoutChoices = (
  { chosen = [] }: State,
  decision: string,
  staying: readonly string[],
): readonly Chosen[] => {
  const stays = new Set(staying);
  return chosen
    .map((one) =>
      one.decision === decision ? { ...one, instances: one.instances.filter((instance) => !stays.has(instance)) } : one,
    )
    .filter(({ instances }) => instances.length > 0);
};

/** The choices that still hold: those without a swap, while the author of the decision may still be running. */
export const stillChosen = ({ chosen = [] }: State, swaps: readonly Swap[], nowMs: number): readonly Chosen[] => {
  const known = new Map(swaps.map((swap) => [swap.instance, swap]));
  return chosen
    .filter(({ untilMs }) => nowMs < untilMs)
    .map((one) => ({ ...one, instances: one.instances.filter((instance) => !isWritten(known, instance)) }))
    .filter(({ instances }) => instances.length > 0);
};

/** Swaps as they will stand once every stored choice is written. */
export const withChosen = (
  { chosen = [] }: State,
  swaps: readonly Swap[],
  members: readonly Member[],
  group: string,
): readonly Swap[] => {
  const known = new Map(swaps.map((swap) => [swap.instance, swap]));
  const memberOf = new Map(members.map((member) => [member.instance, member]));
  for (const { decision, instances } of chosen) {
    for (const instance of instances) {
      const [swap, member] = [known.get(instance), memberOf.get(instance)];
      if (isWritten(known, instance)) continue;
      if (swap !== undefined) known.set(instance, { ...swap, state: 'leaving' });
      else if (member !== undefined) known.set(instance, leaving(member, group, decision));
    }
  }
  return [...known.values()];
};

const leaving = ({ instance, pool = 'unknown', offering }: Member, group: string, decision: string): Swap => ({
  group,
  instance,
  reason: 'scale-in',
  state: 'leaving',
  pool,
  offering: offeringKey(offering),
  claimedAtMs: 0,
  decision,
});
