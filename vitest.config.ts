import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/lint-fixtures/**', 'test/emulators/**'],
    // Bundles are run as they deploy, not transformed again.
    server: { deps: { external: [/\/dist\/functions\//] } },
    pool: 'threads',
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
  },
});
