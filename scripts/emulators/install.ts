import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { emulatorsDir } from './paths.ts';
import { runCommand } from './run-command.ts';

/** What was installed, or why it was not. */
export type Installation = { readonly kind: 'ready'; readonly command: string } | { readonly kind: 'missing'; readonly reason: string };

type PythonPackage = { readonly folder: string; readonly requirements: readonly string[]; readonly command: string };

/** Exact versions; each in an environment of its own, because their pins of botocore differ. */
export const pythonPackages = {
  ministack: { folder: 'ministack-1.5.33', requirements: ['ministack==1.5.33'], command: 'ministack' },
  moto: { folder: 'moto-5.2.5', requirements: ['moto[server]==5.2.5'], command: 'moto_server' },
  // What operators use: the AWS CLI, and boto3 with the same botocore.
  clients: { folder: 'awscli-1.46.2', requirements: ['awscli==1.46.2', 'boto3==1.44.5'], command: 'aws' },
} as const satisfies Record<string, PythonPackage>;

/** The version of a Python package that is pinned here. */
export const versionOf = (name: string): string => {
  const pins = Object.values(pythonPackages).flatMap(({ requirements }) => [...requirements]);
  const version = pins.find((pin) => pin.startsWith(`${name}==`))?.split('==')[1];
  if (version === undefined) throw new Error(`${name} is not pinned`);
  return version;
};

const lastLine = (text: string): string => text.trim().split('\n').at(-1)?.trim() ?? '';

/** Installs a Python package into an environment under `.emulators/`, once; nothing outside that folder changes. */
export const installPython = async ({ folder, requirements, command }: PythonPackage): Promise<Installation> => {
  const home = join(emulatorsDir, folder);
  const executable = join(home, 'bin', command);
  if (existsSync(executable)) return { kind: 'ready', command: executable };
  await mkdir(emulatorsDir, { recursive: true });
  const made = await runCommand('python3', ['-m', 'venv', home]);
  if (made.code !== 0) {
    await rm(home, { recursive: true, force: true });
    return { kind: 'missing', reason: `python3 -m venv ended with ${made.code}: ${lastLine(made.output) || 'it said nothing'}` };
  }
  const installed = await runCommand(join(home, 'bin', 'pip'), ['install', '--quiet', ...requirements], { timeoutMs: 600_000 });
  if (installed.code === 0 && existsSync(executable)) return { kind: 'ready', command: executable };
  await rm(home, { recursive: true, force: true });
  return {
    kind: 'missing',
    reason: `pip install ${requirements.join(' ')} ended with ${installed.code}: ${lastLine(installed.output) || 'it said nothing'}`,
  };
};

/** Installs an npm package under `.emulators/`, outside the project's own dependencies. `command` of the answer is its folder. */
export const installNpm = async (name: string, version: string): Promise<Installation> => {
  const home = join(emulatorsDir, `npm-${name.replaceAll('/', '-').replace('@', '')}-${version}`);
  const folder = join(home, 'node_modules', name);
  if (existsSync(join(folder, 'package.json'))) return { kind: 'ready', command: folder };
  await mkdir(home, { recursive: true });
  const args = ['install', '--prefix', home, '--no-save', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error', `${name}@${version}`];
  const { code, output } = await runCommand('npm', args, { cwd: home });
  if (code === 0 && existsSync(folder)) return { kind: 'ready', command: folder };
  await rm(home, { recursive: true, force: true });
  return { kind: 'missing', reason: `npm install ${name}@${version} ended with ${code}: ${lastLine(output) || 'it said nothing'}` };
};
