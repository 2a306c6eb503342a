import { ApiError } from '../../api.ts';
import type { Base } from '../base.ts';
import type { InstanceRecord } from '../instance.ts';
import type { Instances } from '../instances.ts';
import { nothing, type Operations, operation } from '../operation.ts';
import { notFound } from './describe-instances.ts';

type Modify = { InstanceId: string; DisableApiTermination?: { Value?: boolean } };
type Describe = { InstanceId: string; Attribute: string };

const mustFind = (instances: Instances, id: string): InstanceRecord => {
  const instance = instances.find(id);
  if (instance === undefined) throw notFound([id]);
  return instance;
};

/** Termination protection, the one attribute that is simulated. EC2 grants it to no spot instance. */
export const attributeOperations = (base: Base, instances: Instances): Operations => ({
  ModifyInstanceAttribute: operation<Modify>((input) => {
    const instance = mustFind(instances, input.InstanceId);
    const { Value: isProtected } = input.DisableApiTermination ?? {};
    if (isProtected === undefined) throw new ApiError('InvalidParameterCombination', 'Only DisableApiTermination is simulated.');
    if (instance.market === 'spot' && isProtected) {
      throw new ApiError('UnsupportedOperation', `Termination protection cannot be enabled for the Spot Instance '${instance.id}'.`);
    }
    instance.isProtected = isProtected;
    base.note({ kind: 'protection', instance: instance.id, from: 'termination', isOn: isProtected, by: base.acting.current().by });
    return nothing;
  }),
  DescribeInstanceAttribute: operation<Describe>(({ InstanceId, Attribute }) => {
    const instance = mustFind(instances, InstanceId);
    if (Attribute !== 'disableApiTermination') throw new ApiError('InvalidParameterValue', `The attribute ${Attribute} is not simulated.`);
    if (instance.isProtected === true) base.note({ kind: 'end-refused', instance: instance.id, by: base.acting.current().by });
    return { InstanceId, DisableApiTermination: { Value: instance.isProtected ?? false } };
  }),
});

/** Termination protection fails a whole zone: no instance there ends, those in other zones do, and the call reports failure. */
export const protectedZones = (found: readonly InstanceRecord[]): ReadonlySet<string> =>
  new Set(found.filter(({ isProtected, state }) => isProtected === true && state !== 'terminated').map(({ zone }) => zone));

export const refusedByProtection = (instance: string): ApiError =>
  new ApiError(
    'OperationNotPermitted',
    `The instance '${instance}' may not be terminated. Modify its 'disableApiTermination' instance attribute and try again.`,
  );
