import { type SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn';
import type { Drains } from '../core/ports.ts';
import { isExecutionAlreadyStarted } from './errors.ts';

/** Starts drain workflows, each under the drain's id: a name is taken for 90 days, so an execution is never started twice (Step Functions API reference). */
export const createDrains = ({ client, stateMachineArn }: { readonly client: SFNClient; readonly stateMachineArn: string }): Drains => ({
  async start(order) {
    const command = new StartExecutionCommand({ stateMachineArn, name: order.drain, input: JSON.stringify(order) });
    await client.send(command).catch((error: unknown) => {
      if (!isExecutionAlreadyStarted(error)) throw error;
    });
  },
});
