import type { Chronicle } from '../../chronicle.ts';
import type { Rule } from '../../finding.ts';
import { ownLaunches } from '../../members/staying.ts';
import { goneAtMs, type Life } from '../../world/life.ts';

/** What an Auto Scaling group launches is tagged by a call that follows, within this time. */
export const taggedWithinMs = 60_000;

const isTaggedLater = (life: Life): boolean => life.stays[0]?.fromMs === life.launchedAtMs;

type Launch = ReturnType<typeof ownLaunches>[number];

/** The tags that an instance ought to carry and lacks at a moment. Whoever removes a tag later has seen it. */
const lackedAt = (chronicle: Chronicle, { life, group, sinceMs }: Launch, atMs: number): readonly string[] => {
  const found: Readonly<Record<string, string>> = Object.assign({}, ...life.tags.filter((one) => one.atMs <= atMs).map(({ tags }) => tags));
  const policies = chronicle.policiesIn(group, sinceMs, isTaggedLater(life) ? atMs : life.launchedAtMs);
  const isAsAsked = policies.length === 0 || policies.some(({ tags }) => Object.entries(tags).every(([key, value]) => found[key] === value));
  const missing = ['holdfast:group', 'holdfast:pool', 'holdfast:reservation'].filter((key) => found[key] === undefined);
  return [...(isAsAsked ? [] : ['tags of the policy in force']), ...missing.map((key) => `the tag ${key}`)];
};

/** Whether an instance that is tagged by a later call carries its tags at a moment, or is gone by then. */
export const isTaggedBy = (chronicle: Chronicle, instance: string, atMs: number): boolean => {
  const launch = ownLaunches(chronicle).find(({ life }) => life.instance === instance);
  if (launch === undefined || !isTaggedLater(launch.life)) return false;
  return goneAtMs(launch.life) <= atMs || lackedAt(chronicle, launch, atMs).length === 0;
};

export const tagsAsAsked: Rule = {
  name: 'launched instances carry their tags',
  meaning:
    'Every instance that Holdfast launches carries the tags of its group, its pool and its reservation, and the tags that the policy in force asks for.',
  broken: (chronicle) =>
    ownLaunches(chronicle).flatMap((launch) => {
      const { life, group } = launch;
      const lookAtMs = life.launchedAtMs + (isTaggedLater(life) ? taggedWithinMs : 0);
      if (isTaggedLater(life) && goneAtMs(life) <= lookAtMs) return [];
      const about = { group, instance: life.instance, atMs: life.launchedAtMs };
      return lackedAt(chronicle, launch, lookAtMs).map((what) => ({ ...about, detail: `${life.instance} lacks ${what}` }));
    }),
};
