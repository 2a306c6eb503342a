import type { Remark } from '../../../core/decision/remark.ts';
import { isMap, type Json, mapsOf, numberOf, textOf, textsOf } from '../read-json.ts';
import { launchesIn } from './shown.ts';

/** One line that shows a part of a stored decision: how it begins, and what it names further on. */
export type Line = { readonly begins: string; readonly names: readonly string[] };

/** Lists of instances in the middle of a sentence name the first three. */
const namedAtLeast = 3;
const first = (instances: unknown): readonly string[] => textsOf(instances).slice(0, namedAtLeast);

const line = (begins: string, ...names: readonly string[]): Line => ({ begins, names });
const lineOfAll = (begins: string, instances: unknown): readonly Line[] =>
  textsOf(instances).length === 0 ? [] : [line(begins, ...textsOf(instances))];

const remarkSays: Readonly<Record<Remark['code'], string>> = {
  detached: 'lets go of members that a user took out',
  'advice-not-followed': 'rebalance.act is false',
  'advice-over-budget': 'the budget of rebalance is spent',
  serves: 'serves now',
  'put-back': 'puts back into service, because EC2 did not take them',
  'boots-failed': 'ended before they served',
  'given-up': 'gives up',
  'spares-missing': 'spares are missing',
  'deaths-bounded': 'ten instances for each missing member ended',
  'launches-bounded': 'and the policy allows',
  'breaker-opened': 'opens the breaker of',
  'breaker-closed': 'closes the breaker of',
  'breaker-overridden': 'although their breaker is open',
  'waits-for-turn': 'the turn of this group comes at about',
  'rest-waits-for-turn': 'gets a part of its turn',
  'waited-for-turn': 'waited',
  'kept-by-minimum': 'because of minimum sizes',
  'shares-full': 'maxShare forbids everything',
  'on-demand-short': 'no on-demand pool takes a launch now',
  paused: 'the mode of the group is pause',
  'came-by-itself': 'and not by Holdfast',
  'asg-unfit': 'with which the policy would be refused',
  'asg-gone': 'finds no Auto Scaling group',
  'asg-back': 'finds the Auto Scaling group',
};

const numbers = ['of', 'owed', 'held', 'missing', 'surplus', 'atMost', 'launched', 'ahead'] as const;

/** What the text says about a remark, whatever it names. */
const saysOf = ({ code, asgs }: Json): string => {
  const isClosed = code === 'asg-unfit' && mapsOf(asgs).every(({ found }) => textsOf(found).every((one) => one === 'launch-suspended'));
  return isClosed ? 'has suspended Launch' : (remarkSays[code as Remark['code']] ?? `remark ${textOf(code)}`);
};

/** A count is shown unless all that it counts are named. */
const remarkLine = (remark: Json): Line => {
  const told = textsOf(remark.instances);
  const shown = [...numbers.map((name) => remark[name]), ...(told.length === 0 || told.length > namedAtLeast ? [remark.count] : [])];
  const figures = shown.filter((value) => typeof value === 'number' && value > 0).map(String);
  const pool = typeof remark.pool === 'string' ? [remark.pool] : [];
  return line(
    '',
    saysOf(remark),
    ...first(told),
    ...pool,
    ...mapsOf(remark.asgs).map(({ asg }) => textOf(asg)),
    ...textsOf(remark.asgs),
    ...figuresOf(told, remark, figures),
  );
};

/** Of many instances, the text counts those that it does not name. */
const figuresOf = (told: readonly string[], { count, code }: Json, figures: readonly string[]): readonly string[] => {
  if (code === 'boots-failed' || code === 'given-up') return [`${numberOf(count)} from`];
  if (told.length === 0) return figures;
  return numberOf(count) > namedAtLeast ? [`and ${numberOf(count) - Math.min(told.length, namedAtLeast)} more`] : [];
};

const rejectedLines = (rejected: unknown): readonly Line[] =>
  [...Map.groupBy(mapsOf(rejected), ({ pool, path }) => `${textOf(pool)} ${textOf(path)}`).values()].map(([one = {}]) =>
    line('', `${textOf(one.pool)}${one.path === '' ? ':' : ` (${textOf(one.path)}):`}`),
  );

const asgLines = ({ raise, restore, lower, suspend, resume, takeDown, takeOver, unnoticed, leftToGroups }: Json): readonly Line[] => {
  const sizes = (begins: string, list: unknown, to: 'toMax' | 'fromMax'): readonly Line[] =>
    mapsOf(list).length === 0 ? [] : [line(begins, ...mapsOf(list).map((one) => `${textOf(one.asg)} to ${numberOf(one[to])}`))];
  const processes = (begins: string, list: unknown): readonly Line[] =>
    mapsOf(list).map(({ asg, processes: of }) => line(`${begins} processes of ${textOf(asg)}`, ...textsOf(of)));
  return [
    ...sizes('raises the maximum size of', raise, 'toMax'),
    ...sizes('puts back the maximum size of', restore, 'fromMax'),
    ...sizes('lowers the maximum size of', lower, 'toMax'),
    ...processes('suspends', suspend),
    ...processes('resumes', resume),
    ...mapsOf(takeDown).map(({ asg, from }) => line(`lowers the desired capacity of ${textOf(asg)} to ${numberOf(from)} again`)),
    ...mapsOf(takeOver).map(({ asg, desired }) => line(`launches in place of ${textOf(asg)}:`, `to ${numberOf(desired)}`)),
    ...lineOfAll('terminates through their Auto Scaling group', unnoticed),
    ...lineOfAll('leaves to their Auto Scaling group', leftToGroups),
  ];
};

