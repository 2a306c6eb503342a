import type { Owner } from '../ports/owners.ts';

/** Whether EC2 shows an instance, and as one that has not ended. */
export const isAlive = (owner: Owner | undefined): boolean => owner?.state === 'running' || owner?.state === 'pending';
