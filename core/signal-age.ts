import type { Owner } from './ports.ts';

/**
 * How long what we heard or wrote down outweighs a describe that says otherwise (EC2: eventual consistency, up to
 * minutes).
 */
export const describeLagMs = 180_000;

/** Whether EC2 shows an instance, and as one that has not ended. */
export const isAlive = (owner: Owner | undefined): boolean => owner?.state === 'running' || owner?.state === 'pending';
