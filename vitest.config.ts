import { defineConfig } from 'vitest/config';

/** For all tests and for each selection of them. */
export const settings = {
  exclude: ['test/lint-fixtures/**', 'test/emulators/**'],
  // Bundles are run as they deploy, not transformed again.
  server: { deps: { external: [/\/dist\/functions\//] } },
  pool: 'threads' as const,
  maxWorkers: 2,
  // Only what hangs may fail here: machines are shared, and speed is measured in bench/.
  testTimeout: 60_000,
  // Tests of what deploys wait here for `assemble()`; the first one bundles and synthesizes, the others find it done.
  hookTimeout: 180_000,
  env: {
    AWS_REGION: 'eu-west-1',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_EC2_METADATA_DISABLED: 'true',
  },
};

/** These tests share nothing that they change. So they share two workers: one for each file takes longer to start than most of them to run. */
const together = ['test/{core,judge,policy,react}/**/*.test.ts'];

export default defineConfig({
  test: {
    ...settings,
    projects: [
      { extends: true, test: { name: 'together', include: together, isolate: false } },
      { extends: true, test: { name: 'apart', include: ['test/**/*.test.ts'], exclude: [...settings.exclude, ...together] } },
    ],
  },
});
