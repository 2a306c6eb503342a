import type { EC2Client } from '@aws-sdk/client-ec2';
import { tags } from '../../core/contract.ts';
import type { Changes } from '../../core/view/changes.ts';
import type { Instance } from '../calls/ec2-shapes.ts';
import { allSettled } from '../calls/in-parallel.ts';
import { perClient } from '../calls/remembered.ts';
import { asgTag, instancesById, instancesByTag, isAlive, isStopped, lastFound, tagOf } from '../instances.ts';
import { type Asg, standingsIn } from './auto-scaling-groups.ts';
import { isNoteShown } from './joined-here.ts';

/** In a group of this size or more, unchanged instances are not read again, because a page takes half a second. */
export const largeFrom = 1_000;
/**
 * How long a whole read is used: until the next tick has read the group. So the signals of a storm, which come at any
 * time of the minute, do not wait for a whole read. Shorter than reservations count.
 */
const usedAgainForMs = 75_000;
/** So many instances are looked up by id in every large group. */
const fewById = 400;
/** Instances by id in one call, as a part of the instances on one page of a whole read. */
const byIdPart = 200 / 1_000;

/**
 * The most instances that are looked up by id. With more of them, a whole read takes fewer calls. Its pages come one
 * after the other, so in a group of 10,000 it takes seconds.
 */
const mostById = (read: number, { asgs }: OneGroup): number =>
  Math.max(fewById, byIdPart * read * (asgs.length === 0 ? 1 : 2));
/** Instances that an environment keeps. */
const mostKept = 50_000;

type Whole = { readonly atMs: number; readonly instances: readonly Instance[] };
const wholes = perClient<EC2Client, Map<string, Whole>>(() => new Map());

const isRunning = ({ State }: Instance): boolean => State?.Name === 'running';
const idOf = ({ InstanceId = '' }: Instance): string => InstanceId;

const keep = (ec2: EC2Client, key: string, whole: Whole): void => {
  const kept = wholes(ec2);
  kept.delete(key);
  if (whole.instances.length < largeFrom) return;
  kept.set(key, whole);
  let sum = [...kept.values()].reduce((all, { instances }) => all + instances.length, 0);
  // A map keeps its entries in the order in which they were set: the first was used longest ago.
  for (const [other, { instances }] of kept) {
    if (sum <= mostKept || other === key) break;
    kept.delete(other);
    sum -= instances.length;
  }
};

/**
 * States that do not last. A read of instances in these states finds those that begin to run, stop or end. Ended ones
 * are left out: EC2 shows them for an hour, and after a storm these are pages of instances that are known already.
 */
const passing = ['pending', 'shutting-down', 'stopping', 'stopped'];
/** Whether it runs no more, and never will. */
const isOver = ({ State }: Instance): boolean => State?.Name === 'shutting-down' || State?.Name === 'terminated';

/**
 * One group: the value of its tag, the Auto Scaling groups that hold members of it, and the one that Holdfast attaches
 * members to.
 */
export type OneGroup = { readonly value: string; readonly asgs: readonly string[]; readonly joins?: string };

/** Instances by the group's tag, and by the tags of its Auto Scaling groups; some are in both. */
export type Both = { readonly tagged: readonly Instance[]; readonly grouped: readonly Instance[] };
type Reading = {
  readonly ec2: EC2Client;
  readonly now: () => number;
  readonly readAsgs: () => Promise<readonly Asg[]>;
};

const readBoth = async (ec2: EC2Client, { value, asgs }: OneGroup, states?: readonly string[]): Promise<Both> => {
  const [tagged, grouped] = await allSettled([
    instancesByTag(ec2, tags.group, [value], states),
    instancesByTag(ec2, asgTag, asgs, states),
  ]);
  return { tagged, grouped };
};

const byId = (instances: readonly Instance[]): ReadonlyMap<string, Instance> =>
  new Map(instances.map((one) => [idOf(one), one]));

/**
 * Instances for which Auto Scaling shows something else than was read: those that joined or left one of these groups
 * since, and those that joined and would be tagged as joined again, because the tag was not shown then.
 */
