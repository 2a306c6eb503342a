import type { ActionResult, Released } from '../../core/ports/capacity-provider.ts';
import { codeOf, instancesNamedIn, isFromAws, isUnknownInstance, retryOf } from '../calls/errors.ts';

/** What an error means for an instance that it concerns. */
export type Verdict = 'done' | { readonly code: string; readonly retry: 'later' | 'never' };

/**
 * An instance that is already gone counts as success. Otherwise the kind of error decides whether a later attempt may
 * succeed.
 */
export const ordinaryVerdict = (error: unknown): Verdict =>
  isUnknownInstance(error) ? 'done' : { code: codeOf(error), retry: retryOf(error) };

/** The most times that a call is repeated without the instances that it failed for. The rest is left for later. */
const rounds = 5;

/**
 * One call for many instances. AWS fails the whole call for one bad id. The instances that the error names are
 * classified, and the call is repeated at once for the others. An error that names no instance applies to all of them.
 * If the last round fails too, the instances that no error named are left for later.
 */
export const actOn = async (
  instances: readonly string[],
  act: (ids: readonly string[]) => Promise<unknown>,
  judge: (error: unknown, instance: string) => Verdict = ordinaryVerdict,
): Promise<ActionResult> => {
  const judged: ActionResult[] = [];
  let rest = instances;
  for (let round = 1; rest.length > 0; round += 1) {
    const error = await act(rest).then(() => undefined, fromAwsOnly);
    if (error === undefined) return together([...judged, { done: rest, failed: [] }]);
    const named = new Set(instancesNamedIn(error));
    const known = rest.filter((instance) => named.has(instance));
    const culprits = known.length === 0 ? rest : known;
    judged.push(together(culprits.map((instance) => outcomeOf(instance, judge(error, instance)))));
    const blamed = new Set(culprits);
    rest = rest.filter((instance) => !blamed.has(instance));
    if (round === rounds) return together([...judged, { done: [], failed: rest.map(leftFor(error)) }]);
  }
  return together(judged);
};

const fromAwsOnly = (error: unknown): unknown => {
  if (isFromAws(error)) return error;
  throw error;
};

const leftFor =
  (error: unknown) =>
  (instance: string): ActionResult['failed'][number] => ({ instance, code: codeOf(error), retry: 'later' });

const outcomeOf = (instance: string, verdict: Verdict): ActionResult =>
  verdict === 'done' ? { done: [instance], failed: [] } : { done: [], failed: [{ instance, ...verdict }] };

const deregisteredIn = (results: readonly Released[], isOut: (instance: string) => boolean) => {
  const all = results.flatMap(({ deregisteredAtMs = {} }) => Object.entries(deregisteredAtMs));
  const out = all.filter(([instance]) => isOut(instance));
  return out.length > 0 && { deregisteredAtMs: Object.fromEntries(out) };
};

const leftIn = (results: readonly Released[]): Pick<Released, 'leftTargetGroups'> => {
  const all = Map.groupBy(
    results.flatMap(({ leftTargetGroups = {} }) => Object.entries(leftTargetGroups)),
    ([instance]) => instance,
  );
  if (all.size === 0) return {};
  return { leftTargetGroups: Object.fromEntries([...all].map(([id, of]) => [id, of.flatMap(([, arns]) => arns)])) };
};

/** Combines several results about different instances. */
export const together = (results: readonly Released[]): Released => ({
  done: results.flatMap(({ done }) => done),
  failed: results.flatMap(({ failed }) => failed),
  ...deregisteredIn(results, () => true),
  ...leftIn(results),
});

/**
 * Combines several results about the same instances: done means that every call succeeded; a permanent failure
 * outweighs one that may succeed later. A member is out of service only if it is so by every result.
 */
export const allOf = (instances: readonly string[], results: readonly Released[]): Released => {
  const failures = results.flatMap(({ failed }) => failed).toSorted((a, b) => a.retry.localeCompare(b.retry));
  const failed = new Map(failures.map((failure) => [failure.instance, failure]));
  const stuck = results.flatMap(({ failed: all, deregisteredAtMs = {} }) =>
    all.flatMap(({ instance }) => (deregisteredAtMs[instance] === undefined ? [instance] : [])),
  );
  return {
    done: instances.filter((instance) => !failed.has(instance)),
    failed: [...failed.values()],
    ...deregisteredIn(results, (instance) => !stuck.includes(instance)),
    ...leftIn(results),
  };
};
