import { createAutoScalingClient, createEc2Client, createElbClient } from '../../aws/clients.ts';
import type { ProviderDeps } from '../../aws/providers/provider-deps.ts';
import { env, metrics, type Surroundings } from '../../core/contract.ts';
import { requireEnv } from './env.ts';
import type { Telemetry } from './telemetry.ts';

/** The clients behind the capacity provider, one set per function. */
export const capacityDeps = (surroundings: Surroundings, telemetry: Telemetry): ProviderDeps => ({
  ec2: createEc2Client(surroundings.clientConfig),
  autoScaling: createAutoScalingClient(surroundings.clientConfig),
  elb: createElbClient(surroundings.clientConfig),
  deployment: requireEnv(surroundings, env.name),
  now: surroundings.now,
  note: (what, detail) => telemetry.logger.warn(what, { detail }),
  missed: (read, code) => {
    telemetry.count(metrics.readsMissed);
    telemetry.logger.warn('An optional read failed. The work goes on without it.', { read, code });
  },
});
