import { metrics } from '../../core/contract.ts';
import { isGroupName } from '../../core/policy/group-name.ts';
import type { Telemetry } from '../runtime/telemetry.ts';
import type { Outcome } from './accept-policy.ts';
import { type Changed, type ChangedGroup, changedGroups } from './changed-groups.ts';

/**
 * Lambda delivers a stream's batch again from the first record that is named here (Lambda Developer Guide, DynamoDB
 * partial batch responses).
 */
export type BatchResponse = { readonly batchItemFailures: readonly { readonly itemIdentifier: string }[] };

/**
 * Handles each group of a batch separately. A group that fails is reported, so that it is delivered again, and does not
 * hold up the others. A group that fails without a record to name fails the whole batch.
 */
export const acceptBatch = async (
  event: unknown,
  acceptOne: (group: string, changed: Changed) => Promise<Outcome>,
  telemetry: Pick<Telemetry, 'count' | 'logger'>,
  hash: (text: string) => string,
): Promise<BatchResponse> => {
  const { groups, unreadable } = changedGroups(event);
  if (unreadable > 0) {
    telemetry.count(metrics.poisonMessages, unreadable);
    telemetry.logger.warn('Stream records that are not about a policy item were acknowledged and ignored.', {
      unreadable,
    });
  }
  const batchItemFailures: { itemIdentifier: string }[] = [];
  for (const changed of groups) {
    const failure = await attempt(changed, acceptOne, telemetry, hash);
    if (failure !== undefined) batchItemFailures.push(failure);
  }
  return { batchItemFailures };
};

const attempt = async (
  { group, sequenceNumber, ...changed }: ChangedGroup,
  acceptOne: (group: string, changed: Changed) => Promise<Outcome>,
  { logger }: Pick<Telemetry, 'logger'>,
  hash: (text: string) => string,
) => {
  try {
    const outcome = await acceptOne(group, changed);
    logger.info(`Policy ${outcome.kind}.`, { ...summaryOf(outcome), group: nameFor(group, hash) });
    return undefined;
  } catch (error) {
    if (sequenceNumber === undefined) throw error;
    logger.error(
      'A policy change could not be handled. The version in force stays in force, and the change is delivered again.',
      {
        group: nameFor(group, hash),
        error,
      },
    );
    return { itemIdentifier: sequenceNumber };
  }
};

/** Any user who may write the table chooses the key. A key that no group can have is logged as a hash. */
const nameFor = (group: string, hash: (text: string) => string): string =>
  isGroupName(group) ? group : `sha256:${hash(group)}`;

/** The most paths in a log event, which holds 256 KB (CloudWatch Logs quotas). The status item has all of them. */
const pathsLogged = 20;

/** Logs only the paths of problems. The values of a policy are private to its author, and are in the status item. */
const summaryOf = (outcome: Outcome) =>
  outcome.kind === 'rejected'
    ? {
        ...outcome,
        problems: outcome.problems.slice(0, pathsLogged).map(({ path }) => path),
        reasons: outcome.problems.length,
      }
    : outcome;
