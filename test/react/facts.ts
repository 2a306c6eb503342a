import type { Facts } from '../../functions/react/messages/facts.ts';
import type { ReactPorts } from '../../functions/react/ports.ts';

/** The facts of a group where nothing has happened, with these changes. */
export const factsOf = (rest: Partial<Facts> = {}): Facts => ({
  group: 'web',
  causes: [],
  leaving: [],
  ran: [],
  ended: [],
  stopped: [],
  alarms: [],
  refusedAsgs: [],
  stoppedDrains: [],
  isTick: false,
  messages: [],
  ...rest,
});

/** Logs and counts nothing. */
export const silent = {
  count: () => {},
  duration: () => {},
  logger: { error: () => {}, warn: () => {}, info: () => {} },
} as unknown as ReactPorts['telemetry'];
