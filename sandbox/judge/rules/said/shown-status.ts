import { items } from '../../../../core/contract.ts';
import type { Chronicle } from '../../chronicle.ts';
import type { Finding, Rule } from '../../finding.ts';
import { latest } from '../../policy/in-force.ts';
import type { Showing } from '../../said/shown.ts';

type Broken = Omit<Finding, 'rule'>;

/** The lines below a title, until the next empty one. */
const listedBelow = (text: string, title: string): readonly string[] => {
  const lines = text.split('\n');
  const from = lines.indexOf(title) + 1;
  const until = lines.indexOf('', from);
  return from === 0 ? [] : lines.slice(from, until === -1 ? lines.length : until);
};

const wrongLists = (chronicle: Chronicle, group: string, atMs: number, text: string): readonly string[] => {
  const written = chronicle
    .of('item-written')
    .findLast((one) => one.table === 'groups' && one.group === group && one.item === items.status && one.status !== undefined && one.atMs <= atMs);
  const { problems = 0, warnings = 0 } = written?.status ?? {};
  const lists = [
    ['Reasons:', problems],
    ['Warnings:', warnings],
  ] as const;
  return lists.flatMap(([title, count]) => {
    const listed = listedBelow(text, title).length;
    return listed === count ? [] : [`lists ${listed} below ${title} and ${count} are stored`];
  });
};

/** Another run may be writing the status while the version comes into force. At rest nothing is under way. */
const wrongVersion = (chronicle: Chronicle, group: string, atMs: number, text: string): readonly string[] => {
  const version = latest(chronicle.groups.get(group)?.policies ?? [], atMs)?.version;
  const [, told] = /Version (\d+) (?:is|stays) in force/.exec(text) ?? [];
  return told === undefined || Number(told) === version ? [] : [`says that version ${told} is in force, and it is ${version ?? 'none'}`];
};

/** When the last function that a tick told to look at a group, and that ended before this moment, began. What status shows was found then, or later. */
const lookedSinceMs = ({ invocations }: Chronicle, group: string, atMs: number): number =>
  Math.max(
    0,
    ...[...invocations.values()].flatMap(({ beganAtMs, deliveries, ended }) => {
      if (ended === undefined || ended.atMs > atMs || ended.injected || ended.error !== undefined) return [];
      const looked = deliveries.some(({ told, message }) => told.about === 'tick' && told.groups.includes(group) && !ended.again.includes(message));
      return looked ? [beganAtMs] : [];
    }),
  );

const wrongSize = (chronicle: Chronicle, group: string, atMs: number, text: string): readonly string[] => {
  const [, set, max] = /others set the size to (\S+)\. The maximum of the policy \(size\.max\) is (\S+)\. /.exec(text) ?? [];
  if (set === undefined) return [];
  const sinceMs = lookedSinceMs(chronicle, group, atMs) - chronicle.times.asgLagMs;
  const { size } = chronicle.policyAt(group, atMs) ?? {};
  return [
    ...(chronicle.wantedIn(group, sinceMs, atMs).includes(Number(set)) ? [] : [`says that others set the size to ${set}`]),
    ...(size?.max === Number(max) ? [] : [`says that the maximum is ${max}, and it is ${size?.max ?? 'none'}`]),
  ];
};

const wrongPools = (chronicle: Chronicle, group: string, atMs: number, text: string): readonly string[] => {
  const known = new Set(chronicle.policiesIn(group, 0, atMs).flatMap(({ pools }) => Object.keys(pools)));
  const named = [...text.matchAll(/ Pools: (.+)\.$/gm)].flatMap(([, list = '']) => list.split(', '));
  return named.filter((pool) => !known.has(pool)).map((pool) => `names the pool ${pool}, which no policy had`);
};

const wrongIn = (chronicle: Chronicle, { atMs, shown }: Showing): readonly Broken[] =>
  shown
    .filter(({ command }) => command === 'status')
    .flatMap(({ about: group, text }) =>
      [wrongLists, wrongVersion, wrongSize, wrongPools]
        .flatMap((wrong) => wrong(chronicle, group, atMs, text))
        .map((what) => ({ group, atMs, detail: `holdfast status ${group} ${what}` })),
    );

export const statusIsShown: Rule = {
  name: 'status shows what is in force',
  meaning:
    'At rest, `holdfast status` names the version in force, lists as many reasons and warnings as the status has, names pools of the policy, and, where it says that others set a size beyond the maximum, the maximum of the policy and that size, as the look of the last tick or a later one could find it.',
  broken: (chronicle) => {
    const { restAtMs, showings = [] } = chronicle.history;
    return showings.filter(({ atMs }) => restAtMs !== undefined && atMs >= restAtMs).flatMap((showing) => wrongIn(chronicle, showing));
  },
};
