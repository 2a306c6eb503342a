import type { Rule } from '../finding.ts';
import { goneAtMs } from '../life.ts';
import { ownLaunches } from '../staying.ts';

const taggedWithinMs = 60_000;

export const tagsAsAsked: Rule = {
  name: 'launched instances carry their tags',
  meaning:
    'Every instance that Holdfast launches carries the tags of its group, its pool and its reservation, and the tags that the policy in force asks for.',
  broken: (chronicle) =>
    ownLaunches(chronicle).flatMap(({ life, group, sinceMs }) => {
      // What an Auto Scaling group launches is tagged by a call that follows.
      const isTaggedLater = life.stays[0]?.fromMs === life.launchedAtMs;
      const lookAtMs = life.launchedAtMs + (isTaggedLater ? taggedWithinMs : 0);
      if (isTaggedLater && goneAtMs(life) <= lookAtMs) return [];
      // Whoever removes a tag later has seen it.
      const found: Readonly<Record<string, string>> = Object.assign({}, ...life.tags.filter(({ atMs }) => atMs <= lookAtMs).map(({ tags }) => tags));
      const about = { group, instance: life.instance, atMs: life.launchedAtMs };
      const policies = chronicle.policiesIn(group, sinceMs, life.launchedAtMs);
      const isAsAsked = policies.length === 0 || policies.some(({ tags }) => Object.entries(tags).every(([key, value]) => found[key] === value));
      const missing = ['holdfast:group', 'holdfast:pool', 'holdfast:reservation'].filter((key) => found[key] === undefined);
      return [
        ...(isAsAsked ? [] : [{ ...about, detail: `${life.instance} lacks tags of the policy in force` }]),
        ...missing.map((key) => ({ ...about, detail: `${life.instance} lacks the tag ${key}` })),
      ];
    }),
};
