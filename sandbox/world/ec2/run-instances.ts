import { ApiError } from '../../api.ts';
import type { Choice } from '../fulfilment.ts';
import type { LaunchOrder } from '../instances.ts';
import type { Network, Subnet } from '../network.ts';
import { operation } from '../operation.ts';
import { createTokenMemory } from '../token-memory.ts';
import type { FleetDeps } from './create-fleet.ts';
import { describeInstance } from './instance-output.ts';
import { imageOf, type TemplateData, type TemplateSpecification } from './launch-templates.ts';
import { type TagSpecification, tagsFor } from './tag-lists.ts';

type RunInstancesInput = {
  MinCount: number;
  MaxCount: number;
  LaunchTemplate?: TemplateSpecification;
  ImageId?: string;
  InstanceType?: string;
  SubnetId?: string;
  Placement?: { AvailabilityZone?: string };
  InstanceMarketOptions?: { MarketType?: string };
  TagSpecifications?: TagSpecification[];
  ClientToken?: string;
};

const tokenKeptMs = 24 * 3_600_000;

/** RunInstances: at least MinCount or an error, for operators and their tools. */
type Plan = { readonly choice: Choice; readonly details: Omit<LaunchOrder, 'offering' | 'subnet'> };

const subnetOf = (network: Network, input: RunInstancesInput): Subnet => {
  const zone = input.Placement?.AvailabilityZone ?? network.zones[0]?.name ?? '';
  const subnet = input.SubnetId === undefined ? network.inZone(zone) : network.find(input.SubnetId);
  if (subnet === undefined) throw new ApiError('InvalidSubnetID.NotFound', `The subnet ID '${input.SubnetId ?? zone}' does not exist`);
  return subnet;
};

/** The request overrides its template. */
const planOf = ({ network, templates }: FleetDeps, input: RunInstancesInput): Plan => {
  const template = input.LaunchTemplate === undefined ? undefined : templates.resolve(input.LaunchTemplate);
  const data: TemplateData = template?.data ?? {};
  const spot = (input.InstanceMarketOptions ?? data.InstanceMarketOptions)?.MarketType === 'spot';
  const instanceType = input.InstanceType ?? data.InstanceType ?? 'm5.large';
  const architecture = templates.imageArchitecture(input.ImageId ?? imageOf(data));
  return {
    choice: { instanceType, subnet: subnetOf(network, input), market: spot ? 'spot' : 'on-demand', ...(architecture && { architecture }) },
    details: {
      tags: { ...tagsFor(data.TagSpecifications, 'instance'), ...tagsFor(input.TagSpecifications, 'instance') },
      imageId: input.ImageId ?? imageOf(data),
      ...(template === undefined ? {} : { template: template.reference }),
      ...(input.ClientToken === undefined ? {} : { clientToken: input.ClientToken }),
    },
  };
};

/** RunInstances: at least MinCount or an error, for operators and their tools. */
export const runInstances = (deps: FleetDeps) => {
  const { base, network, fulfil, budget } = deps;
  const tokens = createTokenMemory(base.clock, tokenKeptMs);
  const run = (input: RunInstancesInput) => {
    const { choice, details } = planOf(deps, input);
    if (budget.available() < input.MinCount) throw new ApiError('RequestLimitExceeded', 'Request limit exceeded.', 503);
    const no = fulfil.refusalOf(choice, input.MinCount);
    if (no !== undefined) throw new ApiError(no.code, no.message, no.code === 'InsufficientInstanceCapacity' ? 500 : 400);
    const count = Math.min(fulfil.obtainable([choice]), input.MaxCount);
    const given = fulfil.launch({ choices: [choice], count, strategy: 'lowest-price', details: () => details, budget });
    const launched = given.launched.flatMap(({ instances }) => instances);
    return {
      ReservationId: launched[0]?.reservationId,
      OwnerId: base.place.accountId,
      Instances: launched.map((instance) => describeInstance(instance, instance, network.vpcId)),
    };
  };
  return operation<RunInstancesInput>((input) => tokens.answer(input.ClientToken, input, () => run(input)));
};
