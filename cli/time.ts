/** `2026-11-20 12:00:10 UTC`. */
export const timeText = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')} UTC`;

/** `12:00:10`. */
export const clockText = (ms: number): string => new Date(ms).toISOString().slice(11, 19);

/** `8.4 s`, `2 min 10 s`. */
export const durationText = (ms: number): string => {
  if (Math.abs(ms) < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1_000)} s`;
};
