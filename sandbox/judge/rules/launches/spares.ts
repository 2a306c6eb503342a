import { gaveNothingUntil, spotGives } from '../../capacity/capacity.ts';
import type { Chronicle } from '../../chronicle.ts';
import type { Rule } from '../../finding.ts';
import { servesAgainMsIn } from '../../members/serves-again.ts';
import { times } from '../../times.ts';
import { dueAt, lateIn } from './serving.ts';

/** How many are to serve with the spares of the policy. The owner's maximum of an Auto Scaling group bounds them. */
const withSpares = (chronicle: Chronicle, group: string, atMs: number): number => {
  const due = dueAt(chronicle, group, atMs);
  const policy = chronicle.policyAt(group, atMs);
  return policy === undefined ? due : due + Math.max(0, Math.min(policy.spare, policy.mostInAsg - due));
};

/** A spare is requested by the next tick after its offering has rested. */
const lookMs = 2 * times.tickMs;

export const sparesServe: Rule = {
  name: 'spares serve while spot gives',
  meaning:
    'As many spares serve as the policy wants, within the bound for members and two ticks. The time counts from when spot could give a spare, and neither a refusal, nor a breaker, nor the rest of what EC2 took back at once prevented it.',
  broken: (chronicle) =>
    [...chronicle.groups.keys()]
      .filter((group) => chronicle.policiesIn(group, chronicle.history.readyAtMs, chronicle.history.endedAtMs).some(({ spare }) => spare > 0))
      .flatMap((group) =>
        lateIn(chronicle, group, {
          due: withSpares,
          gaveNothing: (...between) => gaveNothingUntil(...between, spotGives),
          withinMs: servesAgainMsIn(chronicle, group) + lookMs,
        }),
      ),
};
