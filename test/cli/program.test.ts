import { once } from 'node:events';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { failureText } from '../../cli/failure-text.ts';
import { createProgram } from '../../cli/program.ts';
import { runSandbox, slowedText } from '../../cli/sandbox-command.ts';

/** Runs the command line without ending the process, and answers what it wrote. */
const run = async (...words: string[]): Promise<{ readonly text: string; readonly code: string | undefined }> => {
  let text = '';
  const write = (part: string): void => {
    text += part;
  };
  const program = createProgram('1.2.3', () => undefined);
  const quiet = (command: Command): Command => command.exitOverride().configureOutput({ writeOut: write, writeErr: write });
  for (const command of [program, ...program.commands]) quiet(command);
  try {
    await program.parseAsync(['node', 'holdfast', ...words]);
    return { text, code: undefined };
  } catch (error) {
    return { text, code: (error as { readonly code?: string }).code };
  }
};

describe('the command line', () => {
  it('lists its commands', async () => {
    const { text } = await run('--help');
    for (const command of ['sandbox', 'status', 'explain', 'decisions']) expect(text).toContain(`\n  ${command} `);
  });

  it('prints its version', async () => expect(await run('--version')).toEqual({ text: '1.2.3\n', code: 'commander.version' }));

  it('documents every option of the sandbox', async () => {
    const { text } = await run('sandbox', '--help');
    for (const option of ['--scenario', '--report', '--port', '--speed', '--seed', '--stay']) expect(text).toContain(`  ${option}`);
    expect(text).toContain('ready http://127.0.0.1:PORT');
  });

  it.each([
    ['an unknown command', ['sandbx'], '(Did you mean sandbox?)'],
    ['a port that is none', ['sandbox', '--port', '99999'], 'Expected a port from 0 (any that is free) to 65535.'],
    ['no speed', ['sandbox', '--speed', '0'], 'Expected a number above 0, at most 1000.'],
    ['a speed that no machine keeps up with', ['sandbox', '--speed', '1e9'], 'Expected a number above 0, at most 1000.'],
    ['a report of nothing', ['sandbox', '--report', 'run.json'], 'needs --scenario. Nothing was started.'],
    ['a stay after nothing', ['sandbox', '--stay'], 'needs --scenario: without a scenario the sandbox keeps running.'],
    ['a scenario without its option', ['sandbox', 'zone-outage'], 'To play a scenario, use --scenario zone-outage. Nothing was started.'],
    ['no decision', ['decisions', 'workers', '--limit', '0'], 'Expected a whole number from 1.'],
    ['an address that is none', ['decisions', 'workers', '--sandbox', '127.0.0.1:4700'], 'Expected an address such as http://127.0.0.1:PORT.'],
    ['half a seed', ['sandbox', '--seed', '1.5'], 'Expected a whole number from 0.'],
    ['an empty number', ['sandbox', '--seed', ''], 'Expected a whole number from 0.'],
    ['an id that is none', ['explain', 'i-xyz'], 'Expected an instance id such as i-0123456789abcdef0.'],
    ['a group left out', ['decisions'], "missing required argument 'group'"],
    ['an empty name of a group', ['decisions', ' '], 'Expected the name of a group.'],
    ['an empty name of a deployment', ['status', 'web', '--name', ''], 'Expected lower case letters, digits and dashes'],
    ['an empty name in a status', ['status', ''], 'Expected the name of a group.'],
  ])('refuses %s', async (_, words, text) => {
    const answer = await run(...words);
    expect(answer.text).toContain(text);
    expect(answer.text).toContain('(run with --help for all commands and options)');
  });

  it('names the built-in scenarios when a name is not one of them', async () => {
    await expect(runSandbox({ scenario: 'zone-outag' })).rejects.toThrow(/found "zone-outag"\. Did you mean zone-outage\? Built-in: .*zone-outage/);
    await expect(runSandbox({ scenario: '' })).rejects.toThrow(/found ""\. Built-in: .* for example \.\/mine\.yaml/);
  });

  it('keeps the last report until there is a new one', async () => {
    const path = join(await mkdtemp(join(tmpdir(), 'holdfast-')), 'run.json');
    await writeFile(path, 'the last report');
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    await expect(runSandbox({ scenario: 'lost-events', report: path, port })).rejects.toThrow('EADDRINUSE');
    other.close();
    expect(await readFile(path, 'utf8')).toBe('the last report');
  });

  it('reports immediately that a report cannot be written, and what to do', async () => {
    const failed = await runSandbox({ scenario: 'lost-events', report: '/nowhere/run.json' }).catch(failureText);
    expect(failed).toMatch(
      /^The report cannot be written to \/nowhere\/run\.json: ENOENT.*Choose a file in a folder that exists\. Nothing was started\.$/,
    );
  });

  it.each([
    ['a machine that did not keep up', 6.2, 10, 1],
    ['a machine that kept up', 9.8, 10, 0],
    ['the wall clock, which waits for nothing', 0.8, 1, 0],
    ['virtual time', undefined, 10, 0],
  ] as const)('says that the world waited, or not: %s', (_, reachedSpeed, speed, count) => {
    const lines = slowedText({ ...(reachedSpeed !== undefined && { reachedSpeed }) }, speed);
    expect(lines).toHaveLength(count);
    for (const line of lines) expect(line).toContain('6.2 times as fast as real time, not 10 times');
  });
});

describe('the text of a failure', () => {
  const failure = (message: string, more: object = {}) => failureText(Object.assign(new Error(message), more));
  it.each([
    ['Region is missing', /set AWS_REGION or choose a profile/],
    ['Region not accepted: region="eu west" is not a valid hostname component.', /Set AWS_REGION to the name of a region/],
    ['connect ECONNREFUSED 127.0.0.1:1', /No server answers/],
    ['listen EADDRINUSE: address already in use', /choose another, or leave out --port .*Nothing was started/],
    ['listen EACCES: permission denied 127.0.0.1:80', /choose one from 1024.*Nothing was started/],
    ['User: arn:aws:iam::1:user/x is not authorized to perform: dynamodb:GetItem on resource: t', /may not read the tables/],
    ['write EPROTO 40:error:0A00010B:SSL routines:wrong version number:../x.c:77:\n', /A sandbox speaks http/],
    ['connect ETIMEDOUT 10.0.0.1:443', /cannot be reached/],
    ['Requested resource not found', /check --name/],
    ['getaddrinfo ENOTFOUND nowhere.invalid', /host is not known/],
    ['Unexpected token in JSON\n  Deserialization error: to see the raw response, inspect it', /is no sandbox/],
    ['The security token included in the request is expired', /Sign in again/],
    ['Could not load credentials from any providers', /for example AWS_PROFILE.*--sandbox URL/],
  ])('of "%s" states what to do', (message, advice) => {
    const text = failure(message);
    expect(text).toMatch(advice);
    expect(text.split('\n')).toHaveLength(2);
  });

  it('of what was expected is its message', () => {
    expect(failure('nothing to play', { name: 'ScenarioError' })).toBe('nothing to play');
    expect(failure('denied', { $metadata: {} })).toBe('denied');
  });

  it('of an unexpected error has its stack', () => {
    expect(failure('a bug')).toMatch(/a bug\n\s+at /);
    expect(failureText('thrown text')).toBe('thrown text');
  });
});
