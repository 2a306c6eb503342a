/** The time to live of an item, as DynamoDB reads it: in whole seconds since the epoch. */
export const expiresAt = (nowMs: number, keptForSeconds: number): number => Math.floor(nowMs / 1_000) + keptForSeconds;
