import type { Market } from '../../core/pool/offering.ts';
import type { BootFailure, BootFate, BootFilter } from '../../sandbox/world/boot-fates.ts';
import type { InstanceSnapshot } from '../../sandbox/world/world.ts';
import type { Step } from './situation.ts';
import type { Stage } from './stage.ts';

const inSeconds = (ms: number): string => `${ms / 1_000} s`;

type Offering = ReturnType<Stage['sandbox']['world']['snapshot']>['offerings'][number];

const each = ({ sandbox: { world } }: Stage, suits: (offering: Offering) => boolean, capacityOf: (offering: Offering) => number | null): void => {
  for (const offering of world.snapshot().offerings.filter(suits)) world.setOffering(offering, { capacity: capacityOf(offering) });
};

type World = Stage['sandbox']['world'];
/** What an offering had before it was empty, and when the last of the outages ends that it is in. */
type Outage = { readonly capacity: number | null; readonly untilMs: number };

const outages = new WeakMap<World, Map<string, Outage>>();

const outagesOf = (world: World): Map<string, Outage> => {
  const found = outages.get(world) ?? new Map<string, Outage>();
  outages.set(world, found);
  return found;
};

/** No offering that suits gives more than it has given, for so long; then each is as it was. Where several overlap, when the last one ends. */
export const noCapacity = (atMs: number, forMs: number, markets: readonly Market[], zones: readonly string[]): Step => ({
  kind: 'capacity-changed',
  atMs,
  lastsMs: forMs,
  what: `${zones.join(', ')} have no more ${markets.join(' or ')} capacity for ${inSeconds(forMs)}`,
  happen: (stage) => {
    const { world, clock } = stage.sandbox;
    stage.did({ kind: 'capacity-changed' });
    const open = outagesOf(world);
    const untilMs = clock.now() + forMs;
    const keyOf = ({ instanceType, zone, market }: Offering): string => `${instanceType} ${zone} ${market}`;
    const suits = ({ zone, market }: Offering): boolean => zones.includes(zone) && markets.includes(market);
    each(stage, suits, (offering) => {
      const earlier = open.get(keyOf(offering));
      open.set(keyOf(offering), {
        capacity: earlier === undefined ? offering.capacity : earlier.capacity,
        untilMs: Math.max(untilMs, earlier?.untilMs ?? untilMs),
      });
      return 0;
    });
    clock.after(forMs, () => {
      stage.did({ kind: 'capacity-changed' });
      const isOver = (offering: Offering): boolean => suits(offering) && (open.get(keyOf(offering))?.untilMs ?? Infinity) <= clock.now();
      each(stage, isOver, (offering) => {
        const outage = open.get(keyOf(offering));
        open.delete(keyOf(offering));
        return outage?.capacity ?? null;
      });
    });
  },
});

/** The account may have only so many instances of a market more than it has, for so long. */
export const holdToQuota = (atMs: number, forMs: number, market: Market, more: number): Step => ({
  kind: 'capacity-changed',
  atMs,
  lastsMs: forMs,
  what: `the account's quota leaves room for ${more} more ${market} instances for ${inSeconds(forMs)}`,
  happen: ({ sandbox: { world, clock }, did }) => {
    did({ kind: 'capacity-changed' });
    const used = world.snapshot().offerings.reduce((sum, offering) => sum + (offering.market === market ? offering.used : 0), 0);
    world.setQuota(market, used + more);
    clock.after(forMs, () => {
      did({ kind: 'capacity-changed' });
      world.setQuota(market, null);
    });
  },
});

const roomAgain = 1_000;

/** A subnet has so many addresses left, for so long; those beside it have enough. */
export const fillSubnet = (atMs: number, forMs: number, subnet: string, left: number): Step => ({
  kind: 'subnet-filled',
  atMs,
  lastsMs: forMs,
  what: `${subnet} has ${left} addresses left for ${inSeconds(forMs)}`,
  happen: ({ sandbox: { world, clock }, did }) => {
    did({ kind: 'subnet-filled' });
    world.setFreeAddresses(subnet, left);
    clock.after(forMs, () => {
      did({ kind: 'subnet-filled' });
      world.setFreeAddresses(subnet, roomAgain);
    });
  },
});

/** The spot price of a type moves by this factor, in these zones. */
export const movePrice = (atMs: number, instanceType: string, zones: readonly string[], factor: number): Step => ({
  kind: 'price-changed',
  atMs,
  what: `the spot price of ${instanceType} in ${zones.join(', ')} moves by ${factor}`,
  happen: ({ sandbox: { world }, did }) => {
    did({ kind: 'price-changed' });
    for (const offering of world.snapshot().offerings) {
      if (offering.instanceType !== instanceType || offering.market !== 'spot' || !zones.includes(offering.zone)) continue;
      world.setOffering(offering, { priceUsdPerHour: Math.round(offering.priceUsdPerHour * factor * 10_000) / 10_000 });
    }
  },
});

/** How long the user waits for what was launched last, before it is taken for broken. */
const patienceMs = 60_000;

/** Nobody but its user knows that an instance will never answer: it is ended by hand. */
const endMute = async (stage: Stage, sinceMs: number): Promise<void> => {
  const isMute = ({ state, launchedAtMs, bootedAtMs }: InstanceSnapshot): boolean =>
    state === 'running' && launchedAtMs >= sinceMs && bootedAtMs === undefined;
  const instances = stage.sandbox.world
    .snapshot()
    .instances.filter(isMute)
    .map(({ id }) => id);
  stage.did({ kind: 'ended-by-user', instances });
  for (const id of instances) await stage.attempt('ec2', 'TerminateInstances', { InstanceIds: [id] });
};

/**
 * What is launched for so long does not come up: it ends before it runs, or runs and never answers. The user ends what never answered, sooner than
 * Holdfast gives it up.
 */
export const breakBoots = (atMs: number, forMs: number, filter: BootFilter, fate: Exclude<BootFate, 'well'>, reason?: BootFailure): Step =>
  breaking(atMs, forMs, filter, { fate, ...(reason && { reason }), ...(fate !== 'dies' && { endedAfterMs: patienceMs }) });

/** The age at which Holdfast gives a new member up, and the time that its replacement takes. */
const givenUpMs = 900_000;

/** The same, and nobody but Holdfast ends what never serves. */
export const neverServing = (atMs: number, forMs: number, filter: BootFilter, fate: 'never-answers' | 'impaired'): Step => ({
  ...breaking(atMs, forMs, filter, { fate }),
  lastsMs: forMs + givenUpMs,
});

type Breaking = { readonly fate: Exclude<BootFate, 'well'>; readonly reason?: BootFailure; readonly endedAfterMs?: number };

const breaking = (atMs: number, forMs: number, filter: BootFilter, { fate, reason, endedAfterMs }: Breaking): Step => ({
  kind: 'boot-broken',
  atMs,
  lastsMs: forMs + patienceMs,
  what: `what is launched in ${filter.market ?? 'any market'}, ${filter.zone ?? 'every zone'} ${fate === 'dies' ? `dies while it boots, ${reason ?? 'Client.InternalError'}` : 'never answers'} for ${inSeconds(forMs)}`,
  happen: (stage) => {
    const { world, clock } = stage.sandbox;
    const sinceMs = clock.now();
    stage.did({ kind: 'boot-broken' });
    world.setBoots(filter, fate, reason);
    clock.after(forMs, () => {
      stage.did({ kind: 'boot-broken' });
      world.setBoots(filter, 'well');
    });
    if (endedAfterMs !== undefined) clock.after(forMs + endedAfterMs, () => endMute(stage, sinceMs));
  },
});
