import { createHash } from 'node:crypto';

/** Replaces text from outside in logs: enough to find it again, not enough to read it. */
export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
