import { items } from '../../../../core/contract.ts';
import type { Chronicle } from '../../chronicle.ts';
import type { Finding, Rule } from '../../finding.ts';
import type { SaidStatus } from '../../said/status.ts';

type Broken = Omit<Finding, 'rule'>;
type Status = SaidStatus & { readonly message: string };
/** A status that a function wrote for a group. */
type Written = { readonly group: string; readonly atMs: number; readonly status: Status };

const statusesOf = (chronicle: Chronicle): readonly Written[] =>
  chronicle.of('item-written').flatMap(({ table, group, item, atMs, status, by }): readonly Written[] => {
    const message = status?.message;
    const isStatus = table === 'groups' && item === items.status && by.kind === 'function';
    return isStatus && status !== undefined && message !== undefined ? [{ group, atMs, status: { ...status, message } }] : [];
  });

const reasons = (count: number): string => `Rejected for ${count} ${count === 1 ? 'reason' : 'reasons'}.`;

/** A status lists the first fifty problems, and its text counts all of them. */
const mostListed = 50;

/** What the text of a status has to say, by what the other attributes say. */
const wantedIn = ({ status, version, problems = 0 }: Status): readonly string[] => {
  switch (status) {
    case 'accepted':
      return [`Version ${version} is in force.`];
    case 'rejected':
      return [
        ...(problems < mostListed ? [reasons(problems)] : []),
        version === undefined ? 'No version is in force: the group is not acted on.' : `Version ${version} stays in force.`,
      ];
    case 'let-go':
      return ['the group is let go'];
    default:
      return [];
  }
};

/** The stream brings a write within seconds, and a run that fails is repeated for minutes. */
const judgedWithinMs = 600_000;

/** Texts of the policy that a status may be about. Without a policy, or where none is under its key, it is about none. */
const digestsFor = (chronicle: Chronicle, group: string, atMs: number): readonly (string | undefined)[] => {
  const writes = chronicle.of('policy-written').filter((write) => write.group === group && write.atMs <= atMs);
  const late = writes.filter((write) => write.atMs > atMs - judgedWithinMs);
  return [...new Set([...writes.slice(-1), ...late].map(({ digest }) => digest))];
};

const amissIn = (chronicle: Chronicle, { group, atMs, status }: Written): readonly string[] => {
  const { message, digest, at, atMs: saidMs = Number.NaN } = status;
  const known = digestsFor(chronicle, group, atMs);
  const isTimed = Date.parse(at ?? '') === saidMs && saidMs <= atMs + chronicle.times.clockMs;
  return [
    ...wantedIn(status)
      .filter((text) => !message.includes(text))
      .map((text) => `its text does not say “${text}”`),
    ...(known.includes(digest) || (known.length === 0 && digest === undefined) ? [] : ['its digest is of no policy that was written']),
    ...(isTimed ? [] : [`it says that it was written at ${at} (${saidMs})`]),
  ];
};

export const statusesAreWhole: Rule = {
  name: 'a status is whole',
  meaning:
    'The text of a status says the same as its attributes: the version that is or stays in force, and for how many reasons the policy was rejected. Its digest is that of a policy that was written for the group, and a status about no policy has none. Its two times are the same, and have come.',
  broken: (chronicle) =>
    statusesOf(chronicle).flatMap((written): readonly Broken[] =>
      amissIn(chronicle, written).map((why) => ({
        group: written.group,
        atMs: written.atMs,
        detail: `the status of ${written.group} (${written.status.status}): ${why}`,
      })),
    ),
};
