import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Installation } from './install.ts';
import { emulatorsDir } from './paths.ts';
import { runCommand } from './run-command.ts';

/** Debian's package: AWS publishes version 2 of its CLI in no package registry. */
const packageName = 'awscli';

/** The system's Python, which Debian's packages are made for. */
const python = '/usr/bin/python3';

const must = async (command: string, args: readonly string[], cwd: string): Promise<string> => {
  const { code, output } = await runCommand(command, args, { cwd });
  if (code !== 0) throw new Error(`${command} ${args[0]} ended with ${code}: ${output.trim().split('\n').at(-1)}`);
  return output;
};

/** Takes the package and what it needs and the system has not, and lays them out under `home`: nothing of the system changes. */
const unpack = async (home: string): Promise<string> => {
  for (const folder of ['lists/partial', 'cache/archives/partial', 'debs', 'root']) await mkdir(join(home, folder), { recursive: true });
  const own = ['-o', `Dir::State::lists=${join(home, 'lists')}`, '-o', `Dir::Cache=${join(home, 'cache')}`, '-o', 'Debug::NoLocking=true'];
  const apt = (args: readonly string[], folder = home): Promise<string> => must('apt-get', [...own, '-o', 'APT::Sandbox::User=', ...args], folder);
  await apt(['update']);
  const plan = await apt(['install', '--simulate', '--reinstall', '--no-install-recommends', packageName]);
  const packages = [...plan.matchAll(/^Inst (\S+)/gm)].map(([, name = '']) => name);
  const debs = join(home, 'debs');
  await apt(['download', ...packages], debs);
  for (const file of await readdir(debs)) await must('dpkg-deb', ['--extract', join(debs, file), join(home, 'root')], home);
  for (const folder of ['lists', 'cache', 'debs']) await rm(join(home, folder), { recursive: true });
  const command = join(home, 'aws');
  const modules = join(home, 'root', 'usr', 'lib', 'python3', 'dist-packages');
  await writeFile(command, `#!/bin/sh\nPYTHONPATH='${modules}' exec ${python} '${join(home, 'root', 'usr', 'bin', 'aws')}' "$@"\n`);
  await chmod(command, 0o755);
  const version = await must(command, ['--version'], home);
  if (!version.startsWith('aws-cli/2.')) throw new Error(`the system's package is not version 2: ${version.trim()}`);
  return command;
};

/** Installs version 2 of the AWS CLI into `.emulators/`, once, from the package registry of a Debian system. */
export const installAwsCli2 = async (): Promise<Installation> => {
  const home = join(emulatorsDir, 'awscli-2');
  const command = join(home, 'aws');
  if (existsSync(command)) return { kind: 'ready', command };
  await rm(home, { recursive: true, force: true });
  return unpack(home).then(
    () => ({ kind: 'ready', command }) as const,
    async (error: Error) => {
      await rm(home, { recursive: true, force: true });
      return { kind: 'missing', reason: error.message } as const;
    },
  );
};
