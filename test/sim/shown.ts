import { EC2Client } from '@aws-sdk/client-ec2';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { type Access, accessThrough } from '../../cli/aws-access.ts';
import { decisionTexts } from '../../cli/decision-list.ts';
import { unreadableText } from '../../cli/decision-text.ts';
import { explain, explanationText } from '../../cli/explain.ts';
import { foundIn, noPolicyText, statusText } from '../../cli/status.ts';
import { items, keys } from '../../core/contract.ts';
import type { Sandbox } from '../../sandbox/door.ts';
import type { Showing, Shown } from '../../sandbox/judge/said/shown.ts';
import type { Stage } from './stage.ts';

type Item = Readonly<Record<string, unknown>>;
type Asked = {
  readonly TableName: string;
  readonly IndexName?: string;
  readonly Key?: Item;
  readonly ExpressionAttributeValues?: Readonly<Record<string, string>>;
};

const byKey = (a: Item, b: Item): number => (String(a[keys.item]) < String(b[keys.item]) ? 1 : -1);

/** Answers the few reads of the command line from items in memory. A query names a partition and a prefix, or an instance. */
const documentsOf = (tables: Readonly<Record<string, readonly Item[]>>) => {
  const byGroup = new Map(Object.entries(tables).map(([table, rows]) => [table, Map.groupBy(rows, (row) => row[keys.group])]));
  const answer = ({ TableName, IndexName, Key, ExpressionAttributeValues: values = {} }: Asked) => {
    if (Key !== undefined)
      return {
        Item: byGroup
          .get(TableName)
          ?.get(Key[keys.group])
          ?.find((row) => row[keys.item] === Key[keys.item]),
      };
    if (IndexName !== undefined) return { Items: tables[TableName]?.filter(({ instance }) => instance === values[':instance']) };
    const [group, prefix = ''] = Object.values(values);
    const found = byGroup.get(TableName)?.get(group) ?? [];
    return { Items: found.filter((row) => String(row[keys.item]).startsWith(prefix)).toSorted(byKey) };
  };
  return { send: async ({ input }: { readonly input: Asked }) => answer(input) } as unknown as DynamoDBDocumentClient;
};

/** Describes of the world as it is now, which take no time, meet no fault and are in no log. */
const instancesIn = ({ world }: Sandbox) => {
  const describe = world.services.find(({ service }) => service === 'ec2')?.operations.DescribeInstances;
  const client = Object.create(EC2Client.prototype) as EC2Client;
  // A paginator accepts an instance of the class alone.
  return Object.assign(client, { send: async ({ input }: { readonly input: object }) => describe?.({ ...input }, { kind: 'operator' }) });
};

/** A group may have thousands of decisions, and an explanation reads all of them: they are read once. */
const remembering = ({ log, ...access }: Access): Access => {
  const known = new Map<string, ReturnType<typeof log.decisions>>();
  return {
    ...access,
    log: {
      decisions: (group, limit) => {
        const found = known.get(group) ?? log.decisions(group, limit);
        known.set(group, found);
        return found;
      },
    },
  };
};

const shownBy = async (command: Shown['command'], about: string, print: () => Promise<string>): Promise<Shown> => {
  try {
    return { command, about, text: await print() };
  } catch (error) {
    return { command, about, text: '', error: String(error) };
  }
};

const most = 2_000;

const statusOf = async (group: string, access: Access): Promise<string> => {
  const status = await access.status(group);
  if (status === undefined) return noPolicyText(group, []);
  return statusText(status, status.status === 'accepted' ? await foundIn(group, access.store) : undefined);
};

const decisionsOf = async (group: string, { log }: Access): Promise<string> => {
  const { records, unreadable } = await log.decisions(group, most);
  return [...decisionTexts(records), ...unreadable.map(unreadableText)].join('\n\n');
};

/** What the command line prints now about every group that has a status, and about some of its instances: the youngest ones. */
export const showAll = async ({ sandbox, watched }: Stage, explained: number): Promise<Showing> => {
  const [groups, state] = await Promise.all([sandbox.items('groups'), sandbox.items('state')]);
  const name = 'holdfast';
  const documents = documentsOf({ [`${name}-groups`]: groups, [`${name}-state`]: state });
  const access = remembering(accessThrough({ documents, ec2: instancesIn(sandbox) }, name));
  const ruled = groups.filter(({ item }) => item === items.status).map(({ group }) => String(group));
  const decided = new Set(state.filter(({ item }) => String(item).startsWith(items.decisionPrefix)).map(({ group }) => String(group)));
  const shown: Shown[] = [];
  for (const group of ruled) shown.push(await shownBy('status', group, () => statusOf(group, access)));
  for (const group of decided) shown.push(await shownBy('decisions', group, () => decisionsOf(group, access)));
  for (const instance of [...watched.lives.keys()].slice(-explained))
    shown.push(await shownBy('explain', instance, async () => explanationText(await explain(instance, access))));
  const isOf = (prefix: string) => (row: Item) => String(row.item).startsWith(prefix);
  return {
    atMs: sandbox.clock.now(),
    stored: {
      swaps: state.filter((row) => isOf(items.swapPrefix)(row) || isOf(items.past(''))(row)),
      decisions: state.filter(isOf(items.decisionPrefix)),
    },
    shown,
  };
};
