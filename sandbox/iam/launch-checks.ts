import type { TemplateContents } from '../world/spec.ts';
import { type AccessCheck, arnOf, type CheckDeps, type DeriveChecks, requestTags, resourceTags, type Tag } from './access-check.ts';

type TemplateReference = { readonly LaunchTemplateId?: string; readonly LaunchTemplateName?: string; readonly Version?: string };
type TagSpecification = { readonly ResourceType?: string; readonly Tags?: readonly Tag[] };
type Launch = {
  readonly templates: readonly TemplateReference[];
  /** What the templates hold. */
  readonly contents: readonly TemplateContents[];
  readonly subnets: readonly string[];
  readonly images: readonly string[];
  readonly isSpot: boolean;
  readonly tagSpecifications: readonly TagSpecification[];
};

const unique = (values: readonly (string | undefined)[]): readonly string[] => [...new Set(values.filter((value) => value !== undefined))];

const templateArn = (deps: CheckDeps, { LaunchTemplateId, LaunchTemplateName }: TemplateReference): string =>
  arnOf(deps, 'ec2', `launch-template/${LaunchTemplateId ?? LaunchTemplateName}`);

const imageArn = ({ place }: CheckDeps, image: string): string => `arn:aws:ec2:${place.region}::image/${image}`;

/** The request's own tags, and those of the templates: both are set with the rights of the caller (EC2 User Guide, permissions for launch templates). */
const tagsAsked = ({ tagSpecifications, contents, isSpot }: Launch): readonly TagSpecification[] =>
  [...tagSpecifications, ...contents.flatMap(({ TagSpecifications }) => TagSpecifications ?? [])].filter(
    ({ ResourceType }) => isSpot || ResourceType !== 'spot-instances-request',
  );

const tagsFor = (launch: Launch, resourceType: string): readonly Tag[] =>
  tagsAsked(launch)
    .filter((specification) => specification.ResourceType === resourceType)
    .flatMap(({ Tags }) => Tags ?? []);

/** A resource that does not exist yet. The request names no id, so the policy must cover the whole type. */
const createdCheck = (deps: CheckDeps, launch: Launch, action: string, resourceType: string): AccessCheck => ({
  action,
  resourceType,
  resource: arnOf(deps, 'ec2', `${resourceType}/*`),
  context: requestTags(tagsFor(launch, resourceType)),
});

/** A resource that exists and that the launch uses. */
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

/** An image that is named by a parameter of Systems Manager: EC2 reads it with the caller's rights (EC2 User Guide, parameter store aliases). */
const ssmImage = /^resolve:ssm:(?:\/)?([^:]+)/;

const imagesOf = ({ images, contents }: Launch): readonly string[] => unique([...images, ...contents.map(({ ImageId }) => ImageId)]);

const parameterChecks = ({ place }: CheckDeps, launch: Launch): readonly AccessCheck[] =>
  imagesOf(launch).flatMap((image) => {
    const name = ssmImage.exec(image)?.[1];
    if (name === undefined) return [];
    // Public parameters belong to no account (Systems Manager User Guide, public parameters).
    const owner = name.startsWith('aws/service/') ? '' : place.accountId;
    return [
      { action: 'ssm:GetParameters', resourceType: 'parameter', resource: `arn:aws:ssm:${place.region}:${owner}:parameter/${name}`, context: {} },
    ];
  });

/** The role of a template's instance profile, which the caller hands to EC2 (IAM User Guide, passing a role). */
const passChecks = ({ place }: CheckDeps, { contents }: Launch): readonly AccessCheck[] =>
  unique(contents.map(({ IamInstanceProfile: profile }) => profile?.Name ?? profile?.Arn?.split('/').at(-1))).map((role) => ({
    action: 'iam:PassRole',
    resourceType: 'role',
    resource: `arn:aws:iam::${place.accountId}:role/${role}`,
    context: { 'iam:PassedToService': ['ec2.amazonaws.com'] },
  }));

