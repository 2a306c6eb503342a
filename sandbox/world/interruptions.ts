import type { Base } from './base.ts';
import { type InstanceRecord, isLive, reasons } from './instance.ts';
import type { Instances } from './instances.ts';
import type { OfferingBook, OfferingRecord } from './offerings.ts';
import type { World } from './world.ts';

type How = Parameters<World['interrupt']>[1];

export type Interruptions = Pick<World, 'interrupt' | 'recommendRebalance' | 'scheduleRetirement' | 'kill' | 'restart'> & {
  /** Takes the youngest of what runs beyond the offering's capacity. */
  reclaim(offering: OfferingRecord, noticeMs: number): void;
};

export const createInterruptions = (base: Base, instances: Instances, book: OfferingBook): Interruptions => {
  const { clock, place } = base;

  const warn = (instance: InstanceRecord, action: string, takenAtMs: number): void => {
    // AWS puts the zone where every other ARN has the region, and no account.
    const about = { source: 'aws.ec2', resources: [`arn:aws:ec2:${instance.zone}:instance/${instance.id}`] };
    base.emit(
      instance.market === 'spot'
        ? { ...about, 'detail-type': 'EC2 Spot Instance Interruption Warning', detail: { 'instance-id': instance.id, 'instance-action': action } }
        : {
            ...about,
            'detail-type': 'EC2 Capacity Reservation Instance Interruption Warning',
            detail: { 'instance-id': instance.id, 'instance-termination-time': new Date(takenAtMs).toISOString() },
          },
    );
    base.tell({
      kind: 'warned',
      instance: instance.id,
      atMs: clock.now(),
      ...(instance.takenAtMs === undefined ? {} : { takenAtMs: instance.takenAtMs }),
    });
    if (instance.market === 'spot') instances.tellRisk(instance, 'warned');
  };
  const take = (instance: InstanceRecord, how: How): void => {
    const action = how.action ?? 'terminate';
    const takenAtMs = Math.min(clock.now() + how.noticeMs, instance.takenAtMs ?? Number.POSITIVE_INFINITY);
    instance.takeTimer?.cancel();
    instance.takenAtMs = takenAtMs;
    base.note({ kind: 'warned', instance: instance.id, takenAtMs, action, silent: how.silent ?? false });
    if (!how.silent) warn(instance, action, takenAtMs);
    instance.takeTimer = clock.at(takenAtMs, () => {
      if (how.spares) delete instance.takenAtMs;
      if (!isLive(instance)) return;
      if (how.spares) {
        base.note({ kind: 'spared', instance: instance.id });
        return;
      }
      if (action === 'terminate' || instance.state === 'pending') instances.terminate(instance, reasons.spot);
      else instances.stop(instance, reasons.spot);
    });
  };
  const each = (ids: readonly string[], suits: (instance: InstanceRecord) => boolean, act: (instance: InstanceRecord) => void) => {
    const unknown: string[] = [];
    for (const id of ids) {
      const instance = instances.find(id);
      if (instance !== undefined && suits(instance)) act(instance);
      else unknown.push(id);
    }
    return { unknown };
  };
  const recommend = (instance: InstanceRecord): void => {
    base.emit({
      'detail-type': 'EC2 Instance Rebalance Recommendation',
      source: 'aws.ec2',
      resources: [`arn:aws:ec2:${place.region}:${place.accountId}:instance/${instance.id}`],
      detail: { 'instance-id': instance.id },
    });
    base.tell({ kind: 'rebalance', instance: instance.id, atMs: clock.now() });
    base.note({ kind: 'advised', instance: instance.id });
    instances.tellRisk(instance, 'advised');
  };
  /** One event names all of them, as AWS Health does (AWS Health User Guide, "Amazon EventBridge schema"). */
  const announce = (ids: readonly string[], startsAtMs: number): void =>
    base.emit({
      'detail-type': 'AWS Health Event',
      source: 'aws.health',
      resources: ids,
      detail: {
        service: 'EC2',
        eventTypeCode: 'AWS_EC2_INSTANCE_RETIREMENT_SCHEDULED',
        eventTypeCategory: 'scheduledChange',
        statusCode: 'upcoming',
        startTime: new Date(startsAtMs).toUTCString(),
        affectedEntities: ids.map((entityValue) => ({ entityValue, status: 'PENDING' })),
      },
    });
  const retire = (instance: InstanceRecord, startsAtMs: number): void => {
    base.note({ kind: 'scheduled', instance: instance.id, startsAtMs });
    clock.at(startsAtMs, () => {
      if (isLive(instance)) instances.terminate(instance, reasons.retirement);
    });
  };
  const isRunning = ({ state }: InstanceRecord): boolean => state === 'running';
  const isRunningSpot = (instance: InstanceRecord): boolean => instance.market === 'spot' && instance.state === 'running';

  return {
    interrupt: (ids, how) => each(ids, how.reserved === true ? isRunning : isRunningSpot, (instance) => take(instance, how)),
    recommendRebalance: (ids) => each(ids, isRunningSpot, recommend),
    scheduleRetirement: (ids, inMs) => {
      const startsAtMs = clock.now() + inMs;
      const running = ids.filter((id) => instances.find(id)?.state === 'running');
      if (running.length > 0) announce(running, startsAtMs);
      return each(ids, isRunning, (instance) => retire(instance, startsAtMs));
    },
    kill: (id) => {
      const instance = instances.find(id);
      if (instance === undefined || !isLive(instance)) return false;
      base.acting.as({ by: { kind: 'script' } }, () => instances.fail(instance));
      return true;
    },
    restart: (ids) => each(ids, (instance) => instance.state === 'stopped' && book.free(instance.offering) > 0, instances.start),
    reclaim: (offering, noticeMs) => {
      if (offering.capacity === null || book.free(offering) > 0) return;
      const held = instances.list().filter((instance) => instance.offering === offering && isLive(instance));
      const leaving = held.filter(({ takenAtMs }) => takenAtMs !== undefined).length;
      const surplus = Math.max(0, held.length - leaving - offering.capacity);
      const youngest = held.filter(({ takenAtMs }) => takenAtMs === undefined).reverse();
      for (const instance of youngest.slice(0, surplus)) take(instance, { noticeMs });
    },
  };
};
