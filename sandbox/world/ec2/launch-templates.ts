import { ApiError } from '../../api.ts';
import type { Base } from '../base.ts';
import type { LaunchedVersion, Tags } from '../instance.ts';
import { type Operations, operation } from '../operation.ts';
import { pageOf } from '../paging.ts';
import type { Architecture, LaunchTemplateSpec, TemplateContents } from '../spec.ts';
import { allOf, type Filter, type FilterField } from './filters.ts';
import { architecturesOf, defaultImage, imageOfSpec } from './images.ts';
import { type TagSpecification, tagsFor, toTagList } from './tag-lists.ts';

export type TemplateData = TemplateContents & {
  readonly InstanceType?: string;
  readonly TagSpecifications?: readonly TagSpecification[];
};

type Template = {
  readonly id: string;
  readonly name: string;
  readonly createdAtMs: number;
  tags: Tags;
  readonly versions: (TemplateData | undefined)[];
  defaultVersion: number;
};

/** The highest version that was not deleted. */
const latestOf = (versions: Template['versions']): number => versions.findLastIndex((version) => version !== undefined) + 1;

const fieldOf = (name: string): FilterField<Template> | undefined => {
  if (name === 'launch-template-name') return (template) => template.name;
  if (name === 'tag-key') return ({ tags }) => Object.keys(tags);
  return name.startsWith('tag:') ? ({ tags }) => tags[name.slice('tag:'.length)] : undefined;
};

/** How a caller names a template and its version. */
export type TemplateSpecification = {
  readonly LaunchTemplateId?: string | undefined;
  readonly LaunchTemplateName?: string | undefined;
  readonly Version?: string | undefined;
};

export type LaunchTemplates = {
  /** Throws as EC2 does when there is no such template or version. */
  resolve(specification: TemplateSpecification | undefined): { readonly reference: LaunchedVersion; readonly data: TemplateData };
  /** What a version holds; undefined when there is no such template or version. */
  contentsOf(specification: TemplateSpecification): TemplateContents | undefined;
  /** What the image of a template runs. Undefined where it runs on every type. */
  architectureOf(contents: TemplateContents): Architecture | undefined;
  imageArchitecture(imageId: string): Architecture | undefined;
  /** An image exists when a template names it. */
  hasImage(imageId: string): boolean;
  tagsOf(id: string): Tags | undefined;
  setTags(id: string, tags: Tags): boolean;
  readonly operations: Operations;
};

/** The image that a template launches: one that it names by a parameter of Systems Manager is looked up (here it is always the same). */
export const imageOf = ({ ImageId }: TemplateContents): string =>
  ImageId === undefined || ImageId.startsWith('resolve:ssm:') ? defaultImage : ImageId;

type Versions = TemplateSpecification & { Versions?: string[] };

type Parts = Pick<LaunchTemplates, 'resolve'> & {
  find(specification: TemplateSpecification): Template;
  describe(template: Template): object;
  describeVersion(template: Template, version: number): object;
};

/** The calls that add, choose, show and delete versions. */
const versionOperations = ({ find, resolve, describe, describeVersion }: Parts): Operations => ({
  CreateLaunchTemplateVersion: operation<TemplateSpecification & { SourceVersion?: string; LaunchTemplateData: TemplateData }>((input) => {
    const template = find(input);
    const source = input.SourceVersion === undefined ? {} : resolve({ LaunchTemplateId: template.id, Version: input.SourceVersion }).data;
    const version = template.versions.push({ ...source, ...input.LaunchTemplateData });
    return { LaunchTemplateVersion: describeVersion(template, version) };
  }),
  // The API calls this parameter SetDefaultVersion, and the SDKs DefaultVersion.
  ModifyLaunchTemplate: operation<TemplateSpecification & { DefaultVersion?: string }>((input) => {
    const template = find(input);
    if (input.DefaultVersion !== undefined)
      template.defaultVersion = Number(resolve({ LaunchTemplateId: template.id, Version: input.DefaultVersion }).reference.version);
    return { LaunchTemplate: describe(template) };
  }),
  DescribeLaunchTemplateVersions: operation<Versions>((input) => {
    const template = find(input);
    const all = template.versions.flatMap((version, index) => (version === undefined ? [] : [String(index + 1)]));
    const wanted = input.Versions?.map((Version) => resolve({ LaunchTemplateId: template.id, Version }).reference.version) ?? all;
    return { LaunchTemplateVersions: wanted.map((version) => describeVersion(template, Number(version))) };
  }),
  DeleteLaunchTemplateVersions: operation<TemplateSpecification & { Versions?: string[] }>((input) => {
    const template = find(input);
    // The default version cannot be deleted.
    const gone = (input.Versions ?? [])
      .map(Number)
      .filter((version) => version !== template.defaultVersion && template.versions[version - 1] !== undefined);
    for (const version of gone) template.versions[version - 1] = undefined;
    return {
      SuccessfullyDeletedLaunchTemplateVersions: gone.map((VersionNumber) => ({
        LaunchTemplateId: template.id,
        LaunchTemplateName: template.name,
        VersionNumber,
      })),
    };
  }),
});

