import { defineConfig } from 'vitest/config';
import { settings } from './vitest.config.ts';

const folders = ['accept-policy', 'aws', 'cli', 'core', 'drain', 'judge', 'mutants', 'policy', 'react'];
/** These take seconds each: they draw many cases, start processes, or play workflows. */
const slow = [
  'test/**/*properties.test.ts',
  'test/aws/{against-sandbox,state-store,wire}.test.ts',
  'test/cli/{interrupting,program}.test.ts',
  'test/drain/workflow.test.ts',
  'test/mutants/typed.test.ts',
  'test/policy/limits.test.ts',
];

/** The fast tests, which need neither the bundles nor the synthesized stack: for `npm run check:changed`. */
export default defineConfig({
  test: { ...settings, include: [...folders.map((folder) => `test/${folder}/**/*.test.ts`), 'test/house/style.test.ts'], exclude: slow },
});
