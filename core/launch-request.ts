import type { Market } from './offering.ts';
import type { Placement } from './placement.ts';

/**
 * A launch as AWS is asked for it, complete. It is kept before it is made, so that a repeat is the same request byte
 * for byte, whatever the policy or the code that wrote it say by then.
 */
export type LaunchRequest = {
  readonly api: 'CreateFleet' | 'LaunchInstances';
  /**
   * The input of each call, as text: one call of CreateFleet, one for every hundred instances of LaunchInstances. Their
   * client tokens stand in them.
   */
  readonly calls: readonly string[];
  /** What is asked for, with every offering: an answer is read against it. */
  readonly placement: Placement;
  readonly market: Market;
  /** Zone of each subnet in the request: an answer may name the subnet alone. */
  readonly zones: Readonly<Record<string, string>>;
  /** Tags to put on the instances afterwards, where the API passes none on. */
  readonly tagsAfterwards?: readonly { readonly Key: string; readonly Value: string }[];
};
