import type { Problem } from '../../core/policy/problem.ts';
import { numberOf } from '../../core/units/number-of.ts';
import type { Telemetry } from '../runtime/telemetry.ts';
import { mostProblems } from './accept-policy.ts';
import { judge } from './judge.ts';
import type { AcceptPolicyPorts } from './ports.ts';

/** The interval of the schedule. Each group is looked up in one run of a day. */
const lookUpEveryMs = 900_000;
const timesADay = 86_400_000 / lookUpEveryMs;
/** No look-up begins later than this in an invocation. The next day includes the groups that were left out. */
const beginsWithinMs = 15_000;

/** Groups that are due. Groups are spread over the day, so that their calls are too. */
export const groupsDue = (groups: readonly string[], atMs: number): readonly string[] => {
  const time = Math.floor(atMs / lookUpEveryMs) % timesADay;
  return groups.filter((group) => numberOf(group) % timesADay === time);
};

/** The problems that the version in force would have if it were written now. Undefined where none is in force. */
const refusedNow = async (
  group: string,
  { store, resolver, clock }: AcceptPolicyPorts,
): Promise<readonly Problem[] | undefined> => {
  const inForce = await store.accepted(group);
  if (inForce === undefined) return undefined;
  const verdict = await judge(group, { document: inForce.document, others: [] }, { store, resolver });
  const problems = verdict.kind === 'unacceptable' ? verdict.problems.slice(0, mostProblems) : [];
  await store.putRefusedNow(group, inForce.version, problems, clock.now());
  return problems;
};

/**
 * Looks up the names of each policy in force again, once a day. It finds instance types that are no longer sold and
 * deleted versions of launch templates. The problems are noted beside the status, and the version stays in force.
 *
 * @param atMs the time of the schedule
 */
export const lookUpAgain = async (
  atMs: number,
  ports: AcceptPolicyPorts,
  { logger }: Pick<Telemetry, 'logger'>,
): Promise<{ readonly groups: number }> => {
  const { store, clock } = ports;
  const beganAtMs = clock.now();
  const registry = await store.registry();
  const names = registry.filter(({ letGoUntilMs }) => letGoUntilMs === undefined).map(({ group }) => group);
  const due = groupsDue(names, atMs);
  let lookedUp = 0;
  for (const group of due) {
    if (clock.now() - beganAtMs > beginsWithinMs) {
      logger.warn('There was no time to look up every policy again. The others are looked up tomorrow.', {
        left: due.length - lookedUp,
      });
      break;
    }
    try {
      const problems = await refusedNow(group, ports);
      if (problems !== undefined && problems.length > 0)
        logger.warn('A policy in force would be refused now. Its status says why.', {
          group,
          reasons: problems.length,
        });
    } catch (error) {
      logger.warn('The names in a policy could not be looked up again. The next try is tomorrow.', { group, error });
    }
    lookedUp += 1;
  }
  return { groups: lookedUp };
};
