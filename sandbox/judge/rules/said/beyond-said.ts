import type { Chronicle } from '../../chronicle.ts';
import type { Finding, Rule } from '../../finding.ts';
import { isMap } from '../../read-json.ts';

type Broken = Omit<Finding, 'rule'>;

/** The sizes beyond the maximum of the policy that others may have set at the end, and whether others set one within it. */
const wrongIn = (chronicle: Chronicle, group: string, state: unknown): readonly Broken[] => {
  const { restAtMs, endedAtMs: atMs } = chronicle.history;
  const policy = chronicle.policyAt(group, atMs);
  if (!isMap(state) || restAtMs === undefined || policy?.mode !== 'act' || !policy.isSizedOutside) return [];
  const wanted = chronicle.wantedIn(group, atMs, atMs);
  const said = typeof state.beyondMax === 'number' ? state.beyondMax : undefined;
  if (wanted.length === 0 || wanted.some((size) => (size > policy.size.max ? size : undefined) === said)) return [];
  return [
    {
      group,
      atMs,
      detail: `at rest, others want ${wanted.join(' or ')} of ${group}, its maximum is ${policy.size.max}, and its state says ${said ?? 'nothing'}`,
    },
  ];
};

export const beyondIsSaid: Rule = {
  name: 'a size beyond the maximum is said',
  meaning:
    'At rest, the state of a group whose size others set says which size they set, where it is beyond the maximum of the policy, and otherwise nothing about it. `holdfast status` shows that.',
  broken: (chronicle) => Object.entries(chronicle.history.stored.states).flatMap(([group, state]) => wrongIn(chronicle, group, state)),
};
