import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { parse } from 'yaml';
import { env, items, registryPartition, ttlAttribute } from '../../../core/contract.ts';
import { canonicalText } from '../../../core/policy/canonical.ts';
import type { FunctionSpec } from '../../platform/functions/environment.ts';
import { itemBytes } from '../../platform/tables/item-size.ts';
import type { ItemChange } from '../../platform/tables/memory-store.ts';
import { fromItem } from '../../platform/tables/plain-items.ts';
import type { AttributeMap } from '../../platform/tables/stream.ts';
import type { Actor, HistoryEvent } from '../history.ts';
import type { Untimed } from '../untimed.ts';
import { memoryIn } from './state-memory.ts';
import type { SwapFacts } from './swap-facts.ts';

type Event = Untimed<HistoryEvent>;
type Document = Readonly<Record<string, unknown>>;
type Table = 'groups' | 'state';

const isDocument = (value: unknown): value is Document => typeof value === 'object' && value !== null && !Array.isArray(value);

const textOf = (item: AttributeMap, name: string): string => String(item[name]?.S);
const plainOf = (item: AttributeMap, name: string): unknown => {
  const attribute = item[name];
  return attribute === undefined ? undefined : fromItem({ [name]: attribute })[name];
};

/** A policy is written as a map or as text. A text that cannot be read counts as an empty document. */
const documentOf = (value: unknown): Document => {
  if (isDocument(value)) return value;
  try {
    const read: unknown = typeof value === 'string' ? parse(value) : undefined;
    return isDocument(read) ? read : {};
  } catch {
    return {};
  }
};

/** A reader finds by it which policy a status is about (docs/policy.md). */
const digestOf = (policy: unknown): string =>
  createHash('sha256')
    .update(typeof policy === 'string' ? policy : canonicalText(policy))
    .digest('hex');

const ofPolicy = (group: string, after: AttributeMap | undefined): Event => {
  if (after === undefined) return { kind: 'policy-written', group };
  const policy = plainOf(after, 'policy');
  return { kind: 'policy-written', group, document: documentOf(policy), ...(policy !== undefined && { digest: digestOf(policy) }) };
};

/** A digest of what a version says of its group, without its own number and that of the version with which the group came back. */
const meaningOf = (resolved: unknown): string => {
  const { policyVersion: _own, backWith: _back, backAtMs: _since, ...group } = isDocument(resolved) ? resolved : {};
  return digestOf(group);
};

const ofAccepted = (group: string, before: AttributeMap | undefined, after: AttributeMap | undefined): readonly Event[] => {
  if (after === undefined) return [{ kind: 'policy-in-force', group }];
  const version = Number(plainOf(after, 'version'));
  if (before !== undefined && Number(plainOf(before, 'version')) === version) return [];
  const [document, meaning] = [documentOf(plainOf(after, 'document')), meaningOf(plainOf(after, 'resolved'))];
  return [{ kind: 'policy-in-force', group, version, document, meaning }];
};

const leasedUntilMsIn = (state: AttributeMap): number | undefined => {
  const { L: reservations = [] } = (state.reservations ?? {}) as { readonly L?: readonly { readonly M?: AttributeMap }[] };
  const leases = reservations.flatMap(({ M }) => (M?.leaseUntilMs?.N === undefined ? [] : [Number(M.leaseUntilMs.N)]));
  return leases.length === 0 ? undefined : Math.max(...leases);
};

const ofState = (group: string, after: AttributeMap, by: Actor): Event => {
  const state = (after.state?.M ?? {}) as AttributeMap;
  const leasedUntilMs = leasedUntilMsIn(state);
  return {
    kind: 'state-written',
    group,
    version: Number(state.version?.N),
    policyVersion: Number(state.policyVersion?.N),
    desired: Number(state.desired?.N),
    ...(state.lastReservation !== undefined && { lastReservation: textOf(state, 'lastReservation') }),
    ...(leasedUntilMs !== undefined && { leasedUntilMs }),
    bytes: itemBytes(after),
    memory: memoryIn(fromItem(state)),
    by,
  };
};

/** The physical name of each table. */
export const tableNames = (specs: readonly FunctionSpec[]): ReadonlyMap<string, Table> =>
  new Map(
    specs.flatMap(({ variables }) =>
      (
        [
          [variables[env.groupsTable], 'groups'],
          [variables[env.stateTable], 'state'],
        ] as const
      ).flatMap(([name, table]) => (name === undefined ? [] : [[name, table] as const])),
    ),
  );

