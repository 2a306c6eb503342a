import { createHash } from 'node:crypto';

/** Stands in logs for what came from outside: enough to find it again, not enough to read it. */
export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