const roundLines = (round: Json, index: number): readonly Line[] => [
  ...(index === 0 ? [] : [line('decided again after refusals')]),
  ...mapsOf(round.reasons).map(({ count, pool }) => line(`${numberOf(count)} from ${textOf(pool)}:`)),
  ...mapsOf(round.removals).map(({ instance, reason }) => line(`removes ${textOf(instance)} (${textOf(reason)}`)),
  ...asgLines(round),
  ...mapsOf(round.moves).map(({ instances, pool }) => line('moves ', ...textsOf(instances), `to ${textOf(pool)}`)),
  ...(isMap(round.notMoved) ? [line('moves no member')] : []),
  ...rejectedLines(round.rejected),
  ...mapsOf(round.remarks).map(remarkLine),
  ...(numberOf(round.unplaced) > 0 ? [line(`${numberOf(round.unplaced)} could not be placed anywhere`)] : []),
];

const launchLines = ({ pool, count, result, code, instances, refusals, replaces }: Json): readonly Line[] => [
  line(
    `requested ${numberOf(count)} from ${textOf(pool)}:`,
    ...(result === 'answered' ? [`launched ${textsOf(instances).length}`, ...textsOf(instances)] : [textOf(result), textOf(code)]),
  ),
  ...lineOfAll('in place of', replaces),
  ...mapsOf(refusals).map((one) => line('refused: ', textOf(one.code))),
];

const carriedOutLines = (outcome: Json, removed: ReadonlySet<string>): readonly Line[] => [
  ...mapsOf(outcome.claimed).flatMap(({ instance, reason }) =>
    removed.has(textOf(instance)) ? [] : [line('leaves: ', `${textOf(instance)} (${textOf(reason)})`)],
  ),
  ...mapsOf(outcome.launches).flatMap(launchLines),
  ...lineOfAll('put into service', outcome.admitted),
  ...mapsOf(outcome.failed).map(({ instance }) => line('could not put', textOf(instance))),
  ...(numberOf(outcome.drainsStarted) > 0 ? [line(`drains started: ${numberOf(outcome.drainsStarted)}`)] : []),
];

const outcomeLines = ({ outcome, rounds, trimmed }: Json): readonly Line[] => {
  if (!isMap(outcome)) return mapsOf(trimmed).some(({ part }) => part === 'outcome') ? [] : [line('no outcome is stored yet')];
  if (outcome.code === 'not-carried-out') return [line('not carried out: ')];
  const removed = new Set(mapsOf(rounds).flatMap(({ removals }) => mapsOf(removals).map(({ instance }) => textOf(instance))));
  if (outcome.code === 'carried-out') return carriedOutLines(outcome, removed);
  return [
    line('observed, and not carried out'),
    ...mapsOf(outcome.leaves).map(({ instance, reason }) => line('leaves, and would be drained', `${textOf(instance)} (${textOf(reason)})`)),
    line('would have added'),
    line('the members cost'),
  ];
};

const viewLines = (view: unknown): readonly Line[] => {
  if (!isMap(view)) return [];
  const { desired, members, serving, unread, ended, prices } = view;
  const figures = `desired ${numberOf(desired)}, ${numberOf(members)} members, ${numberOf(serving)} serving`;
  return [
    line('view: ', figures, ...(unread === undefined ? [] : [`health of ${numberOf(unread)} not read`])),
    ...(textsOf(ended).length === 0 ? [] : [line('EC2 shows as ended', ...first(ended))]),
    ...(isMap(prices) ? [line('prices: ')] : []),
  ];
};

const sizeLine = ({ from, to, alarm }: Json): Line =>
  line(
    '',
    ...(from === undefined || from === to ? [] : [`desired ${numberOf(from)} → ${numberOf(to)}`]),
    ...(alarm === undefined ? [] : [textOf(alarm)]),
  );

/** Every line that has to show a stored decision, after the one with its id. */
export const linesOf = (decision: Json): readonly Line[] => [
  line('because of: ', ...mapsOf(decision.causes).flatMap(({ instances }) => first(instances))),
  ...viewLines(decision.view),
  ...mapsOf(decision.rounds).flatMap(roundLines),
  ...outcomeLines(decision),
  ...mapsOf(decision.sizes).map(sizeLine),
  ...mapsOf(decision.trimmed).map(() => line('too large to be stored')),
];

/** Instances that the launches of a decision name in place of this one. */
export const launchedFor = (decision: Json, instance: string): readonly string[] =>
  launchesIn(decision).flatMap(({ replaces, instances }) => {
    const index = textsOf(replaces).indexOf(instance);
    return index === -1 ? [] : textsOf(instances).slice(index, index + 1);
  });
