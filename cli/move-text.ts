import type { MoveReason } from '../core/returning/plan-return.ts';
import type { NotMoved } from '../core/returning/rule.ts';
import { timeText } from './time.ts';

const membersText = (count: number): string => `${Number(count.toFixed(2))} ${count === 1 ? 'member' : 'members'}`;

const whyText = ({ why }: MoveReason): string => {
  switch (why.code) {
    case 'earlier-tier':
      return `tier ${why.tier} takes launches again; these members are in tier ${why.from}`;
    case 'cheaper':
      return `it costs ${why.usdPerHour} USD per hour; these members cost ${why.fromUsdPerHour}`;
    case 'spot-again':
      return 'spot takes launches again';
    case 'on-demand-owed':
      return `the policy asks for ${why.owed} on demand, the group has ${why.held}`;
    case 'fewer-members':
      return `this part of the spread holds ${why.held}, their part holds ${why.fromHeld}`;
    case 'below-share':
      return (
        `this child is ${membersText(why.below)} below its share, ` +
        `their child is ${membersText(why.fromAbove)} above`
      );
  }
};

/** Members that move to a better place, and why it is better. */
export const moveText = (move: MoveReason): string =>
  `moves ${move.instances.join(', ')} to ${move.pool}: ${whyText(move)}`;

/** Why no member moves now, although a better place may exist. */
export const notMovedText = (notMoved: NotMoved): string => {
  switch (notMoved.code) {
    case 'resting':
      return `moves no member: ${notMoved.offering} rests until ${timeText(notMoved.untilMs)}`;
    case 'would-not-pay':
      return (
        `moves no member: ${notMoved.offering} costs ${notMoved.usdPerHour} USD per hour instead of ` +
        `${notMoved.fromUsdPerHour}, and members live there for ${Math.round(notMoved.lifeMs / 60_000)} minutes`
      );
    case 'window-closed':
      return 'moves no member: the window of return is closed';
    case 'unsettled':
      return (
        'moves no member: the size or the policy changed lately, or the state was lost; ' +
        `no move before ${timeText(notMoved.untilMs)}`
      );
    case 'flapping':
      return `moves no member: three moves within an hour did not pay; no move before ${timeText(notMoved.untilMs)}`;
    case 'breaker-open':
      return `moves no member: the breaker of ${notMoved.breaker} is open until ${timeText(notMoved.untilMs)}`;
    case 'budget':
      return `moves no member: return.atMost allows no more moves within ${notMoved.withinMs / 60_000} minutes`;
  }
};
