import type { Base } from './base.ts';
import type { InstanceRecord } from './instance.ts';
import type { OwnAccord } from './world.ts';

/** Reports the events of instances to observers, and adds them to the history with their actor. */
export const createInstanceFacts = (base: Base) => {
  const fact = (kind: 'running' | 'shutting-down' | 'terminated', { id }: InstanceRecord): void =>
    base.tell({ kind, instance: id, atMs: base.clock.now() });
  return {
    launched: ({ id, instanceType, zone, subnet, market, offering, tags, asg, template }: InstanceRecord, ownAccord?: OwnAccord): void => {
      base.tell({ kind: 'launched', instance: id, atMs: base.clock.now(), ...(ownAccord && { ownAccord }) });
      base.note({
        kind: 'launched',
        instance: id,
        instanceType,
        zone,
        subnet: subnet.id,
        market,
        priceUsdPerHour: offering.priceUsdPerHour,
        tags,
        ...(asg !== undefined && { asg }),
        ...(template !== undefined && { template }),
        ...base.acting.current(),
      });
    },
    running: (instance: InstanceRecord): void => {
      fact('running', instance);
      base.note({ kind: 'running', instance: instance.id });
    },
    booted: ({ id }: InstanceRecord): void => base.note({ kind: 'booted', instance: id }),
    checked: ({ id }: InstanceRecord, isPassed: boolean): void => base.note({ kind: 'checked', instance: id, isPassed }),
    answering: ({ id }: InstanceRecord, isOn: boolean): void => base.note({ kind: 'answering', instance: id, isOn }),
    ending: (instance: InstanceRecord): void => {
      fact('shutting-down', instance);
      base.note({ kind: 'ending', instance: instance.id, by: base.acting.current().by, ...(instance.reason && { code: instance.reason.Code }) });
    },
    ended: (instance: InstanceRecord, state: 'terminated' | 'stopped'): void => {
      if (state === 'terminated') fact('terminated', instance);
      base.note({ kind: 'ended', instance: instance.id, state });
    },
    tagged: ({ id, tags }: InstanceRecord): void => base.note({ kind: 'tagged', instance: id, tags, by: base.acting.current().by }),
  };
};
