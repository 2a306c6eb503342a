import { items } from '../../../core/contract.ts';
import type { AttributeMap } from '../../platform/tables/stream.ts';
import type { Actor, HistoryEvent } from '../history.ts';
import type { Untimed } from '../untimed.ts';

/** Times that lie ahead when they are stored: of ends, of looks to come, and of what is forgotten then. */
const toCome = new Set(['expiresAtMs', 'forgetAtMs', 'cutAtMs', 'wakeAtMs', 'checksDueAtMs']);
/** Fields that hold a time under the name of each instance, alarm or target group. */
const timesByName = new Set(['alarms', 'ended', 'arriving', 'registered', 'leftTargetGroupsAtMs']);

const isPast = (name: string, field: string): boolean => timesByName.has(field) || (/^(?:at|since|latest)Ms$|AtMs$/.test(name) && !toCome.has(name));

/** A time at which something happened, and the field of the item that has it. */
type Dated = { readonly field: string; readonly atMs: number };

/** The past times in an attribute: `field` is the field of the item that it is in, and `name` its own name. */
const pastIn = ({ N, M, L }: AttributeMap[string], field: string, name: string): readonly Dated[] => {
  if (N !== undefined) return isPast(name, field) ? [{ field, atMs: Number(N) }] : [];
  if (M !== undefined) return Object.entries(M as AttributeMap).flatMap(([key, one]) => pastIn(one, field, key));
  return Array.isArray(L) ? L.flatMap((one: AttributeMap[string]) => pastIn(one, field, name)) : [];
};

/** Whether a swap says that its drain is over when its deregistration delay will be: nothing cuts its connections then (docs/drains.md). */
const isForeseen = ({ drainedAtMs, busyUntilMs }: AttributeMap): boolean => drainedAtMs?.N !== undefined && drainedAtMs.N === busyUntilMs?.N;

/** The past times in a state or a swap. */
const pastTimes = (key: string, item: AttributeMap): readonly Dated[] => {
  const isState = key === items.state;
  if (!isState && !key.startsWith(items.swapPrefix)) return [];
  const fields = (isState ? (item.state?.M ?? {}) : item) as AttributeMap;
  return Object.entries(fields).flatMap(([field, one]) => (field === 'drainedAtMs' && isForeseen(fields) ? [] : pastIn(one, field, field)));
};

/** What a written state or swap dates latest, if that is after the write. */
export const datedAhead = (item: AttributeMap | undefined, by: Actor, nowMs: number): Untimed<HistoryEvent> | undefined => {
  if (item === undefined) return undefined;
  const key = String(item.item?.S);
  const latest = pastTimes(key, item).reduce<Dated | undefined>(
    (one, other) => (one !== undefined && one.atMs >= other.atMs ? one : other),
    undefined,
  );
  if (latest === undefined || latest.atMs <= nowMs) return undefined;
  return { kind: 'dated-ahead', group: String(item.group?.S), item: key, field: latest.field, aheadMs: latest.atMs - nowMs, by };
};
