import { join } from 'node:path';

export const root = join(import.meta.dirname, '..', '..');

/** Everything that the lane installs or writes; ignored by git, safe to delete. */
export const emulatorsDir = join(root, '.emulators');

/** Where the lane's own Node 24 is: MiniStack runs functions with the first `node` on its path. */
export const binDir = join(root, 'node_modules', '.bin');
