/** `2026-11-20 12:00:10 UTC`. */
export const timeText = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')} UTC`;

/** `12:00:10`. */
export const clockText = (ms: number): string => new Date(ms).toISOString().slice(11, 19);

/** `8.4 s`, `2 min 10 s`. */
export const durationText = (ms: number): string => {
  if (Math.abs(ms) < 59_950) return `${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
};
