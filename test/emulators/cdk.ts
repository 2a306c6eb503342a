import { mkdir, rm } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { binDir, emulatorsDir, root } from '../../scripts/emulators/paths.ts';
import { runCommand } from '../../scripts/emulators/run-command.ts';

const account = '000000000000';
const region = 'us-east-1';

/** The CDK's command line against one emulator, as an operator uses it against AWS: the endpoint and the credentials are all that differs. */
export const createCdk = async (name: string, url: string) => {
  const home = join(emulatorsDir, 'cdk', name);
  await rm(home, { recursive: true, force: true });
  await mkdir(home, { recursive: true });
  const env = {
    ...process.env,
    PATH: `${binDir}${delimiter}${process.env.PATH ?? ''}`,
    AWS_ENDPOINT_URL: url,
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_REGION: region,
    AWS_DEFAULT_REGION: region,
    CDK_DEFAULT_ACCOUNT: account,
    CDK_DEFAULT_REGION: region,
    CDK_DISABLE_VERSION_CHECK: '1',
    CDK_HOME: home,
    CI: 'true',
  };
  const run = async (...args: readonly string[]): Promise<string> => {
    const { code, output } = await runCommand(join(binDir, 'cdk'), args, { cwd: root, env });
    if (code !== 0) throw new Error(`cdk ${args.join(' ')} ended with ${code}:\n${output.slice(-4_000)}`);
    return output;
  };
  const app = (context: Readonly<Record<string, string>>): readonly string[] => [
    ...['--app', 'node test/emulators/app.ts', '--output', join(home, 'out')],
    ...Object.entries(context).flatMap(([key, value]) => ['--context', `${key}=${value}`]),
  ];
  return {
    bootstrap: () => run('bootstrap', `aws://${account}/${region}`),
    deploy: (context: Readonly<Record<string, string>> = {}) => run('deploy', ...app(context), '--require-approval', 'never'),
    destroy: (context: Readonly<Record<string, string>> = {}) => run('destroy', ...app(context), '--force'),
  };
};

export type Cdk = Awaited<ReturnType<typeof createCdk>>;
