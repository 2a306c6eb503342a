import { allSettled } from '../../aws/calls/in-parallel.ts';
import { howHeld } from '../../core/group/holding.ts';
import { meansClosed } from '../../core/policy/closed-asg.ts';
import { type Problem, problemOf, showFound } from '../../core/policy/problem.ts';
import { isClosedByOwner } from '../../core/view/suspension.ts';
import type { Verdict } from './judge.ts';
import type { AcceptPolicyPorts } from './ports.ts';

type Acceptable = Pick<Extract<Verdict, { readonly kind: 'acceptable' }>, 'candidate' | 'closed'>;

/**
 * A warning about an Auto Scaling group whose owner suspends `Launch`: no instance can join it. Holdfast suspends
 * `Launch` too for a while, and that is no reason for a warning.
 *
 * @param holders the group, and those that held its Auto Scaling groups before: their states say what Holdfast suspends
 */
export const closedWarnings = async (
  { candidate, closed }: Acceptable,
  holders: readonly string[],
  { store, clock }: Pick<AcceptPolicyPorts, 'store' | 'clock'>,
): Promise<readonly Problem[]> => {
  const { joins } = howHeld(candidate.resolved);
  if (joins === undefined || !closed.includes(joins)) return [];
  const states = await allSettled(holders.map((name) => store.holders(name)));
  const notes = states.flatMap((state) => state?.suspended ?? []);
  if (!isClosedByOwner({ name: joins, suspended: ['Launch'] }, notes, clock.now())) return [];
  return [
    problemOf({
      path: ['asg'],
      found: `${showFound(joins)} whose owner has suspended Launch: ${meansClosed(joins)}`,
      allowed: 'an Auto Scaling group whose process Launch runs',
    }),
  ];
};
