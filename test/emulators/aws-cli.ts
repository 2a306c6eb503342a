import { runCommand } from '../../scripts/emulators/run-command.ts';
import { operatorEnv } from './operator-env.ts';

/** Runs one command of the AWS CLI and returns its JSON output. Throws with its error output when it fails. */
// biome-ignore lint/suspicious/noExplicitAny: each call has its own shape of response.
export type AwsCli = (...args: readonly string[]) => Promise<any>;

export type InstalledCli = { readonly version: 1 | 2; readonly command: string };

/** The AWS CLI against one endpoint. Version 1 ignores AWS_ENDPOINT_URL for SQS, and version 2.9 for every service. */
export const createAwsCli =
  ({ version, command }: InstalledCli, url: string): AwsCli =>
  async (...args) => {
    const address = version === 2 || args[0] === 'sqs' ? ['--endpoint-url', url] : [];
    const all = [...args, ...address, '--output', 'json'];
    const { code, output } = await runCommand(command, all, { env: operatorEnv(url), timeoutMs: 110_000 });
    if (code !== 0) throw new Error(`aws ${args.slice(0, 2).join(' ')} ended with ${code}: ${output}`);
    return output === '' ? undefined : JSON.parse(output);
  };

/** The versions that could be installed. */
export const awsClis: readonly InstalledCli[] = ([1, 2] as const).flatMap((version) => {
  const command = process.env[`HOLDFAST_AWS_CLI_${version}`];
  return command === undefined ? [] : [{ version, command }];
});
