import type { Chronicle } from '../../chronicle.ts';
import type { Finding, Rule } from '../../finding.ts';
import { outcomesWritten, type WrittenOutcome } from '../../said/outcomes.ts';
import { isHealthy } from '../../told/leaving.ts';
import { isFunction, type Life } from '../../world/life.ts';

type Broken = Omit<Finding, 'rule'>;
type Write = WrittenOutcome['write'];

const invocationOf = ({ by }: Write): string => (isFunction(by) ? by.invocation : '');

/** The pool that it was launched from, as its tag says. An Auto Scaling group tags what it launches a moment later. */
const poolNamed = ({ tags }: Life): string | undefined => tags.map((change) => change.tags['holdfast:pool']).find((pool) => pool !== undefined);

/** A launch of a function, from that pool. */
const isLaunched = (chronicle: Chronicle, pool: string, instance: string): boolean => {
  const life = chronicle.life(instance);
  return life !== undefined && isFunction(life.by) && (poolNamed(life) ?? pool) === pool;
};

const isClaimed = (life: Life | undefined, invocation: string): boolean =>
  life?.claims.some(({ by }) => isFunction(by) && by.invocation === invocation) === true;

/** Where the policy names no Auto Scaling group to join, members join target groups alone, and the rule does not look. */
const hasJoined = (chronicle: Chronicle, group: string, instance: string, { by, atMs }: Write): boolean => {
  const beganMs = isFunction(by) ? (chronicle.invocations.get(by.invocation)?.beganAtMs ?? atMs) : atMs;
  const asgs = chronicle.policiesIn(group, beganMs, atMs).map(({ asg }) => asg);
  const stays = chronicle.life(instance)?.stays ?? [];
  return asgs.includes(undefined) || stays.some((stay) => asgs.includes(stay.asg) && stay.fromMs <= atMs);
};

const startsIn = (chronicle: Chronicle, id: string): number =>
  chronicle.of('called').filter(({ invocation, operation }) => invocation === id && operation === 'StartExecution').length;

const untrue = (chronicle: Chronicle, said: WrittenOutcome): readonly string[] => {
  const { write, group, launches, claimed, admitted, drainsStarted } = said;
  const invocation = invocationOf(write);
  const named = launches.flatMap(({ pool, instances }) => instances.map((instance) => ({ pool, instance })));
  return [
    ...named
      .filter(({ pool, instance }) => !isLaunched(chronicle, pool, instance))
      .map(({ pool, instance }) => `that it launched ${instance} from ${pool}`),
    ...claimed.filter((instance) => !isClaimed(chronicle.life(instance), invocation)).map((instance) => `that it claimed ${instance}`),
    ...admitted.filter((instance) => !hasJoined(chronicle, group, instance, write)).map((instance) => `that ${instance} joined`),
    ...(drainsStarted > startsIn(chronicle, invocation) ? [`that it started ${drainsStarted} drains`] : []),
  ];
};

/** What an outcome names as joined, or as launched: LaunchInstances launches into an Auto Scaling group. */
const namedIn = ({ admitted, launches }: WrittenOutcome): readonly string[] => [...admitted, ...launches.flatMap(({ instances }) => instances)];

/** Members that the invocation of a decision attached, and that no decision of it names. */
const unnamed = (chronicle: Chronicle, outcomes: readonly WrittenOutcome[]): readonly Broken[] => {
  const byInvocation = Map.groupBy(outcomes, ({ group, write }) => `${group} ${invocationOf(write)}`);
  return chronicle.of('joined').flatMap(({ instance, by, atMs }): readonly Broken[] => {
    const life = chronicle.life(instance);
    const group = life && chronicle.groupAt(life, atMs);
    if (group === undefined || !isFunction(by) || !isHealthy(chronicle, by.invocation)) return [];
    const said = byInvocation.get(`${group} ${by.invocation}`);
    if (said === undefined || said.some((one) => namedIn(one).includes(instance))) return [];
    return [{ group, instance, atMs, detail: `decision ${said[0]?.id} does not say that ${instance} joined` }];
  });
};

export const outcomesAreTrue: Rule = {
  name: 'what a decision says was done is true',
  meaning:
    'Each instance that the outcome of a stored decision names as launched was launched by Holdfast, from the pool that it names. Each member that it names as claimed got its swap from the same invocation, and each one that it names as joined is in the Auto Scaling group of the policy. It names every member that its invocation attached or launched into an Auto Scaling group, and counts no more started drains than that invocation requested.',
  broken: (chronicle) => {
    const outcomes = outcomesWritten(chronicle);
    return [
      ...outcomes.flatMap((said) =>
        untrue(chronicle, said).map((what) => ({ group: said.group, atMs: said.write.atMs, detail: `decision ${said.id} says ${what}` })),
      ),
      ...unnamed(chronicle, outcomes),
    ];
  },
};
