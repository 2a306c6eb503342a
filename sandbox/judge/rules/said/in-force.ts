import type { Chronicle, GroupTimeline, InForce } from '../../chronicle.ts';
import type { Finding, Rule } from '../../finding.ts';
import { times } from '../../times.ts';

type Broken = Omit<Finding, 'rule'>;

/**
 * Whether a user deleted the policy before it went out of force. A function may have read that before the version came into force that it takes out of
 * force.
 */
const wasDeleted = (chronicle: Chronicle, group: string, before: InForce, atMs: number): boolean => {
  const writes = chronicle.of('policy-written').filter((write) => write.group === group && write.atMs <= atMs);
  const sinceMs = before.atMs - times.reactMs;
  return writes.some((write, index) => write.document === undefined && (writes[index + 1]?.atMs ?? atMs) >= sinceMs);
};

const droppedIn = (chronicle: Chronicle, { group, policies }: GroupTimeline): readonly Broken[] =>
  policies.flatMap(({ atMs, policy }, index): readonly Broken[] => {
    const before = policies[index - 1];
    if (policy !== undefined || before?.policy === undefined || wasDeleted(chronicle, group, before, atMs)) return [];
    return [{ group, atMs, detail: `version ${before.version} of ${group} went out of force, and nobody had deleted the policy` }];
  });

const lastGoodStays: Rule = {
  name: 'the last good policy stays in force',
  meaning: 'A version of a policy goes out of force for two reasons only: another version takes its place, or the user deletes the policy.',
  broken: (chronicle) => [...chronicle.groups.values()].flatMap((timeline) => droppedIn(chronicle, timeline)),
};

const versionsOf = (chronicle: Chronicle): readonly Broken[] =>
  [...Map.groupBy(chronicle.of('policy-in-force'), ({ group }) => group)].flatMap(([group, all]) =>
    all.flatMap(({ version, meaning, atMs }, index): readonly Broken[] => {
      const before = all[index - 1];
      if (meaning === undefined || before?.meaning !== meaning) return [];
      return [{ group, atMs, detail: `version ${version} of ${group} says the same as version ${before.version}, which was in force` }];
    }),
  );

const versionsDiffer: Rule = {
  name: 'a version differs from the one before',
  meaning:
    'A policy that is written again with the same meaning keeps its version number. So each version that comes into force differs from the one that it takes the place of, in what the policy says or in what AWS says about the names in it.',
  broken: versionsOf,
};

export const versionRules: readonly Rule[] = [lastGoodStays, versionsDiffer];
