import type { OfferingBook } from '../offerings.ts';
import { operation } from '../operation.ts';
import { pageOf } from '../paging.ts';
import type { Architecture, LaunchTemplateSpec } from '../spec.ts';
import { allOf, type Filter, type FilterField } from './filters.ts';

export const defaultImage = 'ami-0a1b2c3d4e5f60718';

/** Images that templates have whose architecture is stated and whose image is not. */
const imagesBy: Readonly<Record<Architecture, string>> = { arm64: 'ami-0a1b2c3d4e5f60719', x86_64: 'ami-0a1b2c3d4e5f6071a' };

/** The image of a template of the world. */
export const imageOfSpec = ({ imageId, architecture }: LaunchTemplateSpec): string =>
  imageId ?? (architecture === undefined ? defaultImage : imagesBy[architecture]);

/** What an instance type runs: Graviton has a `g` behind the number of its generation (EC2 User Guide, naming conventions). */
export const architectureOfType = (instanceType: string): Architecture => (/^(a1|[a-z]+\d+g)/.test(instanceType) ? 'arm64' : 'x86_64');

/** What the images of the world run. One that is not stated runs on every type. */
export const architecturesOf = (specs: readonly LaunchTemplateSpec[]): ReadonlyMap<string, Architecture> =>
  new Map(specs.flatMap((spec) => (spec.architecture === undefined ? [] : [[imageOfSpec(spec), spec.architecture] as const])));

type Images = { imageArchitecture(imageId: string): Architecture | undefined; hasImage(imageId: string): boolean };

type ImageQuery = { ImageIds?: string[]; Filters?: Filter[] };
type TypeQuery = { InstanceTypes?: string[]; Filters?: Filter[]; MaxResults?: number; NextToken?: string };

const idFields: Readonly<Record<string, FilterField<string>>> = { 'image-id': (id) => id };
const typeFields: Readonly<Record<string, FilterField<string>>> = { 'instance-type': (instanceType) => instanceType };

/** Images and instance types, as far as it matters what runs on what. */
export const createImageOperations = (images: Images, book: OfferingBook) => ({
  DescribeImages: operation<ImageQuery>(({ ImageIds = [], Filters = [] }) => {
    const named = [...ImageIds, ...Filters.flatMap(({ Name, Values = [] }) => (Name === 'image-id' ? Values : []))];
    const found = [...new Set(named)].filter(images.hasImage).filter(allOf(Filters, (name) => idFields[name]));
    return { Images: found.map((ImageId) => ({ ImageId, State: 'available', Architecture: images.imageArchitecture(ImageId) })) };
  }),
  DescribeInstanceTypes: operation<TypeQuery>((input) => {
    const sold = [...new Set(book.list().map(({ instanceType }) => instanceType))];
    const wanted = sold.filter((instanceType) => !input.InstanceTypes?.length || input.InstanceTypes.includes(instanceType));
    const page = pageOf(wanted.filter(allOf(input.Filters, (name) => typeFields[name])), input.MaxResults, input.NextToken, 'InvalidNextToken');
    return {
      InstanceTypes: page.items.map((InstanceType) => ({
        InstanceType,
        ProcessorInfo: { SupportedArchitectures: [architectureOfType(InstanceType)] },
      })),
      NextToken: page.next,
    };
  }),
});