type Write = Pick<ItemChange, 'before' | 'after'> & { readonly table: Table; readonly by: Actor };

type Hook = { readonly hook?: unknown; readonly expiresAtMs?: unknown; readonly overAtMs?: unknown };

const hookEnds = (hooks: readonly Hook[]): Pick<SwapFacts, 'hookEnds'> => {
  const ends = hooks.flatMap(({ hook, expiresAtMs, overAtMs }) => (overAtMs === undefined ? [[String(hook), Number(expiresAtMs)] as const] : []));
  return ends.length === 0 ? {} : { hookEnds: Object.fromEntries(ends) };
};

const factsIn = (after: AttributeMap): SwapFacts => {
  const { offering, asg, deadlineMs, decision, hooks } = fromItem(after);
  const known: readonly Hook[] = Array.isArray(hooks) ? hooks : [];
  return {
    offering: String(offering),
    ...(asg !== undefined && { asg: String(asg) }),
    ...(deadlineMs !== undefined && { deadlineMs: Number(deadlineMs) }),
    ...(decision !== undefined && { decision: String(decision) }),
    hooks: known.map(({ hook }) => String(hook)),
    ...hookEnds(known),
  };
};

const swapIn = (item: string, after: AttributeMap) => {
  if (!item.startsWith(items.swapPrefix)) return {};
  const drain = after.drain === undefined ? undefined : textOf(after, 'drain');
  return { swap: { reason: textOf(after, 'reason'), state: textOf(after, 'state'), ...(drain !== undefined && { drain }), facts: factsIn(after) } };
};

/** Requests are stored as compressed JSON. */
const requestIn = (item: string, after: AttributeMap) => {
  const packed = item.startsWith(items.request('')) ? after.request?.S : undefined;
  if (packed === undefined) return {};
  const { placement } = JSON.parse(gunzipSync(Buffer.from(String(packed), 'base64')).toString()) as {
    readonly placement: { readonly pool: string; readonly count: number };
  };
  return { request: { pool: placement.pool, count: placement.count } };
};

/** A status says so if nothing is wrong with its policy but that other groups hold its Auto Scaling groups. */
const waitingText = 'It is checked again when no other group holds its Auto Scaling groups.';

const statusIn = (item: string, after: AttributeMap) => {
  if (item !== items.status) return {};
  const version = Number(plainOf(after, 'version'));
  const lengthOf = (name: string): number => {
    const list = plainOf(after, name);
    return Array.isArray(list) ? list.length : 0;
  };
  const counts = { problems: lengthOf('problems'), warnings: lengthOf('warnings') };
  const message = textOf(after, 'message');
  const waits = message.includes(waitingText);
  const checks = plainOf(after, 'checks');
  const refused = Array.isArray(checks) && { refusedLaunches: checks.filter((one) => isDocument(one) && one.code === 'refused').length };
  const { digest } = fromItem(after);
  const said = { message, at: textOf(after, 'at'), atMs: Number(plainOf(after, 'atMs')), ...(digest !== undefined && { digest: String(digest) }) };
  return {
    status: { status: textOf(after, 'status'), ...(!Number.isNaN(version) && { version }), ...counts, ...(waits && { waits }), ...refused, ...said },
  };
};

const written = ({ table, after, by }: Write, group: string, item: string): readonly Event[] =>
  after === undefined
    ? []
    : [
        {
          kind: 'item-written',
          table,
          group,
          item,
          bytes: itemBytes(after),
          expiresAtMs: after[ttlAttribute]?.N === undefined ? 'never' : 1_000 * Number(after[ttlAttribute].N),
          by,
          ...swapIn(item, after),
          ...requestIn(item, after),
          ...statusIn(item, after),
        },
      ];

/** The history events of a write of an item. */
export const itemEvents = (write: Write): readonly Event[] => {
  const { table, before, after, by } = write;
  const known = after ?? before;
  if (known === undefined) return [];
  const [group, item] = [textOf(known, 'group'), textOf(known, 'item')];
  const size = written(write, group, item);
  if (table === 'state' && item === items.state) return [after === undefined ? { kind: 'state-deleted', group, by } : ofState(group, after, by)];
  if (table === 'state') return size;
  if (item === items.policy) return [ofPolicy(group, after), ...size];
  return item === items.accepted && group !== registryPartition ? [...ofAccepted(group, before, after), ...size] : size;
};