export const createLaunchTemplates = (base: Base, specs: readonly LaunchTemplateSpec[]): LaunchTemplates => {
  const byId = new Map<string, Template>();
  const architectures = architecturesOf(specs);

  const add = (name: string, data: TemplateData, tags: Tags): Template => {
    if ([...byId.values()].some((template) => template.name === name)) {
      throw new ApiError('InvalidLaunchTemplateName.AlreadyExistsException', 'Launch template name already in use.');
    }
    const template: Template = { id: base.ids.resource('lt'), name, createdAtMs: base.clock.now(), tags, versions: [data], defaultVersion: 1 };
    byId.set(template.id, template);
    return template;
  };
  for (const spec of specs) {
    const { name, instanceType, data } = spec;
    add(name, { ImageId: imageOfSpec(spec), ...(instanceType === undefined ? {} : { InstanceType: instanceType }), ...(data as TemplateData) }, {});
  }

  const find = ({ LaunchTemplateId: id, LaunchTemplateName: name }: TemplateSpecification): Template => {
    const found = id === undefined ? [...byId.values()].find((template) => template.name === name) : byId.get(id);
    if (found !== undefined) return found;
    if (id !== undefined && !/^lt-[0-9a-f]{8,17}$/.test(id)) throw new ApiError('InvalidLaunchTemplateId.Malformed', `Invalid id: "${id}"`);
    if (id !== undefined)
      throw new ApiError('InvalidLaunchTemplateId.NotFound', `The specified launch template, with template ID ${id}, does not exist.`);
    const code = 'InvalidLaunchTemplateName.NotFoundException';
    throw new ApiError(code, `The specified launch template, with template name ${name}, does not exist.`);
  };
  const numberOf = ({ versions, defaultVersion }: Template, asked: string): number => {
    if (asked === '$Default') return defaultVersion;
    return asked === '$Latest' ? latestOf(versions) : Number(asked);
  };
  const resolve: LaunchTemplates['resolve'] = (specification) => {
    if (specification === undefined) throw new ApiError('MissingParameter', 'The request must contain a launch template specification.');
    const template = find(specification);
    const asked = specification.Version ?? '$Default';
    const version = numberOf(template, asked);
    const data = template.versions[version - 1];
    if (data === undefined) {
      throw new ApiError('InvalidLaunchTemplateId.VersionNotFound', `Could not find launch template version ${asked} for template ${template.id}.`);
    }
    const isDefault = version === template.defaultVersion;
    const isLatest = version === latestOf(template.versions);
    return { reference: { id: template.id, name: template.name, version: String(version), isDefault, isLatest }, data };
  };

  const describe = (template: Template) => ({
    LaunchTemplateId: template.id,
    LaunchTemplateName: template.name,
    CreateTime: new Date(template.createdAtMs),
    CreatedBy: `arn:aws:iam::${base.place.accountId}:root`,
    DefaultVersionNumber: template.defaultVersion,
    LatestVersionNumber: latestOf(template.versions),
    Tags: toTagList(template.tags),
  });
  const describeVersion = (template: Template, version: number) => ({
    LaunchTemplateId: template.id,
    LaunchTemplateName: template.name,
    VersionNumber: version,
    CreateTime: new Date(template.createdAtMs),
    DefaultVersion: version === template.defaultVersion,
    LaunchTemplateData: template.versions[version - 1],
  });

  type Create = { LaunchTemplateName: string; LaunchTemplateData: TemplateData; TagSpecifications?: TagSpecification[] };
  type Describe = { LaunchTemplateIds?: string[]; LaunchTemplateNames?: string[]; Filters?: Filter[]; MaxResults?: number; NextToken?: string };
  return {
    resolve,
    contentsOf: ({ LaunchTemplateId: id, LaunchTemplateName: name, Version = '$Default' }) => {
      const template = [...byId.values()].find((one) => one.id === id || (id === undefined && one.name === name));
      return template?.versions[numberOf(template, Version) - 1];
    },
    architectureOf: (contents) => architectures.get(imageOf(contents)),
    imageArchitecture: (imageId) => architectures.get(imageId),
    hasImage: (imageId) => [...byId.values()].some(({ versions }) => versions.some((version) => version?.ImageId === imageId)),
    tagsOf: (id) => byId.get(id)?.tags,
    setTags: (id, tags) => {
      const template = byId.get(id);
      if (template !== undefined) template.tags = tags;
      return template !== undefined;
    },
    operations: {
      ...versionOperations({ find, resolve, describe, describeVersion }),
      CreateLaunchTemplate: operation<Create>((input) => ({
        LaunchTemplate: describe(add(input.LaunchTemplateName, input.LaunchTemplateData ?? {}, tagsFor(input.TagSpecifications, 'launch-template'))),
      })),
      DescribeLaunchTemplates: operation<Describe>((input) => {
        const byName = (input.LaunchTemplateNames ?? []).map((name) => find({ LaunchTemplateName: name }));
        const named = [...byName, ...(input.LaunchTemplateIds ?? []).map((id) => find({ LaunchTemplateId: id }))];
        const found = (named.length > 0 ? named : [...byId.values()]).filter(allOf(input.Filters, fieldOf));
        const page = pageOf(found, input.MaxResults, input.NextToken, 'InvalidNextToken');
        return { LaunchTemplates: page.items.map(describe), NextToken: page.next };
      }),
      DeleteLaunchTemplate: operation<TemplateSpecification>((input) => {
        const template = find(input);
        byId.delete(template.id);
        return { LaunchTemplate: describe(template) };
      }),
    },
  };
};
