import { type SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn';
import type { Drains } from '../core/ports/drains.ts';
import { isExecutionAlreadyStarted } from './calls/errors.ts';

/**
 * Starts drain workflows, each under the drain's name. A name is taken for 90 days: a start with the same input returns
 * the execution that runs, and is refused when that has ended (Step Functions API reference, StartExecution).
 */
export const createDrains = ({
  client,
  stateMachineArn,
}: {
  readonly client: SFNClient;
  readonly stateMachineArn: string;
}): Drains => ({
  async start(order) {
    const command = new StartExecutionCommand({ stateMachineArn, name: order.drain, input: JSON.stringify(order) });
    try {
      await client.send(command);
      return 'running';
    } catch (error) {
      if (isExecutionAlreadyStarted(error)) return 'over';
      throw error;
    }
  },
});
