import type { MoveReason } from '../core/returning/plan-return.ts';
import type { NotMoved } from '../core/returning/rule.ts';
import { timeText } from './time.ts';

const membersText = (count: number): string => `${Number(count.toFixed(2))} ${count === 1 ? 'member' : 'members'}`;

const whyText = ({ why }: MoveReason): string => {
  switch (why.code) {
    case 'earlier-tier':
      return `tier ${why.tier} takes launches again, and they are in tier ${why.from}`;
    case 'cheaper':
      return `it costs ${why.usdPerHour} USD per hour, and they cost ${why.fromUsdPerHour}`;
    case 'spot-again':
      return 'spot takes launches again';
    case 'on-demand-owed':
      return `${why.owed} are owed on demand, and ${why.held} are`;
    case 'fewer-members':
      return `it holds ${why.held} of the spread, and theirs holds ${why.fromHeld}`;
    case 'below-share':
      return `it is ${membersText(why.below)} below its share, and theirs is ${membersText(why.fromAbove)} above`;
  }
};

/** Members that move to a better place, and why it is better. */
export const moveText = (move: MoveReason): string =>
  `moves ${move.instances.join(', ')} to ${move.pool}: ${whyText(move)}`;

/** Why no member moves now, where one may have a better place. */
export const notMovedText = (notMoved: NotMoved): string => {
  switch (notMoved.code) {
    case 'resting':
      return `moves nobody: ${notMoved.offering} rests until ${timeText(notMoved.untilMs)}`;
    case 'would-not-pay':
      return (
        `moves nobody: ${notMoved.offering} costs ${notMoved.usdPerHour} USD per hour instead of ` +
        `${notMoved.fromUsdPerHour}, and members live there for ${Math.round(notMoved.lifeMs / 60_000)} minutes`
      );
    case 'window-closed':
      return 'moves nobody: the window of return is closed';
    case 'unsettled':
      return `moves nobody: the size or the policy changed a while ago; not before ${timeText(notMoved.untilMs)}`;
    case 'flapping':
      return `moves nobody: three moves of an hour did not pay; not before ${timeText(notMoved.untilMs)}`;
    case 'breaker-open':
      return `moves nobody: the breaker of ${notMoved.breaker} is open until ${timeText(notMoved.untilMs)}`;
    case 'budget':
      return `moves nobody: as many have moved as return.atMost allows within ${notMoved.withinMs / 60_000} minutes`;
  }
};
