import { Command, InvalidArgumentError } from 'commander';
import { deploymentName } from '../core/contract.ts';
import { type Access, openAccess } from './aws-access.ts';
import { decisionTexts } from './decision-list.ts';
import { unreadableText } from './decision-text.ts';
import { explain, explanationText } from './explain.ts';
import { runSandbox, type SandboxFlags } from './sandbox-command.ts';
import { foundIn, noDecisionText, noPolicyText, statusText } from './status.ts';

const number = (what: string, holds: (value: number) => boolean) => (text: string) => {
  const value = Number(text);
  if (text.trim() === '' || !holds(value)) throw new InvalidArgumentError(`Expected ${what}.`);
  return value;
};
const wholeNumber = number('a whole number from 0', (value) => Number.isInteger(value) && value >= 0);
const port = number(
  'a port from 0 (any that is free) to 65535',
  (value) => Number.isInteger(value) && value >= 0 && value <= 65_535,
);
const fromOne = number('a whole number from 1', (value) => Number.isInteger(value) && value >= 1);
/** No machine keeps up with a higher speed. */
const speed = number('a number above 0, at most 1000', (value) => value > 0 && value <= 1_000);

const address = (text: string): string => {
  if (!/^https?:$/.test(URL.parse(text)?.protocol ?? ''))
    throw new InvalidArgumentError('Expected an address such as http://127.0.0.1:PORT.');
  return text;
};

const instanceId = (text: string): string => {
  if (!/^i-[0-9a-f]{8,17}$/.test(text))
    throw new InvalidArgumentError('Expected an instance id such as i-0123456789abcdef0.');
  return text;
};

/** Any other name may have a status: the one of a policy that was rejected for its name. */
const groupName = (text: string): string => {
  if (text.trim() === '') throw new InvalidArgumentError('Expected the name of a group.');
  return text;
};

const deployment = (text: string): string => {
  if (!deploymentName.test(text))
    throw new InvalidArgumentError(
      'Expected lower case letters, digits and dashes, a letter first, 31 characters at most.',
    );
  return text;
};

type Where = { readonly name: string; readonly sandbox?: string; readonly json?: boolean };

const asked = (command: Command): Command =>
  command
    .option('--name <deployment>', 'name of the deployment', deployment, 'holdfast')
    .option(
      '--sandbox <url>',
      'address of a running sandbox; default: AWS, with the credentials and region of the environment',
      address,
    )
    .option('--json', 'print JSON');

const print = (value: unknown, text: string, json: boolean | undefined): void =>
  console.log(json ? JSON.stringify(value, undefined, 2) : text);

const sandboxCommand = (exitWith: (code: number) => void): Command =>
  new Command('sandbox')
    .description('run the synthesized stack on this machine, against a simulated AWS')
    .option('--scenario <name|file>', 'play a scenario and report on it: a built-in name, or a YAML file')
    .option('--report <file>', 'write the report as JSON; an older file stays until then')
    .option('--port <port>', 'port on 127.0.0.1; by default any that is free', port)
    .option('--speed <factor>', 'world seconds per second; fewer on a machine that does not keep up', speed)
    .option('--seed <number>', 'seed of all random numbers', wholeNumber)
    .option('--stay', 'keep running after the scenario, until interrupted')
    .addHelpText(
      'after',
      `
Without --scenario it runs an empty region until interrupted. It prints "ready http://127.0.0.1:PORT" at the start.
With --scenario it ends with a report. Exit code 0: every invariant held. Exit code 1: an invariant was broken.
Exit code 130: it was interrupted, and there is no report.
A scenario of mode simulated runs in virtual time. With --port, --speed or --stay it runs in real time.
The AWS CLI and SDKs work against it: AWS_ENDPOINT_URL=http://127.0.0.1:PORT, any credentials. See docs/sandbox.md.`,
    )
    .action(async (flags: SandboxFlags, command: Command) => {
      const [word] = command.args;
      if (word !== undefined)
        command.error(
          `error: found '${word}' without an option. To play a scenario, use --scenario ${word}. Nothing was started.`,
        );
      if (flags.report !== undefined && flags.scenario === undefined) {
        command.error("error: option '--report <file>' needs --scenario. Nothing was started.");
      }
      if (flags.stay && flags.scenario === undefined) {
        command.error(
          "error: option '--stay' needs --scenario: without a scenario the sandbox keeps running. Nothing was started.",
        );
      }
      exitWith(await runSandbox(flags));
    });

const explainCommand = (exitWith: (code: number) => void): Command =>
  asked(
    new Command('explain')
      .description('show why an instance was launched or replaced, and why it left')
      .argument('<instance>', 'id of the instance', instanceId),
  ).action(async (instance: string, where: Where) => {
    const explanation = await explain(instance, openAccess(where));
    print(explanation, explanationText(explanation), where.json);
    exitWith(explanation.swap === undefined && explanation.decisions.length === 0 ? 1 : 0);
  });

/** The groups of a deployment whose policies were accepted, also those that were let go within the last days. */
const groupsIn = async ({ store }: Access): Promise<readonly string[]> =>
  (await store.registry()).map(({ group }) => group).sort();

const whyNone = async (group: string, access: Access): Promise<string> => {
  const status = await access.status(group);
  return noDecisionText(group, status, status === undefined ? await groupsIn(access) : []);
};

const decisionsCommand = (exitWith: (code: number) => void): Command =>
  asked(
    new Command('decisions')
      .description('list the decisions for a group with their reasons, newest first; repeats are shown once')
      .argument('<group>', 'name of the group', groupName),
  )
    .option('--limit <count>', 'how many', fromOne, 20)
    .action(async (group: string, where: Where & { readonly limit: number }) => {
      const access = openAccess(where);
      const { records, unreadable } = await access.log.decisions(group, where.limit);
      const nothing = records.length + unreadable.length > 0 ? '' : await whyNone(group, access);
      const texts = [...decisionTexts(records), ...unreadable.map(unreadableText)];
      print([...records, ...unreadable], texts.length === 0 ? nothing : texts.join('\n\n'), where.json);
      exitWith(texts.length === 0 ? 1 : 0);
    });

const statusCommand = (exitWith: (code: number) => void): Command =>
  asked(
    new Command('status')
      .description('show whether a policy is in force, and which of its launches AWS would refuse')
      .argument('<group>', 'name of the group', groupName),
  ).action(async (group: string, where: Where) => {
    const access = openAccess(where);
    const status = await access.status(group);
    const found = status?.status === 'accepted' ? await foundIn(group, access.store) : {};
    const text = status === undefined ? noPolicyText(group, await groupsIn(access)) : statusText(status, found);
    print(status === undefined ? null : { ...status, ...found }, text, where.json);
    exitWith(status?.status === 'accepted' ? 0 : 1);
  });

/** The command line. `exitWith` is called with the exit code of a command. */
export const createProgram = (version: string, exitWith: (code: number) => void): Command => {
  const program = new Command('holdfast')
    .description('Keeps EC2 capacity in place when spot takes it away.')
    .version(version)
    .showSuggestionAfterError()
    .showHelpAfterError('(run with --help for all commands and options)');
  // The sandbox itself says what to do with a word that it does not expect.
  program.addCommand(sandboxCommand(exitWith).copyInheritedSettings(program).allowExcessArguments());
  for (const command of [statusCommand, explainCommand, decisionsCommand])
    program.addCommand(command(exitWith).copyInheritedSettings(program));
  return program;
};
