import { throttlingError } from '../../throttle/published-buckets.ts';
import type { HistoryEvent } from '../history.ts';

type Called = Extract<HistoryEvent, { readonly kind: 'called' }>;

/** What is Holdfast's own: a throttled call to it is made up to five times (docs/architecture.md, "Trying again"). */
const ownServices = new Set(['dynamodb', 'sqs', 'events', 'states']);
const repeatsOfThrottled = (service: string): number => (ownServices.has(service) ? 4 : 2);

/** Any other call is made up to three times, and so is one that gets a server error. */
const repeatsOfBroken = 2;

/** The codes of server errors, which differ by service. */
const serverErrors = new Set(['InternalError', 'InternalFailure', 'InternalServerError']);

const isThrottled = ({ service, outcome }: Called): boolean => outcome === throttlingError(service).code;
const isBroken = ({ outcome }: Called): boolean => serverErrors.has(outcome);

/** Tries that a fault throttled or gave a server error, and that the same invocation repeated until one of them got neither. */
export const repeatedTries = (made: readonly Called[]): number => {
  const alike = Map.groupBy(made, ({ invocation, service, operation }) => `${invocation} ${service} ${operation}`);
  return [...alike.values()].reduce((sum, tries) => {
    const byFault = tries.filter(({ trouble }) => trouble === 'fault');
    const [throttled, broken] = [byFault.filter(isThrottled).length, byFault.filter(isBroken).length];
    const others = tries.length - throttled - broken;
    return sum + Math.min(throttled + Math.min(broken, repeatsOfBroken * others), repeatsOfThrottled(tries[0]?.service ?? '') * others);
  }, 0);
};
