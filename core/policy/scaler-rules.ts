import { type Problem, problemOf, showFound } from './problem.ts';
import { type LookedUp, mergedPools, type Scalers } from './resolution.ts';
import type { Policy } from './schema.ts';
import { isSizedOutside } from './size-of.ts';

/** More names would not help the reader. */
const mostNamed = 5;

const named = (what: string, names: readonly string[]): readonly string[] => {
  if (names.length === 0) return [];
  const rest = names.length > mostNamed ? ` and ${names.length - mostNamed} more` : '';
  return [`${what} ${names.slice(0, mostNamed).join(', ')}${rest}`];
};

const textsOf = (scalers: Exclude<Scalers, { readonly unread: string }>): readonly string[] => [
  ...(scalers.isOfEcs ? ['an ECS capacity provider'] : []),
  ...named('scaling policies', scalers.policies),
  ...named('scheduled actions', scalers.scheduledActions),
];

/** Where Auto Scaling groups are named. */
const placesOf = (
  policy: Policy,
): readonly { readonly path: readonly string[]; readonly asg: string | undefined }[] => [
  { path: ['asg'], asg: policy.asg },
  ...Object.entries(mergedPools(policy)).map(([name, { asg }]) => ({ path: ['pools', name, 'asg'], asg })),
];

/**
 * Everything else that sets the desired capacity of an Auto Scaling group whose size the policy sets. The two would
 * undo each other's changes.
 */
export const scalerWarnings = (policy: Policy, { scalers = {} }: LookedUp): readonly Problem[] => {
  if (isSizedOutside(policy)) return [];
  const byAsg = new Map<string | undefined, Scalers>(Object.entries(scalers));
  return placesOf(policy).flatMap(({ path, asg }) => {
    const found = byAsg.get(asg);
    if (found === undefined) return [];
    if ('unread' in found) {
      const allowed = 'a group whose desired capacity nobody else sets';
      return [
        problemOf({ path, found: `${showFound(asg)}, whose scaling could not be read (${found.unread})`, allowed }),
      ];
    }
    const texts = textsOf(found);
    if (texts.length === 0) return [];
    const way = path.length === 1 ? ': delete these, or leave the size to them with size.from: asg' : ': delete these';
    const allowed = `a group whose desired capacity the policy alone sets${way}`;
    return [problemOf({ path, found: `${showFound(asg)} with ${texts.join(', and ')}`, allowed })];
  });
};
