import type { Placement } from '../placement/placement.ts';
import type { Market } from '../pool/offering.ts';

/**
 * A complete launch request. It is stored before it is sent, so that a repeat sends the same bytes, even if the policy
 * or the code has changed since.
 */
export type LaunchRequest = {
  readonly api: 'CreateFleet' | 'LaunchInstances';
  /**
   * The input of each call, as text: one call of CreateFleet, or one call of LaunchInstances for every hundred
   * instances. It includes the client token.
   */
  readonly calls: readonly string[];
  /** The placement that is requested, with every offering: the response is read against it. */
  readonly placement: Placement;
  readonly market: Market;
  /** The zone of each subnet in the request: a response may name only the subnet. */
  readonly zones: Readonly<Record<string, string>>;
  /** Tags to put on the instances after the launch, where the API cannot set them. */
  readonly tagsAfterwards?: readonly { readonly Key: string; readonly Value: string }[];
};
