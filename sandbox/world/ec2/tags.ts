import { ApiError } from '../../api.ts';
import type { Tags } from '../instance.ts';
import type { Instances } from '../instances.ts';
import { type Operations, operation } from '../operation.ts';
import { pageOf } from '../paging.ts';
import { notFound } from './describe-instances.ts';
import { allOf, type Filter, type FilterField } from './filters.ts';
import type { LaunchTemplates } from './launch-templates.ts';
import { checkTags, type TagList, toTags } from './tag-lists.ts';

type Tagged = { readonly id: string; readonly type: string; readonly key: string; readonly value: string };

const fields: Readonly<Record<string, FilterField<Tagged>>> = {
  'resource-id': ({ id }) => id,
  'resource-type': ({ type }) => type,
  key: ({ key }) => key,
  value: ({ value }) => value,
};
const fieldOf = (name: string): FilterField<Tagged> | undefined =>
  name.startsWith('tag:') ? ({ key, value }) => (key === name.slice('tag:'.length) ? value : undefined) : fields[name];

/** Tags of instances and launch templates. */
export const createTagOperations = (instances: Instances, templates: LaunchTemplates): Operations => {
  const tagsOf = (id: string): Tags => {
    const tags = id.startsWith('i-') ? instances.find(id)?.tags : templates.tagsOf(id);
    if (tags !== undefined) return tags;
    throw id.startsWith('i-') ? notFound([id]) : new ApiError('InvalidID', `The ID '${id}' is not valid`);
  };
  const setTags = (id: string, tags: Tags): void => {
    const instance = instances.find(id);
    if (instance === undefined) templates.setTags(id, tags);
    else instances.setTags(instance, tags);
  };
  /** All or nothing: every resource is looked up before the first changes. */
  const change = (ids: readonly string[], next: (tags: Tags) => Tags): { Return: boolean } => {
    const changed = ids.map((id) => ({ id, tags: next(tagsOf(id)) }));
    for (const { id, tags } of changed) setTags(id, tags);
    return { Return: true };
  };
  const without = (tags: Tags, list: TagList | undefined): Tags => {
    const own = Object.entries(tags).filter(([key]) => !key.startsWith('aws:'));
    if (!list?.length) return Object.fromEntries(Object.entries(tags).filter(([key]) => key.startsWith('aws:')));
    const goes = (key: string, value: string) => list.some((tag) => tag.Key === key && (tag.Value === undefined || tag.Value === value));
    const gone = new Set(own.filter(([key, value]) => goes(key, value)).map(([key]) => key));
    return Object.fromEntries(Object.entries(tags).filter(([key]) => !gone.has(key)));
  };
  const all = (): Tagged[] =>
    instances
      .list()
      .flatMap(({ id, shown }) => Object.entries(shown.read()?.tags ?? {}).map(([key, value]) => ({ id, type: 'instance', key, value })));

  return {
    CreateTags: operation<{ Resources: string[]; Tags: TagList }>((input) => {
      const added = checkTags(toTags(input.Tags));
      return change(input.Resources, (tags) => ({ ...tags, ...added }));
    }),
    DeleteTags: operation<{ Resources: string[]; Tags?: TagList }>((input) => change(input.Resources, (tags) => without(tags, input.Tags))),
    DescribeTags: operation<{ Filters?: Filter[]; MaxResults?: number; NextToken?: string }>((input) => {
      const page = pageOf(all().filter(allOf(input.Filters, fieldOf)), input.MaxResults, input.NextToken, 'InvalidNextToken');
      const tags = page.items.map(({ id, type, key, value }) => ({ ResourceId: id, ResourceType: type, Key: key, Value: value }));
      return { Tags: tags, NextToken: page.next };
    }),
  };
};
