import type { LaunchTemplateSpecification } from '@aws-sdk/client-auto-scaling';
import {
  type DescribeLaunchTemplatesCommandInput,
  DescribeLaunchTemplateVersionsCommand,
  type EC2Client,
  type LaunchTemplate,
  paginateDescribeLaunchTemplates,
} from '@aws-sdk/client-ec2';
import type { Market } from '../../core/pool/offering.ts';
import { allOf } from '../calls/all-of.ts';
import { chunks } from '../calls/chunks.ts';
import { isUnknownTemplate } from '../calls/errors.ts';
import { allSettled } from '../calls/in-parallel.ts';

/** Values that one filter takes (EC2 API reference, Using filtering). */
const filterValues = 200;
const isId = (reference: string): boolean => reference.startsWith('lt-');

export type TemplateContents = { readonly market: Market; readonly instanceTypes: readonly string[] };

/** Launch templates by name or id. */
export const createLaunchTemplates = (ec2: EC2Client) => ({
  /** Latest version of each template that exists, by the requested name or id. */
  async latestVersions(references: readonly string[]): Promise<Readonly<Record<string, number>>> {
    const byName = await findByName(
      ec2,
      references.filter((reference) => !isId(reference)),
    );
    const byId = await allSettled(references.filter(isId).map((id) => findById(ec2, id)));
    const found = [
      ...byName.map((template) => [template.LaunchTemplateName, template] as const),
      ...byId.map((template) => [template?.LaunchTemplateId, template] as const),
    ];
    return Object.fromEntries(
      found.flatMap(([reference, template]) =>
        reference && template ? [[reference, template.LatestVersionNumber ?? 1]] : [],
      ),
    );
  },

  /**
   * Market and instance type that a template sets when nothing overrides it. Undefined without a template, or when it
   * is gone.
   */
  async contentsOf(template: LaunchTemplateSpecification | undefined): Promise<TemplateContents | undefined> {
    if (template === undefined) return undefined;
    const { LaunchTemplateId, LaunchTemplateName, Version = '$Default' } = template;
    const which = LaunchTemplateId ? { LaunchTemplateId } : { LaunchTemplateName };
    const page = await ec2
      .send(new DescribeLaunchTemplateVersionsCommand({ ...which, Versions: [Version] }))
      .catch(absentWhenUnknown);
    const data = page?.LaunchTemplateVersions?.[0]?.LaunchTemplateData;
    if (data === undefined) return undefined;
    const market = data.InstanceMarketOptions?.MarketType === 'spot' ? 'spot' : 'on-demand';
    return { market, instanceTypes: data.InstanceType === undefined ? [] : [data.InstanceType] };
  },
});

export type LaunchTemplates = ReturnType<typeof createLaunchTemplates>;

const absentWhenUnknown = (error: unknown): undefined => {
  if (isUnknownTemplate(error)) return undefined;
  throw error;
};

/** Templates are read by filter, which, unlike `LaunchTemplateNames`, leaves out unknown names. */
const findByName = async (ec2: EC2Client, names: readonly string[]): Promise<readonly LaunchTemplate[]> => {
  const found = await allSettled(
    chunks(names, filterValues).map((part) =>
      describeAll(ec2, { Filters: [{ Name: 'launch-template-name', Values: [...part] }] }),
    ),
  );
  return found.flat();
};

/** Templates are read one by one, because there is no filter for ids and one unknown id fails the whole call. */
const findById = async (ec2: EC2Client, id: string): Promise<LaunchTemplate | undefined> =>
  (await describeAll(ec2, { LaunchTemplateIds: [id] }).catch(absentWhenUnknown))?.[0];

const describeAll = (ec2: EC2Client, input: DescribeLaunchTemplatesCommandInput): Promise<readonly LaunchTemplate[]> =>
  allOf(paginateDescribeLaunchTemplates({ client: ec2 }, input), ({ LaunchTemplates }) => LaunchTemplates);
