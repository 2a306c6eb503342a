import type { Owner } from '../ports/owners.ts';

/** Whether EC2 shows an instance, and as one that has not ended. */
export const isAlive = (owner: Owner | undefined): boolean => owner?.state === 'running' || owner?.state === 'pending';

/** Whether EC2 shows that an instance has ended for good. One that is only stopped may start again. */
export const hasEnded = ({ state }: Owner): boolean => state === 'shutting-down' || state === 'terminated';
