import type { Offering } from '../../core/offering.ts';
import type { Placement } from '../../core/placement.ts';
import type { LeaveReason, SwapState } from '../../core/swap.ts';
import type { RaisedMax } from '../../core/view.ts';
import { listOf, number, objectOf, oneOf, optional, text } from './checks.ts';

/** Shapes that several kinds of items hold. */

export const offering = objectOf<Offering>({ instanceType: text, zone: text, market: oneOf('spot', 'on-demand') });

export const placement = objectOf<Placement>({ pool: text, count: number, offerings: listOf(offering), avoidSubnets: optional(listOf(text)) });

export const raisedMax = objectOf<RaisedMax>({ asg: text, fromMax: number, toMax: number, earlier: optional(listOf(number)) });

export const leaveReason = oneOf<LeaveReason>('interruption', 'rebalance', 'hook', 'scale-in', 'moved', 'unwanted');

export const swapState = oneOf<SwapState>('waiting', 'leaving', 'draining', 'drained', 'gone');
