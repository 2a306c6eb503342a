import { ApiError } from '../../api.ts';
import type { Base } from '../base.ts';
import { type InstanceRecord, type InstanceView, stateCodes } from '../instance.ts';
import type { Instances } from '../instances.ts';
import type { Network } from '../network.ts';
import { type Operations, operation } from '../operation.ts';
import { type Page, pageByOrdinal, pageOfMoving } from '../paging.ts';
import { allOf, type Filter, type FilterField } from './filters.ts';
import { describeReservation, describeStatus } from './instance-output.ts';

type Seen = { readonly instance: InstanceRecord; readonly view: InstanceView };
type Query = { InstanceIds?: string[]; Filters?: Filter[]; MaxResults?: number; NextToken?: string };

const lifecycleOf = ({ instance }: Seen): string => (instance.market === 'spot' ? 'spot' : 'normal');

const fields: Readonly<Record<string, FilterField<Seen>>> = {
  'instance-id': ({ instance }) => instance.id,
  'instance-state-name': ({ view }) => view.state,
  'instance-state-code': ({ view }) => String(stateCodes[view.state]),
  'instance-type': ({ instance }) => instance.instanceType,
  'instance-lifecycle': lifecycleOf,
  'availability-zone': ({ instance }) => instance.zone,
  'subnet-id': ({ instance }) => instance.subnet.id,
  'image-id': ({ instance }) => instance.imageId,
  'client-token': ({ instance }) => instance.clientToken,
  'reservation-id': ({ instance }) => instance.reservationId,
  'private-ip-address': ({ instance }) => instance.privateIp,
  'spot-instance-request-id': ({ instance }) => instance.spotRequestId,
  'launch-time': ({ instance }) => new Date(instance.startedAtMs ?? instance.launchedAtMs).toISOString(),
  'tag-key': ({ view }) => Object.keys(view.tags),
};

const fieldOf = (name: string): FilterField<Seen> | undefined =>
  name.startsWith('tag:') ? ({ view }) => view.tags[name.slice('tag:'.length)] : fields[name];

const statusFields: Readonly<Record<string, string>> = {
  'instance-state-name': 'instance-state-name',
  'instance-state-code': 'instance-state-code',
  'availability-zone': 'availability-zone',
};

const checkSize = ({ MaxResults: size, InstanceIds: ids }: Query): void => {
  if (size === undefined) return;
  if (ids?.length) {
    throw new ApiError('InvalidParameterCombination', 'The parameter instancesSet cannot be used with the parameter maxResults');
  }
  if (size < 5 || size > 1000)
    throw new ApiError('InvalidParameterValue', `Value ( ${size} ) for parameter maxResults is invalid. Expecting a value between 5 and 1000.`);
};

export const notFound = (ids: readonly string[]): ApiError => {
  const many = ids.length > 1;
  return new ApiError('InvalidInstanceID.NotFound', `The instance ID${many ? 's' : ''} '${ids.join(', ')}' do${many ? '' : 'es'} not exist`);
};

/** What describes show: the state of each instance before its lag. */
export const createInstanceDescribes = (base: Base, instances: Instances, network: Network): Operations => {
  const see = (instance: InstanceRecord, agoMs = 0): Seen | undefined => {
    const view = instance.shown.read(agoMs);
    return view === undefined ? undefined : { instance, view };
  };
  const byIds = (ids: readonly string[]): readonly InstanceRecord[] => {
    const seen = [...new Set(ids)].map((id) => ({ id, seen: ((instance) => instance && see(instance))(instances.find(id)) }));
    const missing = seen.filter((entry) => entry.seen === undefined).map(({ id }) => id);
    if (missing.length > 0) throw notFound(missing);
    return seen.flatMap((entry) => entry.seen?.instance ?? []).sort((a, b) => a.ordinal - b.ordinal);
  };
  /** Exact ids and tags are looked up, so that a storm's describes do not read every instance. */
  const candidates = (filters: readonly Filter[]): readonly InstanceRecord[] => {
    const exact = (suits: (name: string) => boolean) =>
      filters.find(({ Name, Values }) => suits(Name ?? '') && Values?.length && Values.every((value) => !/[*?\\]/.test(value)));
    const ids = exact((name) => name === 'instance-id')?.Values;
    if (ids !== undefined) return ids.flatMap((id) => instances.find(id) ?? []).sort((a, b) => a.ordinal - b.ordinal);
    const tag = exact((name) => name.startsWith('tag:'));
    if (tag?.Name === undefined || tag.Values === undefined) return instances.list();
    const key = tag.Name.slice('tag:'.length);
    const [first = '', ...others] = tag.Values;
    if (others.length === 0) return instances.tagged(key, first);
    return [...new Set(tag.Values.flatMap((value) => instances.tagged(key, value)))].sort((a, b) => a.ordinal - b.ordinal);
  };
  /** The instances that a query may show, and each one as it shows it, if it does. */
  const query = (input: Query, known: typeof fieldOf) => {
    const filters = input.Filters ?? [];
    const passes = allOf(filters, known);
    const from = input.InstanceIds?.length ? byIds(input.InstanceIds) : candidates(filters);
    const show = (instance: InstanceRecord, agoMs = 0): Seen | undefined => {
      const seen = see(instance, agoMs);
      return seen !== undefined && passes(seen) ? seen : undefined;
    };
    return { from, show, all: (agoMs = 0): readonly Seen[] => from.flatMap((instance) => show(instance, agoMs) ?? []) };
  };
  const instancePage = (input: Query): Page<Seen> => {
    const size = Math.min(input.MaxResults ?? Number.POSITIVE_INFINITY, base.longestPage);
    const { from, show, all } = query(input, fieldOf);
    const stale = base.stalePages;
    if (stale === undefined) return pageByOrdinal(from, show, size, input.NextToken, 'InvalidNextToken');
    const later = { list: () => all(stale.drawLagMs()), moved: stale.moved };
    return pageOfMoving(all(), later, size, input.NextToken, 'InvalidNextToken');
  };
  return {
    DescribeInstances: operation<Query>((input) => {
      checkSize(input);
      const page = instancePage(input);
      return {
        Reservations: page.items.map(({ instance, view }) => describeReservation(instance, view, network.vpcId, base.place.accountId)),
        NextToken: page.next,
      };
    }),
    DescribeInstanceStatus: operation<Query & { IncludeAllInstances?: boolean }>((input) => {
      checkSize(input);
      const { from, show } = query(input, (name) => fields[statusFields[name] ?? '']);
      const showRunning = (instance: InstanceRecord): Seen | undefined => {
        const seen = show(instance);
        return input.IncludeAllInstances || seen?.view.state === 'running' ? seen : undefined;
      };
      const page = pageByOrdinal(from, showRunning, input.MaxResults, input.NextToken, 'InvalidNextToken');
      return { InstanceStatuses: page.items.map(({ instance, view }) => describeStatus(instance, view)), NextToken: page.next };
    }),
  };
};
