import { owedBy } from '../capacity/limits.ts';
import type { Chronicle } from '../chronicle.ts';
import type { Finding, Rule } from '../finding.ts';
import { servesAgainMsIn } from '../members/serves-again.ts';
import { isStray } from '../members/staying.ts';
import { asgsOf, type Policy } from '../policy/policy.ts';
import { times } from '../times.ts';
import { wasAtMinimum } from '../world/kept-by-minimum.ts';
import { isAlive, isProtected, type Life, lastRefusalMs, stayAt } from '../world/life.ts';
import { isMute } from '../world/mute.ts';
import { runsAgainAt, runsOf } from '../world/runs.ts';
import { isOutgrown } from './auto-scaling/put-back.ts';

type Broken = Omit<Finding, 'rule'>;

/** How many members the minimum sizes of a group's Auto Scaling groups keep, whatever the policy says. */
const leastOf = (chronicle: Chronicle, policy: Policy, atMs: number): number =>
  asgsOf(policy).reduce((sum, asg) => sum + (chronicle.cloud.asgAt(asg, atMs)?.min ?? 0), 0);

/**
 * How many members a floor on demand and the minimum sizes of Auto Scaling groups on spot keep together. Without a floor, those on demand leave in place
 * of those that a minimum keeps.
 */
const keptBesideFloor = (chronicle: Chronicle, policy: Policy, size: number, atMs: number): number => {
  if (policy.onDemand === undefined) return 0;
  const spot = new Set(Object.values(policy.pools).flatMap(({ asg, market }) => (asg !== undefined && market === 'spot' ? [asg] : [])));
  return [...spot].reduce((sum, asg) => sum + (chronicle.cloud.asgAt(asg, atMs)?.min ?? 0), owedBy(policy, size));
};

/** Groups that act at the end: the size of the others is their user's. */
const inForce = (chronicle: Chronicle): readonly { readonly group: string; readonly policy: Policy }[] =>
  [...chronicle.groups.keys()].flatMap((group) => {
    const policy = chronicle.policyAt(group, chronicle.history.endedAtMs);
    return policy === undefined || policy.mode !== 'act' ? [] : [{ group, policy }];
  });

export const cameToRest: Rule = {
  name: 'everything comes to rest in time',
  meaning: 'A run is given a fixed time after its last trouble. When it is over, nothing is under way any more.',
  broken: ({ history }) => (history.restAtMs === undefined ? [{ atMs: history.endedAtMs, detail: 'it did not come to rest' }] : []),
};

/** Members that were stopped and run again, each by its last run: the end of a life is its first one. */
const startedAgain = (chronicle: Chronicle, group: string, policy: Policy, atMs: number): readonly Life[] =>
  chronicle
    .livesIn(group)
    .filter((life) => runsAgainAt(life, atMs) && chronicle.groupAt(life, atMs) === group)
    .filter((life) => asgsOf(policy).length === 0 || stayAt(life, atMs) !== undefined)
    .map((life) => runsOf(life).at(-1) ?? life);

export const sizeIsHeld: Rule = {
  name: 'the size is held at rest',
  meaning:
    'At rest, as many members run and serve as are desired, or as the minimum of the Auto Scaling groups keeps, or as their user protects. A floor on demand and minimum sizes on spot may keep more together. A member that never answers counts where its user protects it from scale-in, and no member that serves has to leave for it. One that does not serve, and whose end EC2 refused within the hour, does not count. An instance that was stopped counts if it runs again. Of a size that others set beyond the maximum of the policy, as many serve as this maximum says, and any part of the others. No more spares run than the policy wants, and all of them on spot, except for members on demand that nobody can end. No member is pending.',
  broken: (chronicle) =>
    inForce(chronicle).flatMap(({ group, policy }): readonly Broken[] => {
      const atMs = chronicle.history.endedAtMs;
      const found = chronicle.desiredIn(group, atMs, atMs);
      const ran = chronicle.membersAt(group, atMs);
      const again = startedAgain(chronicle, group, policy, atMs).filter(({ instance }) => !ran.some((life) => life.instance === instance));
      const run = [...ran, ...again];
      const members = run.filter((life) => !isStray(chronicle, life, atMs));
      const serving = members.filter((life) => chronicle.servesAt(life, atMs)).length;
      const mute = members.filter((life) => isMute(life, atMs)).length;
      const isRefused = (life: Life): boolean => atMs - lastRefusalMs(life, atMs) < times.keptForMs;
      const kept = members.filter((life) => isProtected(life, atMs) || isRefused(life)).length;
      // Nobody can end it, and others serve in its place.
      const idle = members.filter((life) => isRefused(life) && !isMute(life, atMs) && !chronicle.servesAt(life, atMs)).length;
      const sizes = found.length > 0 || policy.isSizedOutside ? found : [policy.size.desired];
      // What others want beyond the maximum of the policy, their Auto Scaling group may launch by itself.
      const most = policy.isSizedOutside ? chronicle.wantedIn(group, atMs, atMs) : sizes;
      const wanted = sizes.map((size) => Math.max(size, leastOf(chronicle, policy, atMs), kept));
      const spot = members.filter(({ market }) => market === 'spot').length;
      // On demand, and nobody can end them: those beyond the size have the places of spares.
      const cannotLeave = (life: Life): boolean => isProtected(life, atMs) || isRefused(life) || wasAtMinimum(chronicle, life, atMs - 1);
      const stuck = members.filter((life) => life.market === 'on-demand' && cannotLeave(life)).length;
      // A spare may be launched at any time, when its offering has rested.
      const coming = policy.spare === 0 ? 0 : members.filter((life) => life.launchedAtMs > atMs - servesAgainMsIn(chronicle, group)).length;
      const isHeld = wanted.some((size, index) => {
        const above = spot + Math.max(0, stuck - (sizes[index] ?? 0));
        const besideFloor = keptBesideFloor(chronicle, policy, sizes[index] ?? 0, atMs);
        const atMost = Math.max(size, besideFloor, (most[index] ?? 0) + Math.min(policy.spare, above));
        const others = members.length - idle - mute;
        return serving + mute >= size && others <= atMost && others - serving <= coming;
      });
      return isHeld ? [] : [{ group, atMs, detail: `at the end, ${serving} of ${members.length} members serve, expected ${wanted.join(' or ')}` }];
    }),
};

