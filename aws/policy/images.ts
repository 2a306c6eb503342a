import {
  DescribeImagesCommand,
  DescribeLaunchTemplateVersionsCommand,
  type EC2Client,
  paginateDescribeInstanceTypes,
} from '@aws-sdk/client-ec2';
import { type Images, type TemplateVersion, templateReference } from '../../core/policy/resolution.ts';
import { allOf } from '../calls/all-of.ts';
import { chunks } from '../calls/chunks.ts';
import { codeOf, isFromAws, isUnknownTemplate } from '../calls/errors.ts';
import { inParallel } from '../calls/in-parallel.ts';
import { filterValues } from './sold-types.ts';

const versionsAtOnce = 5;

/** Versions are read one by one, because a call is for one template and fails for a deleted version. */
const readVersion = async (ec2: EC2Client, text: string): Promise<TemplateVersion> => {
  const { template, version = '$Default' } = templateReference(text);
  const which = template.startsWith('lt-') ? { LaunchTemplateId: template } : { LaunchTemplateName: template };
  try {
    const command = new DescribeLaunchTemplateVersionsCommand({ ...which, Versions: [version] });
    const image = (await ec2.send(command)).LaunchTemplateVersions?.[0]?.LaunchTemplateData?.ImageId;
    return image === undefined ? {} : { image };
  } catch (error) {
    if (isUnknownTemplate(error)) return { isGone: true };
    throw error;
  }
};

/** Images are read by filter, so that an image that this account cannot see is absent. Parameters are not looked up. */
const architecturesOfImages = async (ec2: EC2Client, ids: readonly string[]): Promise<ReadonlyMap<string, string>> => {
  const found = new Map<string, string>();
  for (const part of chunks(ids, filterValues)) {
    const Filters = [{ Name: 'image-id', Values: [...part] }];
    const { Images = [] } = await ec2.send(new DescribeImagesCommand({ Filters, IncludeDeprecated: true }));
    for (const { ImageId, Architecture } of Images) if (ImageId && Architecture) found.set(ImageId, Architecture);
  }
  return found;
};

const architecturesOfTypes = async (
  ec2: EC2Client,
  types: readonly string[],
): Promise<Readonly<Record<string, readonly string[]>>> => {
  const found: [string, readonly string[]][] = [];
  for (const part of chunks(types, filterValues)) {
    const Filters = [{ Name: 'instance-type', Values: [...part] }];
    const known = await allOf(
      paginateDescribeInstanceTypes({ client: ec2 }, { Filters }),
      (page) => page.InstanceTypes,
    );
    for (const { InstanceType, ProcessorInfo } of known)
      if (InstanceType && ProcessorInfo?.SupportedArchitectures)
        found.push([InstanceType, ProcessorInfo.SupportedArchitectures]);
  }
  return Object.fromEntries(found);
};

/**
 * Versions of launch templates, the architectures of their images, and those that instance types run. When EC2 returns
 * an error, its code is returned: a policy is not refused for that.
 */
export const imagesOf = async (
  ec2: EC2Client,
  launchTemplates: readonly string[],
  instanceTypes: readonly string[],
): Promise<Images> => {
  try {
    const read = await inParallel(launchTemplates, versionsAtOnce, (text) => readVersion(ec2, text));
    const ids = read.flatMap(({ image }) => (image?.startsWith('ami-') ? [image] : []));
    const known = await architecturesOfImages(ec2, [...new Set(ids)]);
    const versions = launchTemplates.map((text, index) => [text, withArchitecture(read[index], known)] as const);
    const architectures = known.size === 0 ? {} : await architecturesOfTypes(ec2, instanceTypes);
    return { versions: Object.fromEntries(versions), architectures };
  } catch (error) {
    if (!isFromAws(error)) throw error;
    return { unread: codeOf(error) };
  }
};

const withArchitecture = (version: TemplateVersion = {}, known: ReadonlyMap<string, string>): TemplateVersion => {
  const architecture = known.get(version.image ?? '');
  return architecture === undefined ? version : { ...version, architecture };
};
