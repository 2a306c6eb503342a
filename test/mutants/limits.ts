import type { Mutant } from './mutant.ts';

/** Breakages of what bounds launches. */
export const limits: readonly Mutant[] = [
  {
    name: 'launches have no limit',
    file: 'core/decide/arbiter.ts',
    from: 'Math.min(most, launchRoom(view).left)',
    to: 'Math.max(0, most + 0 * launchRoom(view).left)',
    also: [{ file: 'core/decide/missing-members.ts', from: 'Math.max(0, lack - launchRoom(view).left)', to: '0 * launchRoom(view).left * lack' }],
    caughtBy: ['scenario crash-loop'],
  },
  {
    name: 'launches are never forgotten',
    file: 'core/launch-limit.ts',
    from: '.filter(({ atMs }) => nowMs - atMs < withinMs);',
    to: '.filter(({ atMs }) => nowMs - atMs < 100 * withinMs);',
    caughtBy: ['scenario crash-loop'],
  },
];
