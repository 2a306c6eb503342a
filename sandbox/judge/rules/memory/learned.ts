import { slackOf } from '../../capacity/breaker.ts';
import { takenAtOnceCode } from '../../capacity/refusals.ts';
import type { Chronicle, Written } from '../../chronicle.ts';
import { inEveryGroup } from '../../every-group.ts';
import type { Finding, Rule } from '../../finding.ts';
import { ownLaunches } from '../../members/staying.ts';
import { remembered } from '../../remembered.ts';
import type { StoredLesson } from '../../said/state-memory.ts';
import { times } from '../../times.ts';
import { isHealthy } from '../../told/leaving.ts';
import { nameOf, type OfferingName } from '../../world/cloud.ts';
import { isFunction, type Life } from '../../world/life.ts';
import { mayBeTakenAtOnce } from '../../world/taken-at-once.ts';
import { wasRefused } from '../said/decisions.ts';
import { statesAfter } from './forgets.ts';

type Broken = Omit<Finding, 'rule'>;

const byOffering = remembered(({ lives }: Chronicle) => Map.groupBy(lives, nameOf));

/** When functions received messages of a kind about these instances. */
const toldAbout = (lives: readonly Life[], about: 'advice' | 'warning'): readonly number[] =>
  lives.flatMap(({ deliveries }) => deliveries.flatMap(({ told, atMs }) => (told.about === about ? [atMs] : [])));

/** When EC2 took instances without a message that says so: their end shows it. */
const takenSilently = (lives: readonly Life[]): readonly number[] => lives.flatMap(({ ending }) => (ending?.by.kind === 'ec2' ? [ending.atMs] : []));

/** A warning may be known only from its swap, or from a describe of the end. */
const knownWithinMs = 600_000;

/** What has to have happened for a lesson of each kind, how long before it, and how long its offering rests. */
const grounds: Readonly<
  Record<
    string,
    { readonly text: string; readonly restMs: number; readonly withinMs: number; readonly when: (lives: readonly Life[]) => readonly number[] }
  >
> = {
  advised: {
    text: 'advice to leave',
    restMs: times.advisedRestMs,
    withinMs: times.reactMs + times.messageAgainMs,
    when: (lives) => toldAbout(lives, 'advice'),
  },
  interrupted: {
    text: 'a warning',
    restMs: times.interruptedRestMs,
    withinMs: knownWithinMs,
    when: (lives) => [...toldAbout(lives, 'warning'), ...takenSilently(lives)],
  },
};

const offeringOf = (key: string): OfferingName | undefined => {
  const [instanceType = '', zone = '', market] = key.split('/');
  return market === 'spot' || market === 'on-demand' ? { instanceType, zone, market } : undefined;
};

/** Whether EC2 refused it, or, as Holdfast’s own code says, took launches of it back at once. */
const isRefusalTrue = (chronicle: Chronicle, group: string, { offering: key, code, atMs }: StoredLesson): boolean => {
  const offering = offeringOf(key);
  if (offering === undefined) return true;
  const untilMs = atMs + slackOf(chronicle);
  if (code === takenAtOnceCode) return mayBeTakenAtOnce(chronicle, offering, { group, sinceMs: atMs - slackOf(chronicle), atMs: untilMs });
  return wasRefused(chronicle, { offering, code }, untilMs);
};

const wrongLesson = (chronicle: Chronicle, group: string, lesson: StoredLesson): string | undefined => {
  const { offering, kind, code, atMs, coolingUntilMs } = lesson;
  if (kind === 'refused' && !isRefusalTrue(chronicle, group, lesson)) return `the state says that ${offering} was refused (${code}), and it was not`;
  const ground = grounds[kind];
  if (ground === undefined) return undefined;
  const restMs = coolingUntilMs - atMs;
  if (restMs !== ground.restMs)
    return `${offering} rests for ${Math.round(restMs / 1_000)} s after ${ground.text}, and not for ${ground.restMs / 1_000} s`;
  const slackMs = slackOf(chronicle);
  const hasHappened = ground
    .when(byOffering(chronicle).get(offering) ?? [])
    .some((toldMs) => toldMs >= atMs - ground.withinMs - slackMs && toldMs <= atMs + slackMs);
  return hasHappened ? undefined : `the state says that ${offering} rests after ${ground.text}, and there was none`;
};

const inventedIn = (chronicle: Chronicle, group: string): readonly Broken[] => {
  const seen = new Set<string>();
  return (chronicle.groups.get(group)?.written ?? []).flatMap(({ memory, atMs }): readonly Broken[] =>
    (memory?.lessons ?? []).flatMap((lesson): readonly Broken[] => {
      const key = JSON.stringify(lesson);
      if (seen.has(key)) return [];
      seen.add(key);
      const detail = wrongLesson(chronicle, group, lesson);
      return detail === undefined ? [] : [{ group, atMs, detail }];
    }),
  );
};

const refusedStill = ({ memory }: Written, offering: string, beforeMs: number): StoredLesson | undefined =>
  memory?.lessons.find((one) => one.offering === offering && one.kind === 'refused' && one.code !== takenAtOnceCode && one.atMs < beforeMs);

const staleIn = (chronicle: Chronicle, group: string): readonly Broken[] =>
  ownLaunches(chronicle).flatMap(({ life, group: of }): readonly Broken[] => {
    const { by, launchedAtMs, askedAtMs = launchedAtMs } = life;
    if (of !== group || !isFunction(by) || !isHealthy(chronicle, by.invocation)) return [];
    const beforeMs = askedAtMs - slackOf(chronicle);
    const stale = statesAfter(chronicle, group, launchedAtMs, by.invocation).find(
      (state) => refusedStill(state, nameOf(life), beforeMs) !== undefined,
    );
    return stale === undefined
      ? []
      : [
          {
            group,
            instance: life.instance,
            atMs: stale.atMs,
            detail: `EC2 gave ${life.instance} of ${nameOf(life)}, and the state still refuses it`,
          },
        ];
  });

export const lessonsAreTrue: Rule = {
  name: 'what a group has learned of its offerings happened',
  meaning:
    'The state of a group says that an offering rests after a warning or after advice only if there was one, and for three minutes. It says that an offering was refused only if EC2 refused it, or took two launches of it in a row back at once. Once EC2 gave an instance of an offering to a function that no fault met, the state no longer says that EC2 refused this offering before.',
  broken: inEveryGroup((chronicle, group) => [...inventedIn(chronicle, group).slice(0, 1), ...staleIn(chronicle, group).slice(0, 1)]),
};
