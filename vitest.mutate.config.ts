import { defineConfig } from 'vitest/config';
import { settings } from './vitest.config.ts';

/** The unit tests of `core/`, for the mutation tester. */
export default defineConfig({
  test: {
    ...settings,
    include: ['test/{core,policy,drain,react}/**/*.test.ts'],
    // A worker for each file would start a hundred of them for each mutant: these tests share nothing that they change.
    isolate: false,
    exclude: ['test/drain/workflow.test.ts', 'test/policy/limits.test.ts'],
  },
});
