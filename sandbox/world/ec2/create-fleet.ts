import type { Market } from '../../../core/pool/offering.ts';
import { ApiError } from '../../api.ts';
import type { TokenBucket } from '../../throttle/token-bucket.ts';
import type { Base } from '../base.ts';
import type { Choice, Fulfil, Fulfilment, Refused } from '../fulfilment.ts';
import type { LaunchedVersion, Tags } from '../instance.ts';
import type { Network, Subnet } from '../network.ts';
import { operation } from '../operation.ts';
import { createTokenMemory } from '../token-memory.ts';
import { imageOf, type LaunchTemplates, type TemplateSpecification } from './launch-templates.ts';
import { type TagSpecification, tagsFor } from './tag-lists.ts';

type Override = { InstanceType?: string; SubnetId?: string; AvailabilityZone?: string; MaxPrice?: string; Priority?: number };
type MarketOptions = { AllocationStrategy?: string; MinTargetCapacity?: number; SingleAvailabilityZone?: boolean; MaxTotalPrice?: string };
type CreateFleetInput = {
  Type?: string;
  ClientToken?: string;
  LaunchTemplateConfigs?: { LaunchTemplateSpecification?: TemplateSpecification; Overrides?: Override[] }[];
  TargetCapacitySpecification: {
    TotalTargetCapacity: number;
    OnDemandTargetCapacity?: number;
    SpotTargetCapacity?: number;
    DefaultTargetCapacityType?: string;
  };
  SpotOptions?: MarketOptions;
  OnDemandOptions?: MarketOptions;
  TagSpecifications?: TagSpecification[];
};

type FleetChoice = Choice & {
  readonly described: object;
  readonly imageId: string;
  readonly templateTags: Tags;
  readonly template: LaunchedVersion;
};

type ResolvedTemplate = ReturnType<LaunchTemplates['resolve']>;

export type FleetDeps = {
  readonly base: Base;
  readonly network: Network;
  readonly templates: LaunchTemplates;
  readonly fulfil: Fulfil;
  /** RunInstances' resource bucket, debited per launched instance. */
  readonly budget: TokenBucket;
};

/** EC2 keeps the token of an instant fleet as long as the record of the fleet. A day is longer than any retry. */
const tokenKeptMs = 24 * 3_600_000;

/** Targets per market. The rest of the total has the default type. */
const targets = (target: CreateFleetInput['TargetCapacitySpecification']): Record<Market, number> => {
  const { TotalTargetCapacity: total, OnDemandTargetCapacity: onDemand, SpotTargetCapacity: spot } = target;
  if (target.DefaultTargetCapacityType === 'spot') return { spot: total - (onDemand ?? 0), 'on-demand': onDemand ?? 0 };
  return { spot: spot ?? 0, 'on-demand': total - (spot ?? 0) };
};

const subnetOf = (network: Network, { SubnetId: id, AvailabilityZone: zone }: Override): Subnet => {
  const found = id === undefined ? network.inZone(zone ?? network.zones[0]?.name ?? '') : network.find(id);
  if (found === undefined) throw new ApiError('InvalidSubnetID.NotFound', `The subnet ID '${id ?? zone}' does not exist`);
  return found;
};

const toChoice = ({ network, templates }: FleetDeps, override: Override, market: Market, { reference, data }: ResolvedTemplate): FleetChoice => {
  const subnet = subnetOf(network, override);
  const architecture = templates.architectureOf(data);
  return {
    instanceType: override.InstanceType ?? data.InstanceType ?? 'm5.large',
    subnet,
    market,
    imageId: imageOf(data),
    ...(architecture && { architecture }),
    template: reference,
    templateTags: tagsFor(data.TagSpecifications, 'instance'),
    described: {
      LaunchTemplateSpecification: { LaunchTemplateId: reference.id, Version: reference.version },
      Overrides: { ...override, AvailabilityZone: subnet.zone },
    },
    ...(override.MaxPrice === undefined ? {} : { maxPriceUsdPerHour: Number(override.MaxPrice) }),
    ...(override.Priority === undefined ? {} : { priority: override.Priority }),
  };
};

const choicesOf = (deps: FleetDeps, input: CreateFleetInput, market: Market): FleetChoice[] =>
  (input.LaunchTemplateConfigs ?? []).flatMap(({ LaunchTemplateSpecification: specification, Overrides: overrides }) => {
    const template = deps.templates.resolve(specification);
    return (overrides?.length ? overrides : [{}]).map((override) => toChoice(deps, override, market, template));
  });

