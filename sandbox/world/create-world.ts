import type { Market } from '../../core/pool/offering.ts';
import type { ApiService } from '../api.ts';
import { createTokenBucket } from '../throttle/token-bucket.ts';
import type { Scaling } from './auto-scaling/group.ts';
import { numbersEvent } from './auto-scaling/numbers.ts';
import { createAutoScaling, createScaling } from './auto-scaling/service.ts';
import { type BaseDeps, createBase } from './base.ts';
import { createBootFates } from './boot-fates.ts';
import { createLaunchTemplates } from './ec2/launch-templates.ts';
import { createEc2 } from './ec2/service.ts';
import { createFulfil } from './fulfilment.ts';
import { createInstances } from './instances.ts';
import { createInterruptions } from './interruptions.ts';
import { createLoad } from './load-balancing/load.ts';
import { createElasticLoadBalancing } from './load-balancing/service.ts';
import { createTargetGroupBook } from './load-balancing/target-group-book.ts';
import { createTargets } from './load-balancing/targets.ts';
import { createNetwork } from './network.ts';
import { createOfferingBook, type OfferingRecord } from './offerings.ts';
import { createSnapshot, type Parts } from './snapshot.ts';
import type { WorldSpec } from './spec.ts';
import { tagsOfResource } from './tags-of-resource.ts';
import type { World } from './world.ts';

export type WorldDeps = BaseDeps & {
  readonly spec: WorldSpec;
  /** Delivers notifications of lifecycle hooks that name a target of their own (an SQS queue or SNS topic). */
  readonly notify?: Scaling['notify'];
};

/** RunInstances' published resource bucket: one token per launched instance. */
const launchBucket = { capacity: 1000, refillPerSecond: 2 };

const createParts = ({ spec, notify = () => {}, ...deps }: WorldDeps): Parts => {
  const { longestPage, stalePages } = spec;
  const base = createBase({ ...deps, ...(longestPage !== undefined && { longestPage }), ...(stalePages && { stalePages }) });
  const book = createOfferingBook(spec.offerings, base.clock);
  const network = createNetwork(spec);
  const fates = createBootFates();
  const quotas = new Map(Object.entries(spec.quotas ?? {}) as [Market, number][]);
  const instances = createInstances(base, book, spec.timing, (stalePages?.lagSeconds[1] ?? 0) * 1_000, fates);
  const fulfil = createFulfil(instances, book, quotas);
  const templates = createLaunchTemplates(base, spec.launchTemplates);
  const targetBook = createTargetGroupBook(base, network.vpcId, spec.targetGroups);
  const targets = createTargets(base, instances);
  const budget = createTokenBucket({ ...launchBucket, clock: base.clock });
  const periodMs = spec.timing.asgPeriodSeconds * 1000;
  const asgLagSeconds = spec.timing.asgLagSeconds ?? [0, 0];
  const drawLagMs = (): number => base.drawMs(asgLagSeconds);
  const scaling = createScaling(
    { drawLagMs, mostLagMs: 1_000 * asgLagSeconds[1], base, instances, fulfil, templates, network, targets, targetBook, budget, periodMs, notify },
    spec.autoScalingGroups,
  );
  return { fates, quotas, base, book, network, instances, fulfil, templates, targetBook, targets, budget, scaling };
};

const createServices = (parts: Parts): readonly ApiService[] => [
  createEc2(parts),
  createAutoScaling(parts.scaling),
  createElasticLoadBalancing({ ...parts, book: parts.targetBook }),
];

/** Begins the loads of the scenario: at their own time, or when the first target is healthy. */
const startLoads = (parts: Parts, spec: WorldSpec): ReturnType<typeof createLoad> => {
  const load = createLoad(parts.base);
  for (const { name, load: wanted } of spec.targetGroups) {
    if (wanted === undefined) continue;
    const group = parts.targetBook.byName(name);
    if (wanted.startsAtSeconds !== undefined) {
      parts.base.clock.after(wanted.startsAtSeconds * 1000, () => load.set(group, wanted));
      continue;
    }
    parts.targets.onHealthy((healthy) => {
      if (healthy === group && group.load === undefined) load.set(group, wanted);
    });
  }
  return load;
};

/** What a script may change in addition to capacity: how instances boot and serve, addresses, quotas. */
const settingsOf = ({
  base,
  fates,
  quotas,
  instances,
  network,
  budget,
}: Parts): Pick<World, 'setServing' | 'setBoots' | 'setFreeAddresses' | 'setQuota' | 'restLaunches'> => ({
  restLaunches: budget.fill,
  setServing: (ids, isServing) => {
    const found = ids.flatMap((id) => instances.find(id) ?? []).filter(({ state }) => state === 'running');
    for (const instance of found) instances.setFailing(instance, !isServing);
    const known = new Set(found.map(({ id }) => id));
    return { unknown: ids.filter((id) => !known.has(id)) };
  },
  setBoots: fates.set,
  setFreeAddresses: (name, free) => {
    const subnet = network.find(name);
    if (subnet === undefined) return false;
    subnet.free = free;
    base.note({ kind: 'addresses', subnet: name, free });
    return true;
  },
  setQuota: (market, most) => {
    if (most === null) quotas.delete(market);
    else quotas.set(market, most);
    base.note({ kind: 'quota', market, most });
  },
});

const offeringEvent = ({ instanceType, zone, market, capacity, priceUsdPerHour }: OfferingRecord) =>
  ({ kind: 'offering', instanceType, zone, market, capacity, priceUsdPerHour }) as const;

/** EC2, Auto Scaling and Elastic Load Balancing in memory: everything follows from the spec, the seed and the calls. */
export const createWorld = (deps: WorldDeps): World => {
  const parts = createParts(deps);
  const { base, book, instances } = parts;
  const load = startLoads(parts, deps.spec);
  const { interrupt, recommendRebalance, scheduleRetirement, kill, restart, reclaim } = createInterruptions(base, instances, book);
  return {
    services: createServices(parts),
    interrupt,
    recommendRebalance,
    scheduleRetirement,
    kill,
    restart,
    ...settingsOf(parts),
    setOffering: (offering, change) => {
      const record = book.find(offering);
      if (record === undefined) return false;
      if (change.capacity !== undefined) record.capacity = change.capacity;
      if (change.priceUsdPerHour !== undefined) book.setPrice(record, change.priceUsdPerHour);
      base.note(offeringEvent(record));
      if (change.reclaim !== undefined) reclaim(record, change.reclaim.noticeMs);
      return true;
    },
    setLoad: (targetGroup, requestsPerSecond) => {
      const group = parts.targetBook.list().find(({ name }) => name === targetGroup);
      if (group === undefined) return false;
      load.set(group, { requestSeconds: [0.05, 0.5], ...group.load, requestsPerSecond });
      return true;
    },
    tagsOf: (resource) => tagsOfResource(parts, resource),
    templateOf: parts.templates.contentsOf,
    snapshot: () => createSnapshot(parts),
    observe: base.observe,
    follow: (listener) => {
      for (const record of book.list()) listener({ ...offeringEvent(record), atMs: base.clock.now() });
      for (const group of parts.scaling.groups.values()) listener(numbersEvent(parts.scaling, group));
      base.follow(listener);
    },
    cost: book.cost,
  };
};
