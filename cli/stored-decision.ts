import type { CarriedOut, DecisionRecord, Observed } from '../core/decision/decision-record.ts';

/** How a decision was carried out. Undefined when it was not, or when nothing is known about it. */
const carriedOut = ({ outcome }: DecisionRecord): CarriedOut | undefined =>
  outcome?.code === 'carried-out' ? outcome : undefined;

const isObservedIn = ({ rounds }: DecisionRecord, { leaves }: Observed, instance: string): boolean =>
  leaves.some((one) => one.instance === instance) ||
  rounds.some(({ removals, drains }) => drains.includes(instance) || removals.some((one) => one.instance === instance));

/** Instances that EC2 reported to shut down, or to have ended, before the decision, or that it showed as ended. */
export const endIn = ({ causes, view }: DecisionRecord): readonly string[] => [
  ...causes.flatMap((cause) => (cause.code === 'state-change' && cause.state !== 'running' ? cause.instances : [])),
  ...(view?.ended ?? []),
];

/** What a decision says of an instance that ended before it served. */
export const bootFailed = 'found to have ended before it served';

/** What remarks of a decision say of an instance that they name, by their code. */
const remarked = {
  'put-back': 'put back into service',
  'boots-failed': bootFailed,
  'given-up': 'given up, because it never served',
  detached: 'found to be detached by its user',
} as const;

type Remarked = (typeof remarked)[keyof typeof remarked];

const remarkedIn = ({ rounds }: DecisionRecord, instance: string): Remarked | undefined => {
  for (const remark of rounds.flatMap(({ remarks = [] }) => remarks))
    if (remark.code in remarked && 'instances' in remark && remark.instances.includes(instance))
      return remarked[remark.code as keyof typeof remarked];
  return undefined;
};

/**
 * How a decision concerns an instance. Undefined when it does not. When a function died before it stored EC2's
 * response, the reservation in the instance's tag still leads to its decision: its id begins with the decision's.
 */
export const partIn = (
  record: DecisionRecord,
  instance: string,
  reservation?: string,
): 'launched' | 'let go' | 'replaced' | 'observed' | 'ended' | Remarked | undefined => {
  if (record.outcome?.code === 'observed')
    return isObservedIn(record, record.outcome, instance) ? 'observed' : undefined;
  const { launches = [], claimed = [] } = carriedOut(record) ?? {};
  const isLaunched = launches.some((launch) => launch.result === 'answered' && launch.instances.includes(instance));
  if (isLaunched || reservation?.startsWith(`${record.id}-`)) return 'launched';
  if (claimed.some((one) => one.instance === instance)) return 'let go';
  if (launches.some(({ replaces }) => replaces.includes(instance))) return 'replaced';
  return remarkedIn(record, instance) ?? (endIn(record).includes(instance) ? 'ended' : undefined);
};