type StoredReservation = { readonly id?: string; readonly instances?: unknown; readonly forgetAtMs?: number };
type StoredState = { readonly reservations?: readonly StoredReservation[]; readonly raised?: readonly { readonly asg?: string }[] };

/** Two ticks after its time a reservation is forgotten, or it never will be. */
const believedTooLongMs = 120_000;

const openIn = (group: string, { reservations = [] }: StoredState, atMs: number, isInForce: boolean): readonly Broken[] => [
  ...reservations.filter(({ instances }) => instances === undefined).map(({ id }) => ({ group, atMs, detail: `reservation ${id} is open` })),
  ...reservations
    .filter(({ forgetAtMs = atMs }) => isInForce && forgetAtMs + believedTooLongMs < atMs)
    .map(({ id }) => ({ group, atMs, detail: `reservation ${id} is kept long after its time` })),
];

/** Raised maxima that are still noted, without those that the size of the group has outgrown. */
const raisedIn = (chronicle: Chronicle, group: string, { raised = [] }: StoredState, atMs: number): readonly Broken[] =>
  raised
    .filter(({ asg = '' }) => !isOutgrown(chronicle, asg, group, atMs))
    .map(({ asg = '' }) => ({ group, asg, atMs, detail: `${asg} is still noted as raised` }));

/** Drains that have not succeeded. */
const drainsLeft = (chronicle: Chronicle): readonly Broken[] => {
  const last = new Map(chronicle.of('drain').map((event) => [event.drain, event]));
  return [...last.values()]
    .filter(({ status }) => status !== 'succeeded')
    .map(({ drain, group, status, atMs }) => ({ group, atMs, detail: `drain ${drain}: ${status}` }));
};

export const nothingOpen: Rule = {
  name: 'nothing is left open',
  meaning:
    'At rest, no reservation is open, no raised maximum is noted that the desired size does not need, every drain has succeeded, and no message waits or lies in a dead-letter queue.',
  broken: (chronicle) => {
    const { stored, endedAtMs: atMs } = chronicle.history;
    return [
      ...Object.entries(stored.states).flatMap(([group, state]) => [
        ...openIn(group, state as StoredState, atMs, chronicle.policyAt(group, atMs) !== undefined),
        ...raisedIn(chronicle, group, state as StoredState, atMs),
      ]),
      ...drainsLeft(chronicle),
      ...(stored.staleMessages === 0 ? [] : [{ atMs, detail: `${stored.staleMessages} messages stay on a queue` }]),
      ...(stored.deadLetters === 0 ? [] : [{ atMs, detail: `${stored.deadLetters} dead letters` }]),
    ];
  },
};

/** Whether it is in an Auto Scaling group that the policy moved away from, and its minimum, or protection, keeps it there. */
const isKeptBehind = (chronicle: Chronicle, life: Life, atMs: number): boolean => {
  const asg = stayAt(life, atMs)?.asg;
  if (asg === undefined) return false;
  const held = chronicle.lives.filter((one) => isAlive(one, atMs) && stayAt(one, atMs)?.asg === asg).length;
  return isProtected(life, atMs) || held <= (chronicle.cloud.asgAt(asg, atMs)?.min ?? 0);
};

/** Instances that Holdfast launched, run, and that no Auto Scaling group and no tag of a group in force holds. */
const isOrphan = (chronicle: Chronicle, life: Life, atMs: number): boolean => {
  const group = chronicle.groupAt(life, atMs);
  const policy = group === undefined ? undefined : chronicle.policyAt(group, atMs);
  if (policy === undefined || policy.mode === 'observe') return false;
  return policy.asg !== undefined && !life.stays.some(({ asg }) => asg === policy.asg) && !isKeptBehind(chronicle, life, atMs);
};

export const nobodyForgotten: Rule = {
  name: 'nobody is announced and not taken in',
  meaning:
    'At rest, every living instance that Holdfast launched for a group with an Auto Scaling group is in this Auto Scaling group. It may be in one that the policy named before, if a minimum size or protection keeps it there.',
  broken: (chronicle) => {
    const atMs = chronicle.history.endedAtMs;
    return chronicle.lives
      .filter((life) => isAlive(life, atMs) && life.by.kind === 'function' && isOrphan(chronicle, life, atMs))
      .map((life) => ({ instance: life.instance, atMs, detail: `${life.instance} runs on outside the Auto Scaling group of its group` }));
  },
};
