import { type AccessCheck, arnOf, type CheckDeps, type DeriveChecks, requestTags, resourceTags, strings, type Tag } from './access-check.ts';
import { createFleetChecks, runInstancesChecks } from './launch-checks.ts';

const typeByPrefix: Readonly<Record<string, string>> = {
  i: 'instance',
  lt: 'launch-template',
  vol: 'volume',
  subnet: 'subnet',
  sg: 'security-group',
  fleet: 'fleet',
  eni: 'network-interface',
};

const resourceCheck = (deps: CheckDeps, action: string, id: string): AccessCheck => {
  const resourceType = typeByPrefix[id.slice(0, id.lastIndexOf('-'))] ?? 'unknown';
  const resource = arnOf(deps, 'ec2', `${resourceType}/${id}`);
  return { action, resourceType, resource, context: resourceTags('ec2', deps.tagsOf(id) ?? deps.tagsOf(resource)) };
};

const onInstances =
  (action: string): DeriveChecks =>
  (input, deps) =>
    strings(input.InstanceIds ?? [input.InstanceId]).map((id) => resourceCheck(deps, action, id));

const onTagged =
  (action: string): DeriveChecks =>
  (input, deps) =>
    strings(input.Resources).map((id) => {
      const check = resourceCheck(deps, action, id);
      return { ...check, context: { ...check.context, ...requestTags((input.Tags ?? []) as readonly Tag[]) } };
    });

/** By operation. Describes that are absent have no resources. */
export const ec2Checks: Readonly<Record<string, DeriveChecks>> = {
  CreateFleet: createFleetChecks,
  RunInstances: runInstancesChecks,
  TerminateInstances: onInstances('ec2:TerminateInstances'),
  DescribeInstanceAttribute: onInstances('ec2:DescribeInstanceAttribute'),
  StopInstances: onInstances('ec2:StopInstances'),
  StartInstances: onInstances('ec2:StartInstances'),
  CreateTags: onTagged('ec2:CreateTags'),
  DeleteTags: onTagged('ec2:DeleteTags'),
};
