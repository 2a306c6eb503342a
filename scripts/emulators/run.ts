import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Emulator, type EmulatorSpec, startEmulator } from './emulator.ts';
import { type Installation, installNpm, installPython, pythonPackages } from './install.ts';
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

const main = async (): Promise<number> => {
  const installed = {
    ministack: await installPython(pythonPackages.ministack),
    moto: await installPython(pythonPackages.moto),
    clients: await installPython(pythonPackages.clients),
    'iam-simulate': await installNpm(iamSimulate.name, iamSimulate.version),
  };
  for (const spec of specsOf(installed)) {
    const emulator = await startEmulator(spec);
    started.push(emulator);
    say(`${emulator.name} answers on ${emulator.url}`);
  }
  const urls = Object.fromEntries(started.map(({ name, url }) => [name, url]));
  const oracle = installed['iam-simulate'];
  await rm(findingsFile, { force: true });
  const code = await runSuites({
    HOLDFAST_EMULATORS: JSON.stringify(urls),
    HOLDFAST_EMULATORS_DIR: emulatorsDir,
    ...(installed.clients.kind === 'ready' && { HOLDFAST_AWS_CLI: installed.clients.command }),
    ...(oracle.kind === 'ready' && { HOLDFAST_IAM_SIMULATE_DIR: oracle.command }),
  });
  if (code === 0 && existsSync(findingsFile)) {
    say((await writeConformance()) ? 'docs/conformance.md was written' : 'docs/conformance.md stays as it is: not every cloud was there');
  }
  for (const reason of missing(installed)) say(`NOT RUN, because it could not be installed: ${reason}`);
  return code;
};

for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => void stopAll().then(() => process.exit(130)));

try {
  process.exitCode = await main();
} finally {
  await stopAll();
}
