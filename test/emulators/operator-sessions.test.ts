import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCommand } from '../../scripts/emulators/run-command.ts';
import { operatorEnv } from './operator-env.ts';
import { type SandboxProcess, startSandboxProcess } from './sandbox-process.ts';
import { expectWholeDrain } from './sessions/cli-session.ts';

/** Of the environment that has boto3. */
const python = join(dirname(process.env.HOLDFAST_AWS_CLI_1 ?? ''), 'python');
let sandbox: SandboxProcess;

beforeAll(async () => {
  sandbox = await startSandboxProcess(20);
});

afterAll(() => sandbox?.stop());

/** Plays a session in Python; what it prints at its end is its report. */
const play = async (session: string) => {
  const script = join(import.meta.dirname, 'sessions', `${session}.py`);
  const { code, output } = await runCommand(python, [script], { env: operatorEnv(sandbox.url), timeoutMs: 110_000 });
  if (code !== 0) throw new Error(`${session} ended with ${code}: ${output}`);
  return JSON.parse(output);
};

describe('an operator with boto3', () => {
  test('keeps a group by tag: puts a policy as a map, loses a member to EC2 and one by hand, and reads what was done', async () => {
    const told = await play('own_group');
    expect(told).toMatchObject({
      template: 1,
      accepted: 'Version 1 is in force.',
      version: 1,
      spot: 3,
      warned: { done: [told.taken], unknown: [] },
      drain: 'SUCCEEDED',
      serving: 3,
      unknown: 'InvalidInstanceID.NotFound',
    });
    expect(told.rejected).toContain('size');
    expect(told.groups).toEqual(['accepted', 'policy', 'status', 'version#000001']);
    expect(told.swaps).toHaveLength(1);
    expect(told.decisions).toBeGreaterThanOrEqual(3);
    expectWholeDrain(told.history);
  });

  test('keeps a group in single-market Auto Scaling groups: puts a policy as YAML, loses a member to EC2 and one by hand', async () => {
    const told = await play('single_market');
    expect(told).toMatchObject({
      rejected: '',
      accepted: 'Version 1 is in force.',
      first: { 'batch-spot-a': 2, 'batch-spot-b': 2, 'batch-od-c': 0 },
      drain: 'SUCCEEDED',
      groups: ['accepted', 'policy', 'status', 'version#000001'],
      serving: 4,
    });
    expect(told.swaps).toHaveLength(1);
    expectWholeDrain(told.history);
  });
});
