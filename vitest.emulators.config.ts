import { defineConfig } from 'vitest/config';

/** Where each emulator answers, as `scripts/emulators/run.ts` started them; one that could not be installed is missing. */
const emulators = JSON.parse(process.env.HOLDFAST_EMULATORS ?? '{}') as Readonly<Record<string, string>>;

const common = {
  testTimeout: 300_000,
  // Bootstrapping and deploying take twenty seconds, and ten times as long on a machine that does much else.
  hookTimeout: 600_000,
  server: { deps: { external: [/\/dist\/functions\//] } },
};

const credentials = { AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test', AWS_EC2_METADATA_DISABLED: 'true' };

const suite = (name: string, include: readonly string[], env: Readonly<Record<string, string>> = {}) => ({
  test: { ...common, name, include: [...include], env: { ...credentials, ...env } },
});

/** The project's own tests of everything that reads and writes the tables, over tables of a DynamoDB that nobody here wrote. */
const stores = ['ministack', 'moto'].flatMap((name) => {
  const url = emulators[name];
  const tests = ['test/aws/state-store.test.ts', 'test/accept-policy/policy-store.test.ts'];
  return url === undefined ? [] : [suite(`stores on ${name}`, tests, { HOLDFAST_TEST_DYNAMODB: url })];
});

const onMinistack =
  emulators.ministack === undefined ? [] : [suite('ministack', ['test/emulators/deployed.test.ts', 'test/emulators/rule-patterns.test.ts'])];

const oracle =
  process.env.HOLDFAST_IAM_SIMULATE_DIR === undefined
    ? []
    : [suite('policy oracle', ['test/emulators/policy-oracle.test.ts', 'test/emulators/policy-language.test.ts'])];

/** An operator with boto3 and the AWS CLI, on our own sandbox. */
const { HOLDFAST_AWS_CLI_1: cli1, HOLDFAST_AWS_CLI_2: cli2 } = process.env;
const boto = cli1 === undefined ? [] : [suite('operator with boto3', ['test/emulators/operator-sessions.test.ts'])];
const clis = cli1 === undefined && cli2 === undefined ? [] : [suite('operator with the AWS CLI', ['test/emulators/operator-clis.test.ts'])];

/** What the drain workflow is made of: needs no emulator, and runs in `npm test` too. */
const machines = suite('state machines', [
  'test/drain/workflow.test.ts',
  'test/lib/synth.test.ts',
  'test/sandbox/platform/states.test.ts',
  'test/sandbox/platform/states-jsonata.test.ts',
]);

export default defineConfig({
  // One suite at a time: they share the emulators, and each begins by resetting them.
  test: {
    projects: [...onMinistack, suite('contract', ['test/emulators/contract.test.ts']), ...oracle, machines, ...boto, ...clis, ...stores],
    pool: 'forks',
    fileParallelism: false,
  },
});
