import { ApiError } from '../../api.ts';
import type { Base } from '../base.ts';
import { reasons } from '../instance.ts';
import type { Instances } from '../instances.ts';
import { operation } from '../operation.ts';
import { notFound } from './describe-instances.ts';
import { protectedZones, refusedByProtection } from './instance-attributes.ts';
import { describeStateChange } from './instance-output.ts';

/**
 * If EC2 does not know one id, it terminates none of them. If one is protected, EC2 terminates none of that zone. Terminating an ended instance is not an
 * error.
 */
export const terminateInstances = (base: Base, instances: Instances) =>
  operation<{ InstanceIds: string[] }>(({ InstanceIds: ids = [] }) => {
    const malformed = ids.find((id) => !/^i-[0-9a-f]{1,17}$/.test(id));
    if (malformed !== undefined) throw new ApiError('InvalidInstanceID.Malformed', `Invalid id: "${malformed}"`);
    const missing = [...new Set(ids)].filter((id) => instances.find(id) === undefined);
    if (missing.length > 0) throw notFound(missing);
    const found = [...new Set(ids)].flatMap((id) => instances.find(id) ?? []);
    const kept = protectedZones(found);
    const changes = found
      .filter(({ zone }) => !kept.has(zone))
      .map((instance) => {
        const before = instance.state;
        instances.terminate(instance, reasons.user);
        return describeStateChange(instance.id, before, instance.state);
      });
    const refused = found.filter(({ isProtected, state }) => isProtected === true && state !== 'terminated');
    for (const { id } of refused) base.note({ kind: 'end-refused', instance: id, by: base.acting.current().by });
    const [first] = refused;
    if (first !== undefined) throw refusedByProtection(first.id);
    return { TerminatingInstances: changes };
  });
