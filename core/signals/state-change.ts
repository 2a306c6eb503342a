import * as z from 'zod/mini';
import { describeLagMs } from '../times/times.ts';
import { instanceId } from './fields.ts';
import { isAlive } from './signal-age.ts';
import { instancesCause, signalKind, type Unread } from './signal-kind.ts';

const states = z.enum(['pending', 'running', 'stopping', 'stopped', 'shutting-down', 'terminated']);
type InstanceState = z.output<typeof states>;

type StateChange = {
  readonly kind: 'state-change';
  readonly instance: string;
  readonly state: InstanceState;
  readonly atMs: number;
};

/**
 * An instance began to run, or ended. `pending` is left out, because it adds nothing to the response of the launch and
 * arrives in storms. A change younger than the lag of describes counts, whatever describes show. An instance that was
 * stopped and started again has a later launch time.
 */
export const stateChange = signalKind({
  kind: 'state-change',
  source: 'aws.ec2',
  detailType: 'EC2 Instance State-change Notification',
  comes: { by: 'rule', where: { state: ['running', 'stopping', 'stopped', 'shutting-down', 'terminated'] } },
  detail: z.object({ 'instance-id': instanceId, state: states }),
  toSignal: (detail, atMs): StateChange | Unread =>
    detail.state === 'pending'
      ? { kind: 'ignored', why: 'pending: its launch is known already' }
      : { kind: 'state-change', instance: detail['instance-id'], state: detail.state, atMs },
  about: ({ instance }) => ({ instance }),
  isOver: ({ atMs }, owner, nowMs) =>
    isAlive(owner) && (nowMs - atMs > describeLagMs || (owner?.launchedAtMs ?? 0) > atMs),
  // The tick sees the end of an instance that no describe shows yet.
  comesAgain: 'failed',
  adds: ({ instance, state }, owner) => {
    if (state === 'pending') return {};
    if (state === 'running') return { ran: [instance], ...(owner?.asg !== undefined && { ranInAsg: [instance] }) };
    const stops = state === 'stopping' || state === 'stopped';
    return { ended: [instance], ...(stops && { stopped: [instance] }) };
  },
  cause: { state: states, ...instancesCause.cause },
  causeOf: ({ state }) => ({ state, ...instancesCause.causeOf() }),
});
