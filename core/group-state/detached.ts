import type { Holdings } from '../ports/capacity-provider.ts';

/**
 * Members that their user surely detached: both services show it. An instance that has just ended in its Auto Scaling
 * group is not shown there either, and an older describe of EC2 shows it running, with the tag of that group.
 */
export const surelyDetached = ({ detached = [], stillTagged = [] }: Holdings): readonly string[] =>
  detached.filter((instance) => !stillTagged.includes(instance));
