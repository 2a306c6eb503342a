import type { Rule } from '../finding.ts';
import { tagsAt } from '../life.ts';
import { ownLaunches } from '../staying.ts';

export const tagsAsAsked: Rule = {
  name: 'launched instances carry their tags',
  meaning:
    'Every instance that Holdfast launches by itself carries its group, its pool, its reservation, and the tags that the policy in force asks for. What LaunchInstances launches carries the tags of its Auto Scaling group.',
  broken: (chronicle) =>
    ownLaunches(chronicle).flatMap(({ life, group, sinceMs }) => {
      if (life.stays[0]?.fromMs === life.launchedAtMs) return [];
      const found = tagsAt(life, life.launchedAtMs);
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
