import { type AccessCheck, arnOf, type CheckDeps, type DeriveChecks, requestTags, resourceTags, type Tag } from './access-check.ts';

type TemplateReference = { readonly LaunchTemplateId?: string; readonly LaunchTemplateName?: string };
type TagSpecification = { readonly ResourceType?: string; readonly Tags?: readonly Tag[] };
type Launch = {
  readonly templates: readonly TemplateReference[];
  readonly subnets: readonly string[];
  readonly images: readonly string[];
  readonly isSpot: boolean;
  readonly tagSpecifications: readonly TagSpecification[];
};

const unique = (values: readonly (string | undefined)[]): readonly string[] => [...new Set(values.filter((value) => value !== undefined))];

const templateArn = (deps: CheckDeps, { LaunchTemplateId, LaunchTemplateName }: TemplateReference): string =>
  arnOf(deps, 'ec2', `launch-template/${LaunchTemplateId ?? LaunchTemplateName}`);

const imageArn = ({ place }: CheckDeps, image: string): string => `arn:aws:ec2:${place.region}::image/${image}`;

const tagsFor = (launch: Launch, resourceType: string): readonly Tag[] =>
  launch.tagSpecifications.filter((specification) => specification.ResourceType === resourceType).flatMap(({ Tags }) => Tags ?? []);

/** Something that does not exist yet: the request names no id, so the policy must cover the whole type. */
const createdCheck = (deps: CheckDeps, launch: Launch, action: string, resourceType: string): AccessCheck => ({
  action,
  resourceType,
  resource: arnOf(deps, 'ec2', `${resourceType}/*`),
  context: requestTags(tagsFor(launch, resourceType)),
});

/** Something that exists and is used. */
const usedCheck = (deps: CheckDeps, action: string, resourceType: string, resource: string): AccessCheck => ({
  action,
  resourceType,
  resource,
  context: resourceTags('ec2', deps.tagsOf(resource)),
});

const usedByBoth = (deps: CheckDeps, launch: Launch, action: string): readonly AccessCheck[] => [
  ...unique(launch.templates.map((template) => templateArn(deps, template))).map((arn) => usedCheck(deps, action, 'launch-template', arn)),
  ...unique(launch.subnets).map((subnet) => usedCheck(deps, action, 'subnet', arnOf(deps, 'ec2', `subnet/${subnet}`))),
];

/** What a launch always uses or makes; a launch template hides its image and security groups from us, so those are asked for as any. */
const runChecks = (deps: CheckDeps, launch: Launch): readonly AccessCheck[] => {
  const action = 'ec2:RunInstances';
  const images = launch.images.length > 0 ? unique(launch.images) : ['*'];
  const made = ['instance', 'network-interface', 'volume', ...(launch.isSpot ? ['spot-instances-request'] : [])];
  const circumstances = {
    'ec2:IsLaunchTemplateResource': [String(launch.templates.length > 0)],
    'ec2:LaunchTemplate': unique(launch.templates.map((template) => templateArn(deps, template))),
    'ec2:InstanceMarketType': [launch.isSpot ? 'spot' : 'on-demand'],
  };
  const checks = [
    ...made.map((type) => createdCheck(deps, launch, action, type)),
    ...usedByBoth(deps, launch, action),
    ...images.map((image) => usedCheck(deps, action, 'image', imageArn(deps, image))),
    usedCheck(deps, action, 'security-group', arnOf(deps, 'ec2', 'security-group/*')),
  ];
  return checks.map((check) => ({ ...check, context: { ...circumstances, ...check.context } }));
};

/** Tagging while something is made is an action of its own, told apart by what makes it. */
const tagChecks = (deps: CheckDeps, launch: Launch, createActions: readonly string[]): readonly AccessCheck[] =>
  unique(launch.tagSpecifications.map(({ ResourceType }) => ResourceType)).flatMap((type) =>
    createActions.map((createAction) => {
      const check = createdCheck(deps, launch, 'ec2:CreateTags', type);
      return { ...check, context: { ...check.context, 'ec2:CreateAction': [createAction] } };
    }),
  );

type FleetInput = {
  readonly LaunchTemplateConfigs?: readonly {
    readonly LaunchTemplateSpecification?: TemplateReference;
    readonly Overrides?: readonly { readonly SubnetId?: string; readonly ImageId?: string }[];
  }[];
  readonly TargetCapacitySpecification?: { readonly DefaultTargetCapacityType?: string; readonly SpotTargetCapacity?: number };
  readonly TagSpecifications?: readonly TagSpecification[];
};

const fleetLaunch = (input: FleetInput): Launch => {
  const configs = input.LaunchTemplateConfigs ?? [];
  const overrides = configs.flatMap(({ Overrides }) => Overrides ?? []);
  const target = input.TargetCapacitySpecification;
  return {
    templates: configs.flatMap(({ LaunchTemplateSpecification }) => (LaunchTemplateSpecification === undefined ? [] : [LaunchTemplateSpecification])),
    subnets: unique(overrides.map(({ SubnetId }) => SubnetId)),
    images: unique(overrides.map(({ ImageId }) => ImageId)),
    isSpot: target?.DefaultTargetCapacityType === 'spot' || (target?.SpotTargetCapacity ?? 0) > 0,
    tagSpecifications: input.TagSpecifications ?? [],
  };
};

/**
 * A fleet runs its instances in the caller's name, so it needs the rights of RunInstances too. AWS does not say under which of the two names
 * instances of a fleet are tagged: both must be allowed.
 */
export const createFleetChecks: DeriveChecks = (input, deps) => {
  const launch = fleetLaunch(input as FleetInput);
  const action = 'ec2:CreateFleet';
  return [
    createdCheck(deps, launch, action, 'fleet'),
    createdCheck(deps, launch, action, 'instance'),
    ...usedByBoth(deps, launch, action),
    ...runChecks(deps, launch),
    ...tagChecks(deps, launch, ['CreateFleet', 'RunInstances']),
  ];
};

type RunInput = {
  readonly LaunchTemplate?: TemplateReference;
  readonly SubnetId?: string;
  readonly ImageId?: string;
  readonly InstanceMarketOptions?: { readonly MarketType?: string };
  readonly TagSpecifications?: readonly TagSpecification[];
};

export const runInstancesChecks: DeriveChecks = (input, deps) => {
  const { LaunchTemplate, SubnetId, ImageId, InstanceMarketOptions, TagSpecifications } = input as RunInput;
  const launch: Launch = {
    templates: LaunchTemplate === undefined ? [] : [LaunchTemplate],
    subnets: unique([SubnetId]),
    images: unique([ImageId]),
    isSpot: InstanceMarketOptions?.MarketType === 'spot',
    tagSpecifications: TagSpecifications ?? [],
  };
  return [...runChecks(deps, launch), ...tagChecks(deps, launch, ['RunInstances'])];
};
