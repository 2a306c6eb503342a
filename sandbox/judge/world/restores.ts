import type { Chronicle } from '../chronicle.ts';

/** Every time that the state table was restored or emptied before a moment. */
export const restoresBefore = (chronicle: Chronicle, atMs: number) =>
  chronicle.of('step').filter((step) => step.step === 'state-restored' && step.atMs <= atMs);

/** Whether the state table was restored or emptied before a moment. */
export const wasRestored = (chronicle: Chronicle, atMs: number): boolean => restoresBefore(chronicle, atMs).length > 0;

/** Whether the state table was restored or emptied before a moment, or somebody stopped drains. */
export const wasDisturbed = (chronicle: Chronicle, atMs: number): boolean =>
  wasRestored(chronicle, atMs) || chronicle.of('step').some((step) => step.step === 'drains-stopped' && step.atMs <= atMs);

/** Whether a restored table lost by a moment what was stored before. It has what was stored before it was copied. */
export const isLostByRestore = (chronicle: Chronicle, storedMs: number, atMs: number): boolean =>
  restoresBefore(chronicle, atMs).some(
    ({ atMs: restoredMs, copiedAtMs = Number.NEGATIVE_INFINITY }) => storedMs > copiedAtMs && storedMs <= restoredMs,
  );
