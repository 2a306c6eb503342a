import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Cloud } from '../cloud.ts';
import { createDirectHandler } from '../direct-handler.ts';
import { serveHttp } from '../serve-http.ts';
import type { Activity } from './functions/activity.ts';
import type { StartEnvironment } from './functions/environment.ts';
import { liveEnvironments } from './functions/live-environment.ts';
import { simulatedEnvironments } from './functions/simulated-environment.ts';
import { createLiveClock, type LiveClock } from './live-clock.ts';
import { createVirtualClock, type RunEnd, type RunLimit, type VirtualClock } from './virtual-clock.ts';

/** Everything that differs between the two ways of running one world. */
export type Machinery = {
  readonly clock: LiveClock | VirtualClock;
  readonly start: StartEnvironment;
  /** Where SDK clients find the sandbox; live only. */
  readonly url?: string;
  run(limit?: RunLimit): Promise<RunEnd>;
  drive<T>(work: Promise<T>): Promise<T>;
  stop(): Promise<void>;
};

type Front = Pick<Cloud, 'handleHttp' | 'handleValues'>;

export type LiveOptions = {
  readonly region: string;
  /** The cloud that is served; it may be built after the door was opened. */
  readonly cloud: Pick<Front, 'handleHttp'>;
  readonly speed?: number | undefined;
  readonly port?: number | undefined;
  readonly startMs?: number | undefined;
  readonly control?: ((request: IncomingMessage, response: ServerResponse) => void | Promise<void>) | undefined;
  readonly onLog?: ((functionName: string, text: string) => void) | undefined;
  readonly onError?: ((error: unknown) => void) | undefined;
};

/** While the cloud handles a call of a function, that function's code waits in the world. */
const outsideOf = (cloud: LiveOptions['cloud'], activities: ReadonlyMap<string, Activity>): LiveOptions['cloud'] => ({
  handleHttp: (request, accessKeyId) => {
    const response = cloud.handleHttp(request, accessKeyId);
    return activities.get(request.headers['x-amz-security-token'] ?? '')?.inWorld(response) ?? response;
  },
});

/** HTTP on loopback, functions in worker threads, wall time times a factor. */
export const liveMachinery = async (options: LiveOptions): Promise<Machinery> => {
  const { speed: factor = 1, startMs: originMs, onLog, onError, control, cloud, port = 0 } = options;
  const activities = new Map<string, Activity>();
  const served = await serveHttp({ cloud: outsideOf(cloud, activities), port, ...(control && { control }) });
  const clock = createLiveClock({ factor, ...(originMs !== undefined && { originMs }), ...(onError && { onError }) });
  return {
    clock,
    start: liveEnvironments({ clock, activities, region: options.region, endpoint: served.url, ...(onLog && { onLog }) }),
    url: served.url,
    run: () => Promise.reject(new Error('The time of a live sandbox runs by itself: use clock.sleep.')),
    drive: (work) => work,
    stop: async () => {
      clock.close();
      await served.close();
    },
  };
};

export type SimulatedOptions = {
  readonly region: string;
  readonly cloud: Front;
  readonly startMs: number;
  readonly seed: number;
  readonly clockErrorMs?: number | undefined;
  readonly onMetric?: ((metric: string, value: number) => void) | undefined;
  readonly writes?: boolean | undefined;
};

/** All in this process, in virtual time, everything from one seed. */
export const simulatedMachinery = ({ region, cloud, startMs, seed, clockErrorMs, onMetric, writes }: SimulatedOptions): Machinery => {
  const clock = createVirtualClock(startMs);
  return {
    clock,
    start: simulatedEnvironments({
      clock,
      seed,
      region,
      clockErrorMs,
      onMetric,
      writes,
      requestHandler: (spec, environment, isAlive) => createDirectHandler(cloud, spec.role, { environment, isAlive }),
    }),
    run: clock.run,
    drive: clock.drive,
    stop: async () => undefined,
  };
};
