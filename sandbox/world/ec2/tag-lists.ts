import { ApiError } from '../../api.ts';
import type { Tags } from '../instance.ts';

export type TagList = readonly { readonly Key?: string; readonly Value?: string }[];
export type TagSpecification = { readonly ResourceType?: string; readonly Tags?: TagList };

export const toTags = (list: TagList | undefined): Tags => Object.fromEntries((list ?? []).map(({ Key = '', Value = '' }) => [Key, Value]));

export const toTagList = (tags: Tags): { Key: string; Value: string }[] => Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));

/** Throws where tags exceed EC2's limits: at most 50, and no key that begins with `aws:`. */
export const checkTags = (tags: Tags): Tags => {
  const keys = Object.keys(tags);
  const reserved = keys.find((key) => key.startsWith('aws:'));
  if (reserved !== undefined) throw new ApiError('InvalidParameterValue', `Tag keys starting with 'aws:' are reserved for internal use: ${reserved}`);
  if (keys.length > 50) throw new ApiError('TagLimitExceeded', 'The maximum number of Tags for a resource has been reached.');
  return tags;
};

/** The tags that a request asks for on one type of resource. */
export const tagsFor = (specifications: readonly TagSpecification[] | undefined, type: string): Tags =>
  checkTags(Object.assign({}, ...(specifications ?? []).filter(({ ResourceType }) => ResourceType === type).map(({ Tags: list }) => toTags(list))));
