import type { Remark } from '../core/decision/remark.ts';
import { type Need, type Precedence, precedences } from '../core/limits/need.ts';
import type { EndedWhy } from '../core/pool-memory/failed-boots.ts';
import type { WhyIdle } from '../core/view/unserved.ts';
import { costText, someText, whyText } from './reason-text.ts';
import { timeText } from './time.ts';
import { unfitTexts } from './unfit-text.ts';

const minutesText = (ms: number): string => `${Math.round(ms / 6_000) / 10} minutes`;

const endsText = (ends: readonly EndedWhy[]): string =>
  ends.length === 0 ? '' : `; instances ended: ${ends.map((why) => `${why.count} by ${whyText(why)}`).join(', ')}`;

const counted = (count: number, what: string): readonly string[] => (count === 0 ? [] : [`${count} ${what}`]);

const idleText: Readonly<Record<WhyIdle, string>> = {
  pending: 'it stays pending',
  'not-joined': 'it could not be attached or registered',
  'status-checks': "EC2's status checks do not pass",
  'warm-up': 'it warms up',
  'target-health': 'its target group finds it unhealthy',
};

const urgencyText: Readonly<Record<Need['urgency'], string>> = {
  empty: 'no member serves',
  warned: 'EC2 takes members',
  missing: 'members are missing',
  spare: 'spares are missing',
  look: 'a drain looks',
};
const precedenceText: Readonly<Record<Precedence, string>> = {
  empty: 'without a serving member',
  warned: 'whose members EC2 takes',
  missing: 'that miss members',
  spare: 'that miss spares',
  look: 'drains that look',
  smaller: 'as urgent and smaller',
  earlier: 'as urgent and earlier in line',
};

type Waits = Extract<Remark, { readonly code: 'waits-for-turn' | 'rest-waits-for-turn' }>;

/** The need of the group itself. */
const needOfText = ({ urgency, size }: Waits): string =>
  urgency === undefined ? '' : ` (${urgencyText[urgency]}, size ${size})`;

const aheadText = ({ aheadBy = {} }: Waits): string => {
  const parts = precedences.flatMap((why) => counted(aheadBy[why] ?? 0, precedenceText[why]));
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
};

const waitsText = (remark: Waits): string =>
  `${remark.count} wait for the account's ${remark.bucket} bucket${needOfText(remark)}, ` +
  `behind ${remark.ahead} with greater need${aheadText(remark)}: ` +
  `the turn of this group comes at about ${timeText(remark.turnAtMs)}`;

type Texts = { readonly [Code in Remark['code']]: (remark: Extract<Remark, { readonly code: Code }>) => string };

const texts: Texts = {
  detached: (remark) => `lets go of members that a user took out: ${someText(remark.instances, remark.count)}`,
  'advice-not-followed': (remark) =>
    `keeps members that EC2 advises to replace (rebalance.act is false): ${someText(remark.instances, remark.count)}`,
  'advice-over-budget': (remark) =>
    `keeps members that EC2 advises to replace (the budget of rebalance is spent): ` +
    someText(remark.instances, remark.count),
  serves: (remark) => `serves now: ${someText(remark.instances, remark.count)}`,
  'put-back': (remark) =>
    `puts back into service, because EC2 did not take them: ${someText(remark.instances, remark.count)}`,
  'boots-failed': (remark) =>
    `${remark.count} from ${remark.pool} ended before they served: ${someText(remark.instances, remark.count)}; ` +
    `${whyText(remark)}; the pool rests until ${timeText(remark.untilMs)}`,
  'given-up': (remark) =>
    `gives up ${remark.count} from ${remark.pool} that never served (${idleText[remark.why]}): ` +
    `${someText(remark.instances, remark.count)}; the pool rests until ${timeText(remark.untilMs)}`,
  'spares-missing': (remark) =>
    `${remark.count} of ${remark.of} spares are missing: spot gives none now, and is requested again`,
  'deaths-bounded': (remark) =>
    `launches ${remark.count} fewer: ten instances for each missing member ended within ten minutes`,
  'launches-bounded': (remark) =>
    `launches ${remark.count} fewer: ${remark.launched} were launched within ${minutesText(remark.withinMs)}, ` +
    `and the policy allows ${remark.atMost}, until ${timeText(remark.untilMs)}${endsText(remark.ends)}`,
  'breaker-opened': ({ breaker, why, interruptions, withinMs, untilMs }) =>
    why === 'trial'
      ? `opens the breaker of ${breaker} again until ${timeText(untilMs)}: the test launch was interrupted`
      : `opens the breaker of ${breaker} until ${timeText(untilMs)}: ` +
        `${interruptions} interruptions within ${minutesText(withinMs)}`,
  'breaker-closed': ({ breaker, why }) =>
    why === 'trial'
      ? `closes the breaker of ${breaker}: the test launch was not interrupted`
      : `closes the breaker of ${breaker}: no interruption came while it was half-open`,
  'breaker-overridden': ({ count }) =>
    `launches ${count} although their breaker is open: nothing else in the tree takes launches`,
  'waits-for-turn': waitsText,
  'rest-waits-for-turn': (remark) => `gets a part of its turn: of ${remark.of}, ${waitsText(remark)}`,
  'waited-for-turn': (remark) =>
    `waited ${Math.round(remark.waitedMs / 1_000)} s for the account's ${remark.bucket} bucket`,
  'kept-by-minimum': (remark) => {
    const asgs = remark.asgs.map(({ asg, min }) => `${asg} (${min})`).join(', ');
    return `keeps ${remark.count} above the desired size because of minimum sizes: ${asgs}`;
  },
  'asg-unfit': ({ asgs }) => unfitTexts(asgs).join('; '),
  'asg-gone': ({ asgs }) =>
    `finds no Auto Scaling group ${asgs.join(', ')}: nothing is launched there until there is one of that name again`,
  'asg-back': ({ asgs }) => `finds the Auto Scaling group ${asgs.join(', ')} again`,
  'shares-full': ({ count }) => `launches ${count} fewer: maxShare forbids everything that could be launched`,
  'on-demand-short': (remark) =>
    `needs ${remark.owed} on demand and has ${remark.held}: ` +
    'no on-demand pool takes a launch now, so spot stays in their place' +
    (remark.untilMs === undefined
      ? ''
      : `; no member moves to ${remark.offering} until ${timeText(remark.untilMs)}, ` +
        'because those that moved there did not stay'),
  paused: (remark) => {
    const what = [...counted(remark.missing, 'missing'), ...counted(remark.surplus, 'above the desired size')];
    return `${what.join(', ')}, and nothing is done: the mode of the group is pause`;
  },
  'came-by-itself': (remark) =>
    `has its size again after ${Math.round(remark.afterMs / 1_000)} s, and not by Holdfast: ` +
    `${remark.count === 0 ? 'nothing was launched' : someText(remark.instances, remark.count)}, ` +
    `for ${costText(remark.cost)}; ` +
    `decision ${remark.decision} would have launched for ${costText(remark.wouldCost)}`,
};

/** A fact that a look found, and why it led to no action. */
export const remarkText = (remark: Remark): string => (texts[remark.code] as (one: Remark) => string)(remark);
