import { createCapacityProvider } from '../../aws/capacity-provider.ts';
import type { ProviderDeps } from '../../aws/providers/provider-deps.ts';
import type { Group, Holding } from '../../core/group/group.ts';
import type { Reservation } from '../../core/launch/reservation.ts';
import type { CapacityProvider } from '../../core/ports/capacity-provider.ts';
import type { LaunchOrder, LaunchResult } from '../../core/ports/launches.ts';
import { nowMs } from './builders.ts';
import { type Answers, createFakeAws, longPause } from './fake-aws.ts';

/** A provider over clients that are answered as given, and the notes that it made. */
export const providerOver = (
  holding: Holding,
  answers: Answers,
  { now = () => nowMs, sleep = longPause, ...kept }: Partial<Pick<ProviderDeps, 'now' | 'sleep' | 'asgsKnownMs'>> = {},
) => {
  const aws = createFakeAws(answers);
  const notes: { readonly what: string; readonly detail: Readonly<Record<string, unknown>> }[] = [];
  const missed: string[] = [];
  const { ec2, autoScaling, elb } = aws;
  const provider = createCapacityProvider(holding, {
    ec2,
    autoScaling,
    elb,
    deployment: 'prod',
    now,
    sleep,
    ...kept,
    note: (what, detail) => notes.push({ what, detail }),
    missed: (read, code) => missed.push(`${read}: ${code}`),
  });
  return { aws, provider, notes, missed };
};

/** Makes the requests of reservations and sends them, as their first attempt unless it is said otherwise. */
export const launchNow = async (
  provider: Pick<CapacityProvider, 'requestOf' | 'launch'>,
  group: Group,
  reservations: readonly Reservation[],
  how: Partial<Omit<LaunchOrder, 'request'>> = {},
): Promise<readonly LaunchResult[]> => {
  const requests = reservations.map((reservation) => provider.requestOf(group, reservation));
  return provider.launch(
    requests.map((request) => {
      if (request === undefined) throw new Error('the policy has nothing for this reservation');
      return { request, isRepeat: false, leaseUntilMs: Number.POSITIVE_INFINITY, ...how };
    }),
  );
};
