import type { FaultInput } from '../../sandbox/fault-schema.ts';

/** No function may launch, for so long: a right that is missing, or a policy of the organisation. */
export const denyLaunches = (fromMs: number, untilMs: number): FaultInput => ({
  on: 'call',
  kind: 'error',
  code: 'UnauthorizedOperation',
  message: 'You are not authorized to perform this operation.',
  status: 403,
  match: { operation: ['CreateFleet', 'LaunchInstances'] },
  fromMs,
  untilMs,
});