const unlike = (
  ran: ReadonlyMap<string, Instance>,
  asgs: readonly Asg[],
  joins: string | undefined,
  nowMs: number,
): readonly string[] => {
  const standings = standingsIn(asgs);
  const names = asgs.map(({ name }) => name);
  const inside = (one: Instance): string | undefined => names.find((name) => name === tagOf(one, asgTag));
  const lacksNote = (one: Instance): boolean =>
    tagOf(one, tags.group) !== undefined && tagOf(one, tags.joined) === undefined && isNoteShown(one, nowMs);
  const differs = ([id, one]: readonly [string, Instance]): boolean => {
    const asg = standings.get(id)?.asg;
    return asg !== inside(one) || (asg !== undefined && asg === joins && lacksNote(one));
  };
  return [...[...standings.keys()].filter((id) => !ran.has(id)), ...[...ran].filter(differs).map(([id]) => id)];
};

const keyOf = ({ value, asgs }: OneGroup): string => [value, ...asgs].join(' ');

/** Reads all of a group, and keeps it where it is large. */
const readWhole = async ({ ec2, now }: Reading, one: OneGroup): Promise<Both> => {
  const atMs = now();
  const both = await readBoth(ec2, one);
  keep(ec2, keyOf(one), { atMs, instances: [...byId([...both.tagged, ...both.grouped]).values()] });
  return both;
};

/** Those of these instances that no read has shown. They stopped, and now they run again or have ended. */
const unshown = async (
  ec2: EC2Client,
  instances: readonly Instance[],
  shown: ReadonlyMap<string, Instance>,
): Promise<ReadonlyMap<string, Instance>> => {
  const ids = instances.map(idOf).filter((id) => !shown.has(id));
  return ids.length === 0 ? new Map() : instancesById(ec2, ids);
};

/**
 * The whole read with the changes since. If so much changed that a whole read costs no more, everything is read again.
 */
const readChanges = async (reading: Reading, one: OneGroup, whole: Whole, changes: Changes): Promise<Both> => {
  const { ec2, readAsgs, now } = reading;
  const ran = byId(whole.instances.filter(isRunning));
  const over = byId(whole.instances.filter(isOver));
  const begun = whole.instances.filter((instance) => isAlive(instance) && !isRunning(instance)).map(idOf);
  const since = [...begun, ...changes.granted].filter((id) => !ran.has(id) && !over.has(id));
  const ended = changes.ended.filter((id) => ran.has(id));
  const others = one.asgs.length === 0 ? [] : unlike(ran, await readAsgs(), one.joins, now());
  const open = [...new Set([...since, ...ended, ...others])];
  if (open.length > mostById(whole.instances.length, one)) return readWhole(reading, one);
  const [{ tagged, grouped }, begunSince, found] = await allSettled([
    readBoth(ec2, one, passing),
    instancesByTag(ec2, tags.reservation, changes.open, ['running', 'terminated']),
    open.length === 0 ? new Map<string, Instance>() : instancesById(ec2, open),
  ]);
  const shown = new Map([...[tagged, grouped, begunSince].map(byId).flatMap((some) => [...some]), ...found]);
  const rest = await unshown(ec2, whole.instances.filter(isStopped), shown);
  // An older describe does not revive an instance that ended.
  const instances = [...new Map([...ran, ...shown, ...rest, ...over]).values()];
  keep(ec2, keyOf(one), { atMs: whole.atMs, instances });
  return { tagged: instances, grouped: one.asgs.length === 0 ? [] : instances };
};

/**
 * Whether a group is read by itself, because this environment keeps what it reads of it, and because the pages of one
 * describe come one after the other. A new environment knows only the size that the group should have.
 */
export const isLarge = (ec2: EC2Client, one: OneGroup, { size }: Pick<Changes, 'size'>): boolean =>
  size >= largeFrom ||
  wholes(ec2).has(keyOf(one)) ||
  Math.max(lastFound(ec2, tags.group, [one.value]), lastFound(ec2, asgTag, one.asgs)) >= largeFrom;

/**
 * All instances of one group. If this environment has read all of a large group a moment ago, it reads only some of
 * them: those that did not run then, those in a state that does not last, those whose end was reported, those that EC2
 * granted since, and those for which Auto Scaling shows something else. The others still run, or ended before.
 *
 * @param changes undefined: the changes are not known, so everything is read
 * @param isWhole whether everything is read, as each minute's tick does: an end that nobody reported is found by it
 */
export const instancesOfOne = (
  reading: Reading,
  one: OneGroup,
  changes: Changes | undefined,
  isWhole = false,
): Promise<Both> => {
  const whole = wholes(reading.ec2).get(keyOf(one));
  return isWhole || changes === undefined || whole === undefined || reading.now() - whole.atMs >= usedAgainForMs
    ? readWhole(reading, one)
    : readChanges(reading, one, whole, changes);
};
