import { ApiError } from '../../api.ts';
import { reasons } from '../instance.ts';
import type { Instances } from '../instances.ts';
import { operation } from '../operation.ts';
import { notFound } from './describe-instances.ts';
import { describeStateChange } from './instance-output.ts';

/** One id that EC2 does not know, and none of them is terminated. Ending what has ended is no error. */
export const terminateInstances = (instances: Instances) =>
  operation<{ InstanceIds: string[] }>(({ InstanceIds: ids = [] }) => {
    const malformed = ids.find((id) => !/^i-[0-9a-f]{1,17}$/.test(id));
    if (malformed !== undefined) throw new ApiError('InvalidInstanceID.Malformed', `Invalid id: "${malformed}"`);
    const found = [...new Set(ids)].map((id) => ({ id, instance: instances.find(id) }));
    const missing = found.filter(({ instance }) => instance === undefined).map(({ id }) => id);
    if (missing.length > 0) throw notFound(missing);
    return {
      TerminatingInstances: found.flatMap(({ id, instance }) => {
        if (instance === undefined) return [];
        const before = instance.state;
        instances.terminate(instance, reasons.user);
        return describeStateChange(id, before, instance.state);
      }),
    };
  });
