import { randomUUID } from 'node:crypto';
import { CreateStateMachineCommand, DescribeExecutionCommand, type SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn';
import type { MachineDefinition } from '../../../sandbox/platform/states/definition.ts';
import { createStateMachines } from '../../../sandbox/platform/states/state-machines.ts';
import { createVirtualClock } from '../../../sandbox/platform/virtual-clock.ts';
import { createRandom } from '../../../sandbox/random.ts';
import { eventually } from '../eventually.ts';

export type States = Readonly<Record<string, object>>;

/** How an execution ended; `refused`: the definition was not taken at all. */
export type MachineEnd = { readonly status: string; readonly error?: string | undefined; readonly result?: unknown };

export type RunMachine = (states: States, input?: unknown) => Promise<MachineEnd>;

const definitionOf = (states: States) => ({ QueryLanguage: 'JSONata', StartAt: Object.keys(states)[0] ?? '', States: states });
const resultOf = (output: string | undefined) => (output === undefined ? {} : { result: JSON.parse(output) as unknown });

/** A machine of its own for each run, made and started by calls. */
export const runByCalls =
  (sfn: SFNClient): RunMachine =>
  async (states, input = {}) => {
    const create = new CreateStateMachineCommand({
      name: `jsonata-${randomUUID()}`,
      definition: JSON.stringify(definitionOf(states)),
      roleArn: 'arn:aws:iam::123456789012:role/contract',
    });
    const stateMachineArn = await sfn.send(create).then((answer) => answer.stateMachineArn, refused);
    if (stateMachineArn === undefined) return { status: 'refused' };
    const { executionArn } = await sfn.send(new StartExecutionCommand({ stateMachineArn, input: JSON.stringify(input) }));
    return eventually('the end of an execution', async () => {
      const { status, error, output } = await sfn.send(new DescribeExecutionCommand({ executionArn }));
      return status !== 'RUNNING' && { status: String(status), error, ...resultOf(output) };
    });
  };

const refused = (error: Error): undefined => {
  if (error.name === 'InvalidDefinition') return undefined;
  throw error;
};

const arn = 'arn:aws:states:us-east-1:123456789012:stateMachine:m';

/** The sandbox's own runner: machines of the sandbox are the stack's, so no call makes another. */
export const runInSandbox: RunMachine = async (states, input = {}) => {
  const clock = createVirtualClock(Date.parse('2026-01-01T00:00:00Z'));
  const machines = createStateMachines({
    clock,
    random: createRandom(1),
    place: { accountId: '123456789012', region: 'us-east-1' },
    transitionMs: 0,
    tasks: { invoke: async (_, payload) => ({ kind: 'ok', value: payload }), call: async () => ({}) },
  });
  try {
    machines.add({
      name: 'm',
      arn,
      role: 'role',
      roleArn: 'arn:aws:iam::123456789012:role/role',
      definition: definitionOf(states) as MachineDefinition,
    });
  } catch {
    return { status: 'refused' };
  }
  machines.start(arn, JSON.stringify(input));
  await clock.run();
  const last = machines.executions().at(-1);
  return { status: String(last?.status), error: last?.error, ...resultOf(last?.output) };
};
