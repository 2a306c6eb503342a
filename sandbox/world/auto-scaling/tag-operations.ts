import { allOf, type Filter, type FilterField } from '../ec2/filters.ts';
import { nothing, type Operations, operation } from '../operation.ts';
import { pageOf } from '../paging.ts';
import { findGroup, type GroupTag, type Scaling } from './group.ts';
import { describeTag } from './group-output.ts';
import { type TagInput, toGroupTag } from './group-settings.ts';

const setTags = (scaling: Scaling, tags: readonly TagInput[], change: (own: readonly GroupTag[], tag: TagInput) => GroupTag[]): object => {
  for (const tag of tags) {
    const group = findGroup(scaling, tag.ResourceId);
    group.tags = change(group.tags, tag);
  }
  return nothing;
};

export const tagOperations = (scaling: Scaling): Operations => ({
  CreateOrUpdateTags: operation<{ Tags: TagInput[] }>((input) =>
    setTags(scaling, input.Tags, (own, tag) => [...own.filter(({ Key }) => Key !== tag.Key), toGroupTag(tag)]),
  ),
  DeleteTags: operation<{ Tags: TagInput[] }>((input) => setTags(scaling, input.Tags, (own, tag) => own.filter(({ Key }) => Key !== tag.Key))),
  DescribeTags: operation<{ Filters?: Filter[]; MaxRecords?: number; NextToken?: string }>((input) => {
    const all = [...scaling.groups.values()].flatMap((group) => group.tags.map((tag) => describeTag(group, tag)));
    const known: Readonly<Record<string, FilterField<(typeof all)[number]>>> = {
      'auto-scaling-group': ({ ResourceId }) => ResourceId,
      key: ({ Key }) => Key,
      value: ({ Value }) => Value,
      'propagate-at-launch': ({ PropagateAtLaunch }) => String(PropagateAtLaunch),
    };
    const page = pageOf(all.filter(allOf(input.Filters, (name) => known[name])), input.MaxRecords, input.NextToken, 'InvalidNextToken');
    return { Tags: page.items, NextToken: page.next };
  }),
});