/** With SingleAvailabilityZone: the choices of the zone that can give the most. */
const oneZone = (fulfil: Fulfil, choices: readonly FleetChoice[]): readonly FleetChoice[] => {
  const zones = [...new Set(choices.map(({ subnet }) => subnet.zone))].map((zone) => choices.filter(({ subnet }) => subnet.zone === zone));
  return zones.reduce((best, zone) => (fulfil.obtainable(zone) > fulfil.obtainable(best) ? zone : best), zones[0] ?? []);
};

const nothingGiven = (choices: readonly FleetChoice[]): Fulfilment<FleetChoice> => ({
  launched: [],
  refused: choices.map((choice) => ({
    choice,
    code: 'UnfulfillableCapacity',
    message: 'Unable to fulfill capacity due to your request configuration. Please adjust your request and try again.',
  })),
});

/** If all of several spot pools are empty, the response has one error for the request, not one for each pool. */
const isDry = (market: Market, { launched, refused }: Fulfilment<FleetChoice>): boolean =>
  market === 'spot' && launched.length === 0 && refused.length > 1 && refused.every(({ code }) => code === 'InsufficientInstanceCapacity');

const fillMarket = (deps: FleetDeps, input: CreateFleetInput, market: Market, count: number): Fulfilment<FleetChoice> => {
  if (count <= 0) return { launched: [], refused: [] };
  const options = (market === 'spot' ? input.SpotOptions : input.OnDemandOptions) ?? {};
  const all = choicesOf(deps, input, market);
  const choices = options.SingleAvailabilityZone ? oneZone(deps.fulfil, all) : all;
  if (deps.fulfil.obtainable(choices) < (options.MinTargetCapacity ?? 0)) return nothingGiven(choices);
  const tags = tagsFor(input.TagSpecifications, 'instance');
  const token = input.ClientToken === undefined ? {} : { clientToken: input.ClientToken };
  const given = deps.fulfil.launch({
    choices,
    count,
    strategy: options.AllocationStrategy ?? 'lowest-price',
    budget: deps.budget,
    ...(options.MaxTotalPrice !== undefined && { maxTotalUsdPerHour: Number(options.MaxTotalPrice) }),
    details: ({ template, imageId, templateTags }) => ({ tags: { ...templateTags, ...tags }, template, imageId, ...token }),
  });
  return isDry(market, given) ? nothingGiven(choices) : given;
};

const describeLaunched = ({ choice, instances }: Fulfilment<FleetChoice>['launched'][number]) => ({
  LaunchTemplateAndOverrides: choice.described,
  Lifecycle: choice.market,
  InstanceIds: instances.map(({ id }) => id),
  InstanceType: choice.instanceType,
});

const describeRefused = ({ choice, code, message }: Refused<FleetChoice>) => ({
  LaunchTemplateAndOverrides: choice.described,
  Lifecycle: choice.market,
  ErrorCode: code,
  ErrorMessage: message,
});

const check = (deps: FleetDeps, input: CreateFleetInput): void => {
  if (input.Type !== 'instant') {
    throw new ApiError('InvalidParameterValue', `Fleets of type '${input.Type ?? 'maintain'}' are not simulated: use 'instant'.`);
  }
  if (!input.LaunchTemplateConfigs?.length) throw new ApiError('MissingParameter', 'The request must contain the parameter LaunchTemplateConfigs');
  const pools = choicesOf(deps, input, 'spot').map(({ instanceType, subnet, template }) => `${template.id} ${instanceType} ${subnet.zone}`);
  if (new Set(pools).size < pools.length) throw new ApiError('InvalidFleetConfig', 'The fleet configuration contains duplicate instance pools.');
};

/** CreateFleet of type `instant`: one attempt, every refusal named, partial success kept. */
export const createFleet = (deps: FleetDeps) => {
  const tokens = createTokenMemory(deps.base.clock, tokenKeptMs);
  const run = (input: CreateFleetInput) => {
    const wanted = targets(input.TargetCapacitySpecification);
    const parts = [fillMarket(deps, input, 'on-demand', wanted['on-demand']), fillMarket(deps, input, 'spot', wanted.spot)];
    return {
      FleetId: `fleet-${deps.base.ids.uuid()}`,
      Instances: parts.flatMap(({ launched }) => launched.map(describeLaunched)),
      Errors: parts.flatMap(({ refused }) => refused.map(describeRefused)),
    };
  };
  return operation<CreateFleetInput>((input) => {
    check(deps, input);
    return tokens.answer(input.ClientToken, input, () => run(input));
  });
};
