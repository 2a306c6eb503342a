import type { CarriedOut, DecisionRecord } from '../core/decision-record.ts';

/** What a decision was carried out to; undefined when it was not, or when nothing is known about it. */
const carriedOut = ({ outcome }: DecisionRecord): CarriedOut | undefined =>
  outcome?.code === 'carried-out' ? outcome : undefined;

/**
 * What a decision has to do with an instance, or undefined when nothing. Where a function died before it wrote down
 * what EC2 answered, the reservation that the instance is tagged with leads to its decision all the same: its id begins
 * with the decision's.
 */
export const partIn = (
  record: DecisionRecord,
  instance: string,
  reservation?: string,
): 'launched' | 'let go' | 'replaced' | undefined => {
  const { launches = [], claimed = [] } = carriedOut(record) ?? {};
  const isLaunched = launches.some((launch) => launch.result === 'answered' && launch.instances.includes(instance));
  if (isLaunched || reservation?.startsWith(`${record.id}-`)) return 'launched';
  if (claimed.some((one) => one.instance === instance)) return 'let go';
  if (launches.some(({ replaces }) => replaces.includes(instance))) return 'replaced';
  return undefined;
};
