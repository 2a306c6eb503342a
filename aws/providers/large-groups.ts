import type { EC2Client, Instance } from '@aws-sdk/client-ec2';
import { tags } from '../../core/contract.ts';
import type { Granted } from '../../core/launch/reservation-life.ts';
import { allSettled } from '../calls/in-parallel.ts';
import { perClient } from '../calls/remembered.ts';
import { asgTag, instancesById, instancesByTag, isAlive, tagOf } from '../instances.ts';
import { type Asg, standingsIn } from './auto-scaling-groups.ts';
import { isNoteShown } from './joined-here.ts';

/** In a group of this size or more, unchanged instances are not read again, because a page takes half a second. */
const largeFrom = 1_000;
/** Shorter than a minute, so that every tick reads the whole group, and shorter than reservations count. */
const usedAgainForMs = 50_000;
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
const mostKept = 20_000;

type Whole = { readonly atMs: number; readonly instances: readonly Instance[] };
const wholes = perClient<EC2Client, Map<string, Whole>>(() => new Map());

/** An instance without the parts that no look uses, which are most of its size. */
const slim = ({ NetworkInterfaces: _n, BlockDeviceMappings: _b, SecurityGroups: _s, ...rest }: Instance): Instance =>
  rest;

const isRunning = ({ State }: Instance): boolean => State?.Name === 'running';
const idOf = ({ InstanceId = '' }: Instance): string => InstanceId;

const keep = (ec2: EC2Client, key: string, whole: Whole): void => {
  const kept = wholes(ec2);
  kept.delete(key);
  if (whole.instances.length < largeFrom) return;
  const others = [...kept.values()].reduce((sum, { instances }) => sum + instances.length, 0);
  if (others + whole.instances.length > mostKept) kept.clear();
  kept.set(key, { ...whole, instances: whole.instances.map(slim) });
};

/** All states except running: a filter finds instances that ended or stopped, and those that begin to run. */
const notRunning = ['pending', 'shutting-down', 'terminated', 'stopping', 'stopped'];

/**
 * One group: the value of its tag, the Auto Scaling groups that hold members of it, and the one that Holdfast attaches
 * members to.
 */
export type OneGroup = { readonly value: string; readonly asgs: readonly string[]; readonly joins?: string };

/** Instances by the group's tag, and by the tags of its Auto Scaling groups; some are in both. */
type Both = { readonly tagged: readonly Instance[]; readonly grouped: readonly Instance[] };
/** The same, on their way. */
export type Parts = { readonly [Part in keyof Both]: Promise<Both[Part]> };

type Reading = {
  readonly ec2: EC2Client;
  readonly now: () => number;
  readonly readAsgs: () => Promise<readonly Asg[]>;
};

const readBoth = (ec2: EC2Client, { value, asgs }: OneGroup, states?: readonly string[]): Parts => ({
  tagged: instancesByTag(ec2, tags.group, [value], states),
  grouped: instancesByTag(ec2, asgTag, asgs, states),
});

const allOfBoth = async ({ tagged, grouped }: Parts): Promise<Both> => {
  const [found, held] = await allSettled([tagged, grouped]);
  return { tagged: found, grouped: held };
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
const readWhole = ({ ec2, now }: Reading, one: OneGroup): Parts => {
  const atMs = now();
  const parts = readBoth(ec2, one);
  const keepBoth = ({ tagged, grouped }: Both): void =>
    keep(ec2, keyOf(one), { atMs, instances: [...byId([...tagged, ...grouped]).values()] });
  // The caller that waits for the parts receives their errors.
  allOfBoth(parts).then(keepBoth, () => undefined);
  return parts;
};

/**
 * The whole read with the changes since. If so much changed that a whole read costs no more, everything is read again.
 */
const readChanges = async (
  reading: Reading,
  one: OneGroup,
  whole: Whole,
  { instances: granted, open: unknown }: Granted,
): Promise<Both> => {
  const { ec2, readAsgs, now } = reading;
  const ran = byId(whole.instances.filter(isRunning));
  const begun = whole.instances.filter((instance) => isAlive(instance) && !isRunning(instance)).map(idOf);
  const since = [...begun, ...granted].filter((id) => !ran.has(id));
  const others = one.asgs.length === 0 ? [] : unlike(ran, await readAsgs(), one.joins, now());
  const open = [...new Set([...since, ...others])];
  if (open.length > mostById(whole.instances.length, one)) return allOfBoth(readWhole(reading, one));
  const [{ tagged, grouped }, begunSince, found] = await allSettled([
    allOfBoth(readBoth(ec2, one, notRunning)),
    instancesByTag(ec2, tags.reservation, unknown, ['running']),
    open.length === 0 ? new Map<string, Instance>() : instancesById(ec2, open),
  ]);
  const changed = [tagged, grouped, begunSince].map(byId).flatMap((some) => [...some]);
  const instances = [...new Map([...ran, ...changed, ...found]).values()];
  keep(ec2, keyOf(one), { atMs: whole.atMs, instances });
  return { tagged: instances, grouped: one.asgs.length === 0 ? [] : instances };
};

/**
 * All instances of one group. If this environment has read all of a large group within the last 50 s, it reads only
 * some of them: those that do not run, those that did not run then, those that EC2 granted since, and those for which
 * Auto Scaling shows something else. The others still run.
 *
 * @param granted what EC2 granted and describes may not have shown yet, from the state of the group
 */
export const instancesOfOne = (reading: Reading, one: OneGroup, granted: Granted): Parts => {
  const whole = wholes(reading.ec2).get(keyOf(one));
  if (whole === undefined || reading.now() - whole.atMs >= usedAgainForMs) return readWhole(reading, one);
  const both = readChanges(reading, one, whole, granted);
  return { tagged: both.then(({ tagged }) => tagged), grouped: both.then(({ grouped }) => grouped) };
};
