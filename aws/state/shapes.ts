import { type UnfitAsg, unfitSettings } from '../../core/group/unfit.ts';
import type { Cost } from '../../core/observe/not-done.ts';
import type { Placement } from '../../core/placement/placement.ts';
import type { Market, Offering } from '../../core/pool/offering.ts';
import { leaveReasons } from '../../core/removal/leave-reason.ts';
import type { LifecycleHook, SwapState } from '../../core/swap/swap.ts';
import type { Added } from '../../core/view/added.ts';
import type { GoneAsg } from '../../core/view/gone-asgs.ts';
import type { RaisedMax } from '../../core/view/raised-max.ts';
import type { Suspension } from '../../core/view/suspension.ts';
import { anyOf, listOf, mapOf, number, objectOf, oneOf, optional, text } from './checks.ts';

/** Shapes that several kinds of items hold. */

export const market = anyOf<Market>({ spot: true, 'on-demand': true });

export const offering = objectOf<Offering>({ instanceType: text, zone: text, market });

export const placement = objectOf<Placement>({
  pool: text,
  count: number,
  offerings: listOf(offering),
  avoidSubnets: optional(listOf(text)),
  moves: optional(listOf(text)),
  trial: optional(oneOf(true)),
});

export const unfitAsg = objectOf<UnfitAsg>({ asg: text, found: listOf(oneOf(...unfitSettings)) });

export const raisedMax = objectOf<RaisedMax>({
  asg: text,
  fromMax: number,
  toMax: number,
  earlier: optional(listOf(number)),
  atMs: optional(number),
  beforeMs: optional(number),
  by: optional(text),
  answeredAtMs: optional(number),
  putBackAtMs: optional(number),
  withSize: optional(oneOf(true)),
});

export const added = objectOf<Added>({
  asg: text,
  from: number,
  instances: listOf(text),
  units: optional(mapOf(number)),
  atMs: number,
  triedAtMs: optional(number),
  takenDownAtMs: optional(number),
  joined: optional(listOf(text)),
  later: optional(listOf(text)),
});

export const suspension = objectOf<Suspension>({
  asg: text,
  processes: listOf(text),
  atMs: optional(number),
  isAnswered: optional(oneOf(true)),
  beforeMs: optional(number),
  opensForAttach: optional(oneOf(true)),
  resumedAtMs: optional(number),
});

export const goneAsg = objectOf<GoneAsg>({ sinceMs: number, isTold: optional(oneOf(true)) });

export const leaveReason = anyOf(leaveReasons);

export const swapState = anyOf<SwapState>({
  waiting: true,
  leaving: true,
  draining: true,
  drained: true,
  gone: true,
  withdrawn: true,
});

export const hook = objectOf<LifecycleHook>({
  asg: text,
  hook: text,
  token: optional(text),
  sinceMs: optional(number),
  expiresAtMs: number,
  timeoutMs: optional(number),
  overAtMs: optional(number),
});

export const cost = objectOf<Cost>({ usdPerHour: number, priced: number, of: number });
