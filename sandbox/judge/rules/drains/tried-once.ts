import type { Chronicle } from '../../chronicle.ts';
import type { Finding, Rule } from '../../finding.ts';
import { stayAt } from '../../world/life.ts';
import { killedIn } from '../calls.ts';

type Broken = Omit<Finding, 'rule'>;

/** Codes with which AWS refuses for good: a right is missing. */
const denials: ReadonlySet<string> = new Set(['AccessDenied', 'AccessDeniedException', 'UnauthorizedOperation']);

/** Tries of each drain to take a member out of a target group that AWS denied. A function that a fault killed may repeat one. */
const deniedTries = (chronicle: Chronicle) => {
  const killed = killedIn(chronicle.of('called'));
  const unsure = new Set([...killed].flatMap((id) => chronicle.invocations.get(id)?.drain ?? []));
  return chronicle.of('called').flatMap(({ takesOut = [], takesOutOf = '', outcome, invocation, askedAtMs }) => {
    const drain = chronicle.invocations.get(invocation)?.drain;
    if (drain === undefined || unsure.has(drain) || !denials.has(outcome)) return [];
    return takesOut.map((instance) => ({ drain, instance, targetGroup: takesOutOf, atMs: askedAtMs }));
  });
};

/** Whether Holdfast alone ends a member: EC2 announced nothing, and no Auto Scaling group holds it. */
const isOurs = (chronicle: Chronicle, instance: string, atMs: number): boolean => {
  const life = chronicle.life(instance);
  return life !== undefined && life.hooks.length === 0 && life.warnings.every((warning) => warning.atMs > atMs) && stayAt(life, atMs) === undefined;
};

export const deniedOnceEach: Rule = {
  name: 'what AWS denies is tried once by each drain',
  meaning:
    'Where AWS denies a right to take a member out of a target group, and Holdfast alone ends that member, each drain tries it once: later drains make further tries. The rule does not count drains of which a fault killed a function.',
  broken: (chronicle) =>
    [...Map.groupBy(deniedTries(chronicle), ({ drain, instance, targetGroup }) => `${drain} ${instance} ${targetGroup}`).values()].flatMap(
      ([, again]): readonly Broken[] => {
        if (again === undefined || !isOurs(chronicle, again.instance, again.atMs)) return [];
        const { drain, instance, targetGroup, atMs } = again;
        return [{ instance, atMs, detail: `${drain} tries once more to take ${instance} out of ${targetGroup}, which AWS has denied` }];
      },
    ),
};
