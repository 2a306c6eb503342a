import type { ActionResult } from '../../core/ports/capacity-provider.ts';

/**
 * Some instances still run and terminating them again may succeed. Thrown so that the state machine repeats the step.
 */
export class InstancesNotEnded extends Error {
  constructor(failed: ActionResult['failed']) {
    const codes = [...new Set(failed.map(({ code }) => code))].join(', ');
    super(
      `${failed.length} drained instances still run (${codes}). ` +
        'They are recorded as drained, and terminating them is tried again.',
    );
    this.name = 'InstancesNotEnded';
  }
}

/** Everything is done, and the event bus did not take the event about it. The state machine repeats the step. */
export class EndNotTold extends Error {
  constructor(cause: unknown) {
    super('The drain is over, and its event could not be sent. Sending it is tried again.', { cause });
    this.name = 'EndNotTold';
  }
}
