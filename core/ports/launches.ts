import type { LaunchRequest } from '../launch/launch-request.ts';
import type { Offering } from '../pool/offering.ts';

/** EC2 took the call and throttled instances inside its response: the bucket of launched instances is empty. */
type EmptyInside = 'instances';

/** The response of EC2 or Auto Scaling to one reservation. Partial success is success with refusals. */
export type LaunchResult =
  | {
      readonly kind: 'answered';
      readonly instances: readonly LaunchedInstance[];
      readonly refusals: readonly Refusal[];
      readonly empty?: EmptyInside;
    }
  /**
   * Nothing was launched, and nothing is known about capacity. The members are placed anew later, under a new token.
   * (When EC2 throttles inside a fleet's `Errors[]`, it returns the same throttle for every repeat under that token.)
   */
  | { readonly kind: 'throttled'; readonly code: string; readonly empty?: EmptyInside }
  /** The request may have been carried out: repeat with the same token. */
  | { readonly kind: 'ambiguous'; readonly code: string }
  /** The request itself is wrong (a template that is gone, a right that is missing): repeating it cannot succeed. */
  | { readonly kind: 'invalid'; readonly code: string; readonly message: string }
  /** Another request has already used this token. Its instances are found by their tag. */
  | { readonly kind: 'made-before'; readonly code: string }
  /** The lease ended before the request was sent: another invocation has to send it now. */
  | { readonly kind: 'not-asked'; readonly code: string };

/** A request to send, for the first time or again. */
export type LaunchOrder = {
  readonly request: LaunchRequest;
  readonly isRepeat: boolean;
  /** No attempt may begin after this time, by the clock of the caller. */
  readonly leaseUntilMs: number;
};

export type LaunchedInstance = { readonly instance: string; readonly offering: Offering };

/** A refusal of an offering by EC2. `scope` says how far it reaches. */
export type Refusal = {
  readonly offering: Offering;
  readonly code: string;
  readonly message: string;
  /**
   * `offering`: this one. `subnet`: this subnet, for every type; another subnet of the zone may have addresses.
   * `zone-permanent`: this type is not offered in this zone. `market`: an account quota for the whole market.
   */
  readonly scope: 'offering' | 'subnet' | 'zone-permanent' | 'market';
  /** Which subnet, with scope `subnet`. Absent: it is not known, or an Auto Scaling group chose it. */
  readonly subnet?: string;
};
