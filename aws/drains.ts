import { type SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn';
import type { Drains } from '../core/ports.ts';
import { isExecutionAlreadyStarted } from './errors.ts';

/**
 * Starts drain workflows, each under the drain's name. A name is taken for 90 days: started again with the same input a
 * running execution is the same execution, and one that has ended is refused (Step Functions API reference,
 * StartExecution).
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
