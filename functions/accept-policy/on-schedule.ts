import type { Telemetry } from '../runtime/telemetry.ts';
import { judgeWaiting } from './judge-waiting.ts';
import { lookUpAgain } from './look-up-again.ts';
import type { AcceptPolicyPorts } from './ports.ts';

/**
 * What is done every 15 minutes: policies that wait for others first, because their groups are not acted on.
 *
 * @param atMs the time of the schedule
 */
export const onSchedule = async (
  atMs: number,
  ports: AcceptPolicyPorts,
  telemetry: Pick<Telemetry, 'logger'>,
): Promise<{ readonly waited: number; readonly groups: number }> => {
  const { waited } = await judgeWaiting(ports, telemetry);
  const { groups } = await lookUpAgain(atMs, ports, telemetry);
  return { waited, groups };
};
