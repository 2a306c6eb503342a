import { defineConfig } from 'vitest/config';

/** Tests of these folders run what deploys, so it is bundled and synthesized before them; the others need not wait for that. */
const needAssembly = ['test/lib/**/*.test.ts', 'test/sandbox/**/*.test.ts', 'test/cli/**/*.test.ts', 'test/bench/**/*.test.ts'];

export default defineConfig({
  test: {
    pool: 'threads',
    maxWorkers: 2,
    testTimeout: 20_000,
    hookTimeout: 60_000,
    env: {
      AWS_REGION: 'eu-west-1',
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
      AWS_EC2_METADATA_DISABLED: 'true',
    },
    projects: [
      { extends: true, test: { name: 'parts', include: ['test/**/*.test.ts'], exclude: [...needAssembly, 'test/lint-fixtures/**'] } },
      { extends: true, test: { name: 'whole', include: needAssembly, globalSetup: ['test/assemble-first.ts'] } },
    ],
  },
});
