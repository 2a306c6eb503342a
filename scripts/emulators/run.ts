import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Emulator, type EmulatorSpec, startEmulator } from './emulator.ts';
import { type Installation, installNpm, installPython, pythonPackages } from './install.ts';
import { installAwsCli2 } from './install-aws-cli.ts';
import { emulatorsDir, root } from './paths.ts';
import { ministack, moto } from './specs.ts';
import { findingsFile, writeConformance } from './write-conformance.ts';

/** Judges policies beside our own evaluator. AGPL, so it is installed here and is no dependency of what ships. */
const iamSimulate = { name: '@cloud-copilot/iam-simulate', version: '0.1.173' };

const started: Emulator[] = [];
const stopAll = async (): Promise<void> => {
  await Promise.all(started.splice(0).map((emulator) => emulator.stop()));
};

const say = (text: string): void => console.log(`emulators: ${text}`);

const specsOf = (installed: Readonly<Record<'ministack' | 'moto', Installation>>): readonly EmulatorSpec[] => [
  ...(installed.ministack.kind === 'ready' ? [ministack(installed.ministack.command, false), ministack(installed.ministack.command, true)] : []),
  ...(installed.moto.kind === 'ready' ? [moto(installed.moto.command)] : []),
];

const runSuites = (env: Readonly<Record<string, string>>): Promise<number> => {
  const args = ['run', '--config', 'vitest.emulators.config.ts', ...process.argv.slice(2)];
  const child = spawn(join(root, 'node_modules', '.bin', 'vitest'), args, { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } });
  return new Promise((resolve, reject) => child.on('error', reject).on('close', (code) => resolve(code ?? 1)));
};

const missing = (installed: Readonly<Record<string, Installation>>): readonly string[] =>
  Object.entries(installed).flatMap(([name, installation]) => (installation.kind === 'missing' ? [`${name}: ${installation.reason}`] : []));

/** Fails when the committed page is not what the run found. */
const comparePage = async (): Promise<number> => {
  const outcome = await writeConformance();
  const says = {
    same: 'docs/conformance.md is what this run found',
    partial: 'docs/conformance.md stays as it is: not every cloud was there',
    changed: 'FAILED: docs/conformance.md was not what this run found. It is now: read what changed, and commit it',
  };
  say(says[outcome]);
  return outcome === 'changed' ? 1 : 0;
};

const main = async (): Promise<number> => {
  const installed = {
    ministack: await installPython(pythonPackages.ministack),
    moto: await installPython(pythonPackages.moto),
    'AWS CLI 1 and boto3': await installPython(pythonPackages.clients),
    'AWS CLI 2': await installAwsCli2(),
    'iam-simulate': await installNpm(iamSimulate.name, iamSimulate.version),
  };
  for (const spec of specsOf(installed)) {
    const emulator = await startEmulator(spec);
    started.push(emulator);
    say(`${emulator.name} listens on ${emulator.url}`);
  }
  const urls = Object.fromEntries(started.map(({ name, url }) => [name, url]));
  const [oracle, cli1, cli2] = [installed['iam-simulate'], installed['AWS CLI 1 and boto3'], installed['AWS CLI 2']];
  await rm(findingsFile, { force: true });
  const code = await runSuites({
    HOLDFAST_EMULATORS: JSON.stringify(urls),
    HOLDFAST_EMULATORS_DIR: emulatorsDir,
    ...(cli1.kind === 'ready' && { HOLDFAST_AWS_CLI_1: cli1.command }),
    ...(cli2.kind === 'ready' && { HOLDFAST_AWS_CLI_2: cli2.command }),
    ...(oracle.kind === 'ready' && { HOLDFAST_IAM_SIMULATE_DIR: oracle.command }),
  });
  const pageCode = code === 0 && existsSync(findingsFile) ? await comparePage() : 0;
  for (const reason of missing(installed)) say(`NOT RUN, because it could not be installed: ${reason}`);
  return code || pageCode;
};

for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => void stopAll().then(() => process.exit(130)));

try {
  process.exitCode = await main();
} finally {
  await stopAll();
}