/** Things outside EC2's own kinds that a template names by their ARNs, and what may belong to another account. */
const namedChecks = (deps: CheckDeps, { contents }: Launch, action: string): readonly AccessCheck[] => {
  const target = contents.map(({ CapacityReservationSpecification: reserved }) => reserved?.CapacityReservationTarget);
  const licences = contents
    .flatMap(({ LicenseSpecifications }) => LicenseSpecifications ?? [])
    .map(({ LicenseConfigurationArn }) => LicenseConfigurationArn);
  const owned = (kind: string, ids: readonly (string | undefined)[]) =>
    unique(ids).map((id) => usedCheck(deps, action, kind, id.startsWith('arn:') ? id : arnOf(deps, 'ec2', `${kind}/${id}`)));
  return [
    ...unique(licences).map((arn) => usedCheck(deps, action, 'license-configuration', arn)),
    ...unique(target.map((one) => one?.CapacityReservationResourceGroupArn)).map((arn) => usedCheck(deps, action, 'group', arn)),
    ...owned(
      'capacity-reservation',
      target.map((one) => one?.CapacityReservationId),
    ),
    ...owned(
      'placement-group',
      contents.map(({ Placement }) => Placement?.GroupId ?? Placement?.GroupName),
    ),
  ];
};

/** What a launch always uses or makes; the security groups of a launch template are requested as any. */
const runChecks = (deps: CheckDeps, launch: Launch): readonly AccessCheck[] => {
  const action = 'ec2:RunInstances';
  const named = imagesOf(launch).filter((image) => !ssmImage.test(image));
  const images = named.length > 0 ? named : ['*'];
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
    ...namedChecks(deps, launch, action),
  ];
  const handed = [...parameterChecks(deps, launch), ...passChecks(deps, launch)];
  return [...handed, ...checks.map((check) => ({ ...check, context: { ...circumstances, ...check.context } }))];
};

/** Tagging while something is made is an action of its own, told apart by what makes it. */
const tagChecks = (deps: CheckDeps, launch: Launch, createActions: readonly string[]): readonly AccessCheck[] =>
  unique(tagsAsked(launch).map(({ ResourceType }) => ResourceType)).flatMap((type) =>
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

const contentsOf = ({ templateOf }: CheckDeps, templates: readonly TemplateReference[]): readonly TemplateContents[] =>
  templates.flatMap((template) => templateOf(template) ?? []);

const fleetLaunch = (input: FleetInput, deps: CheckDeps): Launch => {
  const configs = input.LaunchTemplateConfigs ?? [];
  const templates = configs.flatMap(({ LaunchTemplateSpecification: template }) => template ?? []);
  const overrides = configs.flatMap(({ Overrides }) => Overrides ?? []);
  const target = input.TargetCapacitySpecification;
  return {
    templates,
    subnets: unique(overrides.map(({ SubnetId }) => SubnetId)),
    images: unique(overrides.map(({ ImageId }) => ImageId)),
    isSpot: target?.DefaultTargetCapacityType === 'spot' || (target?.SpotTargetCapacity ?? 0) > 0,
    tagSpecifications: input.TagSpecifications ?? [],
    contents: contentsOf(deps, templates),
  };
};

/**
 * A fleet runs its instances in the caller's name, so it needs the rights of RunInstances too. AWS does not say under which of the two names
 * instances of a fleet are tagged: both must be allowed.
 */
export const createFleetChecks: DeriveChecks = (input, deps) => {
  const launch = fleetLaunch(input as FleetInput, deps);
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
    contents: contentsOf(deps, LaunchTemplate === undefined ? [] : [LaunchTemplate]),
    subnets: unique([SubnetId]),
    images: unique([ImageId]),
    isSpot: InstanceMarketOptions?.MarketType === 'spot',
    tagSpecifications: TagSpecifications ?? [],
  };
  return [...runChecks(deps, launch), ...tagChecks(deps, launch, ['RunInstances'])];
};
